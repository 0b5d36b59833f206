use toolwright::{Provide, tool, tools};

struct Db(u32);

/// Count the customers.
#[tool]
fn count(#[state] db: &Db) -> u32 {
    db.0
}

#[derive(Provide)]
struct App {
    name: String,
}

fn main() {
    tools![count; state = App { name: String::new() }];
}
