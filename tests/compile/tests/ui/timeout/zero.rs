use toolwright::tool;

/// Wait.
#[tool(timeout = "0s")]
async fn wait() {}

fn main() {}
