use std::task::Context;
use toolwright::tool;

/// Count the customers.
#[tool]
fn count(cx: &Context<'_>) {
    let _ = cx;
}

fn main() {}
