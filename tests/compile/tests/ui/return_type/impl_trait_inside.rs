use toolwright::tool;

/// Count.
#[tool]
fn count() -> Vec<impl serde::Serialize> {
    vec![3]
}

fn main() {}
