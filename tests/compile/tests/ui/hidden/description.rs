use toolwright::tool;

#[tool(description = "Deletes \u{202e}gnihton\u{202c}")]
fn delete() {}

fn main() {}
