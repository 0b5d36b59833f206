use toolwright::tool;

/// Say hello.
#[tool]
fn greet(#[arg(default = 3)] name: &str) -> String {
    name.to_owned()
}

fn main() {}
