use toolwright::tool;

#[tool(description: "Adds two numbers.")]
fn add(a: u32, b: u32) -> u32 {
    a + b
}

fn main() {}
