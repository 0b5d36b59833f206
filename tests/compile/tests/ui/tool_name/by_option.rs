use toolwright::tool;

/// Measure.
#[tool(name = "how big?")]
fn measure() -> u32 {
    3
}

fn main() {}
