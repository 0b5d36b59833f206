use toolwright::{tool, tools};

struct Db(u32);

/// Count the customers.
#[tool]
fn count(#[state] db: &Db) -> u32 {
    db.0
}

fn main() {
    let db = Db(3);
    tools![count; state = &db];
}
