use toolwright::{Context, tool};

/// Count the customers.
#[tool]
fn count(#[context(session)] cx: &Context) {
    let _ = cx;
}

fn main() {}
