use toolwright::tool;

/// Say hello.
#[tool]
fn greet(names: Vec<impl Into<String>>) -> usize {
    names.len()
}

fn main() {}
