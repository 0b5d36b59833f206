// What its macro asks for.
#![allow(clippy::ref_option, clippy::unused_async)]

use crate::shop::Db;
// ANCHOR: before
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use swiftide::Tool;
use swiftide::chat_completion::ToolOutput;
use swiftide::chat_completion::errors::ToolError;
use swiftide::traits::AgentContext;

/// Who pays
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct Customer {
    /// Full name
    name: String,
    /// Two-letter country code
    country: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Speed {
    Normal,
    Express,
}

#[derive(Serialize)]
struct Receipt {
    number: u32,
    total: u32,
    bill_to: String,
}

/// `#[swiftide::tool]` on a function has no state; the derive has that of its struct.
#[derive(Clone, Tool)]
#[tool(
    description = "Place an order.",
    param(name = "sku", description = "Article number"),
    param(name = "customer", description = "Who pays", rust_type = "Customer"),
    param(
        name = "quantity",
        description = "How many; 1 if left out",
        rust_type = "Option<u8>"
    ),
    param(
        name = "speed",
        description = "How fast it is sent",
        rust_type = "Option<Speed>"
    )
)]
pub struct PlaceOrder {
    pub db: Db,
}

impl PlaceOrder {
    async fn place_order(
        &self,
        _context: &dyn AgentContext,
        sku: &str,
        customer: &Customer,
        quantity: &Option<u8>,
        speed: &Option<Speed>,
    ) -> Result<ToolOutput, ToolError> {
        let express = matches!(speed, Some(Speed::Express));
        let (number, total) = match self.db.order(sku, quantity.unwrap_or(1), express) {
            Ok(order) => order,
            Err(error) => return Ok(ToolOutput::fail(error.to_string())),
        };
        let bill_to = match &customer.country {
            Some(country) => format!("{}, {country}", customer.name),
            None => customer.name.clone(),
        };
        Ok(ToolOutput::text(serde_json::to_string(&Receipt {
            number,
            total,
            bill_to,
        })?))
    }
}
// ANCHOR_END: before

// ANCHOR: function
#[swiftide::tool(
    description = "Days until an order arrives.",
    param(name = "country", description = "Two-letter country code")
)]
async fn delivery_days(
    _context: &dyn AgentContext,
    country: &Option<String>,
) -> Result<ToolOutput, ToolError> {
    let days = if country.as_deref() == Some("GB") {
        5
    } else {
        2
    };
    Ok(ToolOutput::text(days.to_string()))
}
// ANCHOR_END: function
