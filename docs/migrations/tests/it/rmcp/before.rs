use crate::shop::Db;
// ANCHOR: before
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
pub struct PlaceOrder {
    /// Article number
    sku: String,
    customer: Customer,
    /// How many
    #[serde(default = "one")]
    quantity: u8,
    /// How fast it is sent
    #[serde(default)]
    speed: Speed,
}

fn one() -> u8 {
    1
}

/// Who pays
#[derive(Deserialize, JsonSchema)]
struct Customer {
    /// Full name
    name: String,
    /// Two-letter country code
    country: Option<String>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Speed {
    #[default]
    Normal,
    Express,
}

#[derive(Serialize, JsonSchema)]
pub struct Receipt {
    number: u32,
    total: u32,
    bill_to: String,
}

pub struct Shop {
    db: Db,
    tool_router: ToolRouter<Self>,
}

#[tool_router]
impl Shop {
    pub fn new(db: Db) -> Self {
        Self {
            db,
            tool_router: Self::tool_router(),
        }
    }

    /// Place an order.
    #[tool]
    fn place_order(
        &self,
        Parameters(order): Parameters<PlaceOrder>,
    ) -> Result<Json<Receipt>, String> {
        let express = matches!(order.speed, Speed::Express);
        let (number, total) = self
            .db
            .order(&order.sku, order.quantity, express)
            .map_err(|error| error.to_string())?;
        let bill_to = match order.customer.country {
            Some(country) => format!("{}, {country}", order.customer.name),
            None => order.customer.name,
        };
        Ok(Json(Receipt {
            number,
            total,
            bill_to,
        }))
    }
}

// `Shop::new(db).serve(rmcp::transport::stdio()).await?.waiting().await?`
#[tool_handler(router = self.tool_router)]
impl ServerHandler for Shop {}
// ANCHOR_END: before
