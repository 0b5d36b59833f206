use toolwright::tool;

/// Say hello.
#[tool]
fn greet(name: &'static str) -> String {
    name.to_owned()
}

fn main() {}
