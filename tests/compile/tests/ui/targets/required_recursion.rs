use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
struct Folder {
    folders: Vec<Folder>,
}

/// Counts folders.
#[tool]
fn count(root: Folder) -> usize {
    root.folders.len()
}

fn main() {
    tools! { targets: [gemini_json]; count };
}
