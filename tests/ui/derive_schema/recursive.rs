use toolwright::Schema;

#[derive(serde::Deserialize, Schema)]
struct Node {
    children: Vec<Node>,
}

fn main() {}
