//! A batch of calls: each is answered once, in call order, whatever the tools do.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed; and tools take and return what people write.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value
)]

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};
use toolwright::{
    Context, Encoder, Executor, Outcome, Registry, ToolCall, ToolError, Toolset,
    call::{Cancel, ErrorKind, HaltReason, Progress},
    executor::{Batch, ErrorPolicy, Event, Halted, OnFailure, PendingReason},
    tool, tools,
};

/// Says `text` after `ms` milliseconds.
#[tool]
async fn say(text: String, ms: u64) -> String {
    sleep(Duration::from_millis(ms)).await;
    text
}

/// Never answers.
#[tool]
async fn hang() -> u8 {
    std::future::pending().await
}

/// Has a time limit of its own.
#[tool(timeout = "50ms")]
async fn hurried() -> u8 {
    std::future::pending().await
}

/// Panics.
#[tool]
fn boom() -> u8 {
    panic!("secret")
}

/// Fails.
#[tool]
fn fail(why: &str) -> Result<u8, String> {
    Err(why.to_owned())
}

/// A person answers.
#[tool(manual)]
fn charge(cents: u64) -> u64 {
    cents
}

/// Asks.
#[tool]
fn ask(question: &str) -> Outcome {
    Outcome::ask(question)
}

/// Ends it.
#[tool]
fn stop(value: u8) -> Outcome {
    Outcome::halt(HaltReason::new("plan_submitted"), value)
}

/// Goes to the user.
#[tool(return_direct)]
fn direct(ok: bool) -> Result<&'static str, &'static str> {
    if ok { Ok("done") } else { Err("not done") }
}

/// Changes what the conversation knows.
#[tool]
async fn learn(name: String, value: u64, ms: u64, #[context] cx: &Context) -> bool {
    sleep(Duration::from_millis(ms)).await;
    cx.update_state(name, value)
}

/// Never beside another one.
#[tool(exclusive)]
async fn alone(ms: u64) -> u8 {
    sleep(Duration::from_millis(ms)).await;
    0
}

/// Blocks its thread.
#[tool(blocking)]
fn block(ms: u64) -> String {
    std::thread::sleep(Duration::from_millis(ms));
    std::thread::current().name().unwrap_or_default().to_owned()
}

/// Counts, says how far it is.
#[tool]
async fn steps(n: u32, #[context] cx: &Context) -> u32 {
    for done in 1..=n {
        cx.progress(Progress::new(done.into()).with_total(n.into()));
        sleep(Duration::from_millis(1)).await;
    }
    n
}

fn all() -> Toolset {
    tools![
        say, hang, hurried, boom, fail, charge, ask, stop, direct, learn, alone, block, steps
    ]
}

fn call(id: &str, name: &str, arguments: serde_json::Value) -> ToolCall {
    ToolCall::new(id, name, arguments.to_string())
}

fn kinds(batch: &Batch) -> Vec<Option<ErrorKind>> {
    let kind = |result: &toolwright::ToolResult| result.outcome.as_ref().err().map(ToolError::kind);
    batch.results().map(kind).collect()
}

fn ids(batch: &Batch) -> Vec<&str> {
    batch.results().map(|result| &*result.id).collect()
}

#[tokio::test(start_paused = true)]
async fn answers_stand_in_call_order_whatever_finishes_first() {
    let calls = [
        call("a", "say", json!({"text": "a", "ms": 50})),
        call("b", "say", json!({"text": "b", "ms": 10})),
        call("c", "say", json!({"text": "c", "ms": 30})),
    ];
    let finished = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&finished);
    let executor = Executor::parallel(all(), 4).on_event(move |event| {
        if let Event::Finished { result, .. } = event {
            seen.lock().unwrap().push(result.id.to_string());
        }
    });
    let start = Instant::now();
    let batch = executor.run(&calls, &Context::new()).await;
    assert_eq!(start.elapsed(), Duration::from_millis(50));
    assert_eq!(ids(&batch), ["a", "b", "c"]);
    assert_eq!(*finished.lock().unwrap(), ["b", "c", "a"]);
    assert!(batch.is_settled() && batch.halted().is_none());

    let start = Instant::now();
    let batch = Executor::serial(all()).run(&calls, &Context::new()).await;
    assert_eq!(start.elapsed(), Duration::from_millis(90));
    assert_eq!(ids(&batch), ["a", "b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn no_more_run_at_once_than_may() {
    static NOW: AtomicUsize = AtomicUsize::new(0);
    static PEAK: AtomicUsize = AtomicUsize::new(0);

    /// Counts who runs.
    #[tool]
    async fn counted() -> u8 {
        PEAK.fetch_max(NOW.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        sleep(Duration::from_millis(5)).await;
        NOW.fetch_sub(1, Ordering::SeqCst);
        0
    }

    let calls: Vec<_> = (0..20)
        .map(|n| call(&n.to_string(), "counted", json!({})))
        .collect();
    let batch = Executor::parallel(tools![counted], 2)
        .run(&calls, &Context::new())
        .await;
    assert_eq!(
        batch.results().filter(|result| result.is_success()).count(),
        20
    );
    assert_eq!(PEAK.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn an_exclusive_tool_is_a_barrier_in_call_order() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&order);
    let executor = Executor::parallel(all(), 8).on_event(move |event| {
        let line = match event {
            Event::Started { index, .. } => format!("+{index}"),
            Event::Finished { index, .. } => format!("-{index}"),
            _ => return,
        };
        seen.lock().unwrap().push(line);
    });
    let calls = [
        call("0", "say", json!({"text": "", "ms": 30})),
        call("1", "say", json!({"text": "", "ms": 10})),
        call("2", "alone", json!({"ms": 5})),
        call("3", "alone", json!({"ms": 5})),
        call("4", "say", json!({"text": "", "ms": 2})),
        call("5", "say", json!({"text": "", "ms": 1})),
    ];
    executor.run(&calls, &Context::new()).await;
    assert_eq!(
        order.lock().unwrap().join(" "),
        "+0 +1 -1 -0 +2 -2 +3 -3 +4 +5 -5 -4"
    );
}

#[tokio::test(start_paused = true)]
async fn one_call_that_hangs_or_fails_concerns_no_other() {
    let calls = [
        call("1", "say", json!({"text": "a", "ms": 1})),
        call("2", "hang", json!({})),
        call("3", "boom", json!({})),
        call("4", "fail", json!({"why": "no"})),
        call("5", "hurried", json!({})),
        call("6", "nope", json!({})),
        call("7", "say", json!({"text": 5})),
        call("1", "say", json!({"text": "b", "ms": 2})),
    ];
    let start = Instant::now();
    let executor = Executor::parallel(all(), 8).timeout(Duration::from_secs(2));
    let batch = executor.run(&calls, &Context::new()).await;
    assert_eq!(start.elapsed(), Duration::from_secs(2));
    assert_eq!(ids(&batch), ["1", "2", "3", "4", "5", "6", "7", "1"]);
    assert_eq!(
        kinds(&batch),
        [
            None,
            Some(ErrorKind::Timeout),
            Some(ErrorKind::Panicked),
            Some(ErrorKind::Failed),
            Some(ErrorKind::Timeout),
            Some(ErrorKind::Unknown),
            Some(ErrorKind::InvalidArgs),
            None,
        ]
    );
    let texts: Vec<_> = batch
        .results()
        .map(|result| result.content(Encoder::auto()))
        .collect();
    let late = |limit: &str| {
        format!(
            "the tool did not answer within its time limit of {limit} (`timeout` of the tool or the executor changes it)\n\
             its work may go on, and it is not known whether it took effect"
        )
    };
    assert_eq!(texts[1], late("2s"));
    assert_eq!(texts[4], late("50ms"));
    assert_eq!(texts[7], "b");
}

#[tokio::test(start_paused = true)]
async fn a_batch_may_have_a_limit_as_a_whole() {
    let calls = [
        call("1", "say", json!({"text": "a", "ms": 900})),
        call("2", "say", json!({"text": "b", "ms": 900})),
        call("3", "say", json!({"text": "c", "ms": 900})),
    ];
    let executor = Executor::serial(all()).batch_timeout(Duration::from_secs(1));
    let batch = executor.run(&calls, &Context::new()).await;
    assert_eq!(
        kinds(&batch),
        [None, Some(ErrorKind::Timeout), Some(ErrorKind::Timeout)]
    );
}

/// The limit of a batch is a failure like any other for each call that it ends.
#[tokio::test(start_paused = true)]
async fn calls_that_a_batch_has_no_time_for_are_put_to_the_policy() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let calls = [
        call("1", "say", json!({"text": "a", "ms": 900})),
        call("2", "hang", json!({})),
        call("3", "say", json!({"text": "c", "ms": 900})),
    ];
    let seen = Arc::clone(&asked);
    let policy = ErrorPolicy::with(move |call, error| {
        seen.lock()
            .unwrap()
            .push((call.id.to_string(), error.kind()));
        OnFailure::Replace(Outcome::value("later"))
    });
    let executor = Executor::serial(all())
        .batch_timeout(Duration::from_secs(1))
        .on_error(policy);
    let batch = executor.run(&calls, &Context::new()).await;
    let timeout = ErrorKind::Timeout;
    assert_eq!(
        *asked.lock().unwrap(),
        [("2".to_owned(), timeout), ("3".to_owned(), timeout)]
    );
    let values: Vec<_> = batch.results().map(toolwright::ToolResult::value).collect();
    assert_eq!(
        values,
        [json!("a"), json!("later"), json!("later")].map(Some)
    );
    assert_eq!(batch.halted(), None);
}

#[tokio::test(start_paused = true)]
async fn cancelled_calls_are_answered_and_do_not_run() {
    let calls = [
        call("1", "say", json!({"text": "a", "ms": 5})),
        call("2", "hang", json!({})),
        call("3", "say", json!({"text": "c", "ms": 1})),
    ];
    let cancelled = Some(ErrorKind::Cancelled);

    let stop = Cancel::new();
    stop.cancel();
    let cx = Context::new().with_cancel(stop);
    let batch = Executor::parallel(all(), 2).run(&calls, &cx).await;
    assert_eq!(ids(&batch), ["1", "2", "3"]);
    assert_eq!(kinds(&batch), [cancelled; 3]);
    assert_eq!(batch.halted(), Some(&Halted::Cancelled));

    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let executor = Executor::serial(all());
    let run = executor.run(&calls, &cx);
    let (batch, ()) = tokio::join!(run, async {
        sleep(Duration::from_millis(20)).await;
        stop.cancel();
    });
    assert_eq!(kinds(&batch), [None, cancelled, cancelled]);
    assert_eq!(batch.halted(), Some(&Halted::Cancelled));
}

#[tokio::test(start_paused = true)]
async fn who_looks_on_learns_what_became_of_a_dropped_batch() {
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&events);
    let executor = Executor::parallel(all(), 2).on_event(move |event| {
        if let Event::Finished { result, .. } = event {
            let kind = result.outcome.as_ref().err().map(ToolError::kind);
            seen.lock().unwrap().push((result.id.to_string(), kind));
        }
    });
    let calls = [
        call("1", "say", json!({"text": "a", "ms": 5})),
        call("2", "hang", json!({})),
        call("3", "hang", json!({})),
    ];
    let cx = Context::new();
    let run = executor.run(&calls, &cx);
    assert!(
        tokio::time::timeout(Duration::from_millis(50), run)
            .await
            .is_err()
    );
    let cancelled = Some(ErrorKind::Cancelled);
    assert_eq!(
        *events.lock().unwrap(),
        [
            ("1".into(), None),
            ("2".into(), cancelled),
            ("3".into(), cancelled)
        ]
    );
}

#[test]
fn tools_come_as_they_are_held() {
    let tools = tools![fail, charge];
    let (shared, registry) = (Arc::new(tools.clone()), Registry::from(tools.clone()));
    let executors = [
        Executor::parallel(&tools, 4),
        Executor::parallel(&shared, 4),
        Executor::parallel(&registry, 4),
        Executor::parallel(Arc::clone(&shared), 4),
        Executor::parallel(registry, 4),
        Executor::parallel(tools, 4),
        Executor::serial(&shared),
    ];
    for executor in executors {
        assert_eq!(executor.tools(&Context::new()).iter().len(), 2);
    }
}

#[test]
fn calls_for_a_person_are_pending_and_the_others_run() {
    let calls = [
        call("1", "charge", json!({"cents": 2000})),
        call("2", "say", json!({"text": "a", "ms": 0})),
        call("3", "charge", json!({"cents": 1})),
        call("4", "nope", json!({})),
    ];
    let batch = Executor::parallel(all(), 2).run_blocking(&calls, &Context::new());
    assert_eq!(ids(&batch), ["2", "4"]);
    let pending: Vec<_> = batch
        .pending()
        .map(|pending| (pending.index, &pending.reason))
        .collect();
    assert_eq!(
        pending,
        [
            (0, &PendingReason::ManualTool),
            (2, &PendingReason::ManualTool)
        ]
    );
    assert_eq!(batch.halted(), Some(&Halted::Pending));

    let batch = Executor::serial(all())
        .manual(|_| true)
        .run_blocking(&calls, &Context::new());
    assert_eq!(ids(&batch), ["4"]);
    assert_eq!(batch.pending().count(), 3);

    let some = Executor::serial(all()).manual(|def| def.is_called("say"));
    let batch = some.run_blocking(&calls, &Context::new());
    assert_eq!(
        batch.pending().nth(1).unwrap().reason,
        PendingReason::ManualMode
    );
}

#[test]
fn the_first_of_equal_halts_wins_and_no_sibling_is_lost() {
    let calls = [
        call("1", "charge", json!({"cents": 2000})),
        call("2", "stop", json!({"value": 1})),
        call("3", "stop", json!({"value": 2})),
        call("4", "say", json!({"text": "a", "ms": 0})),
    ];
    let batch = Executor::parallel(all(), 4).run_blocking(&calls, &Context::new());
    let Some(Halted::Halt {
        index,
        id,
        reason,
        value,
    }) = batch.halted()
    else {
        panic!("{:?}", batch.halted());
    };
    assert_eq!((*index, &**id, reason.as_str()), (1, "2", "plan_submitted"));
    assert_eq!(value.to_json(), "1");
    assert_eq!(ids(&batch), ["2", "3", "4"]);
    assert_eq!(batch.pending().count(), 1);

    let calls = [
        calls[1].clone(),
        call("5", "ask", json!({"question": "Which?"})),
    ];
    let batch = Executor::serial(all()).run_blocking(&calls, &Context::new());
    assert_eq!(batch.halted().unwrap().as_str(), "ask_user");
}

#[test]
fn the_loop_stops_where_every_success_goes_to_the_user() {
    let run = |calls: &[ToolCall]| {
        let batch = Executor::serial(all()).run_blocking(calls, &Context::new());
        batch.halted().cloned()
    };
    let (good, bad) = (
        call("1", "direct", json!({"ok": true})),
        call("2", "direct", json!({"ok": false})),
    );
    let other = call("3", "say", json!({"text": "a", "ms": 0}));
    assert_eq!(run(std::slice::from_ref(&good)), Some(Halted::ReturnDirect));
    assert_eq!(
        run(&[good.clone(), bad.clone()]),
        Some(Halted::ReturnDirect)
    );
    assert_eq!(run(&[good, other]), None);
    assert_eq!(run(&[bad]), None);
}

#[test]
fn a_policy_is_asked_once_for_each_failure() {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let calls = [
        call("1", "fail", json!({"why": "no"})),
        call("2", "boom", json!({})),
        call("3", "say", json!({"text": "a", "ms": 0})),
    ];
    let run = |policy| {
        let executor = Executor::parallel(all(), 3).on_error(policy);
        executor.run_blocking(&calls, &Context::new())
    };

    let batch = run(ErrorPolicy::Halt);
    assert_eq!(batch.halted(), Some(&Halted::ToolError { index: 0 }));
    assert_eq!(batch.error().unwrap().to_string(), "no");
    assert!(batch.calls()[2].answered().unwrap().is_success());

    let batch = run(ErrorPolicy::with(|call, _| {
        ASKED.fetch_add(1, Ordering::SeqCst);
        assert_ne!(&*call.id, "2", "the policy panics too");
        OnFailure::Replace(Outcome::value("instead"))
    }));
    assert_eq!(ASKED.load(Ordering::SeqCst), 2);
    assert_eq!(
        batch.calls()[0].answered().unwrap().value(),
        Some(json!("instead"))
    );
    assert_eq!(batch.halted(), Some(&Halted::ToolError { index: 1 }));
    assert_eq!(batch.error().unwrap().kind(), ErrorKind::Panicked);

    let batch = Executor::serial(all())
        .on_error(ErrorPolicy::Abort)
        .run_blocking(&calls, &Context::new());
    assert_eq!(batch.halted(), Some(&Halted::Aborted { index: 0 }));
    assert_eq!(
        kinds(&batch),
        [
            Some(ErrorKind::Failed),
            Some(ErrorKind::Cancelled),
            Some(ErrorKind::Cancelled)
        ]
    );
}

#[test]
fn nothing_runs_where_an_unknown_tool_ends_the_batch() {
    static RAN: AtomicU32 = AtomicU32::new(0);

    /// Counts.
    #[tool]
    fn counted() -> u32 {
        RAN.fetch_add(1, Ordering::SeqCst)
    }

    let calls = [
        call("1", "counted", json!({})),
        call("2", "nope", json!({})),
    ];
    let executor =
        Executor::parallel(tools![counted], 2).on_error(ErrorPolicy::with(|_, error| match error
            .kind()
        {
            ErrorKind::Unknown | ErrorKind::Hidden => OnFailure::Abort,
            _ => OnFailure::Continue,
        }));
    let batch = executor.run_blocking(&calls, &Context::new());
    assert_eq!(RAN.load(Ordering::SeqCst), 0);
    assert_eq!(
        kinds(&batch),
        [Some(ErrorKind::Cancelled), Some(ErrorKind::Unknown)]
    );
    assert_eq!(batch.halted(), Some(&Halted::Aborted { index: 1 }));
}

#[tokio::test(start_paused = true)]
async fn updates_are_made_in_call_order() {
    let calls = [
        call("1", "learn", json!({"name": "n", "value": 1, "ms": 20})),
        call("2", "learn", json!({"name": "n", "value": 2, "ms": 5})),
    ];
    let batch = Executor::parallel(all(), 2)
        .run(&calls, &Context::new())
        .await;
    assert_eq!(batch.state().unwrap().get("n"), Some(&json!(2)));
    let quiet = Executor::serial(all())
        .run(&[] as &[ToolCall], &Context::new())
        .await;
    assert!(quiet.state().is_none() && quiet.calls().is_empty());
}

#[test]
fn a_blocking_tool_holds_up_nobody() {
    let calls = [
        call("1", "block", json!({"ms": 60_000})),
        call("2", "say", json!({"text": "a", "ms": 1})),
    ];
    let executor = Executor::parallel(all(), 2).timeout(Duration::from_millis(100));
    // Its runtime does not wait for the thread.
    let batch = executor.run_blocking(&calls, &Context::new());
    assert_eq!(kinds(&batch), [Some(ErrorKind::Timeout), None]);
}

#[tokio::test(start_paused = true)]
async fn progress_reaches_who_looks_on() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&told);
    let executor = Executor::serial(all()).on_event(move |event| {
        if let Event::Progress {
            index,
            id,
            name,
            progress,
            ..
        } = event
        {
            seen.lock().unwrap().push(format!(
                "{index} {id} {name} {} {:?}",
                progress.done, progress.total
            ));
        }
    });
    executor
        .run(&[call("c", "steps", json!({"n": 2}))], &Context::new())
        .await;
    assert_eq!(
        *told.lock().unwrap(),
        ["0 c steps 1 Some(2.0)", "0 c steps 2 Some(2.0)"]
    );
}
