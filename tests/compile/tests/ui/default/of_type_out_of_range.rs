use toolwright::tool;

/// Lists what there is.
#[tool]
fn list(#[arg(default, range(1..=50))] most: u8, #[arg(default, len(1..))] from: String) -> bool {
    most > 1 && from.is_empty()
}

fn main() {}
