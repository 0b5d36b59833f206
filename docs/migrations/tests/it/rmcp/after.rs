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

/// The methods with `#[tool]` are the shop's tools.
struct Shop {
    db: Db,
}

#[tool]
impl Shop {
    /// Place an order.
    #[tool]
    fn place_order(
        &self,
        /// Article number
        sku: &str,
        customer: Customer,
        /// How many
        #[arg(default = 1)]
        quantity: u8,
        /// How fast it is sent
        #[arg(default = Speed::Normal)]
        speed: Speed,
    ) -> Result<Receipt, NoArticle> {
        let express = matches!(speed, Speed::Express);
        let (number, total) = self.db.order(sku, quantity, express)?;
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
}

// `server(db).serve_stdio().await?`
pub fn server(db: Db) -> McpServer {
    let shop = Shop { db };
    McpServer::new(tools![..shop: Shop])
}
// ANCHOR_END: after
