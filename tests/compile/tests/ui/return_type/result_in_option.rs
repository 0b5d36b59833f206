use toolwright::tool;

/// Find.
#[tool]
fn find() -> Option<Result<u32, String>> {
    None
}

fn main() {}
