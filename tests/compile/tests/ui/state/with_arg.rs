use toolwright::tool;

struct Db(u32);

/// Count the customers.
#[tool]
fn count(#[state] #[arg(rename = "database")] db: &Db) -> u32 {
    db.0
}

fn main() {}
