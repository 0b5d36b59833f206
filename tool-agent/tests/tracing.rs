//! The spans of a run, of its steps, of its model calls and of the calls of tools, as a subscriber of the crate
//! `tracing` sees them. A program of its own: a thread without a subscriber that
//! comes to a span first switches it off for the one thread that has one.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use toolwright::agent::model::{ModelError, ModelErrorKind};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{
    self, Agent, AgentTool, ModelResponse, Node, Run, Session, Thread, ThreadMessage,
};
use toolwright::wire::Usage;
use toolwright::{Context, Executor, ToolCall, Toolset, tool, tools};
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
    session.say("Go!").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_time().build().unwrap();
    runtime
        .block_on(agent.run(&mut session, &Context::new()))
        .unwrap()
}

fn usage(input: u64, output: u64) -> Usage {
    Usage::new(input, output)
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
    let _ = run(&recorder, vec![Ok(two_calls()), Ok(words)]);
    let seen = recorder.spans.lock().unwrap().seen.clone();
    let names: Vec<_> = seen.iter().map(|span| (span.name, span.parent)).collect();
    assert_eq!(
        names,
        [
            ("invoke_agent", None),
            ("step", Some(0)),
            ("chat", Some(1)),
            ("execute_tool", Some(1)),
            ("execute_tool", Some(1)),
            ("step", Some(0)),
            ("chat", Some(5)),
        ]
    );
    assert!(seen.iter().all(|span| span.closed));
    let field = |place: usize, name| seen[place].fields.get(name).map(String::as_str);
    // One id for all of a conversation.
    for place in [0, 1, 2, 5, 6] {
        assert_eq!(field(place, "gen_ai.conversation.id"), Some("s1"));
        assert_eq!(field(place, "error.type"), None);
    }
    let steps = [1, 5].map(|place| field(place, "toolwright.step"));
    assert_eq!(steps, [Some("0"), Some("1")]);
    for place in [0, 2, 6] {
        assert_eq!(
            field(place, "gen_ai.operation.name"),
            Some(seen[place].name)
        );
    }
    let tokens: Vec<_> = [0, 2, 6]
        .map(|place| field(place, "gen_ai.usage.input_tokens").unwrap())
        .to_vec();
    assert_eq!(tokens, ["16", "7", "9"]);
    assert_eq!(field(0, "toolwright.halted"), Some("completed"));
    assert_eq!(
        (field(3, "error.type"), field(4, "error.type")),
        (None, Some("failed"))
    );
}

#[test]
fn a_span_says_that_a_model_failed() {
    let recorder = Recorder::default();
    let busy = ModelError::new(ModelErrorKind::Busy, "429");
    let _ = run(&recorder, vec![Ok(two_calls()), Err(busy)]);
    let seen = recorder.spans.lock().unwrap().seen.clone();
    // The run, its second step and the model call in it.
    for place in [0, 5, 6] {
        let fields = &seen[place].fields;
        assert_eq!(
            (&*fields["otel.status_code"], &*fields["error.type"]),
            ("ERROR", "busy")
        );
    }
    assert_eq!(seen[0].fields["toolwright.halted"], "error");
    for place in [1, 2] {
        assert!(!seen[place].fields.contains_key("error.type"));
    }
    assert!(seen.iter().all(|span| span.closed));
}

#[test]
fn a_span_says_how_its_call_failed_and_is_closed_in_its_run() {
    let recorder = Recorder::default();
    let names = ["late", "boom", "fails", "nope", "look"];
    let calls = ModelResponse::calls(names.map(|name| ToolCall::new(name, name, "{}")));
    let _ = run(&recorder, vec![Ok(calls), Ok(ModelResponse::text("Done."))]);
    let seen = recorder.spans.lock().unwrap().seen.clone();
    let mut failed = BTreeMap::new();
    for span in seen.iter().filter(|span| span.name == "execute_tool") {
        // The step around it, and the run around that, have the conversation's id.
        assert_eq!(span.parent, Some(1));
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
    for around in &seen[..2] {
        assert_eq!(around.fields["gen_ai.conversation.id"], "s1");
    }
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
        let names = ["invoke_agent", "step", "chat", "execute_tool"];
        let open = [false, false, true, false];
        assert_eq!(
            closed(&recorder),
            names.into_iter().zip(open).collect::<Vec<_>>()
        );
        drop(run);
        assert!(closed(&recorder).iter().all(|(_, closed)| *closed));
    });
}

/// The spans: each one's name, its parent's place, and the number of a step.
fn tree(recorder: &Recorder) -> Vec<(&'static str, Option<usize>, Option<String>)> {
    let spans = recorder.spans.lock().unwrap();
    assert!(spans.seen.iter().all(|span| span.closed));
    let tree = spans.seen.iter().map(|span| {
        let number = span.fields.get("toolwright.step").cloned();
        (span.name, span.parent, number)
    });
    tree.collect()
}

fn step(parent: Option<usize>, number: &str) -> (&'static str, Option<usize>, Option<String>) {
    ("step", parent, Some(number.to_owned()))
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread();
    { runtime }.enable_time().build().unwrap().block_on(future)
}

#[test]
fn a_step_goes_on_in_the_run_that_goes_on_with_its_calls() {
    let recorder = Recorder::default();
    let _guard = tracing::subscriber::set_default(recorder.clone());
    let script = [Ok(two_calls()), Ok(ModelResponse::text("Done."))];
    let agent = Agent::new(ScriptedModel::new(script), tools![look, fails]);
    let agent = agent.interrupt_before(Node::Tools);
    let mut session = Session::ask("Go!");
    for _ in 0..2 {
        let _ = block_on(agent.run(&mut session, &Context::new())).unwrap();
    }
    assert_eq!(session.thread().last_text(), Some("Done."));
    // The interrupt itself is not a step.
    assert_eq!(
        tree(&recorder),
        [
            ("invoke_agent", None, None),
            step(Some(0), "0"),
            ("chat", Some(1), None),
            ("invoke_agent", None, None),
            step(Some(3), "0"),
            ("execute_tool", Some(4), None),
            ("execute_tool", Some(4), None),
            step(Some(3), "1"),
            ("chat", Some(7), None),
        ]
    );
}

#[test]
fn a_limit_is_no_step() {
    let recorder = Recorder::default();
    let _guard = tracing::subscriber::set_default(recorder.clone());
    let agent = Agent::new(ScriptedModel::new([Ok(two_calls())]), tools![look, fails]);
    let mut session = Session::ask("Go!");
    let run = block_on(agent.max_turns(1).run(&mut session, &Context::new())).unwrap();
    assert_eq!(run.end.as_str(), "max_turns");
    let steps = tree(&recorder).into_iter().filter(|span| span.0 == "step");
    assert_eq!(steps.count(), 1);
}

#[test]
fn an_agent_that_is_a_tool_has_its_steps_inside_of_the_call() {
    let recorder = Recorder::default();
    let _guard = tracing::subscriber::set_default(recorder.clone());
    let inner = ScriptedModel::new([Ok(ModelResponse::text("Found."))]);
    let inner = Agent::new(inner, tools![look]);
    let inner = AgentTool::new(inner, "ask_inner", "Asks another agent.");
    let call = ToolCall::new("c1", "ask_inner", r#"{"input": "Look!"}"#);
    let script = [
        Ok(ModelResponse::calls([call])),
        Ok(ModelResponse::text("Done.")),
    ];
    let outer = Agent::new(
        ScriptedModel::new(script),
        Toolset::new([inner.build().unwrap()]).unwrap(),
    );
    let mut session = Session::with_id("outer");
    session.say("Go!").unwrap();
    let _ = block_on(outer.run(&mut session, &Context::new())).unwrap();
    assert_eq!(
        tree(&recorder),
        [
            ("invoke_agent", None, None),
            step(Some(0), "0"),
            ("chat", Some(1), None),
            ("execute_tool", Some(1), None),
            ("invoke_agent", Some(3), None),
            step(Some(4), "0"),
            ("chat", Some(5), None),
            step(Some(0), "1"),
            ("chat", Some(7), None),
        ]
    );
}

#[test]
fn a_step_of_a_hosts_own_loop_has_the_hosts_conversation() {
    let recorder = Recorder::default();
    let _guard = tracing::subscriber::set_default(recorder.clone());
    let agent = Agent::new(ScriptedModel::new([Ok(two_calls())]), tools![look, fails]);
    let mut thread = Thread::from([ThreadMessage::user("Go!")]);
    let cx = Context::new()
        .with_session("host")
        .with_run("r")
        .with_turn(4);
    block_on(agent.step(&mut thread, &cx)).unwrap();
    assert_eq!(
        tree(&recorder),
        [
            step(None, "4"),
            ("chat", Some(0), None),
            ("execute_tool", Some(0), None),
            ("execute_tool", Some(0), None),
        ]
    );
    let spans = recorder.spans.lock().unwrap();
    for place in [0, 1] {
        assert_eq!(spans.seen[place].fields["gen_ai.conversation.id"], "host");
    }
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
