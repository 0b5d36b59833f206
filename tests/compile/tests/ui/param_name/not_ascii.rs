use toolwright::tool;

/// Measure.
#[tool]
fn measure(größe: u32) -> u32 {
    größe
}

fn main() {}
