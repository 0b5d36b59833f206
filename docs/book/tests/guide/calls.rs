//! The page `calls.md`.

// Methods of a sample have nothing to look at.
#![allow(clippy::unused_self)]

use crate::output;

// ANCHOR: tools
use std::sync::{Arc, Mutex};

use toolwright::{Toolset, tool, tools};

struct Shop {
    orders: Mutex<Vec<String>>,
}

/// Creates an order.
#[tool(args = CreateOrder)]
fn create_order(
    /// Who pays.
    customer: &str,
    /// The price of one piece, in cents.
    price: u64,
    #[arg(default = 1)] count: u64,
    #[state] shop: &Shop,
) -> String {
    let order = format!("{count} pieces for {customer}, {} cents", price * count);
    shop.orders.lock().unwrap().push(order.clone());
    order
}

/// Looks up the weather.
#[tool(args = Forecast, read_only)]
async fn forecast(city: &str, days: Option<u8>) -> String {
    format!("{} dry days in {city}", days.unwrap_or(1))
}

struct Crm;

#[tool]
impl Crm {
    /// Finds customers by name.
    #[tool(args = FindCustomer, read_only)]
    fn find_customer(&self, name: &str) -> Vec<String> {
        vec![name.to_owned()]
    }

    /// Deletes a customer and all of the customer's orders.
    #[tool(args = DeleteCustomer, destructive)]
    fn delete_customer(&self, id: u64) -> String {
        format!("customer {id} is gone")
    }
}

fn tools(shop: Shop) -> Toolset {
    tools![create_order, forecast, ..Crm: Crm; state = shop]
}
// ANCHOR_END: tools

// ANCHOR: policy
use toolwright::layers::{Approval, Request};

impl CreateOrder<'_> {
    fn total(&self) -> u64 {
        self.price.saturating_mul(self.count)
    }
}

/// Which calls a person must see.
fn needs_approval(request: &Request<'_>) -> bool {
    match request.call().name.as_str() {
        "create_order" => {
            let cx = request.context().reading();
            let order = CreateOrder::read(request.call(), &cx);
            order.map_or(true, |order| order.total() > 500)
        }
        "forecast" | "find_customer" => false,
        _ => true,
    }
}

fn approval() -> Approval {
    Approval::when(needs_approval)
}
// ANCHOR_END: policy

// ANCHOR: page
use toolwright::{Context, ToolCall, ToolError};

/// One line about a call, for a person.
fn line(call: &ToolCall) -> Result<String, ToolError> {
    let cx = Context::new().reading();
    Ok(match call.name.as_str() {
        "create_order" => {
            let order = CreateOrder::read(call, &cx)?;
            format!("{} pays {} cents", order.customer, order.total())
        }
        "forecast" => format!("looks at the sky over {}", Forecast::read(call, &cx)?.city),
        "delete_customer" => format!("DELETES customer {}", DeleteCustomer::read(call, &cx)?.id),
        name => format!("calls {name}"),
    })
}
// ANCHOR_END: page

// ANCHOR: program
use toolwright::Executor;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let shop = Shop {
        orders: Mutex::new(Vec::new()),
    };
    let executor = Executor::serial(tools(shop)).layer(approval());
    let calls = [
        ("create_order", r#"{"customer": "Zo\u00eb", "price": 450}"#),
        (
            "create_order",
            r#"{"customer": "Ada", "price": 450, "count": 2}"#,
        ),
        ("forecast", r#"{"city": "Oslo"}"#),
        ("delete_customer", r#"{"id": 7}"#),
    ];
    let calls = calls.map(|(name, arguments)| ToolCall::new(name, name, arguments));
    let batch = executor.run(&calls, &Context::new()).await;

    let waits: Vec<_> = batch.pending().map(|pending| pending.index).collect();
    for (index, call) in calls.iter().enumerate() {
        let line = line(call).unwrap_or_else(|error| error.to_string());
        println!("{} {line}", if waits.contains(&index) { "?" } else { " " });
    }
}
// ANCHOR_END: program

mod by_hand {
    use super::*;

    // ANCHOR: test
    #[tokio::test]
    async fn an_order_is_written_down() -> Result<(), toolwright::ToolError> {
        let shop = Arc::new(Shop {
            orders: Mutex::new(Vec::new()),
        });
        let cx = Context::new().reading();
        // What the model wrote, from a recording.
        let call = ToolCall::new("1", "create_order", r#"{"customer": "Ada", "price": 5}"#);
        let order = CreateOrder::read(&call, &cx)?;
        assert_eq!((order.customer, order.total()), ("Ada", 5));
        order.run(&shop, &cx)?;
        assert_eq!(shop.orders.lock().unwrap().len(), 1);
        Ok(())
    }
    // ANCHOR_END: test
}

#[test]
fn a_policy_and_a_page_read_arguments() {
    output::shown("calls.txt", &output::of(main));
}
