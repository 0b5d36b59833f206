use toolwright::tool;

/// Finds one.
#[tool]
fn find(#[arg(pattern = "^[a-z&&[^b]]+$")] code: String) {
    let _ = code;
}

fn main() {}
