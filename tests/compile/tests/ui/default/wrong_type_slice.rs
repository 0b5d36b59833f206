use toolwright::tool;

/// Say hello.
#[tool]
fn greet(#[arg(default = "Ada")] names: &[String]) -> usize {
    names.len()
}

fn main() {}
