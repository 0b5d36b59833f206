use toolwright::tool;

const MOST: u8 = 200;

/// Lists what there is.
#[tool]
fn list(#[arg(default = MOST, range(1..=50))] most: u8) -> bool {
    most > 1
}

fn main() {}
