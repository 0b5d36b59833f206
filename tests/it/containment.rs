//! Whatever a tool does, its call is answered and nothing else suffers.
// A test that finds less than it expects has failed; and tools take and return what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::unused_async
)]

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context as TaskContext, Poll, Waker};

use crate::json::CheckText;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use toolwright::{
    Context, DynTool, Encoder, Outcome, Schema, Tool, ToolCall, ToolDef, ToolError, ToolResult,
    Toolset,
    call::{Answer, Call, ErrorKind},
    schema::Shape,
    tool, tools,
};

const WHAT_THE_MODEL_READS: &str = "the tool failed unexpectedly; the same call may fail again";

/// Panics at once.
#[tool]
fn at_once() -> u8 {
    panic!("secret 1234")
}

/// Panics with a formatted message.
#[tool]
fn formatted(n: u8) -> u8 {
    panic!("secret {}", 1233 + u32::from(n))
}

/// Panics after it has waited.
#[tool]
async fn after_await() -> u8 {
    tokio::task::yield_now().await;
    panic!("secret 1234")
}

/// Panics with something that is not a text.
#[tool]
fn no_text() -> u8 {
    panic_any(1234_u32)
}

/// Panics when it is dropped.
struct Mine;

impl Drop for Mine {
    fn drop(&mut self) {
        panic!("secret 1234, in drop")
    }
}

/// Panics with a payload that panics in its own destructor.
#[tool]
fn mined() -> u8 {
    panic_any(Mine)
}

struct Unprintable;

impl fmt::Display for Unprintable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("secret 1234")
    }
}

/// Fails with an error that cannot be printed.
#[tool]
fn unprintable() -> Result<u8, Unprintable> {
    Err(Unprintable)
}

struct Unwritable;

impl Serialize for Unwritable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("secret 1234")
    }
}

/// Returns what panics as it is written.
#[tool]
async fn unwritable() -> Unwritable {
    Unwritable
}

struct Unreadable;

impl<'de> Deserialize<'de> for Unreadable {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("secret 1234")
    }
}

impl Schema for Unreadable {
    const SHAPE: &'static Shape<'static> = u8::SHAPE;
}

/// Takes what panics as it is read.
#[tool]
fn unreadable(n: Unreadable) -> bool {
    matches!(n, Unreadable)
}

fn refuses(_: &str) -> Result<(), String> {
    panic!("secret 1234")
}

/// Has a validator that panics.
#[tool(validate = refuses)]
fn checked(text: &str) -> usize {
    text.len()
}

/// Has a default that panics.
#[tool]
fn defaulted(#[arg(default = panic!("secret 1234"))] n: u8) -> u8 {
    n
}

/// Works.
#[tool]
fn works() -> &'static str {
    "fine"
}

fn set() -> Toolset {
    tools![
        at_once,
        formatted,
        after_await,
        no_text,
        mined,
        unprintable,
        unwritable,
        unreadable,
        checked,
        works
    ]
}

const PANICKING: [(&str, &str); 9] = [
    ("at_once", "{}"),
    ("formatted", r#"{"n":1}"#),
    ("after_await", "{}"),
    ("no_text", "{}"),
    ("mined", "{}"),
    ("unprintable", "{}"),
    ("unwritable", "{}"),
    ("unreadable", r#"{"n":1}"#),
    ("checked", r#"{"text":""}"#),
];

#[track_caller]
fn check(result: &ToolResult) {
    let error = result.outcome.as_ref().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Panicked, "{}", result.name);
    assert_eq!(result.value(), None);
    assert_eq!(result.errors().collect::<Vec<_>>(), [WHAT_THE_MODEL_READS]);
    for encoder in [
        Encoder::auto(),
        Encoder::json(),
        Encoder::envelope(),
        Encoder::text(),
    ] {
        assert!(!result.content(encoder).contains("1234"), "{}", result.name);
    }
}

#[test]
fn a_panic_is_an_answer_to_its_call() {
    let (tools, cx) = (set(), Context::new());
    for (name, arguments) in PANICKING {
        let result = tools.call_blocking(&ToolCall::new("c1", name, arguments), &cx);
        assert_eq!((&*result.id, &*result.name), ("c1", name));
        check(&result);
        let next = tools.call_blocking(&ToolCall::new("c2", "works", "{}"), &cx);
        assert_eq!(next.value(), Some(json!("fine")));
    }
}

#[tokio::test]
async fn a_panic_ends_no_task() {
    let (tools, cx) = (set(), Context::new());
    for (name, arguments) in PANICKING {
        check(&tools.call(&ToolCall::new("c1", name, arguments), &cx).await);
    }
    let next = tools.call(&ToolCall::new("c2", "works", "{}"), &cx).await;
    assert_eq!(next.value(), Some(json!("fine")));
}

#[test]
fn the_host_reads_what_the_panic_said() {
    let (tools, cx) = (set(), Context::new());
    for (name, arguments, detail) in [
        ("at_once", "{}", "secret 1234"),
        ("formatted", r#"{"n":1}"#, "secret 1234"),
        ("after_await", "{}", "secret 1234"),
        ("no_text", "{}", "a panic whose payload is not a text"),
    ] {
        let result = tools.call_blocking(&ToolCall::new("c1", name, arguments), &cx);
        let error = result.outcome.unwrap_err();
        assert_eq!(error.host_detail(), Some(detail));
        assert!(format!("{error:?}").contains(detail));
    }
}

#[test]
fn a_crash_is_told_from_a_tool_that_said_no() {
    /// Says no.
    #[tool]
    fn says_no() -> Result<(), String> {
        Err("no".into())
    }
    let declared = DynTool::declare(ToolDef::new("declared", "…"));
    let tools = set()
        .merge(&tools![says_no])
        .and_then(|tools| tools.merge(&Toolset::new([declared])?))
        .unwrap();
    for (name, arguments, kind, word) in [
        ("says_no", "{}", ErrorKind::Failed, "failed"),
        ("at_once", "{}", ErrorKind::Panicked, "panicked"),
        ("absent", "{}", ErrorKind::Unknown, "unknown_tool"),
        ("declared", "{}", ErrorKind::NoHandler, "no_handler"),
        ("checked", "{}", ErrorKind::InvalidArgs, "invalid_args"),
    ] {
        let call = ToolCall::new("c1", name, arguments);
        let error = tools
            .call_blocking(&call, &Context::new())
            .outcome
            .unwrap_err();
        assert_eq!((error.kind(), error.kind().as_str()), (kind, word));
        assert_eq!(
            error.kind().is_reported(),
            kind == ErrorKind::Failed,
            "{name}"
        );
    }
}

#[test]
fn validation_contains_panics_too() {
    let tools = set();
    for (name, arguments) in [("unreadable", r#"{"n":1}"#), ("checked", r#"{"text":""}"#)] {
        let error = tools.check_text(name, arguments).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Panicked, "{name}");
    }
}

#[test]
fn a_default_that_panics_is_contained_in_calls() {
    let tools = tools![defaulted];
    check(&tools.call_blocking(&ToolCall::new("c1", "defaulted", "{}"), &Context::new()));
    let result = tools.call_blocking(
        &ToolCall::new("c1", "defaulted", r#"{"n":1}"#),
        &Context::new(),
    );
    assert_eq!(result.value(), Some(json!(1)));
}

/// A future that answers, or never does, and panics as it is dropped.
struct Trap {
    answers: bool,
    drops: Arc<AtomicU32>,
}

impl Future for Trap {
    type Output = Result<u8, ToolError>;

    fn poll(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<Self::Output> {
        if self.answers {
            Poll::Ready(Ok(1))
        } else {
            Poll::Pending
        }
    }
}

impl Drop for Trap {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::Relaxed);
        panic!("secret 1234, in drop")
    }
}

fn trap(answers: bool) -> (Toolset, Arc<AtomicU32>) {
    let drops = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&drops);
    let tool = DynTool::builder()
        .name("trap")
        .description("Panics as it is dropped.")
        .handler(move |_: Value, _| Trap {
            answers,
            drops: Arc::clone(&counter),
        })
        .build()
        .unwrap();
    (Toolset::new([tool]).unwrap(), drops)
}

/// Looks once at a call that goes on.
fn look<'c>(tools: &'c Toolset, call: &'c ToolCall, cx: &'c Context) -> impl Future + use<'c> {
    let mut answer = Box::pin(tools.call(call, cx));
    let mut waker = TaskContext::from_waker(Waker::noop());
    assert!(answer.as_mut().poll(&mut waker).is_pending());
    answer
}

#[test]
fn a_panic_in_the_drop_of_the_future_is_contained() {
    let (call, cx) = (ToolCall::new("c1", "trap", "{}"), Context::new());
    let (tools, drops) = trap(true);
    check(&tools.call_blocking(&call, &cx));
    assert_eq!(drops.load(Ordering::Relaxed), 1);

    // Nobody waits any more: the call is dropped half way.
    let (tools, drops) = trap(false);
    drop(look(&tools, &call, &cx));
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    // One that was never looked at has no future yet.
    drop(tools.call(&call, &cx));
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    // The caller panics itself.
    let caller = catch_unwind(AssertUnwindSafe(|| {
        let _answer = look(&tools, &call, &cx);
        panic!("the caller")
    }));
    let payload = caller.unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"the caller"));
    assert_eq!(drops.load(Ordering::Relaxed), 2);
}

/// A tool by hand that panics wherever it can, once it is in a set.
struct Rogue {
    def: ToolDef,
    asked: AtomicU32,
}

impl Tool for Rogue {
    fn def(&self) -> &ToolDef {
        assert!(
            self.asked.fetch_add(1, Ordering::Relaxed) == 0,
            "secret 1234"
        );
        &self.def
    }

    fn call<'a>(&'a self, _: Call<'a>) -> Answer<'a> {
        Answer::later(async { Ok(Outcome::value(1)) })
    }
}

#[test]
fn a_definition_that_panics_spoils_no_answer() {
    let def = ToolDef::new("rogue", "…");
    let rogue = Rogue {
        def,
        asked: AtomicU32::new(0),
    };
    let tools = Toolset::new([Arc::new(rogue) as Arc<dyn Tool>]).unwrap();
    let result = tools.call_blocking(&ToolCall::new("c1", "rogue", "{}"), &Context::new());
    assert_eq!(result.value(), Some(json!(1)));
    assert_eq!(format!("{tools:?}"), r#"Toolset(["rogue"])"#);
}

fn cannot_be_made() -> ToolError {
    panic!("secret 1234")
}

#[test]
fn closures_are_contained_like_functions() {
    for tool in [
        DynTool::builder()
            .handler_sync(|_: Value, _| -> Result<(), ToolError> { panic!("secret 1234") }),
        DynTool::builder().handler(|_: Value, _| async {
            tokio::task::yield_now().await;
            Err::<(), _>(cannot_be_made())
        }),
        DynTool::builder()
            .handler_sync(|_: Value, _| Ok::<_, ToolError>(()))
            .validate(|_: &Value| panic!("secret 1234")),
    ] {
        let tool = tool.name("x").description("y").build().unwrap();
        let tools = Toolset::new([tool]).unwrap();
        check(&tools.call_blocking(&ToolCall::new("c1", "x", "{}"), &Context::new()));
    }
}

/// Adds what its author did not think through.
#[tool]
fn broken_words(
    #[arg(default = u8::try_from(256).unwrap())] a: u8,
    #[arg(example = Breaks)] b: u8,
    #[arg(default = 3)] c: u8,
) -> u8 {
    a + b + c
}

struct Breaks;

impl Serialize for Breaks {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("secret 1234")
    }
}

#[test]
fn defaults_and_examples_that_panic_are_left_out_of_definitions() {
    let tools = tools![broken_words];
    let input = tools.definitions().next().unwrap().input.to_value();
    let byte = json!({"type": "integer", "minimum": 0, "maximum": 255});
    let mut third = byte.clone();
    third["default"] = json!(3);
    assert_eq!(
        input["properties"],
        json!({"a": byte, "b": byte, "c": third})
    );
    assert_eq!(input["required"], json!(["b"]));
    let call = |arguments: &str| {
        let call = ToolCall::new("1", "broken_words", arguments);
        tools.call_blocking(&call, &Context::new())
    };
    assert_eq!(call(r#"{"a": 1, "b": 2}"#).value().unwrap(), 6);
    assert_eq!(
        call(r#"{"b": 2}"#).outcome.unwrap_err().kind(),
        ErrorKind::Panicked
    );
    let told = call(r#"{"a": "x"}"#).outcome.unwrap_err();
    assert_eq!(told.kind(), ErrorKind::InvalidArgs, "{told}");
}
