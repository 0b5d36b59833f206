//! Invariant 3: a definition's bytes depend on the toolset alone. `tests/neighbours` runs the same under
//! other features of `serde_json`.
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::collections::{BTreeMap, HashMap};
use std::process::Command;

use serde::{Deserialize, Serialize};
use toolwright::{Registry, Schema, Toolset, Wire, tool, tool_of, tools};

/// How to get there
#[derive(Serialize, Deserialize, Schema)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Way {
    Train { zone: u8, class: Option<u8> },
    OnFoot,
}

/// Plans a trip.
#[tool(read_only, meta(zeta = 1, alpha = 0.10))]
fn plan(
    to: String,
    #[arg(default = 0.1)] share: f64,
    ways: Vec<Way>,
    notes: HashMap<String, Vec<u64>>,
    #[arg(range(1..=18_446_744_073_709_551_615))] most: u64,
) -> BTreeMap<String, u8> {
    let _ = (to, share, ways, notes, most);
    BTreeMap::new()
}

/// Cancels a trip.
#[tool(destructive)]
fn cancel(id: u128, reason: Option<&str>) -> bool {
    let _ = (id, reason);
    true
}

/// Concerns nobody here.
#[tool]
fn unrelated(order: Option<Way>) -> bool {
    order.is_none()
}

fn set() -> Toolset {
    tools![plan, cancel]
}

fn bytes(tools: &Toolset) -> String {
    let wires = [
        Wire::OpenAiChat,
        Wire::OpenAiResponses,
        Wire::Anthropic,
        Wire::Gemini,
        Wire::BedrockConverse,
        Wire::Ollama,
        Wire::Mcp,
    ];
    let texts = wires.map(|wire| wire.definitions(tools).into_string() + "\n");
    texts.concat()
}

const EXPECTED: &str = include_str!("definition_bytes.txt");

#[test]
fn they_are_the_same_in_every_build() {
    assert_eq!(bytes(&set()), EXPECTED);
}

#[test]
fn nothing_that_is_registered_elsewhere_changes_them() {
    let registry = Registry::from(tools![unrelated]);
    let _ = bytes(&registry.snapshot());
    assert_eq!(bytes(&set()), EXPECTED);
    registry.extend(&set());
    registry.remove("unrelated");
    assert_eq!(bytes(&registry.snapshot()), EXPECTED);
    let merged = tools![unrelated].merge(&set()).unwrap();
    assert_eq!(
        bytes(&merged.filter(|tool| tool.def().name != "unrelated")),
        EXPECTED
    );
    // Another order is another set.
    assert_ne!(bytes(&tools![cancel, plan]), EXPECTED);
}

#[test]
fn extras_are_sorted_and_change_one_wire_alone() {
    let extras = r#"{"zone": {"b": [{"y": 1, "x": 0.5}], "a": null}, "cache_control": {"type": "ephemeral"}}"#;
    let extras: serde_json::Value = serde_json::from_str(extras).unwrap();
    let tool = tool_of!(cancel)
        .with_extras(Wire::Anthropic, extras)
        .unwrap();
    let with = set().with(tool);
    let added = r#","cache_control":{"type":"ephemeral"},"zone":{"a":null,"b":[{"x":0.5,"y":1}]}"#;
    for (line, before) in bytes(&with).lines().zip(EXPECTED.lines()) {
        // Anthropic's line is the one that has its key.
        let wanted = if before.contains("input_schema") {
            before.strip_suffix("}]").unwrap().to_owned() + added + "}]"
        } else {
            before.to_owned()
        };
        assert_eq!(line, wanted);
    }
    assert_ne!(bytes(&with), EXPECTED);
}

#[test]
fn another_process_writes_the_same() {
    const ASKED: &str = "TOOLWRIGHT_DEFINITION_BYTES";
    if std::env::var_os(ASKED).is_some() {
        print!("{}", bytes(&set()));
        return;
    }
    for _ in 0..3 {
        let name = std::thread::current().name().unwrap().to_owned();
        let output = Command::new(std::env::current_exe().unwrap())
            .args([&name, "--exact", "--nocapture"])
            .env(ASKED, "1")
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains(EXPECTED), "{said}");
    }
}
