use toolwright::{Context, tool};

/// Count the customers.
#[tool]
fn count(cx: Context) {
    drop(cx);
}

fn main() {}
