use toolwright::tool;

/// Wait.
#[tool(timeout = "1.5s")]
async fn wait() {}

fn main() {}
