use toolwright::tool;

/// Wait.
#[tool(timeout = 10)]
async fn wait() {}

fn main() {}
