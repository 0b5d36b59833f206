use toolwright::tool;

/// Count.
#[tool]
async fn count() -> Result<Vec<(u8, std::result::Result<u32, String>)>, String> {
    Ok(Vec::new())
}

fn main() {}
