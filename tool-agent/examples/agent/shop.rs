//! The tools: a shop that looks after broken cups.

use std::time::Duration;

use serde::Serialize;
use toolwright::{Context, Outcome, ToolError, tool};

pub(crate) const SYSTEM: &str = "You help the customers of a shop that sells cups. Look at an order \
    before you do something about it. Ask for the address before you send something again.";

/// An order, as the model sees it.
#[derive(Debug, Serialize)]
pub(crate) struct Order {
    number: u32,
    cups: u32,
    paid_cents: u32,
}

impl Order {
    fn find(number: u32) -> Result<Self, ToolError> {
        if number != 17 {
            let words = format!("there is no order {number}; there is 17");
            return Err(ToolError::failed(words));
        }
        Ok(Self {
            number,
            cups: 2,
            paid_cents: 4200,
        })
    }
}

/// Looks an order up.
#[tool(read_only)]
pub(crate) fn find_order(
    /// The order's number
    order: u32,
) -> Result<Order, ToolError> {
    Order::find(order)
}

/// Pays money back for an order. A person has to agree.
#[tool(destructive, meta(risk = "high"))]
pub(crate) fn refund(
    /// The order's number
    order: u32,
    /// How much, in cents
    #[arg(range(1..=10_000))]
    cents: u32,
    cx: &Context,
) -> Result<String, ToolError> {
    let order = Order::find(order)?;
    if cents > order.paid_cents {
        return Err(ToolError::failed("that is more than was paid"));
    }
    // A real shop gives this key to its bank: the same call never pays twice.
    let _key = cx.idempotency_key();
    // The session remembers it, in whatever process it goes on.
    cx.update_state("refunded_cents", cents);
    Ok(format!("{}.{:02} were paid back", cents / 100, cents % 100))
}

/// Asks the customer where to send something. The answer is the address.
#[tool(read_only)]
pub(crate) fn ask_address() -> Outcome {
    let known = ["12 Fjord Street, Oslo", "3 Harbour Road, Bergen"];
    Outcome::ask("Where shall we send it?").option("choices", known)
}

/// Asks the supplier whether more cups like those of an order broke. It takes a while, and the answer comes later.
#[tool(background, read_only)]
pub(crate) async fn ask_supplier(
    /// The order's number
    order: u32,
) -> Result<String, ToolError> {
    let order = Order::find(order)?;
    tokio::time::sleep(Duration::from_millis(300)).await;
    Ok(format!(
        "no other cup like those of order {} broke",
        order.number
    ))
}

/// Sends cups of an order once more.
#[tool]
pub(crate) fn resend(
    /// The order's number
    order: u32,
    /// Where to
    #[arg(len(1..))]
    address: &str,
    cx: &Context,
) -> Result<String, ToolError> {
    let order = Order::find(order)?;
    let cents = cx
        .session_state()
        .get("refunded_cents")
        .and_then(serde_json::Value::as_u64);
    if cents == Some(order.paid_cents.into()) {
        return Err(ToolError::failed("all of it was paid back"));
    }
    Ok(format!(
        "a cup of order {} is on its way to {address}",
        order.number
    ))
}
