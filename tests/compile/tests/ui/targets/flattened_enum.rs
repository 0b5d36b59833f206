use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
#[serde(tag = "kind")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

#[derive(Deserialize, Schema)]
struct Drawing {
    #[serde(flatten)]
    shape: Shape,
}

/// Draws.
#[tool]
fn draw(#[arg(flatten)] drawing: Drawing) -> f64 {
    match drawing.shape {
        Shape::Circle { radius } => radius,
        Shape::Square { side } => side,
    }
}

fn main() {
    tools! { targets: [anthropic]; draw };
}
