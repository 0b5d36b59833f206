//! Whatever panics around a call, an executor answers it, and the model reads nothing of it.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed; and tools take and return what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::unused_async
)]

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Poll};

use serde::{Deserialize, Serialize};
use toolwright::{
    Context, DynTool, Encoder, Executor, Schema, ToolCall, ToolError, Toolset,
    call::{BoxFuture, ErrorKind, Filter, Scope},
    executor::{Batch, ErrorPolicy, Event, Source, TraceStore},
    layers::{Handled, Layer, Next, Request},
    tool, tools,
};

fn undecided(_: &Scope<'_>) -> bool {
    panic!("secret 1234")
}

fn unsure(_: &str) -> Result<(), String> {
    panic!("secret 1234")
}

/// Cannot say who sees it.
#[tool(visible = undecided)]
fn shy() -> u8 {
    0
}

/// Has a validator that panics.
#[tool(validate = unsure)]
fn checked(text: &str) -> usize {
    text.len()
}

/// Panics on a thread of its own.
#[tool(blocking)]
fn blocking() -> u8 {
    panic!("secret 1234")
}

/// A value that panics as it goes away.
#[derive(Serialize, Deserialize, Schema)]
struct Mine {
    n: u8,
}

impl Drop for Mine {
    fn drop(&mut self) {
        panic!("secret 1234, in drop")
    }
}

/// Returns what does not go quietly.
#[tool]
fn returned() -> Mine {
    Mine { n: 1 }
}

/// Takes what does not go quietly.
#[tool]
async fn taken(mine: Mine) -> u8 {
    mine.n
}

/// Works.
#[tool]
fn works() -> &'static str {
    "fine"
}

fn all() -> Toolset {
    tools![shy, checked, blocking, returned, taken, works]
        .merge(&Toolset::new([trap()]).unwrap())
        .unwrap()
}

/// A future that panics as it is dropped, whether it has answered or not.
struct Trap(bool);

impl Future for Trap {
    type Output = Result<u8, ToolError>;

    fn poll(self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<Self::Output> {
        if self.0 {
            Poll::Ready(Ok(1))
        } else {
            Poll::Pending
        }
    }
}

impl Drop for Trap {
    fn drop(&mut self) {
        panic!("secret 1234, in drop")
    }
}

fn trap() -> Arc<dyn toolwright::Tool> {
    DynTool::builder()
        .name("trap")
        .description("Panics as it is dropped.")
        .handler(|arguments: serde_json::Value, _| Trap(arguments.get("answers").is_some()))
        .build()
        .unwrap()
}

fn kinds(batch: &Batch) -> Vec<(&str, Option<ErrorKind>)> {
    batch
        .results()
        .map(|result| {
            (
                &*result.id,
                result.outcome.as_ref().err().map(ToolError::kind),
            )
        })
        .collect()
}

/// Nothing that a panic or an error says stands in what a model reads.
fn check_words(batch: &Batch) {
    for result in batch.results() {
        for encoder in [
            Encoder::auto(),
            Encoder::json(),
            Encoder::envelope(),
            Encoder::text(),
        ] {
            let text = result.content(encoder);
            assert!(!text.contains("1234"), "{text}");
        }
    }
}

fn calls(all: &[(&str, &str)]) -> Vec<ToolCall> {
    all.iter()
        .map(|(name, arguments)| ToolCall::new(*name, *name, *arguments))
        .collect()
}

const PANICKED: Option<ErrorKind> = Some(ErrorKind::Panicked);

#[tokio::test(start_paused = true)]
async fn every_part_of_a_tool_may_panic() {
    let calls = calls(&[
        ("shy", "{}"),
        ("checked", r#"{"text":""}"#),
        ("blocking", "{}"),
        ("returned", "{}"),
        ("taken", r#"{"mine":{"n":1}}"#),
        ("trap", r#"{"answers":true}"#),
        ("trap", "{}"),
        ("works", "{}"),
    ]);
    let expected = [
        ("shy", Some(ErrorKind::Hidden)),
        ("checked", PANICKED),
        ("blocking", PANICKED),
        ("returned", PANICKED),
        ("taken", PANICKED),
        ("trap", PANICKED),
        ("trap", Some(ErrorKind::Timeout)),
        ("works", None),
    ];
    for executor in [Executor::serial(all()), Executor::parallel(all(), 4)] {
        let executor = executor.timeout(std::time::Duration::from_secs(1));
        let batch = executor.run(&calls, &Context::new()).await;
        assert_eq!(kinds(&batch), expected);
        check_words(&batch);
        // With a layer, which has arguments validated before.
        let batch = executor.layer(Through).run(&calls, &Context::new()).await;
        assert_eq!(kinds(&batch), expected);
        check_words(&batch);
    }
}

struct Through;

impl Layer for Through {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(next.run(request))
    }
}

/// Panics in one of its parts.
#[derive(Clone, Copy)]
enum BadLayer {
    BeforeTheFuture,
    InTheFuture,
    AfterTheCall,
    InTheDrop,
}

impl Layer for BadLayer {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        assert!(!matches!(self, Self::BeforeTheFuture), "secret 1234");
        Box::pin(async move {
            assert!(!matches!(self, Self::InTheFuture), "secret 1234");
            let _mine = matches!(self, Self::InTheDrop).then_some(Mine { n: 1 });
            let handled: Handled = next.run(request).await;
            assert!(!matches!(self, Self::AfterTheCall), "secret 1234");
            handled
        })
    }
}

#[test]
fn every_part_of_a_layer_may_panic() {
    for layer in [
        BadLayer::BeforeTheFuture,
        BadLayer::InTheFuture,
        BadLayer::AfterTheCall,
        BadLayer::InTheDrop,
    ] {
        let executor = Executor::serial(all()).layer(Through).layer(layer);
        let calls = calls(&[("works", "{}"), ("nope", "{}")]);
        let batch = executor.run_blocking(&calls, &Context::new());
        assert_eq!(
            kinds(&batch),
            [("works", PANICKED), ("nope", Some(ErrorKind::Unknown))]
        );
        check_words(&batch);
    }
}

#[test]
fn who_looks_on_and_who_decides_may_panic() {
    let told = Arc::new(Mutex::new(0));
    let count = Arc::clone(&told);
    let executor = Executor::parallel(all(), 2)
        .on_event(|_| panic!("secret 1234"))
        .on_event(
            TraceStore::new(9)
                .on_store(|_| panic!("secret 1234"))
                .observer(),
        )
        .on_event(move |_| *count.lock().unwrap() += 1)
        .on_error(ErrorPolicy::with(|_, _| panic!("secret 1234")));
    let calls = calls(&[("works", "{}"), ("blocking", "{}")]);
    let batch = executor.run_blocking(&calls, &Context::new());
    let kinds = kinds(&batch);
    assert_eq!(kinds[1], ("blocking", PANICKED));
    assert_eq!(kinds[0].1, None);
    assert_eq!(batch.halted().unwrap().as_str(), "tool_error");
    // A batch's start and end, and each call's.
    assert!(*told.lock().unwrap() >= 6);
    check_words(&batch);
}

#[test]
fn who_says_what_is_there_may_panic() {
    let hidden = [("works", Some(ErrorKind::Hidden))];
    let unknown = [("works", Some(ErrorKind::Unknown))];
    let filtered = Executor::serial(all()).filter(Filter::when(|_, _| panic!("secret 1234")));
    let catalogue = Executor::serial(Source::catalog(|_| panic!("secret 1234")));
    for (executor, expected) in [(filtered, hidden), (catalogue, unknown)] {
        let batch = executor.run_blocking(&calls(&[("works", "{}")]), &Context::new());
        assert_eq!(kinds(&batch), expected);
        assert_eq!(
            batch.results().next().unwrap().content(Encoder::auto()),
            "unknown tool `works`"
        );
    }
}

#[test]
fn who_says_what_is_manual_may_panic() {
    let executor = Executor::serial(all()).manual(|_| panic!("secret 1234"));
    let batch = executor.run_blocking(&calls(&[("works", "{}")]), &Context::new());
    assert_eq!(batch.pending().count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_is_dropped_drops_what_panics() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let ends = Arc::clone(&told);
    let executor = Executor::parallel(all(), 4).on_event(move |event| {
        if let Event::Finished { result, .. } = event {
            let kind = result.outcome.as_ref().err().map(ToolError::kind);
            ends.lock().unwrap().push((result.id.to_string(), kind));
        }
    });
    let calls = calls(&[("trap", "{}"), ("trap", "{}"), ("works", "{}")]);
    let cx = Context::new();
    let run = executor.run(&calls, &cx);
    let limit = std::time::Duration::from_millis(5);
    assert!(tokio::time::timeout(limit, run).await.is_err());
    let mut told = told.lock().unwrap().clone();
    told.sort_by(|a, b| a.0.cmp(&b.0));
    let cancelled = Some(ErrorKind::Cancelled);
    assert_eq!(
        told,
        [
            ("trap".to_owned(), cancelled),
            ("trap".to_owned(), cancelled),
            ("works".to_owned(), None)
        ]
    );
}

/// What a client of some service says, down to its secrets.
#[derive(Debug)]
struct Request401 {
    url: &'static str,
    token: &'static str,
}

impl fmt::Display for Request401 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GET {} with {}", self.url, self.token)
    }
}

impl Error for Request401 {}

#[derive(Debug)]
struct LoginFailed(Request401);

impl fmt::Display for LoginFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the login failed")
    }
}

impl Error for LoginFailed {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

/// Fails, with a cause that is nobody's business.
#[tool]
fn fail_secret() -> Result<u8, LoginFailed> {
    Err(LoginFailed(Request401 {
        url: "https://example.test/?key=1234",
        token: "Bearer 1234",
    }))
}

#[test]
fn the_model_reads_the_public_message_and_the_host_all() {
    let sources = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&sources);
    let trace = TraceStore::new(20);
    let executor = Executor::serial(tools![fail_secret])
        .on_event(trace.observer())
        .on_event(move |event| {
            if let Event::Finished { result, .. } = event {
                let error = result.outcome.as_ref().unwrap_err();
                let mut cause = error.source();
                while let Some(error) = cause {
                    seen.lock().unwrap().push(error.to_string());
                    cause = error.source();
                }
            }
        });
    let batch = executor.run_blocking(&calls(&[("fail_secret", "{}")]), &Context::new());
    check_words(&batch);
    let result = batch.results().next().unwrap();
    assert_eq!(result.content(Encoder::auto()), "the login failed");
    assert_eq!(result.errors().collect::<Vec<_>>(), ["the login failed"]);
    // A printed trace is for logs: it says what the model reads.
    for event in trace.events() {
        assert!(!event.to_string().contains("1234"), "{event}");
    }
    assert_eq!(
        *sources.lock().unwrap(),
        [
            "the login failed",
            "GET https://example.test/?key=1234 with Bearer 1234"
        ]
    );
}
