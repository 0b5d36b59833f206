use toolwright::tool;

struct App<'a> {
    name: &'a str,
}

/// Greets.
#[tool]
fn greet(#[state] app: &App<'a>, who: &str) -> String {
    format!("{} {who}", app.name)
}

fn main() {}
