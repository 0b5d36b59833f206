use toolwright::tool;

/// Lists what there is.
#[tool]
fn list(#[arg(default, len(1..))] from: &str) -> bool {
    from.is_empty()
}

fn main() {}
