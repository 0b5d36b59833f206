use std::sync::Arc;

use toolwright::tool;

struct App<'a> {
    name: &'a str,
}

/// Greets.
#[tool]
fn greet<'a>(#[state] app: Arc<App<'a>>, who: &str) -> String {
    format!("{} {who}", app.name)
}

fn main() {}
