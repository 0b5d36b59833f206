//! An agent of four tools, by rig: reads `OPENAI_API_KEY`, and answers the question of its first argument.

#[path = "../../desk.rs"]
#[allow(dead_code)]
mod desk;

use std::error::Error;
use std::sync::Arc;

use rig::prelude::*;
use rig::providers::openai::{self, OpenAI};
use rig::tool::{Tool, ToolContext, ToolExecutionError};
use schemars::{JsonSchema as Schema, schema_for};
use serde::Deserialize;
use serde_json::Value;

use crate::desk::{Fault, Order, Orders, Search, Shop, State};

impl std::fmt::Debug for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl Error for Fault {}

fn map_error(fault: &Fault) -> ToolExecutionError {
    ToolExecutionError::other(fault.to_string())
}

#[derive(Deserialize, Schema)]
struct FindOrdersArgs {
    /// Name of the customer
    #[serde(default)]
    #[schemars(length(min = 1, max = 200))]
    customer: Option<String>,
    #[serde(default)]
    state: Option<State>,
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    page: u32,
}

fn one() -> u32 {
    1
}

struct FindOrders(Arc<Shop>);

impl Tool for FindOrders {
    const NAME: &'static str = "find_orders";
    type Args = FindOrdersArgs;
    type Output = Orders;
    type Error = Fault;

    fn description(&self) -> String {
        "Find orders, the oldest first.".to_owned()
    }

    fn parameters(&self) -> Value {
        schema_for!(FindOrdersArgs).to_value()
    }

    fn map_error(&self, fault: Fault) -> ToolExecutionError {
        map_error(&fault)
    }

    async fn call(&self, _: &mut ToolContext, args: FindOrdersArgs) -> Result<Orders, Fault> {
        let search = Search {
            customer: args.customer.as_deref(),
            state: args.state,
            ..Search::default()
        };
        Ok(self.0.find(&search, args.page, 20))
    }
}

#[derive(Deserialize, Schema)]
struct GetOrderArgs {
    /// Number of the order
    #[schemars(regex(pattern = "^o-[0-9]+$"))]
    id: String,
}

struct GetOrder(Arc<Shop>);

impl Tool for GetOrder {
    const NAME: &'static str = "get_order";
    type Args = GetOrderArgs;
    type Output = Order;
    type Error = Fault;

    fn description(&self) -> String {
        "Read an order.".to_owned()
    }

    fn parameters(&self) -> Value {
        schema_for!(GetOrderArgs).to_value()
    }

    fn map_error(&self, fault: Fault) -> ToolExecutionError {
        map_error(&fault)
    }

    async fn call(&self, _: &mut ToolContext, args: GetOrderArgs) -> Result<Order, Fault> {
        self.0.order(&args.id)
    }
}

#[derive(Deserialize, Schema)]
struct CancelOrderArgs {
    /// Number of the order
    #[schemars(regex(pattern = "^o-[0-9]+$"))]
    id: String,
    /// What the customer said
    #[schemars(length(min = 1, max = 200))]
    reason: String,
}

struct CancelOrder(Arc<Shop>);

impl Tool for CancelOrder {
    const NAME: &'static str = "cancel_order";
    type Args = CancelOrderArgs;
    type Output = Order;
    type Error = Fault;

    fn description(&self) -> String {
        "Cancel an open order.".to_owned()
    }

    fn parameters(&self) -> Value {
        schema_for!(CancelOrderArgs).to_value()
    }

    fn map_error(&self, fault: Fault) -> ToolExecutionError {
        map_error(&fault)
    }

    async fn call(&self, _: &mut ToolContext, args: CancelOrderArgs) -> Result<Order, Fault> {
        self.0.cancel(&args.id, args.reason)
    }
}

#[derive(Deserialize, Schema)]
struct RefundArgs {
    /// Number of the order
    #[schemars(regex(pattern = "^o-[0-9]+$"))]
    id: String,
    #[schemars(range(min = 1))]
    cents: u32,
}

struct Refund(Arc<Shop>);

impl Tool for Refund {
    const NAME: &'static str = "refund";
    type Args = RefundArgs;
    type Output = Order;
    type Error = Fault;

    fn description(&self) -> String {
        "Refund a part of an order.".to_owned()
    }

    fn parameters(&self) -> Value {
        schema_for!(RefundArgs).to_value()
    }

    fn map_error(&self, fault: Fault) -> ToolExecutionError {
        map_error(&fault)
    }

    async fn call(&self, _: &mut ToolContext, args: RefundArgs) -> Result<Order, Fault> {
        self.0.refund(&args.id, args.cents)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let question = std::env::args().nth(1).unwrap_or_default();
    let shop = Arc::new(Shop::default());
    let model = OpenAI::from_env()?.completion(openai::GPT_5_2);
    let agent = AgentBuilder::new(model)
        .preamble("You are the desk of a shop.")
        .tool(FindOrders(shop.clone()))
        .tool(GetOrder(shop.clone()))
        .tool(CancelOrder(shop.clone()))
        .tool(Refund(shop))
        .default_max_turns(8)
        .build();
    println!("{}", agent.prompt(&*question).await?.output());
    Ok(())
}
