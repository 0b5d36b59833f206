// What its macro asks for.
#![allow(clippy::needless_pass_by_value, clippy::unnecessary_wraps)]

use crate::shop::{Db, NoArticle};
// ANCHOR: before
use rig_core::tool::{Tool, ToolContext, ToolExecutionError};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Deserialize, JsonSchema)]
pub struct PlaceOrderArgs {
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

#[derive(Serialize)]
pub struct Receipt {
    number: u32,
    total: u32,
    bill_to: String,
}

/// `#[rig_tool]` has no state, so a tool with a database is written by hand.
pub struct PlaceOrder {
    pub db: Db,
}

impl Tool for PlaceOrder {
    const NAME: &'static str = "place_order";
    type Args = PlaceOrderArgs;
    type Output = Receipt;
    type Error = NoArticle;

    fn description(&self) -> String {
        "Place an order.".to_owned()
    }

    fn parameters(&self) -> Value {
        schema_for!(PlaceOrderArgs).to_value()
    }

    // Without it the model reads "the tool failed".
    fn map_error(&self, error: NoArticle) -> ToolExecutionError {
        ToolExecutionError::not_found(error.to_string())
    }

    async fn call(
        &self,
        _context: &mut ToolContext,
        args: PlaceOrderArgs,
    ) -> Result<Receipt, NoArticle> {
        let express = matches!(args.speed, Speed::Express);
        let (number, total) = self.db.order(&args.sku, args.quantity, express)?;
        let bill_to = match args.customer.country {
            Some(country) => format!("{}, {country}", args.customer.name),
            None => args.customer.name,
        };
        Ok(Receipt {
            number,
            total,
            bill_to,
        })
    }
}
// ANCHOR_END: before

// ANCHOR: function
use rig_core::rig_tool;

/// Days until an order arrives.
#[rig_tool]
pub fn delivery_days(
    /// Two-letter country code
    country: Option<String>,
) -> Result<u8, ToolExecutionError> {
    Ok(if country.as_deref() == Some("GB") {
        5
    } else {
        2
    })
}
// ANCHOR_END: function
