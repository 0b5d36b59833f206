use toolwright::tool;

/// Say hello.
#[tool]
fn greet(#[arg(default)] name: Option<String>) -> String {
    name.unwrap_or_default()
}

fn main() {}
