use toolwright::tool;

/// Show it.
#[tool]
fn show<T: std::fmt::Display>(what: T) -> String {
    what.to_string()
}

fn main() {}
