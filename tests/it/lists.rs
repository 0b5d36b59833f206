//! Lists are read whole and in order, whatever makes it hard to tell beforehand how long they are, and where that is easy they
//! are allocated once.

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

/// How many places were made for numbers.
#[tool]
fn places(numbers: Vec<i64>) -> usize {
    numbers.capacity()
}

/// How many places were made for objects.
#[tool]
fn places_of_lines(lines: Vec<Line>) -> usize {
    lines.capacity()
}

/// How many places were made for texts.
#[tool]
fn places_of_words(words: Vec<String>) -> usize {
    words.capacity()
}

fn set() -> Toolset {
    tools![lines, grid, words, places, places_of_lines, places_of_words]
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
fn a_plain_list_is_allocated_once() {
    for count in [0, 1, 3, 10, 64] {
        let numbers: Vec<i64> = (0..count).collect();
        let lines: Vec<_> = numbers.iter().map(|_| json!({"note": "x"})).collect();
        let words: Vec<_> = numbers.iter().map(|number| format!("w{number}")).collect();
        let sent = [
            ("places", json!({"numbers": numbers})),
            ("places_of_lines", json!({"lines": lines})),
            ("places_of_words", json!({"words": words})),
        ];
        for (tool, arguments) in sent {
            assert_eq!(
                answer(tool, &arguments.to_string()),
                json!(count),
                "{tool} {arguments}"
            );
        }
    }
}

/// What a model writes does not decide how much is allocated before it is read.
#[test]
fn room_is_made_for_few_that_may_not_come() {
    let commas = ",".repeat(1_000_000);
    let places = answer("places_of_words", &json!({"words": [commas]}).to_string());
    assert!((1..=64).contains(&places.as_u64().unwrap()), "{places}");
    let far = format!(r#"{{"numbers": [1{}]}}"#, " ".repeat(100_000));
    assert_eq!(answer("places", &far), json!(1));
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
        let call = ToolCall::new("1", "places", arguments);
        let result = set().call_blocking(&call, &Context::new());
        assert!(result.outcome.is_err(), "{arguments}");
    }
}
