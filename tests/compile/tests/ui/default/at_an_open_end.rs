use toolwright::tool;

/// Draws.
#[tool]
fn draw(#[arg(range(-0.5..1.0), default = 1.0)] chance: f64) -> bool {
    chance > 0.5
}

fn main() {}
