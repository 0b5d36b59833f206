use toolwright::tool;

/// Say hello.
#[tool]
fn greet(#[arg(default = 3)] name: String) -> String {
    name
}

fn main() {}
