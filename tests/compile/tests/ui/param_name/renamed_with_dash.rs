use toolwright::tool;

/// Measure.
#[tool]
fn measure(#[arg(rename = "how-big")] size: u32) -> u32 {
    size
}

fn main() {}
