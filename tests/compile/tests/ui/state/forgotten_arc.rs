use std::sync::Arc;
use toolwright::tool;

struct Db;

/// Counts.
#[tool]
fn count(db: Arc<Db>) -> u32 {
    1
}

fn main() {}
