//! Other tools in a doc comment: a model reads them under the names that it is told.
// Tools are written as users write them; and a test that finds less than it expects has failed.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unused_self,
    clippy::unwrap_used,
    clippy::indexing_slicing
)]

use toolwright::{Dialect, Toolset, Wire, tool, tools, toolset::ProblemCode};

/// Tells the weather. Before you plan, see [`fn@plan`]; [`fn@orders::create`] and [`fn@plan()`]
/// come after it, and a [`String`] is not a tool.
#[tool]
fn forecast(
    /// As in [`fn@plan`]
    city: String,
) -> String {
    city
}

/// Plans a day by [`fn@forecast`].
#[tool(name = "plan_day")]
fn plan(day: u8) -> u8 {
    day
}

mod orders {
    use toolwright::tool;

    /// Creates an order, as [`fn@super::plan`] says.
    #[tool]
    pub(crate) fn create(id: u8) -> u8 {
        id
    }
}

struct Desk;

#[tool]
impl Desk {
    /// Opens it after [`fn@forecast`].
    #[tool]
    fn open(&self, number: u8) -> u8 {
        number
    }
}

fn told(tools: &Toolset) -> Vec<String> {
    let defs = tools.definitions();
    defs.map(|def| def.description.to_string()).collect()
}

#[test]
fn names_are_those_of_the_set() {
    let tools = tools! {
        forecast as "weather", plan, orders::create as "order", ..Desk: Desk as "desk_": "In Oslo."
    };
    let expected = [
        "Tells the weather. Before you plan, see `plan_day`; `order` and `plan_day` come after it, and a `String` is not a tool.",
        "Plans a day by `weather`.",
        "Creates an order, as `plan_day` says.",
        "Opens it after `weather`. In Oslo.",
    ];
    assert_eq!(told(&tools), expected);
    let renamed = tools
        .prefix("my_")
        .unwrap()
        .rename("my_plan_day", "my_schedule")
        .unwrap();
    assert_eq!(told(&renamed)[1], "Plans a day by `my_weather`.");
    assert_eq!(
        told(&renamed)[2],
        "Creates an order, as `my_schedule` says."
    );
    assert_eq!(
        told(&renamed.prefix("a_").unwrap())[3],
        "Opens it after `a_my_weather`. In Oslo."
    );
    let sent = Wire::OpenAiChat.definitions(&renamed).to_string();
    assert!(
        sent.contains("see `my_schedule`; `my_order` and `my_schedule` come"),
        "{sent}"
    );
    assert!(!sent.contains("fn@"), "{sent}");
    assert!(sent.contains("As in `plan`"), "a parameter's words: {sent}");
}

#[test]
fn other_words_stay_as_they_are() {
    let tools =
        tools![plan as "plan": "Plans by `forecast`.", forecast as "weather", orders::create];
    assert_eq!(told(&tools)[0], "Plans by `forecast`.");
    let compact = tools.compact().unwrap();
    assert!(told(&compact)[1].starts_with("Tells the weather. Before you plan, see `plan`;"));
}

#[test]
fn a_tool_that_is_missing_is_reported() {
    let tools = tools![plan];
    assert_eq!(told(&tools), ["Plans a day by `forecast`."]);
    let report = tools.check(Dialect::OpenAiNonStrict);
    let found: Vec<_> = report
        .errors()
        .map(|error| (error.code, error.message.as_str()))
        .collect();
    assert_eq!(
        found,
        [(
            ProblemCode::UnknownTool,
            "the description names `forecast`, which the set lacks"
        )]
    );
    assert!(
        tools![plan, forecast, orders::create]
            .check(Dialect::OpenAiNonStrict)
            .is_accepted()
    );
}
