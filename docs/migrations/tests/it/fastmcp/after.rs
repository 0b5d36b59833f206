use crate::shop::{Db, NoArticle};
// ANCHOR: after
use serde::{Deserialize, Serialize};
use toolwright::mcp::McpServer;
use toolwright::{Schema, tool, tools};

/// Who pays
#[derive(Deserialize, Schema)]
struct Customer {
    /// Full name
    name: String,
    /// Two-letter country code
    country: Option<String>,
}

#[derive(Clone, Copy, Deserialize, Serialize, Schema)]
#[serde(rename_all = "snake_case")]
enum Speed {
    Normal,
    Express,
}

#[derive(Serialize, Schema)]
struct Receipt {
    number: u32,
    total: u32,
    bill_to: String,
}

/// Place an order.
#[tool]
fn place_order(
    /// Article number
    sku: &str,
    customer: Customer,
    /// How many
    #[arg(default = 1)]
    quantity: u8,
    /// How fast it is sent
    #[arg(default = Speed::Normal)]
    speed: Speed,
    #[state] db: &Db,
) -> Result<Receipt, NoArticle> {
    let (number, total) = db.order(sku, quantity, matches!(speed, Speed::Express))?;
    let bill_to = match customer.country {
        Some(country) => format!("{}, {country}", customer.name),
        None => customer.name,
    };
    Ok(Receipt {
        number,
        total,
        bill_to,
    })
}

// `server(db).serve_stdio().await` serves it on the standard input and output.
pub fn server(db: Db) -> McpServer {
    McpServer::new(tools![place_order; state = db]).name("shop")
}
// ANCHOR_END: after
