//! Calls of a model that was given the tools in a provider's strict mode, which knows no maps, no
//! tuples and nothing that may be left out.
#![allow(clippy::unwrap_used, clippy::needless_pass_by_value)]

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright::args::Repairs;
use toolwright::{Context, Dialect, Encoder, Schema, ToolCall, Wire, tool, tools};

#[derive(Serialize, Deserialize, Schema)]
struct Part {
    name: String,
    #[serde(default)]
    count: u8,
    note: Option<String>,
    #[serde(default)]
    sizes: BTreeMap<String, (u8, f64)>,
}

#[derive(Serialize, Deserialize, Schema, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
enum Side {
    Left,
    Right,
}

#[derive(Serialize, Deserialize, Schema)]
struct Corner {
    x: i32,
}

#[derive(Serialize, Deserialize, Schema)]
struct Sheet {
    #[serde(flatten)]
    corner: Option<Corner>,
    #[serde(default)]
    margins: BTreeMap<Side, u8>,
}

/// Takes keys that a schema names, and that may be left out.
#[tool]
fn sheet(
    margins: BTreeMap<Side, u8>,
    bleeds: BTreeMap<bool, Option<u8>>,
    sheet: Option<Sheet>,
) -> serde_json::Value {
    json!([margins, bleeds, sheet])
}

#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Target {
    Map {
        of: BTreeMap<String, Vec<(u8, String)>>,
    },
    Point {
        at: [i32; 2],
    },
}

/// Takes what strict modes cannot say.
#[tool]
fn many(
    labels: HashMap<String, u32>,
    numbered: Option<BTreeMap<u32, Part>>,
    #[arg(default = 7)] limit: u32,
    pair: Option<(u8, String)>,
    target: Option<Target>,
) -> serde_json::Value {
    let labels: BTreeMap<_, _> = labels.into_iter().collect();
    json!([labels, numbered, limit, pair, target])
}

fn answer(tool: &str, arguments: &str) -> Result<String, String> {
    answer_with(Repairs::None, tool, arguments)
}

fn answer_with(repairs: Repairs, tool: &str, arguments: &str) -> Result<String, String> {
    let tools = tools![many, sheet];
    // It has no word for lengths, so short arrays are objects.
    let sent = Wire::OpenAiChat.definitions_in(&tools, Dialect::AzureStrict);
    let sent = sent.unwrap();
    assert!(sent.non_strict().is_empty());
    let mut call = ToolCall::new("c1", tool, arguments);
    sent.restore(&mut call);
    let cx = Context::new().with_repairs(repairs);
    let result = tools.call_blocking(&call, &cx);
    match &result.outcome {
        Ok(_) => Ok(result.content(Encoder::json()).into_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn rows(rows: &[(&str, Result<&str, &str>)]) {
    rows_of("many", rows);
}

fn rows_of(tool: &str, rows: &[(&str, Result<&str, &str>)]) {
    for (arguments, expected) in rows {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(answer(tool, arguments), expected, "{arguments}");
    }
}

#[test]
fn null_is_what_is_left_out() {
    rows(&[
        (
            r#"{"labels": [], "numbered": null, "limit": null, "pair": null, "target": null}"#,
            Ok("[{},null,7,null,null]"),
        ),
        (
            r#"{"labels": {}, "numbered": {"1": {"name": "a", "count": null, "note": null, "sizes": null}}}"#,
            Ok(r#"[{},{"1":{"count":0,"name":"a","note":null,"sizes":{}}},7,null,null]"#),
        ),
        (
            r#"{"labels": null}"#,
            Err(r#"labels: expected an object, such as {"key":1}, got null"#),
        ),
    ]);
}

#[test]
fn a_list_of_entries_is_a_map() {
    rows(&[
        (
            r#"{"labels": [{"key": "a", "value": 1}, {"value": 2.0, "key": "\u0062"}]}"#,
            Ok(r#"[{"a":1,"b":2},null,7,null,null]"#),
        ),
        (
            r#"{"labels": {"a": 1}}"#,
            Ok(r#"[{"a":1},null,7,null,null]"#),
        ),
        (
            r#"{"labels": [], "numbered": [{"key": 5.0, "value": {"name": "a", "sizes": [{"key": "s", "value": {"_0": 1, "_1": 2}}]}}]}"#,
            Ok(
                r#"[{},{"5":{"count":0,"name":"a","note":null,"sizes":{"s":[1,2.0]}}},7,null,null]"#,
            ),
        ),
        (
            r#"{"labels": [{"key": "a", "value": 1}, {"key": "a", "value": 2}]}"#,
            Err("labels.a: given more than once"),
        ),
        (
            r#"{"labels": [{"key": "a", "value": "x"}]}"#,
            Err(r#"labels.a: expected an integer of 0 or more, got "x""#),
        ),
        (
            r#"{"labels": [{"key": {"a": 1}, "value": 1}]}"#,
            Err(
                r#"labels: expected an object, such as {"key":1}, got [{"key": {"a": 1}, "value": 1}]"#,
            ),
        ),
        (
            r#"{"labels": [{"key": 1, "value": 1}]}"#,
            Err(r#"labels: expected an object, such as {"key":1}, got [{"key": 1, "value": 1}]"#),
        ),
        (
            r#"{"labels": [{"key": null, "value": 1}]}"#,
            Err(
                r#"labels: expected an object, such as {"key":1}, got [{"key": null, "value": 1}]"#,
            ),
        ),
        (
            r#"{"labels": [{"key": "a"}]}"#,
            Err(r#"labels: expected an object, such as {"key":1}, got [{"key": "a"}]"#),
        ),
    ]);
}

#[test]
fn an_object_of_places_is_a_tuple() {
    rows(&[
        (
            r#"{"labels": {}, "pair": {"_0": 1, "_1": "a"}}"#,
            Ok(r#"[{},null,7,[1,"a"],null]"#),
        ),
        (
            r#"{"labels": {}, "pair": {"_1": "a", "_0": 1}}"#,
            Ok(r#"[{},null,7,[1,"a"],null]"#),
        ),
        (
            r#"{"labels": {}, "pair": [1, "a"]}"#,
            Ok(r#"[{},null,7,[1,"a"],null]"#),
        ),
        (
            r#"{"labels": {}, "pair": {"_0": 300, "_1": "a"}}"#,
            Err("pair[0]: expected an integer from 0 to 255, got 300"),
        ),
        (
            r#"{"labels": {}, "pair": {"_0": 1}}"#,
            Err(
                r#"pair: expected an array of 2 elements or null, such as [1,"text"], got {"_0": 1}"#,
            ),
        ),
    ]);
}

#[test]
fn inside_what_serde_buffers_too() {
    rows(&[
        (
            r#"{"labels": {}, "target": {"kind": "map", "of": [{"key": "1", "value": [{"_0": 2.0, "_1": "a"}]}]}}"#,
            Ok(r#"[{},null,7,null,{"kind":"map","of":{"1":[[2,"a"]]}}]"#),
        ),
        (
            r#"{"labels": {}, "target": {"kind": "point", "at": {"_0": 1, "_1": 2}}}"#,
            Ok(r#"[{},null,7,null,{"at":[1,2],"kind":"point"}]"#),
        ),
        (
            r#"{"labels": {}, "target": {"kind": "point", "at": {"_0": 1, "_1": "x"}}}"#,
            Err(r#"target.at[1]: expected an integer, got "x""#),
        ),
    ]);
}

#[test]
fn only_where_the_model_was_told_so() {
    let cx = Context::new().with_repairs(Repairs::None);
    for arguments in [r#"{"labels": []}"#, r#"{"labels": {}, "limit": null}"#] {
        let result = tools![many].call_blocking(&ToolCall::new("c1", "many", arguments), &cx);
        assert!(result.outcome.is_err(), "{arguments}");
    }
}

#[test]
fn null_is_a_key_of_a_map_that_is_left_out() {
    rows_of(
        "sheet",
        &[
            (
                r#"{"margins": {"left": null, "right": 2}, "bleeds": {"true": null, "false": 1}, "sheet": null}"#,
                Ok(r#"[{"right":2},{"false":1,"true":null},null]"#),
            ),
            (
                r#"{"margins": {"left": 1, "right": null}, "bleeds": {}, "sheet": {"x": null, "margins": {"left": null, "right": 3}}}"#,
                Ok(r#"[{"left":1},{},{"margins":{"right":3}}]"#),
            ),
            (
                r#"{"margins": {"left": null, "right": null}, "bleeds": {}, "sheet": {"x": 1, "margins": {"left": 3, "right": null}}}"#,
                Ok(r#"[{},{},{"margins":{"left":3},"x":1}]"#),
            ),
            (
                r#"{"margins": {"left": null, "up": 1}, "bleeds": {}}"#,
                Err(r#"margins.up: expected a key that is one of "left", "right", got "up""#),
            ),
            (
                r#"{"margins": {"up": null}, "bleeds": {}}"#,
                Err(
                    "margins.up: expected a key that is one of \"left\", \"right\", got \"up\"\nmargins.up: expected an integer from 0 to 255, got null",
                ),
            ),
            (
                r#"{"margins": {"left": null, "left": 1}, "bleeds": {}}"#,
                Err(
                    "margins.left: given more than once\nmargins.left: expected an integer from 0 to 255, got null",
                ),
            ),
        ],
    );
}

#[test]
fn a_key_that_is_left_out_by_null_is_there_once_all_the_same() {
    rows(&[
        (
            r#"{"labels": {}, "limit": null, "limit": 3}"#,
            Err("limit: given more than once"),
        ),
        (
            r#"{"labels": {}, "limit": 3, "limit": null}"#,
            Err("limit: given more than once"),
        ),
        (
            r#"{"labels": {}, "limit": null, "limit": null}"#,
            Err("limit: expected an integer of 0 or more, got null\nlimit: given more than once"),
        ),
        (
            r#"{"labels": {}, "numbered": {"1": {"name": "a", "count": null, "count": 1}}}"#,
            Err("numbered.1.count: given more than once"),
        ),
    ]);
}

#[test]
fn what_was_encoded_twice_is_restored_inside_and_repaired() {
    let whole = json!(r#"{"labels": [{"key": "a", "value": 1}], "limit": null}"#).to_string();
    for arguments in [
        r#"{"labels": "[{\"key\": \"a\", \"value\": 1}]", "limit": null}"#,
        &whole,
    ] {
        assert_eq!(
            answer_with(Repairs::All, "many", arguments).as_deref(),
            Ok(r#"[{"a":1},null,7,null,null]"#),
            "{arguments}"
        );
        assert!(answer("many", arguments).is_err(), "{arguments}");
    }
}
