use toolwright::tool;

/// Counts.
#[tool]
fn count(to: u8) -> Box<dyn Iterator<Item = u8>> {
    Box::new(0..to)
}

fn main() {}
