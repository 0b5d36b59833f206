//! What a tool may know about its call, and what no model sees of it.
// A test that finds less than it expects has failed; and tools take and return what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::unused_async
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use toolwright::{
    Context, DynTool, Encoder, ToolCall, ToolError, ToolResult, Toolset, Wire,
    args::{Limits, Repairs},
    call::State,
    tool, tools,
};
#[cfg(feature = "tokio")]
use toolwright::{
    Executor,
    call::{CallPlace, Cancel},
};

/// Who calls, with what.
#[tool]
async fn who(path: &str, #[context] cx: &Context) -> Value {
    json!({
        "path": path,
        "agent": cx.agent_id(),
        "call": cx.call_id(),
        "tool": cx.tool(),
        "session": cx.session_id(),
        "run": cx.run_id(),
        "turn": cx.turn(),
        "input": cx.input(),
    })
}

/// Needs no context.
#[tool]
fn plain(path: &str) -> String {
    path.to_uppercase()
}

/// What the conversation knows.
#[tool]
fn known(name: &str, #[context] cx: &Context) -> Option<Value> {
    cx.session_state().get(name).cloned()
}

/// Nothing is known.
#[tool]
fn is_new(#[context] cx: &Context) -> bool {
    cx.session_state().is_empty()
        && cx.session_state().get("user").is_none()
        && cx.input().is_none()
}

fn run(tools: &Toolset, cx: &Context, name: &str, arguments: &str) -> ToolResult {
    tools.call_blocking(&ToolCall::new("c1", name, arguments), cx)
}

#[test]
fn a_tool_that_asks_is_told_of_agent_call_and_conversation() {
    let cx = Context::new()
        .with_agent("a7")
        .with_session("s1")
        .with_run("r1")
        .with_turn(2)
        .with_input("read it");
    let tools = tools![who];
    let result = run(&tools, &cx, "who", r#"{"path":"/tmp"}"#);
    assert_eq!(
        result.value(),
        Some(json!({
            "path": "/tmp", "agent": "a7", "call": "c1", "tool": "who",
            "session": "s1", "run": "r1", "turn": 2, "input": "read it",
        }))
    );
    // The host's own context belongs to no call.
    assert_eq!((cx.call_id(), cx.tool()), (None, None));
}

#[test]
fn nothing_is_known_where_the_host_says_nothing() {
    let tools = tools![who, is_new];
    let result = run(&tools, &Context::default(), "who", r#"{"path":""}"#);
    let nothing = Value::Null;
    assert_eq!(
        result.value(),
        Some(json!({
            "path": "", "agent": nothing, "call": "c1", "tool": "who",
            "session": nothing, "run": nothing, "turn": 0, "input": nothing,
        }))
    );
    let result = run(&tools, &Context::new(), "is_new", "");
    assert_eq!(result.value(), Some(json!(true)));
}

#[test]
fn the_context_is_in_no_schema() {
    let tools = tools![who, plain, known, is_new];
    let path = json!({
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
        "additionalProperties": false,
    });
    let none = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let schema = |name: &str| tools.get(name).unwrap().def().input.to_value();
    assert_eq!(schema("who"), path);
    assert_eq!(schema("plain"), path);
    assert_eq!(schema("is_new"), none);
    for wire in [Wire::OpenAiChat, Wire::Anthropic] {
        let text = wire.definitions(&tools);
        assert!(!text.contains("cx"), "{text}");
    }
    // A model that names it is told that there is no such argument.
    let result = run(&tools, &Context::new(), "who", r#"{"path":"","cx":{}}"#);
    assert!(result.content(Encoder::auto()).starts_with("cx: "));
}

#[test]
fn a_tool_that_does_not_ask_runs_without() {
    let cx = Context::new().with_agent("a7");
    let result = run(&tools![plain], &cx, "plain", r#"{"path":"x"}"#);
    assert_eq!(result.value(), Some(json!("X")));
}

#[test]
fn the_conversations_state_is_read_by_name() {
    let state = State::new().with("user", "ada").with("n", 3);
    let cx = Context::new().with_state(state.clone());
    let tools = tools![known];
    for (name, value) in [("user", json!("ada")), ("n", json!(3)), ("x", Value::Null)] {
        let result = run(&tools, &cx, "known", &json!({ "name": name }).to_string());
        assert_eq!(result.value(), Some(value));
    }
    assert_eq!(cx.session_state(), &state);
    // It can be stored with the conversation.
    let stored = serde_json::to_value(&state).unwrap();
    assert_eq!(stored, json!({"user": "ada", "n": 3}));
    assert_eq!(serde_json::from_value::<State>(stored).unwrap(), state);
}

struct Hits(AtomicU32);

/// Counts in a value of the host's.
#[tool]
fn count(#[context] cx: &Context) -> Option<u32> {
    Some(cx.get::<Hits>()?.0.fetch_add(1, Ordering::Relaxed))
}

#[test]
fn the_hosts_own_values_are_found_by_type() {
    let cx = Context::new().with(Hits(AtomicU32::new(5))).with("text");
    let tools = tools![count];
    assert_eq!(run(&tools, &cx, "count", "").value(), Some(json!(5)));
    assert_eq!(
        run(&tools, &cx.clone(), "count", "").value(),
        Some(json!(6))
    );
    assert_eq!(cx.get::<&str>(), Some(&"text"));
    assert_eq!(cx.get::<String>(), None);
    let none = run(&tools, &Context::new(), "count", "");
    assert_eq!(none.value(), Some(Value::Null));
}

/// How many messages there are.
#[tool]
fn messages(#[context] cx: &Context) -> Option<usize> {
    cx.conversation::<Vec<String>>().map(Vec::len)
}

#[test]
fn messages_are_read_where_the_host_offers_them() {
    let tools = tools![messages];
    let count = |cx: &Context| run(&tools, cx, "messages", "{}").value();
    let offers = |messages: &[&str]| {
        let messages: Vec<String> = messages.iter().map(ToString::to_string).collect();
        Context::new().with_conversation(messages)
    };
    assert_eq!(count(&Context::new()), Some(Value::Null));
    assert_eq!(
        count(&Context::new().with_conversation("of another type")),
        Some(Value::Null)
    );
    let two = offers(&["a", "b"]);
    assert_eq!(count(&two), Some(json!(2)));
    // As with all that a context knows, the nearer one counts.
    assert_eq!(count(&offers(&["c"]).with_fallback(&two)), Some(json!(1)));
    assert_eq!(
        count(&Context::new().with_turn(1).with_fallback(&two)),
        Some(json!(2))
    );
}

#[test]
fn a_changed_copy_leaves_the_other_alone() {
    let base = Context::new().with_agent("a").with_turn(1);
    let other = base.clone().with_agent("b").with_turn(2);
    assert_eq!((base.agent_id(), base.turn()), (Some("a"), 1));
    assert_eq!((other.agent_id(), other.turn()), (Some("b"), 2));
}

#[test]
fn a_closure_gets_the_context_too() {
    let tool = DynTool::builder()
        .name("who")
        .description("Who calls.")
        .handler_sync(|_: Value, cx: Context| {
            Ok::<_, ToolError>(format!("{:?} {:?}", cx.agent_id(), cx.call_id()))
        })
        .build()
        .unwrap();
    let tools = Toolset::new([tool]).unwrap();
    let result = run(&tools, &Context::new().with_agent("a7"), "who", "");
    assert_eq!(result.value(), Some(json!(r#"Some("a7") Some("c1")"#)));
}

#[test]
fn a_printed_context_keeps_secrets() {
    #[derive(Debug)]
    struct Key(#[expect(dead_code, reason = "shown by `Debug` alone")] &'static str);
    let cx = Context::new()
        .with_agent("a7")
        .with_input("my PIN is 1234")
        .with_state(State::new().with("token", "hunter2"))
        .with(Key("sk-123"))
        .with(Arc::new("sk-456"));
    let printed = format!("{cx:?}");
    assert!(printed.contains("a7"));
    for secret in ["1234", "hunter2", "sk-123", "sk-456"] {
        assert!(!printed.contains(secret), "{printed}");
    }
}

#[test]
fn a_calls_context_goes_before_a_sessions_and_that_before_the_default() {
    let default = Context::new()
        .with_agent("a1")
        .with_session("s1")
        .with_turn(1)
        .with_input("first")
        .with_called(["look"])
        .with_limits(Limits {
            max_bytes: 10,
            ..Limits::default()
        })
        .with_state(State::new().with("lang", "en").with("role", "guest"))
        .with("default")
        .with(1_u8)
        .with(1_u16);
    let session = Context::new()
        .with_session("s2")
        .with_turn(0)
        .with_state(State::new().with("role", "admin"))
        .with(2_u8)
        .with(2_u16)
        .with_fallback(&default);
    let call = Context::new()
        .with_run("r3")
        .with_input("third")
        .with(3_u16)
        .with_repairs(Repairs::None)
        .with_fallback(&session);
    assert_eq!(
        (call.agent_id(), call.session_id(), call.run_id()),
        (Some("a1"), Some("s2"), Some("r3"))
    );
    // A turn that is said counts, even if it is the first.
    assert_eq!((call.turn(), call.input()), (0, Some("third")));
    assert_eq!(
        (call.get::<&str>(), call.get::<u8>(), call.get::<u16>()),
        (Some(&"default"), Some(&2), Some(&3))
    );
    assert_eq!(call.session_state().get("lang"), Some(&json!("en")));
    assert_eq!(call.session_state().get("role"), Some(&json!("admin")));
    assert_eq!(
        (call.limits().max_bytes, call.repairs()),
        (10, Repairs::None)
    );
    assert!(call.scope().has_called("look"));
    // The others are as they were.
    assert_eq!(session.run_id(), None);
    assert_eq!(default.get::<u8>(), Some(&1));
    assert_eq!(default.repairs(), Repairs::All);
    // Nothing over nothing knows nothing.
    let nothing = Context::new().with_fallback(&Context::new());
    assert_eq!((nothing.agent_id(), nothing.turn()), (None, 0));
    assert_eq!(
        Context::new().with_fallback(&default).agent_id(),
        Some("a1")
    );
    assert_eq!(
        default.clone().with_fallback(&Context::new()).agent_id(),
        Some("a1")
    );
}

#[cfg(feature = "tokio")]
#[test]
fn of_two_cancels_the_nearer_one_counts() {
    let (host, own) = (Cancel::new(), Cancel::new());
    let base = Context::new().with_cancel(host.clone());
    let near = Context::new().with_cancel(own.clone()).with_fallback(&base);
    host.cancel();
    assert!(Context::new().with_fallback(&base).cancel().is_cancelled());
    assert!(!near.cancel().is_cancelled());
    own.cancel();
    assert!(near.cancel().is_cancelled());
}

/// Says its key.
#[cfg(feature = "tokio")]
#[tool]
fn key_of_mine(#[context] cx: &Context) -> Option<String> {
    cx.idempotency_key()
}

/// Calls another tool, and says its key and that of the other call.
#[cfg(feature = "tokio")]
#[tool]
fn keys_within(#[context] cx: &Context) -> Vec<Option<String>> {
    let inner = Executor::serial(tools![key_of_mine]);
    let batch = inner.run_blocking(&[ToolCall::new("c1", "key_of_mine", "{}")], cx);
    let inner = batch.results().next().and_then(ToolResult::value);
    let inner = inner.and_then(|key| key.as_str().map(str::to_owned));
    vec![cx.idempotency_key(), inner]
}

#[cfg(feature = "tokio")]
#[test]
fn a_call_that_is_run_elsewhere_keeps_its_place() {
    let here = Context::new().with_run("r1").with_turn(2);
    let place = |cx: &Context, calls: &[ToolCall]| {
        let executor = Executor::serial(tools![key_of_mine, keys_within, place_of_mine]);
        let batch = executor.run_blocking(calls, cx);
        batch.results().map(ToolResult::value).collect::<Vec<_>>()
    };
    let calls = [
        ToolCall::new("c0", "key_of_mine", "{}"),
        ToolCall::new("c1", "keys_within", "{}"),
    ];
    let said = place(&here, &calls);
    assert_eq!(said[0], Some(json!("r1/2/0/c0")));
    assert_eq!(said[1], Some(json!(["r1/2/1/c1", "r1/2/1/c1/0/c1"])));
    let asked = [
        ToolCall::new("c0", "key_of_mine", "{}"),
        ToolCall::new("c1", "place_of_mine", "{}"),
    ];
    let sent: CallPlace = serde_json::from_value(place(&here, &asked)[1].clone().unwrap()).unwrap();
    assert_eq!((sent.id(), sent.key()), ("c1", "r1/2/1/c1".to_owned()));
    // Elsewhere it is the only call, of another run or of none.
    for there in [Context::new().with_run("worker"), Context::new()] {
        let there = there.with_place(sent.clone());
        assert_eq!(place(&there, &calls[1..])[0], said[1]);
        // A call of another id has its own place, if it has one.
        let own = there.run_id().map(|run| format!("{run}/0/0/c0"));
        assert_eq!(place(&there, &calls[..1])[0], Some(json!(own)));
        assert_eq!(place(&there.with_fallback(&here), &calls[1..])[0], said[1]);
    }
}

/// Says its place.
#[cfg(feature = "tokio")]
#[tool]
fn place_of_mine(#[context] cx: &Context) -> Option<CallPlace> {
    cx.call_place()
}
