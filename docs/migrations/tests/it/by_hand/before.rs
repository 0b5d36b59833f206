use crate::shop::Db;
// ANCHOR: before
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
pub struct PlaceOrder {
    /// Article number
    pub sku: String,
    pub customer: Customer,
    /// How many
    #[serde(default = "one")]
    pub quantity: u8,
    /// How fast it is sent
    #[serde(default)]
    pub speed: Speed,
}

fn one() -> u8 {
    1
}

/// Who pays
#[derive(Deserialize, JsonSchema)]
pub struct Customer {
    /// Full name
    pub name: String,
    /// Two-letter country code
    pub country: Option<String>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Speed {
    #[default]
    Normal,
    Express,
}

#[derive(Serialize)]
pub struct Receipt {
    pub number: u32,
    pub total: u32,
    pub bill_to: String,
}

/// The `tools` of a request to `OpenAI`.
pub fn definitions() -> Value {
    json!([{
        "type": "function",
        "function": {
            "name": "place_order",
            "description": "Place an order.",
            "parameters": schema_for!(PlaceOrder),
        },
    }])
}

/// Answers a call with the text of its message.
pub fn call(db: &Db, name: &str, arguments: &str) -> Result<String, String> {
    match name {
        "place_order" => {
            let order: PlaceOrder =
                serde_json::from_str(arguments).map_err(|error| error.to_string())?;
            let express = matches!(order.speed, Speed::Express);
            let (number, total) = db
                .order(&order.sku, order.quantity, express)
                .map_err(|error| error.to_string())?;
            let bill_to = match order.customer.country {
                Some(country) => format!("{}, {country}", order.customer.name),
                None => order.customer.name,
            };
            serde_json::to_string(&Receipt {
                number,
                total,
                bill_to,
            })
            .map_err(|error| error.to_string())
        }
        _ => Err(format!("unknown tool {name}")),
    }
}
// ANCHOR_END: before
