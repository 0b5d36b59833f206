use toolwright::{Context, tool};

/// Count the customers.
#[tool]
fn count(cx: &mut Context) {
    let _ = cx;
}

fn main() {}
