use toolwright::{Schema, tool};

#[derive(serde::Deserialize, Schema)]
enum Goods {
    Apples,
    Pears { count: u32 },
}

/// Orders.
#[tool(example({"goods": 7}))]
fn order(goods: Goods) -> bool {
    matches!(goods, Goods::Apples | Goods::Pears { count: 1 })
}

fn main() {}
