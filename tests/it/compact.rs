//! Many tools in a line each, and a tool that tells the rest.
// A test that finds less than it expects has failed.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use crate::json::CheckText;
use serde_json::json;
use toolwright::{Context, Encoder, ToolCall, Toolset, Wire, call::Scope, tool, tools};

/// Weather forecast of a city.
///
/// Much more about it.
#[tool(read_only)]
fn forecast(
    /// City name
    city: String,
    /// How many days
    days: Option<u8>,
    #[arg(default)] tags: Vec<String>,
) -> String {
    format!("{city} {days:?} {tags:?}")
}

fn nobody(_: &Scope<'_>) -> bool {
    false
}

/// Deletes everything.
#[tool(visible = nobody)]
fn delete(secret: String) -> String {
    secret
}

fn set() -> Toolset {
    tools![forecast, delete].compact().unwrap()
}

fn call(name: &str, arguments: &serde_json::Value) -> (bool, String) {
    let call = ToolCall::new("1", name, arguments.to_string());
    let result = set().call_blocking(&call, &Context::new());
    let text = result.content(Encoder::auto()).into_owned();
    (result.is_success(), text)
}

#[test]
fn a_tool_is_told_in_a_line_and_the_list_is_the_same_each_time() {
    let set = set();
    let told: Vec<_> = set
        .definitions()
        .map(|def| (&*def.name, &*def.description))
        .collect();
    assert_eq!(
        told,
        [
            (
                "forecast",
                "Weather forecast of a city. forecast(city: string, days?: integer, tags?: array)"
            ),
            ("delete", "Deletes everything. delete(secret: string)"),
            (
                "search_tools",
                "Finds tools by what they do, or by their names, and tells how they are called, with all of their arguments."
            ),
        ]
    );
    assert_eq!(
        set.get("forecast").unwrap().def().input.as_json(),
        r#"{"type":"object"}"#
    );
    assert_eq!(
        set.get("forecast")
            .unwrap()
            .def()
            .options
            .annotations
            .read_only,
        Some(true)
    );
    let text = Wire::OpenAiChat.definitions(&set).to_string();
    assert_eq!(
        Wire::OpenAiChat.definitions(&tools![forecast, delete].compact().unwrap()),
        text
    );
    assert!(tools![forecast as "search_tools"].compact().is_err());
}

#[test]
fn arguments_are_checked_as_always_and_what_is_wrong_comes_with_the_usage() {
    let (ok, text) = call("forecast", &json!({"city": "Oslo", "days": "3"}));
    assert!(ok && text == "Oslo Some(3) []", "{text}");
    let (ok, text) = call("forecast", &json!({"days": 3}));
    assert!(!ok);
    let usage =
        "usage: forecast(city: string, days?: integer, tags?: array); `search_tools` tells more";
    let lines: Vec<_> = text.lines().collect();
    assert!(
        lines[0].starts_with("city: ") && lines[1] == usage,
        "{text}"
    );
    let checked = set().check_text("forecast", "{}").unwrap_err();
    assert!(checked.to_string().ends_with(usage));
}

#[test]
fn help_tells_all_of_a_tool_that_is_seen_and_nothing_of_another() {
    let (ok, text) = call("search_tools", &json!({"query": "forecast"}));
    assert!(
        ok && text.contains("Much more about it.") && text.contains("City name"),
        "{text}"
    );
    let (hidden, missing) = (
        call("search_tools", &json!({"query": "delete"})),
        call("search_tools", &json!({"query": "delxte"})),
    );
    let nothing = "no tool fits; search with other words";
    assert_eq!(hidden, (true, nothing.into()));
    assert_eq!(missing, hidden);
    // By what it does, too.
    let (_, text) = call("search_tools", &json!({"query": "the weather"}));
    assert!(
        text.starts_with(
            "forecast: Weather forecast of a city.\n\nMuch more about it.\narguments: {"
        ),
        "{text}"
    );
}
