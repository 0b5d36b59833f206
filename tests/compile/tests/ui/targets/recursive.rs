use serde::Deserialize;
use toolwright::{Schema, tool, tools};

#[derive(Deserialize, Schema)]
struct Node {
    children: Vec<Node>,
}

/// Walks a tree.
#[tool]
fn walk(trees: Vec<Node>) -> usize {
    trees.iter().map(|tree| tree.children.len()).sum()
}

fn main() {
    tools! { targets: [anthropic_strict]; walk };
}
