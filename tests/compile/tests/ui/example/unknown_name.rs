use toolwright::tool;

/// Say hello.
#[tool]
fn greet(#[arg(example = NAME)] name: String) -> String {
    name
}

fn main() {}
