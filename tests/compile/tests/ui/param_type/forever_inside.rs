use toolwright::tool;

/// Say hello.
#[tool]
fn greet(name: Option<&'static str>) -> String {
    name.unwrap_or_default().to_owned()
}

fn main() {}
