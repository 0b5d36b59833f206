//! Lists of which only the state's type is there.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;

use toolwright::call::ErrorKind;
use toolwright::toolset::ListState;
use toolwright::{Context, ToolCall, Toolset, tool, tools};

/// State that no test can make.
enum Db {}

impl Db {
    fn count(&self) -> u32 {
        match *self {}
    }
}

/// Counts the orders.
#[tool(example({"year": 2026}))]
fn count_orders(#[state] db: &Db, year: u32) -> u32 {
    db.count() + year
}

#[tool]
impl Db {
    /// Deletes all.
    #[tool(destructive)]
    fn purge(&self) -> u32 {
        self.count()
    }
}

fn all() -> Toolset {
    tools![count_orders, ..ListState::Absent: Db as "db_"; state = ListState::<Db>::Absent]
}

#[test]
fn a_list_gives_its_definitions_without_state() {
    let tools = all();
    let names: Vec<_> = tools.definitions().map(|def| &*def.name).collect();
    assert_eq!(names, ["count_orders", "db_purge"]);
    let input = tools.get("count_orders").unwrap().def().input.to_value();
    assert_eq!(input["required"], serde_json::json!(["year"]));
    assert!(tools.check_examples().is_ok());
}

#[test]
fn a_call_without_state_is_refused() {
    let tools = all();
    for (name, arguments) in [("count_orders", r#"{"year": 2026}"#), ("db_purge", "{}")] {
        let call = ToolCall::new("1", name, arguments);
        let error = tools.validate(&call, &Context::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NoHandler);
        let result = tools.call_blocking(&call, &Context::new());
        let words = format!("the tool `{name}` was listed without its state");
        assert!(
            result.errors().any(|error| error.contains(&words)),
            "{result:?}"
        );
    }
}

#[test]
fn state_is_passed_on() {
    struct Word(String);

    /// Doubles.
    #[tool]
    fn double(#[state] word: &Word) -> String {
        word.0.repeat(2)
    }
    let call = ToolCall::new("1", "double", "{}");
    let word = || Word("ab".to_owned());
    for state in [ListState::from(word()), Arc::new(word()).into()] {
        let result = tools![double; state = state].call_blocking(&call, &Context::new());
        assert_eq!(result.value(), Some("abab".into()));
    }
}
