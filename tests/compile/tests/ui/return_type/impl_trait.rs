use toolwright::tool;

/// Count.
#[tool]
fn count() -> impl serde::Serialize {
    3
}

fn main() {}
