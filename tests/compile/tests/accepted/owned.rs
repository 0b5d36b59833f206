//! Owned arguments: whatever is `Deserialize` and has a schema.
#![deny(warnings)]
#![allow(dead_code)]
#![forbid(unsafe_code)]

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use toolwright::{Schema, tool, tools};

#[derive(Debug, serde::Deserialize, Schema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Line {
    stock_unit: String,
    #[serde(default)]
    count: u32,
}

#[derive(Debug, serde::Deserialize, Schema)]
enum Speed {
    Slow,
    Fast,
}

/// Take all that there is.
#[tool]
fn take(
    text: String,
    flag: bool,
    number: i64,
    float: f32,
    letter: char,
    path: PathBuf,
    line: Line,
    speed: Speed,
    maybe: Option<Line>,
    lines: Vec<Line>,
    pair: (u8, String),
    four: [u16; 4],
    set: HashSet<String>,
    map: HashMap<String, Vec<Line>>,
    tree: BTreeMap<String, Option<bool>>,
    boxed: Box<Line>,
    anything: serde_json::Value,
) -> String {
    format!(
        "{text}{flag}{number}{float}{letter}{path:?}{line:?}{speed:?}{maybe:?}{lines:?}{pair:?}\
         {four:?}{set:?}{map:?}{tree:?}{boxed:?}{anything}"
    )
}

/// Take nothing.
#[tool]
fn nothing() {}

#[test]
fn runs() {
    assert_eq!(tools![take, nothing].iter().len(), 2);
    let _ = (Speed::Slow, Speed::Fast);
}
