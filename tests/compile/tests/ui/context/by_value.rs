use toolwright::{Context, tool};

/// Count the customers.
#[tool]
fn count(#[context] cx: Context) {
    drop(cx);
}

fn main() {}
