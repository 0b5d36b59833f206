//! Who reads an answer of a cache.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use toolwright::call::{Answer, Approved, Call, Filter, Grant, Scope, State, WrapTool};
use toolwright::executor::{OutputLimit, Overflow};
use toolwright::layers::Cache;
use toolwright::{
    Context, DynTool, Encoder, Executor, Registry, Tool, ToolCall, ToolDef, ToolError, ToolOptions,
    Toolset, call::Annotations, tool, tool_of, tools, toolset::Namespace,
};

/// All names of tools here.
const NAMES: [&str; 12] = [
    "plain",
    "method",
    "stateful",
    "asks_who",
    "approved",
    "closure",
    "by_hand",
    "search_tools",
    "read_output",
    "wrapped",
    "a_plain",
    "a_asks_who",
];

fn shared() -> Cache {
    Cache::new(99).shared_for(NAMES)
}

type Runs = AtomicU32;

fn count(runs: &Runs) -> u32 {
    runs.fetch_add(1, Ordering::SeqCst)
}

fn text(executor: &Executor, name: &str, arguments: &str, cx: &Context) -> String {
    let batch = executor.run_blocking(&[ToolCall::new("1", name, arguments)], cx);
    let result = batch.results().next().unwrap();
    result.content(Encoder::auto()).into_owned()
}

/// Returns true if the second caller reads the answer of the first one.
fn reads(executor: &Executor, name: &str, first: &Context, second: &Context) -> bool {
    let first = text(executor, name, "{}", first);
    let second = text(executor, name, "{}", second);
    assert!(first.parse::<u32>().is_ok(), "{name}: {first}");
    first == second
}

/// Counts.
#[tool(read_only)]
fn stateful(#[state] runs: &Runs) -> u32 {
    count(runs)
}

/// Counts who asks.
#[tool(read_only)]
fn asks_who(#[context] cx: &Context, #[state] runs: &Runs) -> u32 {
    let _ = cx;
    count(runs)
}

static PLAIN: Runs = Runs::new(0);

/// Counts.
#[tool(read_only)]
fn plain() -> u32 {
    count(&PLAIN)
}

/// Counts the calls that somebody approved.
#[tool(read_only)]
fn approved(_yes: Approved<'_>, #[state] runs: &Runs) -> u32 {
    count(runs)
}

struct Counter(Runs);

#[tool]
impl Counter {
    /// Counts.
    #[tool(read_only)]
    fn method(&self) -> u32 {
        count(&self.0)
    }
}

struct ByHand(ToolDef, Runs);

impl ByHand {
    fn new(name: &'static str) -> Self {
        let mut def = ToolDef::new(name, "Counts.");
        def.options.annotations = read_only();
        Self(def, Runs::new(0))
    }
}

impl Tool for ByHand {
    fn def(&self) -> &ToolDef {
        &self.0
    }

    fn call<'a>(&'a self, _: Call<'a>) -> Answer<'a> {
        Answer::Ready(Ok(toolwright::Outcome::value(count(&self.1))))
    }
}

/// A wrapper of somebody's own, which may look at the context.
struct Wrapped(ToolDef, Arc<dyn Tool>);

impl WrapTool for Wrapped {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.1
    }

    fn def(&self) -> &ToolDef {
        &self.0
    }
}

fn read_only() -> Annotations {
    Annotations {
        read_only: Some(true),
        ..Annotations::NONE
    }
}

fn closure(reads_context: bool) -> Arc<dyn Tool> {
    let runs = Runs::new(0);
    DynTool::builder()
        .name("closure")
        .description("Counts.")
        .options(ToolOptions::new().annotations(read_only()))
        .reads_context(reads_context)
        .handler_sync(move |_: Value, _| Ok::<_, ToolError>(count(&runs)))
        .build()
        .unwrap()
}

fn session(id: &str) -> Context {
    Context::new().with_session(id)
}

#[test]
fn an_answer_is_shared_for_tools_that_are_named_and_read_no_context() {
    let runs = Arc::new(Runs::new(0));
    let of_state = tools![stateful, asks_who; state = Arc::clone(&runs)];
    let wrapped = {
        let tool = tool_of!(plain);
        let mut def = tool.def().clone();
        def.name = "wrapped".into();
        Toolset::new([Arc::new(Wrapped(def, tool)) as Arc<dyn Tool>]).unwrap()
    };
    let one = |tool: Arc<dyn Tool>| Toolset::new([tool]).unwrap();
    let stored = of_state.attach(of_state.definitions().cloned()).unwrap();
    let rows: Vec<(&str, Toolset, bool)> = vec![
        ("plain", tools![plain], true),
        ("a_plain", tools![plain].prefix("a_").unwrap(), true),
        ("plain", one(tool_of!(plain).handle_errors()), true),
        ("plain", tools![plain].compact().unwrap(), true),
        ("plain", Registry::from(tools![plain]).snapshot(), true),
        ("method", tools![..Counter(Runs::new(0)): Counter], true),
        ("stateful", of_state.clone(), true),
        ("asks_who", of_state.clone(), false),
        ("a_asks_who", of_state.prefix("a_").unwrap(), false),
        ("asks_who", stored.clone(), false),
        ("stateful", stored, true),
        ("closure", one(closure(true)), false),
        ("closure", one(closure(false)), true),
        ("by_hand", one(Arc::new(ByHand::new("by_hand"))), false),
        ("wrapped", wrapped, false),
    ];
    for (name, tools, is_shared) in rows {
        let executor = Executor::serial(&tools).layer(shared());
        assert_eq!(
            reads(&executor, name, &session("a"), &session("b")),
            is_shared,
            "{name}"
        );
        assert_eq!(
            reads(&executor, name, &Context::new(), &Context::new()),
            is_shared,
            "{name}"
        );
        // In one conversation it is cached in any case.
        let executor = Executor::serial(&tools).layer(shared());
        assert!(
            reads(&executor, name, &session("a"), &session("a")),
            "{name}"
        );
        // What is not named is of its conversation.
        let executor = Executor::serial(&tools).layer(Cache::new(99).shared_for(["other"]));
        assert!(
            !reads(&executor, name, &session("a"), &session("b")),
            "{name}"
        );
    }
}

#[test]
fn an_answer_that_was_approved_is_nobodys() {
    let runs = Arc::new(Runs::new(0));
    let tools = tools![approved; state = Arc::clone(&runs)];
    let executor = Executor::serial(&tools).layer(shared());
    for cx in [session("a"), session("a"), session("b")] {
        let batch = executor.run_blocking(&[ToolCall::new("1", "approved", "{}")], &cx);
        let decided = [batch
            .pending()
            .next()
            .unwrap()
            .with_decision(toolwright::call::Decision::Approve)];
        executor.run_blocking(&decided, &cx);
    }
    assert_eq!(runs.load(Ordering::SeqCst), 3);
}

/// Answers at length.
#[tool]
fn long() -> String {
    "a secret of one conversation ".repeat(100)
}

#[test]
fn no_conversation_reads_on_in_the_output_of_another() {
    let overflow = Overflow::new(1 << 20);
    let tools = tools![long].with(overflow.tool());
    let limit = OutputLimit::new(200, 50).overflow(&overflow);
    let executor = Executor::serial(&tools)
        .output_limit(limit)
        .layer(shared().keep_after_writes());
    let read = |session: &Context| {
        let arguments = r#"{"id": "output_1", "offset": 100}"#;
        text(&executor, "read_output", arguments, session)
    };
    text(&executor, "long", "{}", &session("a"));
    assert!(read(&session("a")).contains("secret"));
    for other in [session("b"), Context::new()] {
        assert!(read(&other).contains("no output `output_1`"));
    }
    assert!(read(&session("a")).contains("secret"));
}

fn is_admin(scope: &Scope<'_>) -> bool {
    scope.state.get("role") == Some(&json!("admin"))
        || scope.get::<Role>().is_some_and(|role| role.0 == "admin")
}

struct Role(&'static str);

/// Wipes the disks of all machines.
#[tool(visible = is_admin)]
fn wipe_disks() {}

/// Wipes the disks by a scope.
#[tool(scopes("disks:write"))]
fn wipe_scoped() {}

/// Searches compact and deferred sets.
fn searched() -> [Toolset; 2] {
    let tools = tools![wipe_disks, wipe_scoped];
    [
        tools.compact().unwrap(),
        tools.defer(Namespace::new("disks").unwrap()),
    ]
}

fn grant(scopes: &[&'static str]) -> Grant {
    Grant::new()
        .with_subject("ann")
        .with_scopes(scopes.to_vec())
}

#[test]
fn no_search_tells_a_tool_that_is_hidden() {
    let of = |role: &str| session("a").with_state(State::new().with("role", role));
    let admins = [
        (of("admin"), of("guest")),
        (
            session("a").with(Role("admin")),
            session("a").with(Role("guest")),
        ),
        (of("admin"), session("b")),
        (of("admin").with_input("x"), session("a")),
    ];
    let granted = [
        (
            session("a").with(grant(&["disks:write"])),
            session("a").with(grant(&[])),
        ),
        (session("a"), session("a").with(grant(&["other"]))),
        (
            session("a").with(Grant::unlimited()),
            session("a").with(grant(&[])),
        ),
    ];
    let search = r#"{"query": "wipe disks"}"#;
    for tools in searched() {
        for cache in [Cache::new(9), shared()] {
            let executor = Executor::serial(&tools).layer(cache);
            let found = |name: &str, cx: &Context| {
                text(&executor, "search_tools", search, cx).contains(name)
            };
            for (admin, guest) in &admins {
                assert!(found("wipe_disks", admin));
                assert!(!found("wipe_disks", guest));
                assert!(found("wipe_disks", admin));
            }
            for (admin, guest) in &granted {
                assert!(found("wipe_scoped", admin));
                assert!(!found("wipe_scoped", guest));
            }
        }
    }
    // Nor does one of an earlier turn.
    for tools in searched() {
        let executor = Executor::serial(&tools)
            .filter(Filter::until_turn(1).only_for(["wipe_scoped"]))
            .layer(Cache::new(9));
        let found = |turn| {
            let cx = session("a").with_turn(turn);
            text(&executor, "search_tools", search, &cx).contains("wipe_scoped")
        };
        assert!(found(0));
        assert!(!found(1));
    }
}

#[test]
fn an_answer_is_for_who_called() {
    struct Tenant;
    let runs = Arc::new(Runs::new(0));
    let tools = tools![asks_who, stateful; state = Arc::clone(&runs)];
    let role = |role: &str| session("a").with_state(State::new().with("role", role));
    let tenant = session("a").with(Tenant);
    let rows = [
        (session("a"), session("a"), true),
        (session("a"), session("a").with_turn(3).with_run("7"), true),
        (session("a"), session("a").with_agent("b"), false),
        (session("a"), session("a").with(grant(&[])), false),
        (
            session("a").with(grant(&["x"])),
            session("a").with(grant(&["x"])),
            true,
        ),
        (
            session("a").with(grant(&["x"])),
            session("a").with(grant(&["y"])),
            false,
        ),
        (
            session("a").with(grant(&["x"])),
            session("a").with(grant(&["x"]).with_subject("bob")),
            false,
        ),
        (role("admin"), role("admin"), true),
        (role("admin"), role("guest"), false),
        // Values of the host cannot be compared, unless they are the same one.
        (tenant.clone(), tenant.clone(), true),
        (tenant.clone(), tenant.clone().with_turn(2), true),
        (tenant.clone(), session("a").with(Tenant), false),
        (tenant, session("a"), false),
    ];
    for (at, (first, second, same)) in rows.iter().enumerate() {
        for name in ["asks_who", "stateful"] {
            let executor = Executor::serial(&tools).layer(Cache::new(9));
            assert_eq!(reads(&executor, name, first, second), *same, "{at} {name}");
            assert_eq!(reads(&executor, name, second, first), *same, "{at} {name}");
        }
    }
}

#[test]
fn a_shared_answer_ends_with_a_write_of_anybody() {
    /// Writes.
    #[tool]
    fn put() -> u8 {
        1
    }

    let runs = Arc::new(Runs::new(0));
    let tools = tools![stateful, put; state = Arc::clone(&runs)];
    let executor = Executor::serial(&tools).layer(shared());
    assert!(reads(&executor, "stateful", &session("a"), &session("b")));
    for writer in [session("c"), Context::new()] {
        let before = text(&executor, "stateful", "{}", &session("a"));
        text(&executor, "put", "{}", &writer);
        assert_ne!(before, text(&executor, "stateful", "{}", &session("b")));
    }
}
