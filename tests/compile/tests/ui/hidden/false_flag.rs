use toolwright::tool;

/// Counts flags 🏴󠁧󠁢󠁁󠁿.
#[tool]
fn count() {}

fn main() {}
