//! The spans of a run, of its model calls and of the calls of tools, as a subscriber of the crate
//! `tracing` sees them. A program of its own: a thread without a subscriber that
//! comes to a span first switches it off for the one thread that has one.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    self, Agent, ModelError, ModelErrorKind, ModelResponse, Run, Session, Usage,
};
use toolwright::{Context, Executor, ToolCall, tool, tools};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

#[derive(Debug, Default, Clone)]
struct Seen {
    name: &'static str,
    /// The span that it was opened in, by its place.
    parent: Option<usize>,
    fields: BTreeMap<&'static str, String>,
    closed: bool,
}

#[derive(Debug, Default)]
struct Spans {
    seen: Vec<Seen>,
    entered: Vec<usize>,
}

#[derive(Debug, Default, Clone)]
struct Recorder {
    spans: Arc<Mutex<Spans>>,
    errors: Arc<Mutex<Vec<BTreeMap<&'static str, String>>>>,
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

fn place(id: &Id) -> usize {
    usize::try_from(id.into_u64()).unwrap() - 1
}

impl Subscriber for Recorder {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut spans = self.spans.lock().unwrap();
        let mut seen = Seen {
            name: span.metadata().name(),
            parent: spans.entered.last().copied(),
            ..Seen::default()
        };
        span.record(&mut Fields(&mut seen.fields));
        spans.seen.push(seen);
        Id::from_u64(spans.seen.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        assert!(!self.panics, "the subscriber's own");
        let mut spans = self.spans.lock().unwrap();
        values.record(&mut Fields(&mut spans.seen[place(id)].fields));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        if *event.metadata().level() == Level::ERROR {
            let mut fields = BTreeMap::new();
            event.record(&mut Fields(&mut fields));
            self.errors.lock().unwrap().push(fields);
        }
    }

    fn enter(&self, id: &Id) {
        assert!(!self.panics, "the subscriber's own");
        self.spans.lock().unwrap().entered.push(place(id));
    }

    fn exit(&self, id: &Id) {
        assert!(!self.panics, "the subscriber's own");
        let left = self.spans.lock().unwrap().entered.pop();
        assert_eq!(left, Some(place(id)));
    }

    fn try_close(&self, id: Id) -> bool {
        self.spans.lock().unwrap().seen[place(&id)].closed = true;
        true
    }
}

/// Looks.
#[tool]
async fn look() -> &'static str {
    tokio::task::yield_now().await;
    "seen"
}

/// Fails.
#[tool]
fn fails() -> Result<u8, &'static str> {
    Err("no")
}

/// Panics.
#[tool]
fn boom() -> u8 {
    panic!("boom")
}

/// Never answers in time.
#[tool(timeout = "1ms")]
async fn late() -> u8 {
    std::future::pending().await
}

/// What a run of this script comes to, under this subscriber.
fn run(recorder: &Recorder, script: Vec<Result<ModelResponse, ModelError>>) -> Run {
    let _guard = tracing::subscriber::set_default(recorder.clone());
    let model = ScriptedModel::new(script);
    let agent = Agent::with_executor(
        model,
        Executor::parallel(tools![look, fails, boom, late], 2),
    );
    let mut session = Session::with_id("s1");
    session.reply("Go!").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_time().build().unwrap();
    runtime
        .block_on(agent.run(&mut session, &Context::new()))
        .unwrap()
}

fn usage(input: u64, output: u64) -> Usage {
    Usage { input, output }
}

fn two_calls() -> ModelResponse {
    let calls = [("c1", "look"), ("c2", "fails")];
    ModelResponse::calls(calls.map(|(id, name)| ToolCall::new(id, name, "{}")))
        .with_usage(usage(7, 2))
}

#[test]
fn a_run_is_a_span_around_those_of_its_model_calls_and_tools() {
    let recorder = Recorder::default();
    let words = ModelResponse::text("Done.").with_usage(usage(9, 1));
    run(&recorder, vec![Ok(two_calls()), Ok(words)]);
    let seen = recorder.spans.lock().unwrap().seen.clone();
    let names: Vec<_> = seen.iter().map(|span| (span.name, span.parent)).collect();
    assert_eq!(
        names,
        [
            ("invoke_agent", None),
            ("chat", Some(0)),
            ("execute_tool", Some(0)),
            ("execute_tool", Some(0)),
            ("chat", Some(0)),
        ]
    );
    assert!(seen.iter().all(|span| span.closed));
    let field = |place: usize, name| seen[place].fields.get(name).map(String::as_str);
    // One id for all of a conversation.
    for place in [0, 1, 4] {
        assert_eq!(field(place, "gen_ai.conversation.id"), Some("s1"));
        assert_eq!(
            field(place, "gen_ai.operation.name"),
            Some(seen[place].name)
        );
        assert_eq!(field(place, "error.type"), None);
    }
    let tokens: Vec<_> = [0, 1, 4]
        .map(|place| field(place, "gen_ai.usage.input_tokens").unwrap())
        .to_vec();
    assert_eq!(tokens, ["16", "7", "9"]);
    assert_eq!(field(0, "toolwright.halted"), Some("completed"));
    assert_eq!(
        (field(2, "error.type"), field(3, "error.type")),
        (None, Some("failed"))
    );
}

#[test]
fn a_span_says_that_a_model_failed() {
    let recorder = Recorder::default();
    let busy = ModelError::new(ModelErrorKind::Busy, "429");
    run(&recorder, vec![Ok(two_calls()), Err(busy)]);
    let seen = recorder.spans.lock().unwrap().seen.clone();
    for place in [0, 4] {
        let fields = &seen[place].fields;
        assert_eq!(
            (&*fields["otel.status_code"], &*fields["error.type"]),
            ("ERROR", "busy")
        );
    }
    assert_eq!(seen[0].fields["toolwright.halted"], "error");
    assert!(!seen[1].fields.contains_key("error.type"));
    assert!(seen.iter().all(|span| span.closed));
}

#[test]
fn a_span_says_how_its_call_failed_and_is_closed_in_its_run() {
    let recorder = Recorder::default();
    let names = ["late", "boom", "fails", "nope", "look"];
    let calls = ModelResponse::calls(names.map(|name| ToolCall::new(name, name, "{}")));
    run(&recorder, vec![Ok(calls), Ok(ModelResponse::text("Done."))]);
    let seen = recorder.spans.lock().unwrap().seen.clone();
    let mut failed = BTreeMap::new();
    for span in seen.iter().filter(|span| span.name == "execute_tool") {
        // The run's span around it has the conversation's id.
        assert_eq!(span.parent, Some(0));
        let kind = span.fields.get("error.type").map(String::as_str);
        let status = span.fields.get("otel.status_code").map(String::as_str);
        assert_eq!(status, kind.map(|_| "ERROR"));
        assert_eq!(
            span.fields["gen_ai.tool.name"],
            span.fields["gen_ai.tool.call.id"]
        );
        failed.insert(&*span.fields["gen_ai.tool.call.id"], kind);
    }
    let expected = [
        ("late", Some("timeout")),
        ("boom", Some("panicked")),
        ("fails", Some("failed")),
        ("nope", Some("unknown_tool")),
        ("look", None),
    ];
    assert_eq!(failed, expected.into());
    assert_eq!(seen[0].fields["gen_ai.conversation.id"], "s1");
    assert!(seen.iter().all(|span| span.closed));
}

#[test]
fn a_run_that_is_dropped_closes_its_spans() {
    let recorder = Recorder::default();
    let _guard = tracing::subscriber::set_default(recorder.clone());
    let calls = ModelResponse::calls([ToolCall::new("c1", "late", "{}")]);
    let executor = Executor::serial(tools![late]);
    let agent = Agent::with_executor(ScriptedModel::new([Ok(calls)]), executor);
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let (mut session, cx) = (Session::ask("Go!"), Context::new());
        let mut run = Box::pin(agent.run(&mut session, &cx));
        // The tool is at work, and time stands still.
        for _ in 0..20 {
            let over = std::future::poll_fn(|task| Poll::Ready(run.as_mut().poll(task).is_ready()));
            assert!(!over.await);
            tokio::task::yield_now().await;
        }
        let closed = |recorder: &Recorder| -> Vec<_> {
            let spans = recorder.spans.lock().unwrap();
            spans
                .seen
                .iter()
                .map(|span| (span.name, span.closed))
                .collect()
        };
        let names = ["invoke_agent", "chat", "execute_tool"];
        let open = [false, true, false];
        assert_eq!(
            closed(&recorder),
            names.into_iter().zip(open).collect::<Vec<_>>()
        );
        drop(run);
        assert!(closed(&recorder).iter().all(|(_, closed)| *closed));
    });
}

#[test]
fn what_listens_ends_no_run() {
    let recorder = Recorder {
        panics: true,
        ..Recorder::default()
    };
    let run = run(
        &recorder,
        vec![Ok(two_calls()), Ok(ModelResponse::text("Done."))],
    );
    assert_eq!(run.text(), Some("Done."));
}

#[test]
fn a_panic_of_a_listener_is_an_error_and_changes_nothing() {
    let recorder = Recorder::default();
    let _guard = tracing::subscriber::set_default(recorder.clone());
    let script = [Ok(two_calls()), Ok(ModelResponse::text("Done."))];
    let agent = Agent::new(ScriptedModel::new(script), tools![look, fails]);
    let agent = agent.on_event(|event| match event {
        agent::RunEvent::RunStarted { .. } => panic!("of the run"),
        agent::RunEvent::Call { .. } => panic!("of a call"),
        _ => {}
    });
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_time().build().unwrap();
    let mut session = Session::ask("Go!");
    let run = runtime.block_on(agent.run(&mut session, &Context::new()));
    let run = run.unwrap();
    assert_eq!(run.text(), Some("Done."));
    let errors = recorder.errors.lock().unwrap();
    for (what, said) in [("a listener", "of the run"), ("an observer", "of a call")] {
        let is_it = |error: &&BTreeMap<&str, String>| {
            error["message"] == format!("{what} panicked") && error["detail"].starts_with(said)
        };
        assert!(errors.iter().any(|error| is_it(&error)), "{errors:#?}");
    }
}
