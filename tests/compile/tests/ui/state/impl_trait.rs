use toolwright::tool;

trait Db {}

/// Count the customers.
#[tool]
fn count(#[state] db: &impl Db) {
    let _ = db;
}

fn main() {}
