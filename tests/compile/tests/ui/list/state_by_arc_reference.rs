use std::sync::Arc;

use toolwright::{tool, tools};

struct Db;

/// Count the rows.
#[tool]
fn count(#[state] db: &Arc<Db>) -> usize {
    Arc::strong_count(db)
}

fn main() {
    tools![count; state = Arc::new(Db)];
}
