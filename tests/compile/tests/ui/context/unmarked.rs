use toolwright::{Context, tool};

/// Count the customers.
#[tool]
fn count(cx: &Context) {
    let _ = cx;
}

fn main() {}
