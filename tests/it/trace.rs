//! What observers and a trace know of batches of calls.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use toolwright::{
    Context, Executor, Outcome, ToolCall, Toolset,
    call::{ErrorKind, Progress},
    executor::{Event, TraceStore, Traced},
    tool, tools,
};

macro_rules! of_kind {
    ($trace:ident, $kind:pat) => {
        $trace.matching(|event| matches!(&event.what, $kind))
    };
}

/// Says it.
#[tool]
fn say(text: &str, #[arg(secret)] key: Option<&str>, #[context] cx: &Context) -> String {
    cx.progress(Progress::new(1.0).with_total(2.0).with_message("half"));
    format!("{text}{}", key.unwrap_or_default().len())
}

/// Fails.
#[tool]
fn fail() -> Result<u8, &'static str> {
    Err("no such thing")
}

/// Panics.
#[tool]
fn boom() -> u8 {
    panic!("boom")
}

/// A person answers.
#[tool(manual)]
fn charge(cents: u64) -> u64 {
    cents
}

/// Asks.
#[tool]
fn ask() -> Outcome {
    Outcome::ask("Which?")
}

/// Never answers.
#[tool]
async fn hang() -> u8 {
    std::future::pending().await
}

fn all() -> Toolset {
    tools![say, fail, boom, charge, ask, hang]
}

fn calls(all: &[(&str, &str)]) -> Vec<ToolCall> {
    let numbered = all.iter().enumerate();
    numbered
        .map(|(at, (name, arguments))| ToolCall::new((at + 1).to_string(), *name, *arguments))
        .collect()
}

fn turn() -> Vec<ToolCall> {
    calls(&[
        ("say", r#"{"text": "a", "key": "hunter2"}"#),
        ("fail", "{}"),
        ("charge", r#"{"cents": 5}"#),
        ("nope", "{}"),
    ])
}

/// A store whose clock ticks once an event.
fn ticking(most: usize) -> TraceStore {
    let ticks = AtomicU64::new(0);
    TraceStore::new(most).clock(move || at(ticks.fetch_add(1, Ordering::Relaxed)))
}

fn at(tick: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(tick)
}

/// Without durations, which differ.
fn line(event: &impl ToString) -> String {
    let text = event.to_string();
    match text.rsplit_once(" (") {
        Some((start, end)) if end.ends_with("s)") => start.to_owned(),
        _ => text,
    }
}

#[test]
fn every_call_starts_and_finishes_once_and_a_manual_one_only_waits() {
    let trace = ticking(100);
    let cx = Context::new().with_run("r1").with_agent("a7");
    let executor = Executor::serial(all()).on_event(trace.observer());
    let batch = executor.run_blocking(&turn(), &cx);
    assert_eq!(batch.pending().count(), 1);
    let events = trace.events();
    let batch_id = events[0].batch.unwrap();
    for event in &events {
        assert_eq!(
            (event.run.as_deref(), event.agent.as_deref()),
            (Some("r1"), Some("a7"))
        );
        assert_eq!(event.batch, Some(batch_id));
    }
    let lines: Vec<_> = events.iter().map(line).collect();
    let id = batch_id.to_string();
    assert_eq!(
        lines,
        [
            &format!("batch {id}: 4 calls: say, fail, charge, nope"),
            r#"call 3: charge({"cents": 5}) waits: manual_tool"#,
            r#"call 4: nope("[2 bytes]") started"#,
            r#"call 4: nope("[2 bytes]") failed: unknown_tool: unknown tool `nope`"#,
            r#"call 1: say({"text":"a","key":"[secret]"}) started"#,
            "call 1: say: 1 of 2: half",
            r#"call 1: say({"text":"a","key":"[secret]"}) -> a7"#,
            "call 2: fail({}) started",
            "call 2: fail({}) failed: failed: no such thing",
            &format!("batch {id}: 1 succeeded, 2 failed, 1 wait, halted: pending"),
        ]
    );
    // Another batch is another one.
    trace.clear();
    executor.run_blocking(&turn(), &cx);
    assert!(trace.events()[0].batch > Some(batch_id));
}

#[test]
fn a_trace_is_typed() {
    let trace = TraceStore::new(100);
    Executor::serial(all())
        .on_event(trace.observer())
        .run_blocking(&turn(), &Context::new());
    let finished = of_kind!(trace, Traced::Finished { .. });
    let kinds: Vec<_> = finished
        .iter()
        .map(|event| match &event.what {
            Traced::Finished { call, outcome, .. } => (
                call.index,
                outcome.as_ref().err().map(toolwright::ToolError::kind),
            ),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        kinds,
        [
            (3, Some(ErrorKind::Unknown)),
            (0, None),
            (1, Some(ErrorKind::Failed))
        ]
    );
    let ended = of_kind!(trace, Traced::BatchFinished { .. });
    let Traced::BatchFinished {
        names,
        successes,
        failures,
        pending,
        ..
    } = &ended[0].what
    else {
        panic!("{ended:?}")
    };
    let names: Vec<_> = names.iter().map(AsRef::as_ref).collect();
    assert_eq!(names, ["say", "fail", "charge", "nope"]);
    assert_eq!((*successes, *failures, *pending), (1, 2, 1));
}

#[test]
fn events_are_found_by_kind_time_and_predicate_and_the_oldest_make_room() {
    let trace = ticking(4);
    let executor = Executor::serial(all()).on_event(trace.observer());
    // Four events a batch: it starts, a call starts and finishes, it ends.
    executor.run_blocking(&calls(&[("fail", "{}")]), &Context::new());
    executor.run_blocking(&calls(&[("ask", "{}")]), &Context::new());
    assert_eq!(trace.len(), 4);
    assert_eq!(trace.events()[0].at, at(4));
    assert_eq!(trace.between(at(5)..at(7)).len(), 2);
    assert_eq!(trace.between(..=at(4)).len(), 1);
    assert!(matches!(
        trace.last(1)[0].what,
        Traced::BatchFinished { .. }
    ));
    assert_eq!(trace.last(9).len(), 4);
    assert_eq!(of_kind!(trace, Traced::Started(_)).len(), 1);
    let asks = trace.matching(|event| {
        matches!(
            &event.what,
            Traced::Finished {
                outcome: Ok(Outcome::AskUser { .. }),
                ..
            }
        )
    });
    assert_eq!(asks.len(), 1);
    trace.clear();
    assert!(trace.is_empty());
}

#[test]
fn a_store_can_be_switched_off_and_on() {
    let trace = TraceStore::new(10);
    let executor = Executor::serial(all()).on_event(trace.observer());
    trace.enable(false);
    assert!(!trace.is_enabled());
    executor.run_blocking(&calls(&[("fail", "{}")]), &Context::new());
    assert!(trace.is_empty());
    trace.enable(true);
    executor.run_blocking(&calls(&[("fail", "{}")]), &Context::new());
    assert_eq!(trace.len(), 4);
    let none = TraceStore::new(0);
    Executor::serial(all())
        .on_event(none.observer())
        .run_blocking(&turn(), &Context::new());
    assert!(none.is_empty());
}

#[test]
fn what_follows_storing_may_fail() {
    let seen = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&seen);
    let trace = TraceStore::new(10).on_store(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        panic!("the exporter is down")
    });
    let batch = Executor::serial(all())
        .on_event(trace.observer())
        .run_blocking(&turn()[..1], &Context::new());
    assert!(batch.results().all(toolwright::ToolResult::is_success));
    assert_eq!(seen.load(Ordering::Relaxed), trace.len());
    assert_eq!(trace.len(), 5);
}

#[test]
fn a_summary_is_one_line_and_cut() {
    let long = "x\n".repeat(80);
    let arguments = serde_json::json!({"text": long}).to_string();
    let trace = TraceStore::new(10);
    Executor::serial(all())
        .on_event(trace.observer())
        .run_blocking(&calls(&[("say", &arguments)]), &Context::new());
    let line = line(&of_kind!(trace, Traced::Finished { .. })[0]);
    let result = line.split_once(" -> ").unwrap().1;
    assert_eq!(result, format!("{}… (61 more characters)", "x ".repeat(50)));
}

#[test]
fn an_observer_that_panics_hides_nothing_from_the_next() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let executor = Executor::serial(all())
        .on_event(|_| panic!("mine"))
        .on_event(move |event| {
            let word = match event {
                Event::Started { call, .. } => format!("started {}", call.id),
                Event::Finished { call, .. } => format!("finished {}", call.id),
                _ => return,
            };
            log.lock().unwrap().push(word);
        });
    let batch = executor.run_blocking(
        &calls(&[("boom", "{}"), ("nope", "{}"), ("say", r#"{"text": "a"}"#)]),
        &Context::new(),
    );
    assert_eq!(batch.results().count(), 3);
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "started 2",
            "finished 2",
            "started 1",
            "finished 1",
            "started 3",
            "finished 3"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_batch_whose_future_is_dropped_ends_in_the_trace() {
    let trace = TraceStore::new(10);
    let executor = Executor::parallel(all(), 2).on_event(trace.observer());
    let (calls, cx) = (calls(&[("hang", "{}"), ("hang", "{}")]), Context::new());
    let run = executor.run(&calls, &cx);
    assert!(
        tokio::time::timeout(Duration::from_millis(5), run)
            .await
            .is_err()
    );
    let ended = of_kind!(trace, Traced::BatchFinished { .. });
    assert_eq!(ended.len(), 1);
    let words = ended[0].to_string();
    assert!(
        words.contains("0 succeeded, 2 failed, 0 wait, halted: cancelled"),
        "{words}"
    );
}

#[test]
fn a_batch_ends_once() {
    let count = Arc::new(AtomicUsize::new(0));
    let ended = Arc::clone(&count);
    let executor = Executor::serial(all()).on_event(move |event| {
        if matches!(event, Event::BatchFinished { .. }) {
            ended.fetch_add(1, Ordering::Relaxed);
        }
    });
    executor.run_blocking(&turn(), &Context::new());
    executor.run_blocking(&[] as &[ToolCall], &Context::new());
    assert_eq!(count.load(Ordering::Relaxed), 2);
}
