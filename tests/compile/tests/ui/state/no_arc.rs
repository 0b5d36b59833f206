use std::sync::Arc;

use toolwright::{tool, tools};

struct Db(u32);
struct Cache;

/// Count the customers.
#[tool]
fn count(#[state] db: Arc<Db>) -> u32 {
    db.0
}

fn main() {
    tools![count; state = Cache];
}
