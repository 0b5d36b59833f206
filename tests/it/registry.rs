//! A registry: one set of tools that many hold and that may change.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use serde_json::{Value, json};
use toolwright::{
    Context, DynTool, Registry, Tool, ToolCall, ToolDef, ToolError, Toolset, Wire, tool, tools,
};

/// A tool that answers with `value`.
fn saying(name: &str, value: u32) -> Arc<dyn Tool> {
    DynTool::builder()
        .name(name.to_owned())
        .description("Says a number.")
        .handler_sync(move |_: Value, _| Ok::<_, ToolError>(value))
        .build()
        .unwrap()
}

fn names(registry: &Registry) -> Vec<String> {
    let tools = registry.snapshot();
    tools
        .definitions()
        .map(|def| def.name.to_string())
        .collect()
}

fn said(tools: &Toolset, name: &str) -> Option<Value> {
    tools
        .call_blocking(&ToolCall::new("c1", name, "{}"), &Context::new())
        .value()
}

#[test]
fn insertion_order_is_kept_and_a_namesake_is_replaced_in_place() {
    let registry = Registry::new();
    for (index, name) in ["c", "a", "b"].into_iter().enumerate() {
        let index = u32::try_from(index).unwrap();
        assert!(registry.insert(saying(name, index)).is_none());
    }
    assert_eq!(names(&registry), ["c", "a", "b"]);
    let old = registry.insert(saying("a", 10)).unwrap();
    let old = Toolset::new([old]).unwrap();
    assert_eq!(said(&old, "a"), Some(json!(1)));
    assert_eq!(names(&registry), ["c", "a", "b"]);
    assert_eq!(said(&registry.snapshot(), "a"), Some(json!(10)));
    assert!(registry.get("b").is_some());
    assert!(registry.get("x").is_none());
    assert_eq!(
        format!("{registry:?}"),
        r#"Registry(Toolset(["c", "a", "b"]))"#
    );
}

#[test]
fn a_tool_can_be_taken_out() {
    let registry = Registry::from(Toolset::new(["a", "b"].map(|name| saying(name, 1))).unwrap());
    assert_eq!(registry.remove("a").unwrap().def().name, "a");
    assert!(registry.remove("a").is_none());
    assert_eq!(names(&registry), ["b"]);
}

#[test]
fn a_new_tool_can_be_refused_where_its_name_is_taken() {
    let registry = Registry::new();
    registry.insert_new(saying("a", 1)).unwrap();
    let error = registry.insert_new(saying("a", 2)).unwrap_err();
    assert_eq!(error.names(), ["a"]);
    assert_eq!(said(&registry.snapshot(), "a"), Some(json!(1)));
}

#[test]
fn the_last_of_a_name_wins_when_a_set_is_put_in() {
    let registry = Registry::from(Toolset::new([saying("a", 1), saying("b", 1)]).unwrap());
    registry.extend(&Toolset::new([saying("c", 2), saying("a", 2)]).unwrap());
    assert_eq!(names(&registry), ["a", "b", "c"]);
    assert_eq!(said(&registry.snapshot(), "a"), Some(json!(2)));
}

#[test]
fn all_tools_can_be_replaced_and_a_snapshot_stays_as_it_was() {
    let registry = Registry::new();
    registry.insert(saying("a", 1));
    let snapshot = registry.snapshot();
    let old = registry.replace(Toolset::new([saying("b", 2)]).unwrap());
    assert_eq!(names(&registry), ["b"]);
    for tools in [snapshot, old] {
        assert_eq!(said(&tools, "a"), Some(json!(1)));
        assert!(tools.get("b").is_none());
    }
}

#[test]
fn clones_share_their_tools() {
    let registry = Registry::new();
    let other = registry.clone();
    registry.insert(saying("a", 1));
    assert!(other.get("a").is_some());
    other.remove("a");
    assert!(registry.get("a").is_none());
}

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[test]
fn stored_definitions_find_their_code_again() {
    let registry = Registry::from(tools![add]);
    let stored = serde_json::to_string(registry.get("add").unwrap().def()).unwrap();
    assert!(!stored.contains("handler"));
    let stored: ToolDef = serde_json::from_str(&stored).unwrap();
    let tools = registry.attach([stored.clone()]).unwrap();
    let call = ToolCall::new("c1", "add", r#"{"a":1,"b":2}"#);
    assert_eq!(
        tools.call_blocking(&call, &Context::new()).value(),
        Some(json!(3))
    );
    // The same definition, to the byte.
    assert_eq!(
        Wire::OpenAiChat.definitions(&tools),
        Wire::OpenAiChat.definitions(&registry.snapshot())
    );
    let unknown = ["charge", "refund"].map(|name| ToolDef::new(name, "…"));
    let error = registry
        .attach([stored].into_iter().chain(unknown))
        .unwrap_err();
    assert_eq!(error.missing(), ["charge", "refund"]);
}

#[test]
fn threads_may_read_change_and_call_at_once() {
    const THREADS: u32 = 4;
    const ROUNDS: u32 = 200;
    let registry = Registry::from(Toolset::new([saying("shared", 0)]).unwrap());
    let start = Barrier::new(THREADS as usize);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (registry, start) = (&registry, &start);
            scope.spawn(move || {
                let own = format!("own_{thread}");
                start.wait();
                for round in 0..ROUNDS {
                    registry.insert(saying(&own, round));
                    registry.insert(saying("shared", round));
                    let snapshot = registry.snapshot();
                    assert_eq!(said(&snapshot, &own), Some(json!(round)));
                    assert!(said(&snapshot, "shared").is_some());
                    if round % 2 == 0 {
                        assert!(registry.remove(&own).is_some());
                        assert!(registry.get(&own).is_none());
                    }
                }
            });
        }
    });
    let mut names = names(&registry);
    names.sort();
    assert_eq!(names, ["own_0", "own_1", "own_2", "own_3", "shared"]);
}

/// State that uses the registry when it goes away.
struct Farewell(Registry, Arc<AtomicBool>);

impl Drop for Farewell {
    fn drop(&mut self) {
        self.0.insert(saying("last", 1));
        self.1.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_replaced_tool_may_use_the_registry_as_it_goes() {
    for change in [
        |registry: &Registry| drop(registry.insert(saying("a", 1))),
        |registry: &Registry| drop(registry.replace(Toolset::default())),
        |registry: &Registry| drop(registry.remove("a")),
        |registry: &Registry| registry.extend(&Toolset::new([saying("a", 2)]).unwrap()),
    ] {
        let registry = Registry::new();
        let gone = Arc::new(AtomicBool::new(false));
        let state = Farewell(registry.clone(), Arc::clone(&gone));
        let tool = DynTool::builder()
            .name("a")
            .description("Holds state.")
            .handler_sync(move |_: Value, _| {
                let Farewell(registry, _) = &state;
                Ok::<_, ToolError>(registry.get("a").is_some())
            })
            .build()
            .unwrap();
        registry.insert(tool);
        assert_eq!(said(&registry.snapshot(), "a"), Some(json!(true)));
        change(&registry);
        assert!(gone.load(Ordering::Relaxed) && registry.get("last").is_some());
    }
}

#[test]
fn a_panic_in_a_definition_leaves_the_registry_whole() {
    struct Broken;
    impl Tool for Broken {
        fn def(&self) -> &ToolDef {
            panic!("no definition")
        }
        fn call<'a>(&'a self, _: toolwright::call::Call<'a>) -> toolwright::call::Answer<'a> {
            unreachable!()
        }
    }
    let registry = Registry::new();
    registry.insert(saying("a", 1));
    let other = registry.clone();
    let inserted = thread::spawn(move || other.insert(Arc::new(Broken)).is_none());
    assert!(inserted.join().is_err());
    assert_eq!(names(&registry), ["a"]);
    assert!(registry.insert(saying("b", 1)).is_none());
}
