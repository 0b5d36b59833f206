use crate::shop::Db;
// ANCHOR: before
use llm_tool::{Json, ToolContext, ToolError, ToolRegistry, llm_tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who pays
#[derive(Deserialize, JsonSchema)]
pub struct Customer {
    /// Full name
    name: String,
    /// Two-letter country code
    country: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Speed {
    Normal,
    Express,
}

#[derive(Serialize, JsonSchema)]
pub struct Receipt {
    number: u32,
    total: u32,
    bill_to: String,
}

/// Place an order.
#[llm_tool]
fn place_order(
    /// Article number
    sku: &str,
    /// Who pays
    customer: Customer,
    /// How many; 1 if left out
    quantity: Option<u8>,
    /// How fast it is sent; normal if left out
    speed: Option<Speed>,
    ctx: &ToolContext,
) -> Result<Json<Receipt>, ToolError> {
    let db: Db = ctx.get_ext().ok_or("there is no database")?;
    let express = matches!(speed, Some(Speed::Express));
    let (number, total) = db
        .order(sku, quantity.unwrap_or(1), express)
        .map_err(|error| ToolError::new(error.to_string()))?;
    let bill_to = match customer.country {
        Some(country) => format!("{}, {country}", customer.name),
        None => customer.name,
    };
    Ok(Json(Receipt {
        number,
        total,
        bill_to,
    }))
}

pub fn registry() -> ToolRegistry {
    ToolRegistry::new().with_tool(PlaceOrder)
}

pub fn context(db: Db) -> ToolContext {
    let ctx = ToolContext::new();
    ctx.set_ext(db).expect("the lock is not poisoned");
    ctx
}
// ANCHOR_END: before
