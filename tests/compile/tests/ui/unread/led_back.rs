use serde::Deserialize;
use toolwright::{Schema, tool};

#[derive(Deserialize, Schema)]
#[allow(dead_code)]
struct Node {
    id: u128,
    of: Content,
}

#[derive(Deserialize, Schema)]
#[serde(tag = "kind")]
#[allow(dead_code)]
enum Content {
    Leaf,
    Branch {
        #[schema(recursive)]
        nodes: Vec<Node>,
    },
}

/// Draws it.
#[tool]
fn draw(node: Node) {
    let _ = node;
}

fn main() {}
