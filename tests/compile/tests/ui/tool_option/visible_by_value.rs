use toolwright::call::Scope;
use toolwright::tool;

fn never(_: Scope<'_>) -> bool {
    false
}

/// Counts.
#[tool(visible = never)]
fn count() -> u32 {
    3
}

fn main() {}
