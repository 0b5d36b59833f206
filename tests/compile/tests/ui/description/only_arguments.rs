use toolwright::tool;

/// # Arguments
///
/// - `query`: what to look for
#[tool]
fn search(query: String) -> String {
    query
}

fn main() {}
