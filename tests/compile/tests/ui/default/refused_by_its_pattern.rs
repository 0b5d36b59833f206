use toolwright::tool;

/// Lists what there is.
#[tool]
fn list(#[arg(default = "a b", pattern = "^[a-z]+$")] from: &str) -> bool {
    from.is_empty()
}

fn main() {}
