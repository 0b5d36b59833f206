//! Prompts and resources that are methods, beside tools, in lists of their own.
#![deny(warnings)]

use std::sync::Arc;

use toolwright::mcp::{Prompts, Resources};
use toolwright::{Context, ToolCall, Toolset, tool, tools};

struct Shop {
    name: String,
}

#[tool]
impl Shop {
    /// Counts the orders.
    #[tool(read_only)]
    fn orders(&self) -> usize {
        self.name.len()
    }

    /// Drafts an answer.
    #[prompt(title = "Answer")]
    async fn answer(&self, question: &str, #[arg(default = 1)] tries: u8) -> String {
        format!("{} {question} {tries}", self.name)
    }

    /// Has the name of a tool.
    #[toolwright::prompt(name = "orders")]
    fn orders_prompt(&self) -> String {
        "orders".to_owned()
    }

    /// An order.
    #[resource("orders://{id}")]
    fn order(&self, id: u64) -> Result<String, String> {
        Ok(format!("{id} of {}", self.name))
    }

    /// Exists in no build.
    #[cfg(any())]
    #[prompt]
    fn never(&self) -> String {
        String::new()
    }
}

/// A block without tools.
struct Words<T>(T);

#[tool]
impl<T: ToString + Send + Sync + 'static> Words<T> {
    /// Says it.
    #[prompt]
    fn say(&self) -> String {
        self.0.to_string()
    }
}

fn names(tools: &Toolset) -> Vec<&str> {
    tools.definitions().map(|def| &*def.name).collect()
}

#[test]
fn each_list_has_the_methods_of_its_role() {
    let shop = Arc::new(Shop {
        name: "Lamps".into(),
    });
    let tools = tools![..shop.clone(): Shop];
    let prompts = tools![
        ..Prompts(shop.clone()): Prompts<Shop> as "shop_",
        ..Prompts(Arc::new(Words(7))): Prompts<Words<i32>>
    ];
    let resources = tools![..Resources(shop): Resources<Shop>];
    assert_eq!(names(&tools), ["orders"]);
    assert_eq!(names(&prompts), ["shop_answer", "shop_orders", "say"]);
    assert_eq!(names(&resources), ["order"]);
    assert_eq!(names(&tools![..Words("a"): Words<&'static str>]), [""; 0]);
    let call = |tools: &Toolset, name: &'static str, arguments: &str| {
        tools
            .call_blocking(&ToolCall::new("1", name, arguments), &Context::new())
            .value()
    };
    let answer = call(&prompts, "shop_answer", r#"{"question": "When?"}"#);
    assert_eq!(answer, Some("Lamps When? 1".into()));
    assert_eq!(call(&prompts, "say", "{}"), Some("7".into()));
    assert_eq!(
        call(&resources, "order", r#"{"id": 3}"#),
        Some("3 of Lamps".into())
    );
}
