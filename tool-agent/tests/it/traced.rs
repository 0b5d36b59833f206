//! A store of events that listens to agents: runs, model calls, hand-overs and calls, in order.
// A test that finds less than it expects has failed.
// Steps of a script are results.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::unnecessary_wraps
)]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use toolwright::agent::model::{DeltaSink, ModelError, ModelErrorKind, ModelRequest};
use toolwright::agent::testing::ScriptedModel;
use toolwright::agent::{Agent, Model, ModelResponse, RunEvent, Session, handoff};
use toolwright::call::BoxFuture;
use toolwright::executor::{TraceEvent, TraceStore, Traced};
use toolwright::wire::Usage;
use toolwright::{Context, ToolCall, Toolset, call::Cancel, tool, tools};

/// Opens a door.
#[tool]
fn open(door: &str, #[arg(secret)] code: &str) -> String {
    format!("{door} is open, {}", code.len())
}

fn open_call(id: &str) -> ToolCall {
    ToolCall::new(id, "open", r#"{"door": "east", "code": "hunter2"}"#)
}

fn usage(input: u64, output: u64) -> Usage {
    Usage::new(input, output)
}

fn calls(calls: &[ToolCall]) -> Result<ModelResponse, ModelError> {
    let response = ModelResponse::calls(calls.iter().cloned());
    Ok(response.with_usage(usage(7, 2)))
}

fn text(text: &str) -> Result<ModelResponse, ModelError> {
    Ok(ModelResponse::text(text).with_usage(usage(9, 1)))
}

fn session(id: &str) -> Session {
    let mut session = Session::with_id(id);
    session.say("Go!").unwrap();
    session
}

/// Answers after three seconds.
struct Slow(ScriptedModel);

impl Model for Slow {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_secs(3)).await;
            self.0.respond(request, deltas).await
        })
    }
}

fn slow(
    script: impl IntoIterator<Item = Result<ModelResponse, ModelError>>,
    tools: Toolset,
) -> Agent {
    Agent::new(Slow(ScriptedModel::new(script)), tools)
}

/// Lines of the events, without the numbers of batches, which other tests have too.
fn lines(events: &[Arc<TraceEvent>]) -> Vec<String> {
    let line = |event: &Arc<TraceEvent>| {
        let line = event.to_string();
        match event.batch {
            Some(batch) => line.replace(&format!("batch {batch}:"), "batch:"),
            None => line,
        }
    };
    events.iter().map(line).collect()
}

#[tokio::test(start_paused = true)]
async fn a_run_is_stored_in_order_with_its_durations_and_usage() {
    let trace = TraceStore::new(100);
    let script = [calls(&[open_call("c1")]), text("It is open.")];
    let agent = slow(script, tools![open]).name("porter");
    let agent = agent.listener(trace.clone());
    let run = agent.run(&mut session("s1"), &Context::new()).await;
    assert_eq!(run.unwrap().text(), Some("It is open."));
    let events = trace.events();
    assert_eq!(
        lines(&events),
        [
            "run s1/1 started",
            "model asked: 1 messages, 1 tools: open",
            "model finished: 1 calls: open; 7 tokens in, 2 out (3s)",
            "batch: 1 calls: open",
            r#"call c1: open({"door":"east","code":"[secret]"}) started"#,
            r#"call c1: open({"door":"east","code":"[secret]"}) -> east is open, 7 (0ns)"#,
            "batch: 1 succeeded, 0 failed, 0 wait (0ns)",
            "model asked: 3 messages, 1 tools: open",
            "model finished: It is open.; 9 tokens in, 1 out (3s)",
            "run s1/1: completed; 2 turns, 1 rounds of tools; 16 tokens in, 3 out (6s)",
        ]
    );
    // Every event names the conversation and the run, and those of a turn its number and agent.
    for event in &events {
        assert_eq!(event.session.as_deref(), Some("s1"));
        assert_eq!(event.run.as_deref(), Some("s1/1"));
    }
    let turns: Vec<_> = events.iter().map(|event| event.turn).collect();
    assert_eq!(turns[0], None);
    assert_eq!(turns[1..7], [Some(0); 6]);
    assert_eq!(turns[7..9], [Some(1); 2]);
    assert_eq!(turns[9], None);
    for event in &events[1..9] {
        assert_eq!(event.agent.as_deref(), Some("porter"));
    }
    let Traced::RunFinished {
        usage, duration, ..
    } = &events[9].what
    else {
        panic!("{:?}", events[9]);
    };
    assert_eq!((usage.total(), duration.as_secs()), (19, 6));
    // Calls are stored without secrets, here and where the model makes them.
    assert!(!format!("{events:?}").contains("hunter2"));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_ends_the_trace_of_its_run() {
    let busy = || Err(ModelError::new(ModelErrorKind::Busy, "429"));
    let trace = TraceStore::new(100);
    // At the first request the run is an error, and later it is a run's end.
    let agent = slow([busy()], tools![open]).listener(trace.clone());
    agent
        .run(&mut session("s1"), &Context::new())
        .await
        .unwrap_err();
    assert_eq!(
        lines(&trace.events()),
        [
            "run s1/1 started",
            "model asked: 1 messages, 1 tools: open",
            "model failed: busy: 429 (3s)",
            "run s1/1 failed: 429 (3s)",
        ]
    );
    trace.clear();
    let agent = slow([calls(&[open_call("c1")]), busy()], tools![open]).listener(trace.clone());
    let _ = agent
        .run(&mut session("s2"), &Context::new())
        .await
        .unwrap();
    assert_eq!(
        lines(&trace.last(2)),
        [
            "model failed: busy: 429 (3s)",
            "run s2/1: error; 1 turns, 1 rounds of tools; 7 tokens in, 2 out (6s)",
        ]
    );
    let failed = trace.matching(|event| matches!(event.what, Traced::ModelFailed { .. }));
    assert_eq!(failed[0].turn, Some(1));
}

#[tokio::test(start_paused = true)]
async fn every_run_that_starts_has_one_last_event() {
    let last = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&last);
    let failed = Err(ModelError::new(ModelErrorKind::Refused, "no"));
    let agent = slow([text("Hello."), failed], tools![open]).on_event(move |event| {
        if event.is_last() {
            let end = event.end().map(|end| end.as_str().to_owned());
            heard.lock().unwrap().push((event.run_id().to_owned(), end));
        }
        if let RunEvent::RunFailed { error, .. } = event {
            assert_eq!(error.to_string(), "no");
        }
    });
    let mut session = session("s1");
    let _ = agent.run(&mut session, &Context::new()).await.unwrap();
    session.say("Again!").unwrap();
    agent.run(&mut session, &Context::new()).await.unwrap_err();
    let wanted = [
        ("s1/1".to_owned(), Some("completed".to_owned())),
        ("s1/2".to_owned(), None),
    ];
    assert_eq!(*last.lock().unwrap(), wanted);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_cancelled_ends_in_the_trace() {
    let trace = TraceStore::new(100);
    let agent = slow([], tools![open]).listener(trace.clone());
    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let mut session = session("s1");
    let (run, ()) = tokio::join!(agent.run(&mut session, &cx), async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        stop.cancel();
    });
    assert_eq!(run.unwrap().text(), None);
    assert_eq!(
        lines(&trace.events()),
        [
            "run s1/1 started",
            "model asked: 1 messages, 1 tools: open",
            "run s1/1: cancelled; 0 turns, 0 rounds of tools; 0 tokens in, 0 out (1s)",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn events_are_found_by_conversation_run_kind_and_time() {
    let ticks = AtomicU64::new(0);
    let at = |tick| SystemTime::UNIX_EPOCH + Duration::from_secs(tick);
    let trace = TraceStore::new(100).clock(move || at(ticks.fetch_add(1, Ordering::Relaxed)));
    let script = [text("One."), text("Two."), text("Three.")];
    let agent = slow(script, tools![open]).listener(trace.clone());
    let (mut ann, mut bob) = (session("ann"), session("bob"));
    let cx = Context::new();
    let (one, two) = tokio::join!(agent.run(&mut ann, &cx), agent.run(&mut bob, &cx));
    assert!(one.is_ok() && two.is_ok());
    ann.say("And?").unwrap();
    let _ = agent.run(&mut ann, &cx).await.unwrap();

    let ended = |events: Vec<Arc<TraceEvent>>| {
        let ends = events.into_iter();
        let ends = ends.filter(|event| matches!(event.what, Traced::RunFinished { .. }));
        let runs: Vec<_> = ends
            .map(|event| event.run.as_deref().unwrap().to_owned())
            .collect();
        runs
    };
    // Two runs at once are told apart.
    assert_eq!(trace.of_session("ann").len(), 8);
    assert_eq!(ended(trace.of_session("ann")), ["ann/1", "ann/2"]);
    assert_eq!(ended(trace.of_session("bob")), ["bob/1"]);
    assert_eq!(trace.of_run("ann/2").len(), 4);
    assert!(trace.of_session("an").is_empty());
    let models = trace.matching(|event| matches!(event.what, Traced::ModelFinished { .. }));
    let mut said: Vec<_> = models
        .iter()
        .map(|event| match &event.what {
            Traced::ModelFinished { text, .. } => text.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    // Of two that are ready at once either may be first.
    said.sort_unstable();
    assert_eq!(said, ["One.", "Three.", "Two."]);
    // What is not stored is not a tick that is missed: the last four events are the last run.
    let first = trace.of_run("ann/2")[0].at;
    assert_eq!(trace.between(first..).len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_hand_over_is_stored_between_the_model_calls_of_two_agents() {
    let trace = TraceStore::new(100);
    let to_billing = handoff("billing", "Knows all invoices.").unwrap();
    let desk = slow(
        [calls(&[ToolCall::new("c1", "transfer_to_billing", "{}")])],
        Toolset::new([to_billing]).unwrap(),
    );
    let billing = slow([text("It was paid in May.")], tools![open]);
    let desk = desk.name("desk").peer("billing", billing);
    let desk = desk.listener(trace.clone());
    let _ = desk.run(&mut session("s1"), &Context::new()).await.unwrap();
    let events = trace.matching(|event| {
        matches!(
            event.what,
            Traced::ModelFinished { .. } | Traced::HandedOver { .. } | Traced::ModelStarted { .. }
        )
    });
    let said: Vec<_> = events
        .iter()
        .map(|event| (event.agent.as_deref(), event.to_string()))
        .collect();
    let said: Vec<_> = said.iter().map(|(agent, line)| (*agent, &**line)).collect();
    assert_eq!(
        said,
        [
            (
                Some("desk"),
                "model asked: 1 messages, 1 tools: transfer_to_billing"
            ),
            (
                Some("desk"),
                "model finished: 1 calls: transfer_to_billing; 7 tokens in, 2 out (3s)"
            ),
            (None, "handed over to billing"),
            (Some("billing"), "model asked: 3 messages, 1 tools: open"),
            (
                Some("billing"),
                "model finished: It was paid in May.; 9 tokens in, 1 out (3s)"
            ),
        ]
    );
}
