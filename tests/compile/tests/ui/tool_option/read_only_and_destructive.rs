use toolwright::tool;

/// Remove a file.
#[tool(read_only, destructive)]
fn remove(path: String) -> String {
    path
}

fn main() {}
