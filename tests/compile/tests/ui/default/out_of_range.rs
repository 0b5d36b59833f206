use toolwright::tool;

/// Lists what there is.
#[tool]
fn list(#[arg(default = 200, range(1..=50))] most: u8) -> bool {
    most > 1
}

fn main() {}
