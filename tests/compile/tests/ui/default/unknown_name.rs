use toolwright::tool;

/// Say hello.
#[tool]
fn greet(#[arg(default = NAME)] name: String) -> String {
    name
}

fn main() {}
