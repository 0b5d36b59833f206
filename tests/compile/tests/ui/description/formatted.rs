use toolwright::tool;

const ABOUT: &str = "Adds";

#[tool(description = format!("{ABOUT} two numbers."))]
fn add(a: u32, b: u32) -> u32 {
    a + b
}

fn main() {}
