use toolwright::tool;

/// Say hello.
#[tool]
fn greet(name: impl Into<String>) -> String {
    name.into()
}

fn main() {}
