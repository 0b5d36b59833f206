use toolwright::tool;

/// Lists what there is.
#[tool]
fn list(#[arg(default = 7, multiple_of = 5)] most: u8) -> bool {
    most > 1
}

fn main() {}
