use toolwright::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Theirs {
    id: u8,
}

/// Takes what schemars alone knows.
#[tool(targets(mcp_2026_07_28))]
fn take(theirs: Vec<Theirs>) -> usize {
    theirs.iter().filter(|one| one.id > 0).count()
}

fn main() {}
