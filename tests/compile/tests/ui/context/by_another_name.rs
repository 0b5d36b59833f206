use toolwright::{Context, tool};

type Cx = Context;

/// Count the customers.
#[tool]
fn count(cx: &Cx) {
    let _ = cx;
}

fn main() {}
