use toolwright::{tool, tools};

/// Lists.
#[tool]
fn list() -> Vec<_> {
    vec![1]
}

fn main() {
    let _ = tools![list];
}
