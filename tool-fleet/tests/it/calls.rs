//! Calls of tools that run on a worker.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolwright::call::{
    Answer, Approved, Call, Cancel, Content, Decision, ErrorKind, HaltReason, Payload, Progress,
    State,
};
use toolwright::executor::Event;
use toolwright::layers::Retry;
use toolwright::{
    Context, Encoder, Executor, Outcome, Tool, ToolCall, ToolDef, ToolError, Toolset, tool, tools,
};
use toolwright_fleet::{Fleet, FleetError};

use crate::support::{builder, call, fleet, place, run, server, start, unique, until};

/// Does nothing.
#[tool(read_only)]
fn noop() -> &'static str {
    "done"
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_runs_on_a_worker() {
    let (fleet, queue) = (fleet().await, unique("noop"));
    let worker = start(fleet.worker().tools(&queue, tools![noop]));
    let far = fleet.toolset(&queue, &tools![noop]).unwrap();
    let mut times = Vec::new();
    for round in 0..40 {
        let began = Instant::now();
        let asked = ToolCall::new("c1", "noop", "{}");
        let result = call(&far, &asked, &run("noop").with_turn(round)).await;
        assert_eq!(result.value(), Some("done".into()));
        times.push(began.elapsed());
    }
    times.sort();
    println!(
        "a call of nothing: median {:?}, least {:?}",
        times[20], times[0]
    );
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_executor_and_a_run_a_call_works_too() {
    let (fleet, queue) = (fleet().await, unique("plain"));
    let worker = start(fleet.worker().tools(&queue, tools![noop]));
    let far = fleet.toolset(&queue, &tools![noop]).unwrap();
    let result = far
        .call(&ToolCall::new("c1", "noop", "{}"), &Context::new())
        .await;
    assert_eq!(result.value(), Some("done".into()));
    worker.stop().await;
}

/// Returns its arguments as they are.
struct Raw(ToolDef);

impl Tool for Raw {
    fn def(&self) -> &ToolDef {
        &self.0
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        let text = RawValue::from_string(call.arguments().to_owned()).unwrap();
        Answer::Ready(Ok(Outcome::Value(Payload::new(text))))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn json_travels_byte_for_byte() {
    let (fleet, queue) = (fleet().await, unique("raw"));
    let raw = || Arc::new(Raw(ToolDef::new("raw", "Returns its arguments.")));
    let tools = Toolset::new([raw() as Arc<dyn Tool>]).unwrap();
    let worker = start(fleet.worker().tools(&queue, &tools));
    let far = fleet.toolset(&queue, &tools).unwrap();
    let text = r#"{"z": 12345678901234567890123.10, "a":1,"a":2, "e":1e400,  "s":"\u00e9\/é"}"#;
    let result = call(&far, &ToolCall::new("c1", "raw", text), &run("raw")).await;
    let Ok(Outcome::Value(value)) = &result.outcome else {
        panic!("{result:?}");
    };
    assert_eq!(value.to_json(), text);
    worker.stop().await;
}

/// Asks a person.
#[tool]
fn ask() -> Outcome {
    Outcome::ask("Which one?").option("choices", ["red", "blue"])
}

/// Ends the conversation.
#[tool]
fn halt() -> Outcome {
    Outcome::halt(HaltReason::try_new("sold_out").unwrap(), json!({"left": 0}))
}

/// Answers the user.
#[tool(return_direct)]
fn direct() -> &'static str {
    "to you"
}

/// Shows something.
#[tool]
fn show() -> Content {
    Content::text("a picture")
}

/// Fails.
#[tool]
fn fail(permanent: bool) -> Result<(), ToolError> {
    let error = ToolError::failed("the shop is closed").with_message("until Monday");
    Err(if permanent {
        error.permanent()
    } else {
        error.with_outcome_unknown()
    })
}

/// Panics.
#[tool]
fn panic() {
    panic!("oh no");
}

/// Adds.
#[tool(meta(unit = "cents"))]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[tokio::test(flavor = "multi_thread")]
async fn outcomes_of_all_kinds_return() {
    let (fleet, queue) = (fleet().await, unique("outcomes"));
    let tools = tools![ask, halt, direct, show, fail, panic, add];
    let worker = start(fleet.worker().tools(&queue, &tools));
    let far = fleet.toolset(&queue, &tools).unwrap();
    for (name, arguments) in [
        ("ask", "{}"),
        ("halt", "{}"),
        ("direct", "{}"),
        ("show", "{}"),
        ("fail", r#"{"permanent": true}"#),
        ("fail", r#"{"permanent": false}"#),
        ("panic", "{}"),
        // Repaired, refused, and unknown.
        ("add", r#"{"a": "2", "b": 3}"#),
        ("add", r#"{"a": "x"}"#),
        ("nope", "{}"),
    ] {
        let asked = ToolCall::new("c1", name, arguments);
        let here = call(&tools, &asked, &run("here")).await;
        let there = call(&far, &asked, &run("there")).await;
        match (&here.outcome, &there.outcome) {
            (Ok(here), Ok(there)) => assert_eq!(here, there),
            (Err(here), Err(there)) => {
                assert_eq!(here.to_string(), there.to_string());
                assert_eq!(here.kind(), there.kind());
                assert_eq!(here.is_permanent(), there.is_permanent());
                assert_eq!(here.is_outcome_unknown(), there.is_outcome_unknown());
                assert_eq!(here.faults(), there.faults());
            }
            other => panic!("{name}: {other:?}"),
        }
        assert_eq!(here.repairs, there.repairs);
        assert_eq!(here.attributes, there.attributes);
    }
    worker.stop().await;
}

/// Says what it knows of its call.
#[tool]
fn know(#[context] cx: &Context) -> Value {
    cx.update_state("seen", json!({"big": 7}));
    cx.update_state("twice", 2);
    json!({
        "key": cx.idempotency_key(),
        "place": place(cx),
        "session": cx.session_id(),
        "run": cx.run_id(),
        "agent": cx.agent_id(),
        "turn": cx.turn(),
        "input": cx.input(),
        "state": cx.session_state(),
        "called": cx.scope().called,
        "call": cx.call_id(),
        "tool": cx.tool(),
        "depth": cx.limits().depth,
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_knows_there_what_it_would_know_here() {
    let (fleet, queue) = (fleet().await, unique("know"));
    let worker = start(fleet.worker().tools(&queue, tools![know]));
    let far = fleet.toolset(&queue, &tools![know]).unwrap();
    let cx = run("know")
        .with_session("s1")
        .with_agent("a1")
        .with_turn(3)
        .with_input("What do you know?")
        .with_called(["noop", "know"])
        .with_state(State::new().with("seen", 1).with("name", "Ada"));
    // The second call of the turn: its place is in its key.
    let calls = [
        ToolCall::new("c1", "know", "{}"),
        ToolCall::new("c2", "know", "{}"),
    ];
    let here = Executor::serial(tools![know]).run(&calls, &cx).await;
    let there = Executor::parallel(&far, 2).run(&calls, &cx).await;
    let values = |batch: &toolwright::executor::Batch| -> Vec<_> {
        batch
            .results()
            .map(|result| result.value().unwrap())
            .collect()
    };
    assert_eq!(values(&here), values(&there));
    assert_eq!(here.updates(), there.updates());
    assert_eq!(here.state(), there.state());
    assert!(
        values(&there)[1]["key"]
            .as_str()
            .unwrap()
            .ends_with("/3/1/c2")
    );
    worker.stop().await;
}

/// Pays a bill.
#[tool]
fn pay(bill: u32, yes: Approved<'_>) -> String {
    format!("paid {bill} as in {}", yes.arguments())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_persons_yes_reaches_the_worker() {
    let (fleet, queue) = (fleet().await, unique("pay"));
    let worker = start(fleet.worker().tools(&queue, tools![pay]));
    let far = fleet.toolset(&queue, &tools![pay]).unwrap();
    let (executor, cx) = (Executor::serial(&far), run("pay"));
    let batch = executor
        .run(&[ToolCall::new("c1", "pay", r#"{"bill": 7}"#)], &cx)
        .await;
    let pending = batch
        .pending()
        .next()
        .unwrap()
        .with_decision(Decision::Approve);
    let batch = executor.run(&[pending], &cx).await;
    let paid = batch.results().next().unwrap().content(Encoder::default());
    assert_eq!(paid, r#"paid 7 as in {"bill": 7}"#);
    // Without it, nothing is sent.
    let result = far
        .call(&ToolCall::new("c1", "pay", r#"{"bill": 7}"#), &cx)
        .await;
    assert_eq!(result.outcome.unwrap_err().kind(), ErrorKind::NotApproved);
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_that_nobody_serves_is_an_error_and_the_call_may_be_made_again() {
    let fleet = builder()
        .queue_timeout(Duration::from_secs(1))
        .connect()
        .await
        .unwrap();
    let (queue, cx) = (unique("nobody"), run("nobody"));
    let far = fleet.toolset(&queue, &tools![add]).unwrap();
    let asked = ToolCall::new("c1", "add", r#"{"a": 1, "b": 2}"#);
    let error = call(&far, &asked, &cx).await.outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotStarted);
    assert_eq!(
        error.to_string(),
        format!("no worker serves the queue `{queue}`; the call did not begin")
    );
    assert!(!error.is_outcome_unknown());
    let retrying = Executor::serial(&far).layer(Retry::new(20));
    let batch = tokio::spawn({
        let (asked, cx) = (asked.clone(), cx.clone());
        async move { retrying.run(&[asked], &cx).await }
    });
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let worker = start(fleet.worker().tools(&queue, tools![add]));
    let batch = batch.await.unwrap();
    assert_eq!(batch.results().next().unwrap().value(), Some(3.into()));
    // It is found again.
    assert_eq!(call(&far, &asked, &cx).await.value(), Some(3.into()));
    worker.stop().await;
}

/// Reports its steps.
#[tool]
async fn steps(#[context] cx: &Context) {
    for step in 1..=4 {
        let progress = Progress::new(f64::from(step)).with_total(4.0);
        cx.progress(
            progress
                .with_message(format!("step {step}"))
                .with_item(json!({"n": step})),
        );
        tokio::time::sleep(Duration::from_millis(1500)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_reaches_the_caller() {
    let (fleet, queue) = (fleet().await, unique("steps"));
    let worker = start(fleet.worker().tools(&queue, tools![steps]));
    let far = fleet.toolset(&queue, &tools![steps]).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&seen);
    let executor = Executor::serial(&far).on_event(move |event| {
        if let Event::Progress { progress, .. } = event {
            listener.lock().unwrap().push((*progress).clone());
        }
    });
    executor
        .run(&[ToolCall::new("c1", "steps", "{}")], &run("steps"))
        .await;
    let seen = seen.lock().unwrap().clone();
    assert!(seen.len() >= 2, "{seen:?}");
    assert!(
        seen.windows(2).all(|two| two[0].done < two[1].done),
        "{seen:?}"
    );
    let last = seen.last().unwrap();
    assert_eq!(last.total, Some(4.0));
    assert_eq!(
        last.message.as_deref(),
        Some(&*format!("step {}", last.done))
    );
    assert!(last.item.is_some());
    worker.stop().await;
}

/// Reports more than a server takes.
#[tool]
async fn shout(#[context] cx: &Context) -> &'static str {
    let much = "é".repeat(2_000_000);
    cx.progress(
        Progress::new(1.0)
            .with_message(much.clone())
            .with_item(json!(much)),
    );
    tokio::time::sleep(Duration::from_millis(2500)).await;
    "done"
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_that_is_too_long_is_cut_and_ends_no_call() {
    let (fleet, queue) = (fleet().await, unique("shout"));
    let worker = start(fleet.worker().tools(&queue, tools![shout]));
    let far = fleet.toolset(&queue, &tools![shout]).unwrap();
    let seen = Arc::new(Mutex::new(None));
    let listener = Arc::clone(&seen);
    let executor = Executor::serial(&far).on_event(move |event| {
        if let Event::Progress { progress, .. } = event {
            *listener.lock().unwrap() = Some((*progress).clone());
        }
    });
    let asked = [ToolCall::new("c1", "shout", "{}")];
    let batch = executor.run(&asked, &run("shout")).await;
    let result = batch.results().next().unwrap();
    assert_eq!(result.value(), Some("done".into()), "{result:?}");
    let progress = seen.lock().unwrap().clone().unwrap();
    assert_eq!((progress.done, progress.item), (1.0, None));
    assert_eq!(progress.message.unwrap().len(), 256 * 1024);
    worker.stop().await;
}

static BEGUN: AtomicUsize = AtomicUsize::new(0);
static TOLD: AtomicUsize = AtomicUsize::new(0);

/// Waits until it is cancelled.
#[tool(timeout = "60s")]
async fn wait(#[context] cx: &Context) {
    BEGUN.fetch_add(1, Ordering::SeqCst);
    let stop = cx.cancel();
    let told = Told(stop.clone());
    stop.cancelled().await;
    drop(told);
}

/// Notes that the call was cancelled, also if the executor drops it first.
struct Told(Cancel);

impl Drop for Told {
    fn drop(&mut self) {
        TOLD.fetch_add(usize::from(self.0.is_cancelled()), Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_reaches_the_tool() {
    let (fleet, queue) = (fleet().await, unique("wait"));
    let worker = start(fleet.worker().tools(&queue, tools![wait]));
    let far = fleet.toolset(&queue, &tools![wait]).unwrap();
    let asked = ToolCall::new("c1", "wait", "{}");
    // By the host's token.
    let stop = Cancel::new();
    let cx = run("wait").with_cancel(stop.clone());
    let task = tokio::spawn({
        let (far, asked) = (far.clone(), asked.clone());
        async move { call(&far, &asked, &cx).await }
    });
    until(|| BEGUN.load(Ordering::SeqCst) == 1).await;
    let began = Instant::now();
    stop.cancel();
    let error = task.await.unwrap().outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(error.is_outcome_unknown());
    until(|| TOLD.load(Ordering::SeqCst) == 1).await;
    println!(
        "a cancellation reached the tool after {:?}",
        began.elapsed()
    );
    // By a future that is dropped.
    let cx = run("wait");
    let task = tokio::spawn(async move { call(&far, &asked, &cx).await });
    until(|| BEGUN.load(Ordering::SeqCst) == 2).await;
    task.abort();
    until(|| TOLD.load(Ordering::SeqCst) == 2).await;
    worker.stop().await;
}

/// Takes its time.
#[tool(timeout = "1s")]
async fn slow() {
    tokio::time::sleep(Duration::from_mins(1)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tools_time_limit_holds_on_the_worker() {
    let (fleet, queue) = (fleet().await, unique("slow"));
    let worker = start(fleet.worker().tools(&queue, tools![slow]));
    let far = fleet.toolset(&queue, &tools![slow]).unwrap();
    let began = Instant::now();
    let error = call(&far, &ToolCall::new("c1", "slow", "{}"), &run("slow")).await;
    assert_eq!(error.outcome.unwrap_err().kind(), ErrorKind::Timeout);
    assert!(began.elapsed() < Duration::from_secs(10));
    worker.stop().await;
}

mod first {
    use super::tool;

    /// Orders something.
    #[tool]
    pub(super) fn order(qty: u32) -> u32 {
        qty
    }

    /// Deletes something.
    #[tool(destructive)]
    pub(super) fn remove(id: u32) -> u32 {
        id
    }

    /// Orders something else.
    #[tool]
    pub(super) fn plain(qty: u32) -> u32 {
        qty
    }
}

mod second {
    use super::tool;

    /// Orders something.
    #[tool]
    pub(super) fn order(#[arg(was = "qty")] count: u32) -> u32 {
        count * 100
    }

    /// Deletes something.
    #[tool(destructive, was("remove"))]
    pub(super) fn delete(#[arg(was = "id")] number: u32) -> u32 {
        number
    }

    /// Orders something else, in other words.
    #[tool]
    pub(super) fn plain(qty: String) -> String {
        qty
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_another_version_is_read_under_old_names_or_refused() {
    let (fleet, queue) = (fleet().await, unique("versions"));
    let ours = tools![second::order, second::plain, second::delete];
    let worker = start(fleet.worker().tools(&queue, ours));
    let old = tools![first::order, first::plain, first::remove];
    let old = fleet.toolset(&queue, &old).unwrap();
    let arguments = r#"{"qty": 3}"#;
    let result = call(&old, &ToolCall::new("c1", "order", arguments), &run("v")).await;
    assert_eq!(result.value(), Some(300.into()));
    // For the caller it is the name of today.
    let asked = ToolCall::new("c1", "remove", r#"{"id": 7}"#);
    assert_eq!(call(&old, &asked, &run("v")).await.value(), Some(7.into()));
    let result = call(&old, &ToolCall::new("c1", "plain", arguments), &run("v")).await;
    let error = result.outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotStarted);
    assert!(error.is_permanent());
    let words = error.to_string();
    let is_clear = words.starts_with("the call is for another version of `plain` (")
        && words.contains(") than the worker's (")
        && words.ends_with("nothing ran: qty: expected a string, got 3");
    assert!(is_clear, "{words}");
    worker.stop().await;
    // An older worker knows no name of tomorrow.
    let worker = start(fleet.worker().tools(&queue, tools![first::order]));
    let new = fleet.toolset(&queue, &tools![second::order]).unwrap();
    let asked = ToolCall::new("c1", "order", r#"{"count": 3}"#);
    let words = call(&new, &asked, &run("v"))
        .await
        .outcome
        .unwrap_err()
        .to_string();
    let is_clear = words.contains("and does not fit; nothing ran: ")
        && words.contains("count: unknown argument");
    assert!(is_clear, "{words}");
    worker.stop().await;
}

static COUNTED: AtomicUsize = AtomicUsize::new(0);

/// Counts its calls.
#[tool]
async fn count() -> usize {
    tokio::time::sleep(Duration::from_millis(500)).await;
    COUNTED.fetch_add(1, Ordering::SeqCst)
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_of_the_same_call_share_it() {
    let (fleet, queue) = (fleet().await, unique("count"));
    let worker = start(fleet.worker().tools(&queue, tools![count]));
    let far = fleet.toolset(&queue, &tools![count]).unwrap();
    // The server takes ids of a thousand bytes.
    let cx = run(&"long".repeat(500));
    let asked = ToolCall::new("c1", "count", "{}");
    let all = (0..8).map(|_| {
        let (far, asked, cx) = (far.clone(), asked.clone(), cx.clone());
        tokio::spawn(async move { call(&far, &asked, &cx).await })
    });
    for one in all.collect::<Vec<_>>() {
        assert_eq!(one.await.unwrap().value(), Some(0.into()));
    }
    assert_eq!(COUNTED.load(Ordering::SeqCst), 1);
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn definitions_as_data_are_enough() {
    let (fleet, queue) = (fleet().await, unique("defs"));
    let worker = start(fleet.worker().tools(&queue, tools![add]));
    let def = tools![add].definitions().next().unwrap().clone();
    let far = fleet.toolset_of(&queue, [def.clone()]).unwrap();
    let asked = ToolCall::new("c1", "add", r#"{"a": 40, "b": 2}"#);
    assert_eq!(
        call(&far, &asked, &run("defs")).await.value(),
        Some(42.into())
    );
    let refused = call(&far, &asked.with_arguments(r#"{"a": 40}"#), &run("defs")).await;
    assert_eq!(refused.outcome.unwrap_err().kind(), ErrorKind::InvalidArgs);
    let twice = fleet.toolset_of(&queue, [def.clone(), def]);
    assert!(matches!(twice, Err(FleetError::Tools(_))));
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_typed_errors() {
    let error = Fleet::connect("no address").await.unwrap_err();
    assert!(matches!(error, FleetError::Address { .. }), "{error}");
    let error = Fleet::connect("http://me:secret@127.0.0.1:1")
        .await
        .unwrap_err();
    assert!(matches!(error, FleetError::Connect { .. }), "{error}");
    assert!(!format!("{error} {error:?}").contains("secret"));
    let address = server();
    let bare = address.trim_start_matches("http://");
    Fleet::connect(bare).await.unwrap();
    let fleet = fleet().await;
    let error = fleet.toolset("a queue", &tools![noop]).unwrap_err();
    assert!(matches!(error, FleetError::Name { .. }), "{error}");
    let error = fleet.worker().run(async {}).await.unwrap_err();
    assert!(matches!(error, FleetError::Worker { .. }), "{error}");
    let twice = fleet
        .worker()
        .tools("q", tools![noop])
        .tools("q", tools![add]);
    let error = twice.run(async {}).await.unwrap_err();
    assert!(matches!(error, FleetError::Worker { .. }), "{error}");
    let builder = Fleet::builder("http://me:secret@127.0.0.1:1").api_key("secret");
    assert!(!format!("{builder:?} {fleet:?}").contains("secret"));
}
