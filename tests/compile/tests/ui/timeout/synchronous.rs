use toolwright::tool;

/// Wait.
#[tool(timeout = "10s")]
fn wait() {}

fn main() {}
