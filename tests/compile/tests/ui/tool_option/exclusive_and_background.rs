use toolwright::tool;

/// Migrate the database.
#[tool(exclusive, background)]
async fn migrate() {}

fn main() {}
