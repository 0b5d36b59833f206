//! `#[arg(flatten)]` on methods of a `#[tool] impl`: the fields of the struct are the arguments of that method alone.
// Methods are what they would be in an application. A test that finds less than it expects has failed.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_async,
    clippy::unused_self,
    clippy::unwrap_used
)]

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolwright::{Context, Schema, ToolCall, Toolset, tool, tools};

#[derive(Serialize, Deserialize, Schema)]
struct PlaceOrder {
    article: String,
    number: Option<u32>,
}

#[derive(Serialize, Deserialize, Schema)]
struct Cancel {
    order: u64,
}

struct Shop {
    name: &'static str,
}

#[tool]
impl Shop {
    /// Places an order.
    #[tool]
    fn place_order(&self, #[arg(flatten)] order: PlaceOrder) -> String {
        format!("{}: {}", self.name, order.article)
    }

    /// Cancels an order.
    #[tool]
    async fn cancel(&self, #[arg(flatten)] of: Cancel) -> Result<u64, String> {
        Ok(of.order)
    }

    /// Looks for it.
    #[tool]
    fn look(&self, #[arg(flatten)] keys: Map<String, Value>) -> usize {
        keys.len()
    }

    /// Counts the orders.
    #[tool]
    fn count(&self, since: Option<Cancel>) -> u64 {
        since.map_or(0, |of| of.order)
    }

    /// Greets somebody.
    #[tool]
    fn greet<'a>(&self, name: &'a str) -> &'a str {
        name
    }
}

/// A type that is generic, of which the structs of arguments are too.
struct Store<T>(Vec<T>);

#[tool]
impl<T: Schema + for<'de> Deserialize<'de> + Send + Sync + 'static> Store<T> {
    /// Adds one.
    #[tool]
    fn add(&self, #[arg(flatten)] one: T) -> usize {
        let _ = one;
        self.0.len() + 1
    }

    /// Finds one.
    #[tool]
    fn find(&self, #[arg(flatten)] by: Cancel) -> u64 {
        by.order
    }
}

/// A type whose tools have structs of their arguments.
struct Desk;

#[tool]
impl Desk {
    /// Opens it.
    #[tool(args = Open)]
    fn open(&self, #[arg(flatten)] order: PlaceOrder) -> String {
        order.article
    }

    /// Closes it.
    #[tool(args = Close)]
    fn close(&self, #[arg(flatten)] of: Cancel) -> u64 {
        of.order
    }
}

fn keys(tools: &Toolset, name: &str) -> Vec<String> {
    let schema = tools.get(name).unwrap().def().input.to_value();
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.map_or_else(Vec::new, |keys| keys.keys().cloned().collect())
}

fn answer(tools: &Toolset, name: &str, arguments: &Value) -> Option<Value> {
    let call = ToolCall::new("call_1", name, arguments.to_string());
    tools.call_blocking(&call, &Context::new()).value()
}

#[test]
fn methods_of_one_type_have_flattened_structs_of_their_own() {
    let tools = tools![..Shop { name: "Bakery" }: Shop];
    assert_eq!(keys(&tools, "place_order"), ["article", "number"]);
    assert_eq!(keys(&tools, "cancel"), ["order"]);
    assert_eq!(keys(&tools, "look"), [""; 0]);
    assert_eq!(keys(&tools, "count"), ["since"]);
    assert_eq!(
        answer(&tools, "place_order", &json!({ "article": "bread" })),
        Some(json!("Bakery: bread"))
    );
    assert_eq!(
        answer(&tools, "cancel", &json!({ "order": 7 })),
        Some(json!(7))
    );
    assert_eq!(
        answer(&tools, "look", &json!({ "a": 1, "b": 2 })),
        Some(json!(2))
    );
    assert_eq!(
        answer(&tools, "count", &json!({ "since": { "order": 3 } })),
        Some(json!(3))
    );
    assert_eq!(
        answer(&tools, "cancel", &json!({ "article": "bread" })),
        None
    );
}

#[test]
fn methods_of_a_generic_type_have_them_too() {
    let tools = tools![..Store(vec![1, 2].into_iter().map(|order| Cancel { order }).collect()): Store<Cancel>];
    assert_eq!(keys(&tools, "add"), ["order"]);
    assert_eq!(keys(&tools, "find"), ["order"]);
    assert_eq!(
        answer(&tools, "add", &json!({ "order": 7 })),
        Some(json!(3))
    );
}

#[test]
fn methods_whose_arguments_are_structs_have_them_too() {
    let tools = tools![..Desk: Desk];
    assert_eq!(keys(&tools, "open"), ["article", "number"]);
    assert_eq!(keys(&tools, "close"), ["order"]);
    assert_eq!(
        answer(&tools, "close", &json!({ "order": 9 })),
        Some(json!(9))
    );
}
