//! A definition around a tool's code, stored or a wrapper's own, takes no caution away that the code has.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed; and tools take what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolwright::call::{Annotations, ErrorKind, Grant, Meta, WrapTool};
use toolwright::executor::{Batch, PendingReason};
use toolwright::layers::{Approval, Cache, Layer, Levels, Retry, Risk};
use toolwright::schema::SchemaDoc;
use toolwright::{
    Context, DynTool, Executor, Registry, Tool, ToolCall, ToolDef, ToolError, ToolOptions, Toolset,
    Wire, tool, tool_of, tools,
};

/// Removes some pages.
#[tool(
    destructive,
    meta(risk = "high", danger = "red"),
    scopes("pages:write")
)]
fn remove(pages: Vec<u32>) -> usize {
    pages.len()
}

/// Looks.
#[tool]
fn look() -> u8 {
    1
}

/// Reads.
#[tool(read_only, idempotent, open_world = false, destructive = false)]
fn read() -> u8 {
    1
}

/// Writes, and says so.
#[tool(read_only = false, idempotent = false, open_world)]
fn write() -> u8 {
    1
}

/// Lets the host answer.
#[tool(manual, exclusive)]
fn ring() -> u8 {
    1
}

/// A tool around another one, with a definition of its own.
struct Around(ToolDef, Arc<dyn Tool>);

impl WrapTool for Around {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.1
    }

    fn def(&self) -> &ToolDef {
        &self.0
    }
}

fn set(tool: Arc<dyn Tool>) -> Toolset {
    Toolset::new([tool]).unwrap()
}

fn around(def: &ToolDef, tool: &Arc<dyn Tool>) -> Arc<dyn Tool> {
    Arc::new(Around(def.clone(), Arc::clone(tool)))
}

/// The ways to put a definition around a tool.
fn ways(def: &ToolDef, tool: &Arc<dyn Tool>) -> Vec<(&'static str, Toolset)> {
    let own = set(Arc::clone(tool));
    let attach = |set: &Toolset| set.attach([def.clone()]).unwrap();
    let registry = Registry::from(own.clone());
    let inserted = Registry::new();
    inserted.insert(around(def, tool));
    let mut renamed = def.clone();
    renamed.name = "other".into();
    let all = vec![
        ("attach", attach(&own)),
        ("attach twice", attach(&attach(&own))),
        ("of a registry", registry.attach([def.clone()]).unwrap()),
        ("attach, then a prefix", attach(&own).prefix("a_").unwrap()),
        (
            "attach after a rename",
            own.rename(&def.name, "other")
                .unwrap()
                .attach([renamed])
                .unwrap(),
        ),
        ("a wrapper", set(around(def, tool))),
        ("a wrapper that is renamed", {
            set(around(def, tool)).rename(&def.name, "b").unwrap()
        }),
        (
            "a wrapper of a wrapper",
            set(around(def, &around(def, tool))),
        ),
        (
            "a wrapper, then errors",
            set(around(def, tool).handle_errors()),
        ),
        (
            "a wrapper, then direct",
            set(around(def, tool).return_direct()),
        ),
        (
            "a wrapper in a registry",
            inserted.attach([def.clone()]).unwrap(),
        ),
        ("put in its place", own.with(around(def, tool))),
        ("merged", attach(&own).merge(&tools![]).unwrap()),
        ("compact", {
            let compact = attach(&own).compact().unwrap();
            compact.filter(|tool| &*tool.def().name != "search_tools")
        }),
    ];
    assert!(all.iter().all(|(_, set)| set.iter().len() == 1));
    all
}

/// The same tool from a closure, and one that is declared.
fn removers() -> Vec<Arc<dyn Tool>> {
    let def = tool_of!(remove).def().clone();
    let closure = DynTool::builder()
        .def(def)
        .handler_sync(|_: Value, _| Ok::<_, ToolError>(1))
        .build();
    vec![tool_of!(remove), closure.unwrap()]
}

/// What a caller with all scopes gets.
fn run(executor: &Executor, tools: &Toolset, arguments: &str) -> Batch {
    let name = tools.definitions().next().unwrap().name.clone();
    let cx = Context::new().with(Grant::unlimited());
    executor.run_blocking(&[ToolCall::new("1", &*name, arguments)], &cx)
}

/// Returns true if such an approval asks about the tool's calls, and knows it of the definition.
#[track_caller]
fn asks(tools: &Toolset, approval: Approval) -> bool {
    let def = tools.definitions().next().unwrap().clone();
    let known = approval.requires_approval(&def);
    let executor = Executor::serial(tools).layer(approval);
    let batch = run(&executor, tools, r#"{"pages": [1]}"#);
    let asks = batch.pending().next().is_some();
    assert_eq!(executor.requires_approval(&def), known);
    assert_eq!(asks, known, "{def:?}");
    asks
}

/// A definition that lessens all caution.
fn careless(def: &ToolDef) -> ToolDef {
    let mut def = def.clone();
    def.options.annotations = Annotations {
        read_only: Some(true),
        destructive: Some(false),
        idempotent: Some(true),
        open_world: Some(false),
    };
    def.meta = Meta::default();
    def.options.manual = false;
    def.options.exclusive = false;
    def
}

#[test]
fn a_stored_definition_takes_no_approval_away() {
    for tool in removers() {
        for (way, tools) in ways(&careless(tool.def()), &tool) {
            assert!(asks(&tools, Approval::default()), "{way}");
            assert!(asks(&tools, Approval::at_least(Risk::High)), "{way}");
            let danger = Levels::new("danger", ["green", "amber", "red"]);
            assert!(asks(&tools, Approval::at_least_of(danger, "red")), "{way}");
            let when = |rule: fn(&toolwright::layers::Request<'_>) -> bool| {
                let executor = Executor::serial(&tools).layer(Approval::when(rule));
                let batch = run(&executor, &tools, r#"{"pages": [1]}"#);
                batch.pending().next().is_some()
            };
            assert!(
                when(|request| request.annotations().destructive == Some(true)),
                "{way}"
            );
            let risk = |request: &toolwright::layers::Request<'_>| {
                request.attributes().get("risk") == Some(&"high".into())
            };
            assert!(when(risk), "{way}");
        }
    }
}

#[test]
fn the_higher_of_two_risks_counts() {
    let with = |def: &ToolDef, risk: Option<&str>, danger: Option<&str>| {
        let mut def = def.clone();
        let members = [("risk", risk), ("danger", danger)].into_iter();
        let members = members.filter_map(|(key, value)| Some((key.to_owned(), value?.into())));
        def.meta = members.collect::<Map<_, Value>>().into();
        def.options.annotations = Annotations::NONE;
        def
    };
    let danger = || Levels::new("danger", ["green", "amber", "red"]);
    let levels = [Some("low"), Some("high"), None];
    let dangers = [Some("green"), Some("red"), None];
    for own in 0..3 {
        for stored in 0..3 {
            let mut def = with(&ToolDef::new("tool", "Does."), levels[own], dangers[own]);
            def.input = SchemaDoc::parse(r#"{"type": "object"}"#).unwrap();
            let tool = DynTool::builder()
                .def(def)
                .handler_sync(|_: Value, _| Ok::<_, ToolError>(1))
                .build()
                .unwrap();
            let def = with(tool.def(), levels[stored], dangers[stored]);
            for (way, tools) in ways(&def, &tool) {
                let is_high = own == 1 || stored == 1;
                let said = format!("{way}: {:?} {:?}", levels[own], levels[stored]);
                assert_eq!(
                    asks(&tools, Approval::at_least(Risk::High)),
                    is_high,
                    "{said}"
                );
                let level = Approval::at_least_of(danger(), "red");
                assert_eq!(asks(&tools, level), is_high, "{said}");
                let seen = tools.definitions().next().unwrap().meta.get("risk");
                assert_eq!(seen == Some(&"high".into()), is_high, "{said}");
                // What the code does not mark, no stored definition marks as harmless.
                let unmarked = Approval::at_least_of(danger(), "red").unmarked_too();
                assert_eq!(asks(&tools, unmarked), is_high || own == 2, "{said}");
            }
        }
    }
}

#[test]
fn the_more_cautious_hint_is_published() {
    let harmless = careless(&ToolDef::new("", "")).options.annotations;
    let harmful = Annotations {
        read_only: Some(false),
        destructive: Some(true),
        idempotent: Some(false),
        open_world: Some(true),
    };
    let none = Annotations::NONE;
    for (own, stored, expected) in [
        (harmful, harmless, harmful),
        (harmful, none, harmful),
        (harmless, harmful, harmful),
        (none, harmful, harmful),
        (none, harmless, none),
        (harmless, none, none),
        (harmless, harmless, harmless),
    ] {
        let tool = DynTool::builder()
            .name("tool")
            .description("Does.")
            .options(ToolOptions::new().annotations(own))
            .handler_sync(|_: Value, _| Ok::<_, ToolError>(1))
            .build()
            .unwrap();
        let mut def = tool.def().clone();
        def.options.annotations = stored;
        for (way, tools) in ways(&def, &tool) {
            let said = format!("{way}: {own:?} {stored:?}");
            let found = tools.definitions().next().unwrap();
            assert_eq!(found.options.annotations, expected, "{said}");
            let sent = Wire::Mcp.definitions(&tools);
            assert_eq!(
                sent.contains(r#""destructiveHint":true"#),
                expected == harmful,
                "{said}"
            );
            assert_eq!(
                sent.contains(r#""readOnlyHint":true"#),
                expected == harmless,
                "{said}"
            );
        }
    }
}

#[test]
fn a_stored_definition_makes_no_call_repeatable() {
    static RUNS: AtomicU32 = AtomicU32::new(0);

    /// Fails.
    #[tool]
    fn fails() -> Result<u8, &'static str> {
        RUNS.fetch_add(1, Ordering::SeqCst);
        Err("no")
    }

    /// Counts.
    #[tool]
    fn counts() -> u32 {
        RUNS.fetch_add(1, Ordering::SeqCst)
    }

    for tool in [tool_of!(fails), tool_of!(counts)] {
        for (way, tools) in ways(&careless(tool.def()), &tool) {
            RUNS.store(0, Ordering::SeqCst);
            let name = tools.definitions().next().unwrap().name.clone();
            let executor = Executor::serial(&tools)
                .layer(Cache::new(9))
                .layer(Retry::new(3).backoff(Duration::ZERO, Duration::ZERO));
            let cx = Context::new().with_session("a");
            for _ in 0..2 {
                executor.run_blocking(&[ToolCall::new("1", &*name, "{}")], &cx);
            }
            assert_eq!(RUNS.load(Ordering::SeqCst), 2, "{way} {name}");
        }
    }
    // What both say holds.
    let tools = tools![read];
    let same = tools.attach(tools.definitions().cloned()).unwrap();
    assert_eq!(
        same.definitions().next().unwrap().options.annotations,
        tools.definitions().next().unwrap().options.annotations
    );
}

#[test]
fn who_answers_and_beside_what_stays_too() {
    let tool = tool_of!(ring);
    for (way, tools) in ways(&careless(tool.def()), &tool) {
        let batch = run(&Executor::serial(&tools), &tools, "{}");
        let pending = batch.pending().next();
        assert_eq!(
            pending.map(|one| one.reason.clone()),
            Some(PendingReason::ManualTool),
            "{way}"
        );
        assert!(
            tools.definitions().next().unwrap().options.exclusive,
            "{way}"
        );
    }
    // Others may be made more careful.
    let mut def = tool_of!(look).def().clone();
    (
        def.options.manual,
        def.options.exclusive,
        def.options.needs_approval,
    ) = (true, true, true);
    let tools = tools![look].attach([def]).unwrap();
    let def = tools.definitions().next().unwrap();
    assert!(def.options.manual && def.options.exclusive && def.options.needs_approval);
}

#[test]
fn scopes_are_those_of_both() {
    let tool = tool_of!(remove);
    let mut def = tool.def().clone();
    def.meta = json!({"scopes": ["admin"], "team": "books"})
        .as_object()
        .unwrap()
        .clone()
        .into();
    for (way, tools) in ways(&def, &tool) {
        let sees = |scopes: &[&str]| {
            let cx = Context::new().with(Grant::new().with_scopes(scopes.to_vec()));
            tools.visible(&cx.scope()).iter().next().is_some()
        };
        assert!(!sees(&["admin"]), "{way}");
        assert!(!sees(&["pages:write"]), "{way}");
        assert!(sees(&["admin", "pages:write"]), "{way}");
        let def = tools.definitions().next().unwrap();
        let missing = Grant::new().missing_scopes(def);
        assert_eq!(missing, ["admin", "pages:write"], "{way}");
        assert_eq!(def.meta.get("team"), Some(&"books".into()), "{way}");
    }
    // A list that is none admits nobody, on either side.
    for odd in [json!("admin"), json!(7)] {
        let mut def = tool.def().clone();
        def.meta = json!({ "scopes": odd }).as_object().unwrap().clone().into();
        for (way, tools) in ways(&def, &tool) {
            let cx = Context::new().with(Grant::new().with_scopes(["admin", "pages:write"]));
            assert!(tools.visible(&cx.scope()).iter().next().is_none(), "{way}");
        }
    }
}

#[test]
fn a_tool_around_another_one_stays_the_same_where_nothing_is_lost() {
    let tool = tool_of!(write);
    let wrapped = around(tool.def(), &tool);
    assert!(Arc::ptr_eq(
        set(Arc::clone(&wrapped)).get("write").unwrap(),
        &wrapped
    ));
    // Sets of sets do not pile up.
    let more = set(around(&careless(tool.def()), &tool));
    let again = Toolset::new(more.iter().cloned()).unwrap();
    assert!(Arc::ptr_eq(
        more.get("write").unwrap(),
        again.get("write").unwrap()
    ));
}

#[test]
fn a_foreign_definition_leaves_destructive_code_exact() {
    let tool = tool_of!(remove);
    let mut def = tool.def().clone();
    def.mark_foreign();
    for (way, tools) in ways(&def, &tool) {
        let name = tools.definitions().next().unwrap().name.clone();
        let call = ToolCall::new("1", name, r#"{"pages": ["1"]}"#);
        let cx = Context::new().with(Grant::unlimited());
        let error = tools.call_blocking(&call, &cx).outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgs, "{way}: {error}");
    }
}
