//! Invariant 3: a definition's bytes depend on the toolset alone. `tests/neighbours` runs the same under
//! other features of `serde_json`.
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::process::Command;

use serde::{Deserialize, Serialize};
use toolwright::{Registry, Schema, Toolset, Wire, tool, tool_of, tools};

/// How to get there
#[derive(Serialize, Deserialize, Schema, PartialEq, Eq, Hash)]
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

/// What a bag holds
#[derive(Serialize, Deserialize, Schema)]
struct Bag {
    zips: HashSet<String>,
    #[schema(example = HashSet::from([(9, 'b'), (10, 'a'), (9, 'a')]))]
    pairs: HashSet<(u8, char)>,
    /// In this order.
    #[schema(unique)]
    order: Vec<u8>,
    #[serde(default = "tags")]
    deep: Vec<HashMap<u16, HashSet<i8>>>,
}

fn tags() -> Vec<HashMap<u16, HashSet<i8>>> {
    let set = || HashSet::from([10, 9, -1, -10, 0]);
    let map = || HashMap::from([(10, set()), (9, set()), (100, HashSet::new())]);
    vec![map(), HashMap::new(), map()]
}

/// A set comes before a list of the same.
#[derive(Serialize, Deserialize, Schema)]
#[serde(untagged)]
enum Held {
    Numbers(Vec<u8>),
    Names {
        names: HashSet<String>,
        z: u8,
        a: u8,
    },
}

/// Has other keys.
#[derive(Serialize, Deserialize, Schema)]
struct Open {
    z: u8,
    #[serde(flatten)]
    rest: HashMap<String, HashSet<u8>>,
    a: u8,
}

fn bag() -> Bag {
    Bag {
        zips: ["c", "10", "b", "9", "a"].map(str::to_owned).into(),
        pairs: [(2, 'x'), (1, 'y'), (1, 'x')].into(),
        order: vec![3, 1, 2],
        deep: tags(),
    }
}

fn names() -> Held {
    let names = ["c", "b", "a", "d"].map(str::to_owned).into();
    Held::Names { names, z: 1, a: 2 }
}

fn counted<const N: usize>(names: [&str; N]) -> HashMap<String, u8> {
    names.into_iter().map(str::to_owned).zip(1..).collect()
}

fn open() -> Open {
    let rest = [("y", [2, 1]), ("x", [1, 2]), ("b", [0, 9])];
    Open {
        z: 1,
        rest: rest.map(|(key, set)| (key.to_owned(), set.into())).into(),
        a: 2,
    }
}

/// Packs.
#[tool]
fn pack(
    #[arg(default = bag())] bag: Bag,
    #[arg(default = counted(["b", "c", "a"]), example = counted(["z", "y"]))] counts: HashMap<
        String,
        u8,
    >,
    #[arg(default = names())] held: Held,
    #[arg(default = Held::Numbers(vec![3, 1, 2]))] numbers: Held,
    #[arg(default = open())] open: Open,
    #[arg(default = [10, 9, 100].into())] sorted: BTreeSet<u8>,
    #[arg(default = HashSet::from([Way::OnFoot, Way::Train { zone: 2, class: None }, Way::Train { zone: 1, class: None }]))]
    ways: HashSet<Way>,
) -> Bag {
    let _ = (counts, held, numbers, open, sorted, ways);
    bag
}

/// Concerns nobody here.
#[tool]
fn unrelated(order: Option<Way>) -> bool {
    order.is_none()
}

fn set() -> Toolset {
    tools![plan, pack, cancel]
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
    assert_ne!(bytes(&tools![cancel, plan, pack]), EXPECTED);
}

/// A hash orders the parts of each value anew, also in one process.
#[test]
fn maps_and_sets_are_sorted_and_lists_are_not() {
    let tools = tools![pack];
    let def = tools.definitions().next().unwrap();
    let text = def.input.as_json();
    for part in [
        r#""default":{"zips":["10","9","a","b","c"],"pairs":[[1,"x"],[1,"y"],[2,"x"]],"order":[3,1,2],"deep":[{"9":[-10,-1,0,9,10],"10":[-10,-1,0,9,10],"100":[]},{},{"9":[-10,-1,0,9,10],"10":[-10,-1,0,9,10],"100":[]}]}"#,
        r#""examples":[[[10,"a"],[9,"a"],[9,"b"]]]"#,
        r#""default":[{"9":[-10,-1,0,9,10],"10":[-10,-1,0,9,10],"100":[]},{},{"9""#,
        r#""default":{"a":3,"b":1,"c":2},"examples":[{"y":2,"z":1}]"#,
        r#""default":{"names":["a","b","c","d"],"z":1,"a":2}"#,
        r#""default":[3,1,2]"#,
        r#""default":{"z":1,"a":2,"b":[0,9],"x":[1,2],"y":[1,2]}"#,
        r#""default":[9,10,100]"#,
        r#""default":[{"by":"on_foot"},{"by":"train","zone":1,"class":null},{"by":"train","zone":2,"class":null}]"#,
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
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
