use toolwright::{Context, tool};

/// Count the customers.
#[tool]
fn count(cx: Option<&Context>) {
    let _ = cx;
}

fn main() {}
