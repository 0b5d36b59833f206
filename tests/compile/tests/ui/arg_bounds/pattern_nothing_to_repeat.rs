use toolwright::tool;

/// Finds it.
#[tool]
fn find(#[arg(pattern = "*.rs")] glob: String) {
    let _ = glob;
}

fn main() {}
