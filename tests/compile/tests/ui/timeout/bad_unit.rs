use toolwright::tool;

/// Wait.
#[tool(timeout = "10 parsecs")]
async fn wait() {}

fn main() {}
