use toolwright::{Schema, tool};

#[derive(serde::Deserialize, Schema)]
struct Line {
    sku: String,
    #[schema(range(1..))]
    count: u32,
}

/// Orders.
#[tool(example({"goods": [{"sku": "a", "count": 1, "colour": "red"}]}))]
fn order(goods: Vec<Line>) -> bool {
    goods.iter().all(|line| line.sku.len() > 1 && line.count > 1)
}

fn main() {}
