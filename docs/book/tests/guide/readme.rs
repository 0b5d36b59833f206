//! The programs of the README, which tests compare with these files.

mod agent;
mod conversation;
mod server;

use std::fs;
use std::path::Path;

fn file(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// What stands between a file's anchors.
fn anchored(path: &str, anchor: &str) -> String {
    let text = file(path);
    let (_, rest) = text.split_once(&format!("// ANCHOR: {anchor}\n")).unwrap();
    let (code, _) = rest
        .split_once(&format!("// ANCHOR_END: {anchor}"))
        .unwrap();
    code.to_owned()
}

#[test]
fn its_code_is_the_code_that_runs_here() {
    let readme = file("../../README.md");
    let blocks: Vec<_> = readme
        .split("```rust")
        .skip(1)
        .map(|rest| {
            rest.split_once('\n')
                .unwrap()
                .1
                .split_once("```")
                .unwrap()
                .0
        })
        .collect();
    let tested = [
        anchored("tests/guide/first_tool.rs", "program"),
        anchored("tests/guide/readme/conversation.rs", "program"),
        anchored("tests/guide/readme/server.rs", "program"),
        anchored("tests/guide/readme/agent.rs", "program"),
    ];
    assert_eq!(blocks, tested);
}

#[test]
fn its_schema_is_the_one_that_the_model_sees() {
    let readme = file("../../README.md");
    let (_, rest) = readme.split_once("```json\n").unwrap();
    let (shown, _) = rest.split_once("```").unwrap();
    let shown: serde_json::Value = serde_json::from_str(shown).unwrap();
    let text = file("tests/guide/outputs/first_tool.definitions.json");
    let definitions: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(shown, definitions[0]["function"]["parameters"]);
}

#[test]
fn it_is_short() {
    let lines = file("../../README.md").lines().count();
    assert!(lines <= 150, "{lines} lines");
}
