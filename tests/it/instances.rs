//! Instances of a generic tool, and of a type with tools, stand in one list: each with its own name and words.

// A test may panic.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use serde_json::json;
use toolwright::{Context, Schema, ToolCall, ToolError, Wire, tool, tool_of, tools};

/// Finds things.
#[tool]
fn find<T: Schema + Send + 'static>(id: u32) -> String {
    format!("{} {id}", std::any::type_name::<T>())
}

struct Crm {
    region: &'static str,
}

#[tool]
impl Crm {
    /// Counts the customers.
    #[tool(read_only)]
    fn count(&self, of: &str) -> String {
        format!("{of} in {}", self.region)
    }

    /// Finds a customer.
    fn not_a_tool(&self) -> &str {
        self.region
    }

    /// Removes a customer.
    #[tool]
    fn remove(&self, id: u32) -> Result<u32, String> {
        Err(format!("no {id} in {}", self.not_a_tool()))
    }
}

const SOUTH: &str = "The southern region's.";

#[test]
fn an_instance_of_a_generic_tool_has_its_own_description() {
    let tools = tools![
        find::<u8> as "find_byte": "Finds a byte.",
        find::<u16> as "find_word": concat!("Finds a ", "word."),
        find::<u32> as "find_long",
        find::<u64>,
    ];
    let said: Vec<_> = tools
        .definitions()
        .map(|def| (def.name.as_ref(), def.description.as_ref()))
        .collect();
    assert_eq!(
        said,
        [
            ("find_byte", "Finds a byte."),
            ("find_word", "Finds a word."),
            ("find_long", "Finds things."),
            ("find", "Finds things."),
        ]
    );
    let call = ToolCall::new("1", "find_word", r#"{"id": 7}"#);
    let result = tools.call_blocking(&call, &Context::new());
    assert_eq!(result.value(), Some("u16 7".into()));
}

#[test]
fn two_instances_of_a_type_stand_in_one_list() {
    let (north, south) = (Crm { region: "north" }, Crm { region: "south" });
    let tools = tools![
        ..north: Crm as "north_",
        ..south: Crm as "south_": SOUTH,
        ..Crm { region: "none" }: Crm,
    ];
    let said: Vec<_> = tools
        .definitions()
        .map(|def| (def.name.as_ref(), def.description.as_ref()))
        .collect();
    assert_eq!(
        said,
        [
            ("north_count", "Counts the customers."),
            ("north_remove", "Removes a customer."),
            (
                "south_count",
                "Counts the customers. The southern region's."
            ),
            ("south_remove", "Removes a customer. The southern region's."),
            ("count", "Counts the customers."),
            ("remove", "Removes a customer."),
        ]
    );
    let sent = serde_json::to_value(Wire::OpenAiChat.definitions(&tools)).unwrap();
    assert_eq!(sent[3]["function"]["name"], "south_remove");
    for (name, value) in [
        ("south_count", "all in south"),
        ("north_count", "all in north"),
    ] {
        let call = ToolCall::new("1", name, r#"{"of": "all"}"#);
        let result = tools.call_blocking(&call, &Context::new());
        assert_eq!(result.value(), Some(value.into()));
        assert_eq!(result.name, name);
    }
}

#[tokio::test]
async fn an_error_is_that_of_the_instance() {
    let tools = tools![..Crm { region: "south" }: Crm as "south_"];
    let error: ToolError = tools
        .call_json("south_remove", json!({"id": 3}), &Context::new())
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "no 3 in south");
    let missing = tools
        .call_json("remove", json!({"id": 3}), &Context::new())
        .await;
    assert_eq!(missing.unwrap_err().to_string(), "unknown tool `remove`");
}

#[test]
fn one_tool_is_described_by_its_list() {
    let tool = tool_of!(find::<u8> as "find_byte": "Finds a byte.");
    assert_eq!(tool.name(), "find_byte");
    assert_eq!(tool.def().description, "Finds a byte.");
}

#[test]
fn a_budget_counts_the_words_of_an_instance() {
    let crm = Crm { region: "north" };
    let tools = tools! {
        targets: [openai_strict], budget: 300;
        ..crm: Crm as "north_": "The northern region's."
    };
    assert_eq!(tools.iter().len(), 2);
}

/// A generic function lists an instance of its own parameter.
fn listed_for<T: Schema + Send + 'static>() -> toolwright::Toolset {
    tools![find::<T> as "find_one": "Finds one of the caller's."]
}

#[test]
fn an_instance_may_be_the_callers() {
    let tools = listed_for::<i8>();
    let def = tools.definitions().next().unwrap();
    assert_eq!(def.description, "Finds one of the caller's.");
}
