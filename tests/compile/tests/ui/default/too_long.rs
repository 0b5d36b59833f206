use toolwright::tool;

/// Lists what there is.
#[tool]
fn list(#[arg(default = "abcd", len(..=3))] from: String) -> bool {
    from.is_empty()
}

fn main() {}
