//! What changed since a list was locked, as a program is told. What breaks does not compile: see `tests/compile`.
// Tools are written as users write them; and a test that finds less than it expects has failed.
#![allow(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    clippy::indexing_slicing
)]

use serde::Deserialize;
use toolwright::lock::{LockChange, LockError, Verdict};
use toolwright::{Toolset, lock, tool, tools};

/// Orders something.
#[tool]
fn order(#[arg(was = "qty", range(1..=20))] quantity: u32) {
    let _ = quantity;
}

/// Finds a page.
#[tool(read_only)]
fn find(#[arg(was = "text")] query: &str) {
    let _ = query;
}

/// A color that schemars alone knows.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Color {
    Red,
}

/// Paints it.
#[tool]
fn paint(color: Color) {
    let Color::Red = color;
}

/// Counts words.
#[tool]
fn count() {}

/// Counts lines.
#[tool]
fn lines() {}

fn desk() -> Toolset {
    tools! { lock: "tests/it/data/desk.lock", unproven: [paint]; order, find, paint, count, lines }
}

fn change<'a>(changes: &'a [LockChange], tool: &str) -> &'a LockChange {
    changes.iter().find(|change| change.tool == tool).unwrap()
}

#[test]
fn each_change_is_told_with_what_it_means() {
    let changes = lock::changes(&desk());
    assert_eq!(changes.len(), 5, "{changes:?}");

    // The file has the name of today, and `qty` is a name of long ago.
    let order = change(&changes, "order");
    assert_eq!(order.verdict, Verdict::Minor, "{order}");
    // The file has the name of before.
    let find = change(&changes, "find");
    assert_eq!(find.verdict, Verdict::Minor, "{find}");
    let count = change(&changes, "count");
    assert_eq!(count.verdict, Verdict::Patch, "{count}");
    assert_eq!(count.reasons, ["the description changed"]);
    let lines = change(&changes, "lines");
    assert_eq!(lines.verdict, Verdict::Minor, "{lines}");
    assert_eq!(lines.reasons, ["the tool is new"]);
}

#[test]
fn what_the_compiler_cannot_see_is_compared_by_the_check() {
    let changes = lock::changes(&desk());
    let paint = change(&changes, "paint");
    assert_eq!(paint.verdict, Verdict::Major, "{paint}");
    let refused: serde_json::Value = serde_json::from_str(paint.witness.as_ref().unwrap()).unwrap();
    assert!(refused["color"].is_string(), "{refused}");
    assert_ne!(refused["color"], "red");

    let Err(LockError::Breaks(breaks)) = lock::check(&desk()) else {
        panic!("a break passed");
    };
    assert!(breaks.contains(paint), "{breaks:?}");
}

#[test]
fn a_program_that_was_not_built_to_write_its_lock_writes_nothing() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/data/desk.lock");
    let before = std::fs::read_to_string(file).unwrap();
    for accept_breaks in [false, true] {
        let error = lock::update(&desk(), accept_breaks).unwrap_err();
        assert!(matches!(error, LockError::ReadOnly), "{error}");
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), before);
}

#[test]
fn a_file_that_is_written_says_what_the_tools_are() {
    let texts = lock::texts(&desk());
    let [(file, text)] = &*texts else {
        panic!("{texts:?}")
    };
    assert_eq!(*file, "tests/it/data/desk.lock");
    let lock: serde_json::Value = serde_json::from_str(text).unwrap();
    let prints = lock["fingerprints"].as_object().unwrap();
    let names = ["order", "find", "paint", "count", "lines"];
    let places = names.map(|name| text.find(&format!("\"{name}\": \"")).unwrap());
    assert!(places.is_sorted(), "{text}");
    assert_eq!(prints.len(), names.len());
    for (name, print) in prints {
        let (print, len) = print.as_str().unwrap().rsplit_once(' ').unwrap();
        assert_eq!(print == "at run time", name == "paint", "{name}: {print}");
        // By the lengths the compiler finds an entry in the file, where it is written with four spaces before it.
        let start = text.find(&format!("\n    \"{name}\": {{\n")).unwrap();
        let entry = &text[start + name.len() + 9..][..len.parse::<usize>().unwrap()];
        let entry: serde_json::Value = serde_json::from_str(entry).unwrap();
        assert_eq!(entry, lock["tools"][name], "{name}");
    }
}

#[test]
fn a_retired_name_is_the_one_that_models_called() {
    // The file has `bb`, as an element was listed.
    let tools = tools! { lock: "tests/it/data/renamed.lock"; count, retired("bb" => count) };
    let changes = lock::changes(&tools);
    let gone = change(&changes, "bb");
    assert_eq!(gone.verdict, Verdict::Minor, "{gone}");
    assert_eq!(gone.reasons, ["the tool is retired"]);
    assert!(matches!(lock::check(&tools), Err(LockError::Behind(_))));
}
