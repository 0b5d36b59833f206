use toolwright::tool;

/// Wait.
#[tool(blocking)]
async fn wait() {}

fn main() {}
