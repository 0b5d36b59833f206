use toolwright::tool;

/// Count.
///
/// # Examples
/// One, two.
#[tool(full_doc)]
fn count() {}

fn main() {}
