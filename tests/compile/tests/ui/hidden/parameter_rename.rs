use toolwright::tool;

/// Searches.
#[tool]
fn search(#[arg(rename = "te‌xt")] text: String) -> String {
    text
}

fn main() {}
