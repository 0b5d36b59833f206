//! Lists are read whole and in order.

// Tools that own what they are given are what this is about.
#![allow(clippy::unwrap_used, clippy::needless_pass_by_value)]

use std::collections::{BTreeSet, HashMap, VecDeque};

use serde::{Deserialize, Serialize};
use serde_json::{Value, from_str, json};
use toolwright::{Context, Encoder, Schema, ToolCall, Toolset, tool, tools};

#[derive(Deserialize, Serialize, Schema)]
struct Line {
    /// Any text
    note: String,
    /// Lists inside
    tags: Option<Vec<String>>,
    /// An object inside
    at: Option<HashMap<String, i64>>,
}

/// What it was given.
#[tool]
fn lines(lines: Vec<Line>) -> Vec<Line> {
    lines
}

/// What it was given.
#[tool]
fn grid(rows: Vec<VecDeque<Vec<i64>>>) -> Vec<VecDeque<Vec<i64>>> {
    rows
}

/// What it was given, in order.
#[tool]
fn words(words: Vec<String>, set: Option<BTreeSet<String>>) -> Vec<String> {
    words.into_iter().chain(set.into_iter().flatten()).collect()
}

/// How many numbers it was given.
#[tool]
fn count(numbers: Vec<i64>) -> usize {
    numbers.len()
}

fn set() -> Toolset {
    tools![lines, grid, words, count]
}

fn answer(tool: &str, arguments: &str) -> Value {
    let call = ToolCall::new("1", tool, arguments);
    let result = set().call_blocking(&call, &Context::new());
    from_str(&result.content(Encoder::auto())).unwrap()
}

#[test]
fn what_stands_in_a_list_does_not_matter() {
    let odd = [
        "",
        ",",
        "]",
        "[",
        "}",
        "{,{,{",
        "\"",
        "\\\"]",
        "],[",
        "ü,]ø",
        "\u{1f600}",
    ];
    for count in [0, 1, 2, 5, 17, 400] {
        let words: Vec<&str> = odd.iter().copied().cycle().take(count).collect();
        let lines: Vec<Value> = words
            .iter()
            .map(|word| json!({"note": word, "tags": [word, word], "at": {"x": 1}}))
            .collect();
        let plain: Vec<Value> = words
            .iter()
            .map(|word| json!({"note": word, "tags": null, "at": null}))
            .collect();
        let grid = vec![vec![vec![1, 2, 3]; count]; 3];
        for pretty in [false, true] {
            let text = |value: &Value| {
                if pretty {
                    serde_json::to_string_pretty(value).unwrap()
                } else {
                    value.to_string()
                }
            };
            let sent = text(&json!({"words": words}));
            assert_eq!(answer("words", &sent), json!(words), "{sent}");
            for lines in [&lines, &plain] {
                let sent = text(&json!({"lines": lines}));
                assert_eq!(answer("lines", &sent), json!(lines), "{sent}");
            }
            let sent = text(&json!({"rows": grid}));
            assert_eq!(answer("grid", &sent), json!(grid), "{sent}");
        }
    }
}

#[test]
fn lists_that_do_not_end_are_refused() {
    for arguments in [
        r#"{"numbers": ["#,
        r#"{"numbers": [1"#,
        r#"{"numbers": [1,"#,
        r#"{"numbers": [1,2}"#,
        r#"{"numbers": [,]}"#,
    ] {
        let call = ToolCall::new("1", "count", arguments);
        let result = set().call_blocking(&call, &Context::new());
        assert!(result.outcome.is_err(), "{arguments}");
    }
}
