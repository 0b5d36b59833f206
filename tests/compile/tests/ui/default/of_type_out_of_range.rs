use toolwright::tool;

/// Lists what there is.
#[tool]
fn list(#[arg(default, range(1..=50))] most: u8) -> bool {
    most > 1
}

fn main() {}
