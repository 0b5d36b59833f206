use toolwright::tool;

#[tool(description = "Deletes\u{1b}[2J")]
fn delete() {}

fn main() {}
