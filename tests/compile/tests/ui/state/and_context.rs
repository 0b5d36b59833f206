use toolwright::{Context, tool};

/// Count the customers.
#[tool]
fn count(#[state] #[context] cx: &Context) {
    let _ = cx;
}

fn main() {}
