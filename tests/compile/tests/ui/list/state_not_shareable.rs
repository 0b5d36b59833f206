use std::cell::Cell;
use toolwright::{tool, tools};

struct Db(Cell<u32>);

/// Count the customers.
#[tool]
fn count(#[state] db: &Db) -> u32 {
    db.0.get()
}

fn main() {
    tools![count; state = Db(Cell::new(3))];
}
