use super::before::{PlaceOrder, Receipt, Speed};
use crate::shop::{Db, NoArticle};
// ANCHOR: step
use toolwright::{Toolset, tool, tools};

/// Place an order.
#[tool]
fn place_order(#[arg(flatten)] order: PlaceOrder, #[state] db: &Db) -> Result<Receipt, NoArticle> {
    let express = matches!(order.speed, Speed::Express);
    let (number, total) = db.order(&order.sku, order.quantity, express)?;
    let bill_to = match order.customer.country {
        Some(country) => format!("{}, {country}", order.customer.name),
        None => order.customer.name,
    };
    Ok(Receipt {
        number,
        total,
        bill_to,
    })
}

pub fn toolset(db: Db) -> Toolset {
    tools![place_order; state = db]
}
// ANCHOR_END: step
