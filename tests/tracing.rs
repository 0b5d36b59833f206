//! The span of each call, as a subscriber of the crate `tracing` sees it. A program of its own: a thread without a subscriber that
//! comes to a span first switches it off for the one thread that has one.
#![cfg(feature = "tracing")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolwright::{Context, Executor, ToolCall, Toolset, tool, tools};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// What was seen of a span.
#[derive(Debug, Default, Clone)]
struct Seen {
    name: &'static str,
    fields: BTreeMap<&'static str, String>,
    /// How many have entered it and not left.
    inside: i32,
    entered: usize,
    closed: bool,
}

#[derive(Debug, Default, Clone)]
struct Recorder {
    spans: Arc<Mutex<Vec<Seen>>>,
    /// What else was said, with whether a span was entered then.
    said: Arc<Mutex<Vec<bool>>>,
    panics: bool,
}

struct Fields<'f>(&'f mut BTreeMap<&'static str, String>);

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl Recorder {
    fn with(&self, id: &Id, change: impl FnOnce(&mut Seen)) {
        assert!(!self.panics, "the subscriber's own");
        let index = usize::try_from(id.into_u64()).unwrap() - 1;
        change(&mut self.spans.lock().unwrap()[index]);
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut seen = Seen {
            name: span.metadata().name(),
            ..Seen::default()
        };
        span.record(&mut Fields(&mut seen.fields));
        let mut spans = self.spans.lock().unwrap();
        spans.push(seen);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        self.with(id, |span| values.record(&mut Fields(&mut span.fields)));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        let inside = self
            .spans
            .lock()
            .unwrap()
            .iter()
            .any(|span| span.inside > 0);
        self.said.lock().unwrap().push(inside);
    }

    fn enter(&self, id: &Id) {
        self.with(id, |span| {
            span.inside += 1;
            span.entered += 1;
        });
    }

    fn exit(&self, id: &Id) {
        self.with(id, |span| span.inside -= 1);
    }

    fn try_close(&self, id: Id) -> bool {
        // Clones are not counted here: the last one to close says so last.
        self.with(&id, |span| span.closed = true);
        true
    }
}

/// Says something before and after it waits.
#[tool]
async fn waits(#[arg(secret)] key: String, city: String) -> String {
    tracing::info!("before");
    tokio::time::sleep(Duration::from_millis(1)).await;
    tracing::info!("after");
    format!("{city}{}", key.len())
}

/// Says something on a thread that may be blocked.
#[tool(blocking)]
fn blocks() -> u8 {
    tracing::info!("there");
    1
}

/// Fails.
#[tool]
fn fails() -> Result<u8, &'static str> {
    Err("no")
}

/// Never ends.
#[tool(timeout = "10ms")]
async fn hangs() -> u8 {
    std::future::pending().await
}

fn all() -> Toolset {
    tools![waits, blocks, fails, hangs]
}

fn call(id: &str, name: &str) -> ToolCall {
    let arguments = match name {
        "waits" => r#"{"key": "hunter2", "city": "Oslo"}"#,
        _ => "{}",
    };
    ToolCall::new(id, name, arguments)
}

/// Runs calls where the recorder listens, on all threads.
fn run(recorder: &Recorder, executor: &Executor, calls: &[ToolCall]) -> Vec<String> {
    let listens = tracing::Dispatch::new(recorder.clone());
    let on_threads = listens.clone();
    tracing::dispatcher::with_default(&listens, || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .on_thread_start(move || {
                // For as long as the thread lives.
                std::mem::forget(tracing::dispatcher::set_default(&on_threads));
            })
            .build()
            .unwrap();
        let batch = runtime.block_on(executor.run(calls, &Context::new()));
        let results = batch.results();
        results
            .map(|result| result.content(toolwright::Encoder::auto()).into_owned())
            .collect()
    })
}

#[test]
fn a_call_is_a_span_by_the_conventions() {
    let recorder = Recorder::default();
    let names = ["waits", "fails", "hangs", "nope"];
    let calls: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(at, name)| call(&at.to_string(), name))
        .collect();
    run(&recorder, &Executor::parallel(all(), 4), &calls);
    let spans = recorder.spans.lock().unwrap();
    let mut by_id: Vec<_> = spans.iter().collect();
    by_id.sort_by_key(|span| span.fields["gen_ai.tool.call.id"].clone());
    let errors = [None, Some("failed"), Some("timeout"), Some("unknown_tool")];
    for ((span, name), error) in by_id.iter().zip(names).zip(errors) {
        assert_eq!(span.name, "execute_tool");
        assert_eq!(span.fields["otel.name"], format!("execute_tool {name}"));
        assert_eq!(span.fields["gen_ai.operation.name"], "execute_tool");
        assert_eq!(span.fields["gen_ai.tool.name"], name);
        assert_eq!(span.fields.get("error.type").map(String::as_str), error);
        assert_eq!(
            span.fields.get("otel.status_code").map(String::as_str),
            error.map(|_| "ERROR")
        );
        assert_eq!(span.inside, 0, "{name}");
        assert!(span.closed, "{name}");
        // Nobody asked for content.
        assert!(!span.fields.contains_key("gen_ai.tool.call.arguments"));
        assert!(!span.fields.contains_key("gen_ai.tool.call.result"));
    }
    assert_eq!(by_id.len(), 4);
}

#[test]
fn names_that_a_model_made_up_are_one_line_of_a_log() {
    let recorder = Recorder::default();
    let made_up = call("c\n1", "a\n\u{1b}[2Jb\u{202e}");
    run(&recorder, &Executor::serial(all()), &[made_up]);
    let spans = recorder.spans.lock().unwrap();
    let shown = r"a\n\u{1b}[2Jb\u{202e}";
    assert_eq!(spans[0].fields["gen_ai.tool.name"], shown);
    assert_eq!(
        spans[0].fields["otel.name"],
        format!("execute_tool {shown}")
    );
    assert_eq!(spans[0].fields["gen_ai.tool.call.id"], r"c\n1");
}

#[test]
fn the_span_is_entered_wherever_the_tool_runs() {
    for name in ["waits", "blocks"] {
        let recorder = Recorder::default();
        run(&recorder, &Executor::serial(all()), &[call("1", name)]);
        let said = recorder.said.lock().unwrap();
        assert_eq!(
            *said,
            vec![true; if name == "waits" { 2 } else { 1 }],
            "{name}"
        );
        let spans = recorder.spans.lock().unwrap();
        assert_eq!(spans.len(), 1);
        assert!(spans[0].entered > 0 && spans[0].inside == 0, "{name}");
    }
}

#[test]
fn content_stands_in_a_span_when_asked_for_and_secrets_never() {
    let recorder = Recorder::default();
    let executor = Executor::serial(all()).content_in_spans();
    run(&recorder, &executor, &[call("1", "waits")]);
    let spans = recorder.spans.lock().unwrap();
    let field = |name: &str| spans[0].fields[name].as_str();
    assert_eq!(
        field("gen_ai.tool.call.arguments"),
        r#"{"key":"[secret]","city":"Oslo"}"#
    );
    assert_eq!(field("gen_ai.tool.call.result"), "Oslo7");
}

#[test]
fn a_subscriber_that_panics_changes_nothing() {
    let recorder = Recorder {
        panics: true,
        ..Recorder::default()
    };
    let executor = Executor::parallel(all(), 2).content_in_spans();
    let calls = [call("1", "waits"), call("2", "blocks")];
    assert_eq!(run(&recorder, &executor, &calls), ["Oslo7", "1"]);
}
