use toolwright::{Schema, tool};

#[derive(serde::Deserialize, Schema)]
enum Goods {
    Apples,
    Pears,
}

/// Orders.
#[tool(example({"goods": "Aples"}))]
fn order(goods: Goods) -> bool {
    matches!(goods, Goods::Apples | Goods::Pears)
}

fn main() {}
