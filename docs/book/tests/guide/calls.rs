//! The page `calls.md`.

// Methods of a sample have nothing to look at, and a policy says each case.
#![allow(clippy::unused_self, clippy::match_same_arms)]

use crate::output;

// ANCHOR: tools
use std::sync::{Arc, Mutex};

use toolwright::{tool, tools};

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

#[tool(args = CrmCall)]
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

tools! {
    /// What the model may do.
    #[derive(Debug)]
    pub enum Call;
    create_order,
    forecast,
    ..Crm;
    state: Shop
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
    match Call::read(request.call(), &request.context().reading()) {
        Ok(Call::CreateOrder(order)) => order.total() > 500,
        Ok(Call::Forecast(_) | Call::Crm(CrmCall::FindCustomer(_))) => false,
        Ok(Call::Crm(CrmCall::DeleteCustomer(_))) => true,
        // Tools of another list, and arguments that do not fit.
        Ok(Call::Other(_)) | Err(_) => true,
    }
}

fn approval() -> Approval {
    Approval::when(needs_approval)
}
// ANCHOR_END: policy

// ANCHOR: page
/// One line about a call, for a person.
fn line(call: &Call<'_>) -> String {
    match call {
        Call::CreateOrder(order) => {
            format!("{} pays {} cents", order.customer, order.total())
        }
        Call::Forecast(Forecast { city, .. }) => format!("looks at the sky over {city}"),
        Call::Crm(CrmCall::FindCustomer(find)) => format!("looks for {}", find.name),
        Call::Crm(CrmCall::DeleteCustomer(delete)) => format!("DELETES customer {}", delete.id),
        Call::Other(call) => format!("calls {}", call.name),
    }
}
// ANCHOR_END: page

// ANCHOR: program
use toolwright::{Context, Executor, ToolCall};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let shop = Shop {
        orders: Mutex::new(Vec::new()),
    };
    let executor = Executor::serial(Call::tools(Crm, shop)).layer(approval());
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
        let cx = Context::new().reading();
        let line = match Call::read(call, &cx) {
            Ok(call) => line(&call),
            Err(error) => error.to_string(),
        };
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
        match Call::read(&call, &cx)? {
            Call::CreateOrder(order) => {
                assert_eq!((order.customer, order.total()), ("Ada", 5));
                order.run(&shop, &cx)?;
            }
            other => panic!("another tool: {other:?}"),
        }
        assert_eq!(shop.orders.lock().unwrap().len(), 1);
        Ok(())
    }
    // ANCHOR_END: test
}

#[test]
fn a_policy_and_a_page_match_on_calls() {
    output::shown("calls.txt", &output::of(main));
}
