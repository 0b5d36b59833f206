// How do I pass a database to a tool?

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use serde_json::json;
use toolwright::{Context, Provide, ToolError, tool, tools};

/// Stands for a connection pool: orders and their status.
struct Db(Mutex<BTreeMap<u32, String>>);

struct Config {
    shop: &'static str,
}

#[derive(Provide)]
struct App {
    db: Db,
    config: Config,
}

/// Read the status of an order.
#[tool(read_only)]
async fn order_status(
    id: u32,
    #[state] db: &Db,
    #[state] config: &Config,
) -> Result<String, String> {
    let orders = db.0.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(status) = orders.get(&id) else {
        return Err(format!("{} has no order {id}", config.shop));
    };
    Ok(status.clone())
}

#[tokio::main]
async fn main() -> Result<(), ToolError> {
    let app = App {
        db: Db(Mutex::new(BTreeMap::from([(7, "shipped".to_owned())]))),
        config: Config { shop: "Lamps & Co" },
    };
    let tools = tools![order_status; state = app];
    let status = tools
        .call_json("order_status", json!({"id": 7}), &Context::new())
        .await?;
    println!("{status}");
    if let Err(error) = tools
        .call_json("order_status", json!({"id": 8}), &Context::new())
        .await
    {
        println!("{error}");
    }
    Ok(())
}

// Prints:
// "shipped"
// Lamps & Co has no order 8
