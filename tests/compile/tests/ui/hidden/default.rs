use toolwright::tool;

/// Greets.
#[tool]
fn greet(#[arg(default = "you‍")] name: &str) -> String {
    name.to_owned()
}

fn main() {}
