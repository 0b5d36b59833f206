use toolwright::tool;

/// Paints.
#[tool]
fn paint(#[arg(enum = ["red", "green"])] color: String) -> String {
    color
}

fn main() {}
