//! Search over the tools of a set.
// Tools are written as users write them; and a test that finds less than it expects has failed.
#![allow(clippy::needless_pass_by_value, clippy::unwrap_used)]

use std::sync::Arc;

use serde::Deserialize;
use toolwright::call::Scope;
use toolwright::{Context, DynTool, Schema, Tool, ToolDef, Toolset, tool, tools};

/// Tells the weather.
#[tool(example({"place": "Oslo"}, "tomorrow in Norway"))]
fn forecast(place: &str) -> String {
    place.to_owned()
}

#[derive(Deserialize, Schema)]
#[serde(rename_all = "lowercase")]
enum Carrier {
    Pigeon,
    Ship,
}

#[derive(Deserialize, Schema)]
struct Parcel {
    /// What it weighs, in grams
    weight: u32,
    carrier: Option<Carrier>,
}

/// Sends something.
#[tool]
fn send_parcels(parcels: Vec<Parcel>) -> usize {
    let weigh = |parcel: &Parcel| parcel.carrier.is_none() || parcel.weight > 0;
    parcels.iter().filter(|parcel| weigh(parcel)).count()
}

/// Lists the cities that have an office.
#[tool(name = "listOffices")]
fn list_offices() -> Vec<String> {
    Vec::new()
}

/// 查询城市的天气预报
#[tool]
fn weather_cn(city: &str) -> String {
    city.to_owned()
}

/// Opens the vault.
#[tool(visible = is_guard)]
fn open_vault() {}

fn is_guard(_: &Scope<'_>) -> bool {
    false
}

fn all() -> Toolset {
    tools![forecast, send_parcels, list_offices, weather_cn, open_vault]
}

fn names(tools: &Toolset, words: &str) -> Vec<String> {
    let cx = Context::new();
    let found = tools.search(words, 9, &cx.scope());
    found
        .iter()
        .map(|found| found.def.name.to_string())
        .collect()
}

#[test]
fn words_are_found_wherever_a_definition_has_them() {
    let table = [
        ("parcel", "send_parcels"),
        ("SEND", "send_parcels"),
        ("grams", "send_parcels"),
        ("pigeons", "send_parcels"),
        ("office", "listOffices"),
        ("the city with an OFFICE", "listOffices"),
        ("Norway", "forecast"),
        ("what will tomorrow be like?", "forecast"),
        ("天气", "weather_cn"),
        ("明天天气如何", "weather_cn"),
    ];
    for (words, name) in table {
        assert_eq!(names(&all(), words).first().unwrap(), name, "{words}");
    }
}

#[test]
fn what_has_none_of_the_words_is_not_found() {
    for words in ["", " ", "?!", "the of and", "submarine", "xx\u{0}yy", "🦀"] {
        assert_eq!(names(&all(), words), [""; 0], "{words:?}");
    }
    assert_eq!(names(&Toolset::default(), "weather"), [""; 0]);
}

#[test]
fn a_hidden_tool_is_not_found() {
    assert_eq!(names(&all(), "open the vault"), [""; 0]);
    let cx = Context::new();
    assert!(all().search("vault", 9, &cx.scope()).is_empty());
}

#[test]
fn a_set_is_searched_as_it_is() {
    let tools = all();
    assert_eq!(names(&tools, "parcel"), ["send_parcels"]);
    // With the names of the set.
    assert_eq!(
        names(&tools.prefix("post_").unwrap(), "post parcels")
            .first()
            .unwrap(),
        "post_send_parcels"
    );
    // Sets that are made of one that was searched have an index of their own.
    let more = tools.with(declared("parcel_size", "Measures a parcel."));
    assert_eq!(names(&more, "parcel"), ["parcel_size", "send_parcels"]);
    let fewer = more.filter(|tool| tool.def().name != "send_parcels");
    assert_eq!(names(&fewer, "parcel"), ["parcel_size"]);
    assert_eq!(names(&tools, "parcel"), ["send_parcels"]);
}

#[test]
fn the_best_come_first_and_of_equals_the_first() {
    let cx = Context::new();
    let tools = (0..20).map(|index| declared(&format!("tool_{index}"), "Cuts paper."));
    let tools = Toolset::new(tools).unwrap();
    let found = tools.search("cut paper", 5, &cx.scope());
    let names: Vec<_> = found.iter().map(|found| &*found.def.name).collect();
    assert_eq!(names, ["tool_0", "tool_1", "tool_2", "tool_3", "tool_4"]);
    assert!(found.iter().is_sorted_by(|a, b| a.score >= b.score));
    assert!(found.iter().all(|found| found.score > 0.0));
}

#[test]
fn each_clause_of_a_question_finds_its_tool() {
    let found = names(
        &all(),
        "Tell me the weather in Rome, and then send a parcel by ship to the office there.",
    );
    for name in ["forecast", "send_parcels", "listOffices"] {
        assert!(
            found.iter().take(4).any(|one| one == name),
            "{name}: {found:?}"
        );
    }
}

fn declared(name: &str, description: &str) -> Arc<dyn Tool> {
    DynTool::declare(ToolDef::new(name.to_owned(), description.to_owned()))
}
