use toolwright::tool;

struct Name;

/// Say hello.
#[tool]
fn greet(#[arg(example = Name)] name: String) -> String {
    name
}

fn main() {}
