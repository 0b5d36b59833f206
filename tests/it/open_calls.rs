//! Calls that stay open after their batch.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore};
use toolwright::call::{BoxFuture, Cancel, ErrorKind, StoredOutcome};
use toolwright::executor::{
    OpenCall, OpenCallError, OpenCallHandle, OpenCallState, OpenCallStore, OpenCalls, Runner,
    RunnerCall, UnknownOutcome,
};
use toolwright::layers::{Approval, Handled, Layer, Next, Request, Retry};
use toolwright::{
    Context, Encoder, Executor, Outcome, ToolCall, ToolError, Toolset, call::Decision,
    executor::Batch, tool, tools,
};

/// What tools have and tell.
#[derive(Default)]
struct Host {
    go: Notify,
    ran: Mutex<Vec<String>>,
    handle: Mutex<Option<OpenCallHandle>>,
}

impl Host {
    fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }

    fn note(&self, cx: &Context) {
        let key = cx.idempotency_key().unwrap_or_default();
        self.ran.lock().unwrap().push(key);
    }
}

/// Renders, when the host says so.
#[tool(background)]
async fn render(
    #[arg(range(1..=9))] minutes: u32,
    #[state] host: &Host,
    #[context] cx: &Context,
) -> Result<Value, ToolError> {
    host.note(cx);
    host.go.notified().await;
    cx.update_state("film", minutes);
    match minutes {
        8 => Err(ToolError::failed("no film for this")),
        7 => Err(ToolError::failed("the studio is silent").with_outcome_unknown()),
        6 => panic!("the film tears"),
        minutes => Ok(json!({"film": minutes, "open": cx.open_call()})),
    }
}

/// Renders on a thread of its own.
#[tool(background, blocking)]
fn render_blocking(#[context] cx: &Context) -> Option<String> {
    cx.open_call().map(str::to_owned)
}

/// Decides while it runs.
#[tool]
async fn decide(
    keep: String,
    #[state] host: &Host,
    #[context] cx: &Context,
) -> Result<Outcome, ToolError> {
    host.note(cx);
    if keep == "no" {
        return Ok(Outcome::value("at once"));
    }
    let handle = cx.keep_open().await?;
    let outcome = handle.outcome("it takes a while");
    if keep == "twice" {
        let again = cx.keep_open().await.unwrap_err();
        assert_eq!(again.to_string(), "the call is open already");
    }
    *host.handle.lock().unwrap() = Some(handle);
    match &*keep {
        "answers" => Ok(Outcome::value("answered all the same")),
        "fails" => Err(ToolError::failed("not today")),
        _ => Ok(outcome),
    }
}

fn set(host: &Arc<Host>) -> Toolset {
    tools![render, render_blocking, decide; state = Arc::clone(host)]
}

fn cx() -> Context {
    Context::new().with_run("r").with_session("s")
}

fn film(id: &str, minutes: u32) -> ToolCall {
    ToolCall::new(id, "render", format!(r#"{{"minutes": {minutes}}}"#))
}

fn deciding(keep: &str) -> [ToolCall; 1] {
    [ToolCall::new(
        "d",
        "decide",
        json!({ "keep": keep }).to_string(),
    )]
}

fn outcome(call: &OpenCall) -> Result<Outcome, ToolError> {
    match &call.state {
        OpenCallState::Ended(outcome) => StoredOutcome::clone(outcome).into_outcome(),
        state => panic!("{state:?}"),
    }
}

fn said(call: &OpenCall) -> String {
    match outcome(call) {
        Ok(outcome) => outcome.payload().unwrap().to_json().into_owned(),
        Err(error) => format!("{:?}: {error}", error.kind()),
    }
}

fn texts(batch: &Batch) -> Vec<String> {
    let text = |result: &toolwright::ToolResult| result.content(Encoder::default()).into_owned();
    batch.results().map(text).collect()
}

const NOTE: &str =
    "it has begun and goes on in the background; its result will follow in a message";

/// Lets all tasks go as far as they come.
async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

/// A layer that changes nothing.
struct Plain;

impl Layer for Plain {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(next.run(request))
    }
}

/// A runner that runs the calls here.
struct Here;

impl Runner for Here {
    fn run(&self, calls: Vec<RunnerCall>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            for call in calls {
                call.run().await;
            }
        })
    }
}

#[tokio::test]
async fn the_model_reads_a_note_and_the_result_follows_with_its_updates() {
    let ways: [fn(Executor) -> Executor; 4] = [
        |executor| executor,
        |executor| executor.layer(Plain),
        |executor| executor.runner(Here),
        |executor| executor.layer(Plain).runner(Here),
    ];
    for way in ways {
        for parallel in [1, 8] {
            let (host, open) = (Arc::new(Host::default()), OpenCalls::new());
            let executor = way(Executor::parallel(set(&host), parallel)).open_calls(&open);
            let calls = [film("1", 3), film("1", 8), film("3", 6)];
            let batch = executor.run(&calls, &cx()).await;
            assert_eq!(texts(&batch), [NOTE; 3]);
            assert!(
                batch
                    .results()
                    .all(|result| result.is_open() && result.is_success())
            );
            assert!(batch.updates().is_empty());
            let keys: Vec<_> = open.list().into_iter().map(|call| call.key).collect();
            assert_eq!(keys, ["r/0/0/1", "r/0/1/1", "r/0/2/3"]);
            assert!(open.take_ended().is_none());

            settle().await;
            assert_eq!(host.ran(), keys);
            host.go.notify_waiters();
            let first = open.ended().await;
            assert_eq!(said(&first), r#"{"film":3,"open":"r/0/0/1"}"#);
            let OpenCallState::Ended(stored) = &first.state else {
                panic!()
            };
            assert_eq!(stored.updates(), [("film".to_owned(), json!(3))]);
            assert_eq!(
                (&*first.call.id, first.session.as_deref()),
                ("1", Some("s"))
            );
            let second = open.ended().await;
            assert_eq!(said(&second), "Failed: no film for this");
            let OpenCallState::Ended(stored) = &second.state else {
                panic!()
            };
            assert!(stored.updates().is_empty());
            assert_eq!(
                outcome(&open.ended().await).unwrap_err().kind(),
                ErrorKind::Panicked
            );
            assert!(open.is_empty());
        }
    }
}

#[tokio::test]
async fn what_is_wrong_with_the_arguments_is_said_at_once() {
    let (host, open) = (Arc::new(Host::default()), OpenCalls::new());
    for layered in [false, true] {
        let mut executor = Executor::serial(set(&host)).open_calls(&open);
        if layered {
            executor = executor.layer(Plain);
        }
        let calls = [
            film("1", 10),
            ToolCall::new("2", "render", r#"{"minutes": "3"}"#),
        ];
        let batch = executor.run(&calls, &cx()).await;
        let results: Vec<_> = batch.results().collect();
        let error = results[0].outcome.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgs);
        // What is repaired is said, too.
        assert!(results[1].is_open());
        assert_eq!(results[1].repairs.len(), 1, "{layered}");
        open.cancel("r/0/1/2").await.unwrap();
        open.ended().await;
    }
}

#[tokio::test]
async fn without_an_owner_a_background_tool_is_as_any_other() {
    let host = Arc::new(Host::default());
    host.go.notify_one();
    let executor = Executor::serial(set(&host));
    let batch = executor.run(&[film("1", 3)], &cx()).await;
    assert_eq!(texts(&batch), [r#"{"film":3,"open":null}"#]);
    let batch = executor.run(&deciding("yes"), &cx()).await;
    assert_eq!(
        texts(&batch),
        ["nobody here takes the result of a call later"]
    );
}

#[test]
fn who_blocks_waits_too() {
    let (host, open) = (Arc::new(Host::default()), OpenCalls::new());
    let executor = Executor::serial(set(&host)).open_calls(&open);
    let batch = executor.run_blocking(&[ToolCall::new("1", "render_blocking", "{}")], &cx());
    assert!(
        batch
            .results()
            .all(|result| !result.is_open() && result.is_success())
    );
    assert!(open.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thread_of_its_own_goes_on_too() {
    let (host, open) = (Arc::new(Host::default()), OpenCalls::new());
    let executor = Executor::serial(set(&host)).open_calls(&open);
    executor
        .run(&[ToolCall::new("1", "render_blocking", "{}")], &cx())
        .await;
    assert_eq!(said(&open.ended().await), r#""r/0/0/1""#);
}

#[tokio::test]
async fn a_tool_decides_while_it_runs() {
    let (host, open) = (Arc::new(Host::default()), OpenCalls::new());
    for way in [false, true] {
        let mut executor = Executor::serial(set(&host)).open_calls(&open);
        if way {
            executor = executor.layer(Plain);
        }
        let batch = executor.run(&deciding("no"), &cx()).await;
        assert_eq!(texts(&batch), ["at once"]);
        assert!(open.is_empty());

        for keep in ["yes", "twice"] {
            let batch = executor.run(&deciding(keep), &cx()).await;
            assert_eq!(texts(&batch), ["it takes a while"]);
            assert!(open.is_live());
            let handle = host.handle.lock().unwrap().take().unwrap();
            assert_eq!(handle.key(), "r/0/0/d");
            handle.end(Ok(Outcome::value("done"))).await.unwrap();
            assert_eq!(said(&open.ended().await), r#""done""#);
        }

        // What it says instead counts, and the handle ends nothing.
        for (keep, text) in [("answers", "answered all the same"), ("fails", "not today")] {
            let batch = executor.run(&deciding(keep), &cx()).await;
            assert_eq!(texts(&batch), [text]);
            assert!(open.is_empty(), "{keep} {way}");
            let handle = host.handle.lock().unwrap().take().unwrap();
            let error = handle.end(Ok(Outcome::value("late"))).await.unwrap_err();
            assert!(matches!(error, OpenCallError::NotOpen { .. }));
        }

        // A handle that is lost ends its call.
        executor.run(&deciding("yes"), &cx()).await;
        drop(host.handle.lock().unwrap().take());
        let error = outcome(&open.ended().await).unwrap_err();
        assert_eq!(
            (error.kind(), error.is_outcome_unknown()),
            (ErrorKind::NoAnswer, true)
        );
    }
}

#[tokio::test]
async fn a_result_is_taken_once_and_bad_ones_are_errors_that_change_nothing() {
    let (host, open) = (Arc::new(Host::default()), OpenCalls::new().max_bytes(200));
    let executor = Executor::serial(set(&host)).open_calls(&open);
    executor.run(&deciding("yes"), &cx()).await;
    let handle = host.handle.lock().unwrap().take().unwrap();
    let key = "r/0/0/d";
    let stored =
        |value: &str| StoredOutcome::new(&deciding("yes")[0], &Ok(Outcome::value(value))).unwrap();
    let error = open.end("r/0/0/e", stored("x")).await.unwrap_err();
    assert!(
        matches!(&error, OpenCallError::NotOpen { key } if key == "r/0/0/e"),
        "{error}"
    );
    let error = open.end(key, stored(&"x".repeat(300))).await.unwrap_err();
    assert!(
        matches!(
            error,
            OpenCallError::TooLarge {
                bytes: 301..,
                most: 200,
                ..
            }
        ),
        "{error}"
    );
    assert!(matches!(
        open.get(key).unwrap().state,
        OpenCallState::Running
    ));

    // Somebody else was faster.
    open.end(key, stored("from elsewhere")).await.unwrap();
    let error = open.end(key, stored("again")).await.unwrap_err();
    assert!(matches!(error, OpenCallError::Ended { .. }), "{error}");
    let error = handle.end(Ok(Outcome::value("late"))).await.unwrap_err();
    assert!(matches!(error, OpenCallError::Ended { .. }), "{error}");
    assert!(matches!(
        open.cancel(key).await,
        Err(OpenCallError::Ended { .. })
    ));
    assert_eq!(said(&open.take_ended().unwrap()), r#""from elsewhere""#);
    let error = open.end(key, stored("again")).await.unwrap_err();
    assert!(matches!(error, OpenCallError::NotOpen { .. }), "{error}");

    // A result of code here that is too large is the call's error: the code cannot say it again.
    executor.run(&deciding("yes"), &cx()).await;
    let handle = host.handle.lock().unwrap().take().unwrap();
    handle
        .end(Ok(Outcome::value("x".repeat(300))))
        .await
        .unwrap();
    assert!(said(&open.take_ended().unwrap()).starts_with("Failed: the result has "));
}

#[tokio::test]
async fn a_call_is_cancelled_by_its_key_and_by_its_host() {
    let (host, open, stop) = (Arc::new(Host::default()), OpenCalls::new(), Cancel::new());
    let executor = Executor::serial(set(&host)).open_calls(&open);
    let cx = cx().with_cancel(stop.clone());
    executor
        .run(&[film("1", 3), film("2", 4), film("3", 5)], &cx)
        .await;
    settle().await;
    open.cancel("r/0/1/2").await.unwrap();
    assert_eq!(
        said(&open.take_ended().unwrap()),
        "Cancelled: the call was cancelled"
    );
    // Its code has stopped, and says nothing more.
    settle().await;
    assert_eq!(open.list().len(), 2);
    stop.cancel();
    for _ in 0..2 {
        assert_eq!(
            outcome(&open.ended().await).unwrap_err().kind(),
            ErrorKind::Cancelled
        );
    }
    assert!(open.is_empty());
    assert!(matches!(
        open.cancel("r/0/1/2").await,
        Err(OpenCallError::NotOpen { .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn it_has_a_time_limit_of_its_own() {
    let open = OpenCalls::new().timeout(Duration::from_hours(2));
    let host = Arc::new(Host::default());
    let executor = Executor::serial(set(&host))
        .timeout(Duration::from_millis(10))
        .batch_timeout(Duration::from_millis(20))
        .open_calls(&open);
    executor.run(&[film("1", 3)], &cx()).await;
    tokio::time::sleep(Duration::from_mins(100)).await;
    assert!(!open.has_ended());
    tokio::time::sleep(Duration::from_mins(21)).await;
    assert_eq!(
        said(&open.take_ended().unwrap()),
        "Timeout: the tool did not answer within its time limit of 7200s (`timeout` of the tool or the executor changes it)\n\
         its work may go on, and it is not known whether it took effect"
    );
}

#[tokio::test]
async fn layers_see_it_once_and_an_approval_comes_before_it() {
    let (host, open) = (Arc::new(Host::default()), OpenCalls::new());
    let wait = Duration::ZERO;
    let executor = Executor::serial(set(&host))
        .layer(Approval::when(|_| true))
        .layer(Retry::new(3).always_for(["render"]).backoff(wait, wait))
        .open_calls(&open);
    let batch = executor.run(&[film("1", 3)], &cx()).await;
    assert!(open.is_empty());
    let decided = batch
        .pending()
        .next()
        .unwrap()
        .with_decision(Decision::Approve);
    let batch = executor.run(&[decided], &cx()).await;
    assert_eq!(texts(&batch), [NOTE]);
    settle().await;
    host.go.notify_waiters();
    assert_eq!(said(&open.ended().await), r#"{"film":3,"open":"r/0/0/1"}"#);
    assert_eq!(host.ran().len(), 1);
}

#[tokio::test]
async fn an_unknown_outcome_waits_for_a_person_where_the_executor_asks() {
    for policy in [UnknownOutcome::Ask, UnknownOutcome::Fail] {
        let (host, open) = (Arc::new(Host::default()), OpenCalls::new());
        let executor = Executor::serial(set(&host)).open_calls(&open);
        let executor = executor.on_unknown_outcome(policy);
        executor.run(&[film("1", 7)], &cx()).await;
        settle().await;
        host.go.notify_waiters();
        settle().await;
        if policy == UnknownOutcome::Ask {
            let call = open.get("r/0/0/1").unwrap();
            assert!(
                matches!(&call.state, OpenCallState::Unknown(error) if error == "the studio is silent")
            );
            let known = Ok(Outcome::value("there is a film"));
            let known = StoredOutcome::new(&call.call, &known).unwrap();
            open.end(&call.key, known).await.unwrap();
            assert_eq!(said(&open.ended().await), r#""there is a film""#);
        } else {
            assert_eq!(said(&open.ended().await), "Failed: the studio is silent");
        }
    }
}

#[tokio::test]
async fn the_same_call_begins_once() {
    let (host, open) = (Arc::new(Host::default()), OpenCalls::new());
    let executor = Executor::serial(set(&host)).open_calls(&open);
    for _ in 0..3 {
        let batch = executor.run(&[film("1", 3)], &cx()).await;
        assert_eq!(texts(&batch), [NOTE]);
        settle().await;
    }
    assert_eq!(host.ran().len(), 1);
    // Without a run nobody can tell that it is the same.
    for _ in 0..2 {
        executor.run(&[film("1", 3)], &Context::new()).await;
    }
    assert_eq!(open.list().len(), 3);
}

/// A store whose every write can fail.
#[derive(Default)]
struct Store {
    calls: Mutex<Vec<OpenCall>>,
    fails: Mutex<bool>,
}

impl Store {
    fn write<T>(&self, change: impl FnOnce(&mut Vec<OpenCall>) -> T) -> Result<T, OpenCallError> {
        if *self.fails.lock().unwrap() {
            return Err(OpenCallError::store("the disk is full"));
        }
        Ok(change(&mut self.calls.lock().unwrap()))
    }
}

impl OpenCallStore for Store {
    fn begin<'a>(&'a self, call: &'a OpenCall) -> BoxFuture<'a, Result<(), OpenCallError>> {
        Box::pin(async move {
            self.write(|calls| {
                calls.retain(|other| other.key != call.key);
                calls.push(call.clone());
            })
        })
    }

    fn end<'a>(
        &'a self,
        key: &'a str,
        outcome: &'a StoredOutcome,
    ) -> BoxFuture<'a, Result<(), OpenCallError>> {
        Box::pin(async move {
            self.write(|calls| {
                let call = calls.iter_mut().find(|call| call.key == key).unwrap();
                call.state = OpenCallState::Ended(Box::new(outcome.clone()));
            })
        })
    }

    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<OpenCall>, OpenCallError>> {
        Box::pin(async move {
            let calls = self.calls.lock().unwrap();
            Ok(calls.iter().find(|call| call.key == key).cloned())
        })
    }

    fn all(&self) -> BoxFuture<'_, Result<Vec<OpenCall>, OpenCallError>> {
        Box::pin(async { Ok(self.calls.lock().unwrap().clone()) })
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), OpenCallError>> {
        Box::pin(async move { self.write(|calls| calls.retain(|call| call.key != key)) })
    }
}

#[tokio::test]
async fn a_store_keeps_them_beyond_the_process() {
    let (host, store) = (Arc::new(Host::default()), Arc::new(Store::default()));
    let open = OpenCalls::new().store(Arc::clone(&store));
    let executor = Executor::serial(set(&host)).open_calls(&open);
    executor.run(&[film("1", 3), film("2", 4)], &cx()).await;
    settle().await;
    let listed = serde_json::to_string(&open).unwrap();
    host.go.notify_one();
    settle().await;
    assert!(open.has_ended());

    // Another process has the list as it was, and the store; or the store alone.
    let listed: OpenCalls = serde_json::from_str(&listed).unwrap();
    for other in [listed, OpenCalls::new()] {
        let other = other.store(Arc::clone(&store));
        other.restore().await.unwrap();
        assert_eq!(other.lost(), ["r/0/1/2"]);
        let ended = other.take_ended().unwrap();
        assert_eq!(said(&ended), r#"{"film":3,"open":"r/0/0/1"}"#);
    }
    open.take_ended().unwrap();
    open.forget("r/0/0/1").await.unwrap();
    let other = OpenCalls::new().store(Arc::clone(&store));
    other.restore().await.unwrap();
    assert_eq!(other.list().len(), 1);
    // What is lost begins again under its key.
    let executor = Executor::serial(set(&host)).open_calls(&other);
    executor
        .run(
            &[
                ToolCall::new("x", "decide", r#"{"keep": "no"}"#),
                film("2", 4),
            ],
            &cx(),
        )
        .await;
    assert!(other.lost().is_empty());
    assert_eq!(other.list().len(), 1);
}

#[tokio::test]
async fn a_store_that_fails_lets_nothing_begin_and_loses_no_result() {
    let (host, store) = (Arc::new(Host::default()), Arc::new(Store::default()));
    let open = OpenCalls::new().store(Arc::clone(&store));
    let executor = Executor::serial(set(&host)).open_calls(&open);
    *store.fails.lock().unwrap() = true;
    let batch = executor.run(&[film("1", 3)], &cx()).await;
    let error = batch
        .results()
        .next()
        .unwrap()
        .outcome
        .as_ref()
        .unwrap_err()
        .clone();
    assert_eq!(error.kind(), ErrorKind::NotStarted);
    assert!(open.is_empty() && host.ran().is_empty());

    *store.fails.lock().unwrap() = false;
    executor.run(&[film("1", 3)], &cx()).await;
    executor.run(&deciding("yes"), &cx().with_turn(1)).await;
    settle().await;
    *store.fails.lock().unwrap() = true;
    host.go.notify_waiters();
    // It has ended here; what others see is that it runs.
    assert_eq!(said(&open.ended().await), r#"{"film":3,"open":"r/0/0/1"}"#);
    let handle = host.handle.lock().unwrap().take().unwrap();
    let error = handle.end(Ok(Outcome::value("done"))).await.unwrap_err();
    assert!(matches!(error, OpenCallError::Store { .. }), "{error}");
    assert_eq!(said(&open.ended().await), r#""done""#);
    assert_eq!(
        open.forget("r/0/0/1").await.unwrap_err().to_string(),
        "the store of open calls failed: the disk is full"
    );

    // Who ends a call from elsewhere is told, and may say it again.
    *store.fails.lock().unwrap() = false;
    executor.run(&deciding("yes"), &cx().with_turn(2)).await;
    *store.fails.lock().unwrap() = true;
    let known = || StoredOutcome::new(&film("1", 3), &Ok(Outcome::value(1))).unwrap();
    assert!(matches!(
        open.end("r/2/0/d", known()).await,
        Err(OpenCallError::Store { .. })
    ));
    *store.fails.lock().unwrap() = false;
    open.end("r/2/0/d", known()).await.unwrap();
}

#[tokio::test]
async fn copies_of_a_list_share_what_runs() {
    let (host, open) = (Arc::new(Host::default()), OpenCalls::new());
    let executor = Executor::serial(set(&host)).open_calls(&open);
    executor.run(&[film("1", 3), film("2", 4)], &cx()).await;
    settle().await;
    let copy = open.copied();
    let stored = serde_json::to_string(&open).unwrap();
    let stored: OpenCalls = serde_json::from_str(&stored).unwrap();
    stored.adopt("one");
    assert_eq!(stored.lost().len(), 2);
    open.publish("one");
    stored.adopt("another");
    assert_eq!(stored.lost().len(), 2);
    stored.adopt("one");
    assert!(stored.lost().is_empty() && stored.is_live());
    drop((open, executor));
    host.go.notify_waiters();
    for list in [stored, copy] {
        for n in [3, 4] {
            assert!(said(&list.ended().await).starts_with(&format!(r#"{{"film":{n}"#)));
        }
    }
    // What nobody has any more is not found.
    settle().await;
    let lost: OpenCalls = serde_json::from_value(json!([{
        "key": "r/0/0/1", "call": film("1", 3), "began_ms": 0, "state": "running",
    }]))
    .unwrap();
    lost.adopt("one");
    assert_eq!(lost.lost().len(), 1);
}

/// Says of itself that it stays open, and nobody has it.
#[tool]
fn pretend() -> Outcome {
    Outcome::Open {
        key: "r/0/0/other".into(),
        note: "it will follow".into(),
    }
}

#[tokio::test]
async fn a_call_that_nobody_has_is_not_open() {
    let open = OpenCalls::new();
    for has_owner in [false, true] {
        for layered in [false, true] {
            let mut executor = Executor::serial(tools![pretend]);
            if has_owner {
                executor = executor.open_calls(&open);
            }
            if layered {
                executor = executor.layer(Plain);
            }
            let batch = executor
                .run(&[ToolCall::new("1", "pretend", "{}")], &cx())
                .await;
            let result = batch.results().next().unwrap();
            assert!(!result.is_open(), "{has_owner} {layered}");
            assert!(open.is_empty());
        }
    }
}

/// Fails once without a word about its effect.
#[tool(idempotent)]
async fn flaky(#[state] host: &Host, #[context] cx: &Context) -> Result<Outcome, ToolError> {
    host.note(cx);
    cx.update_state("ran", host.ran().len());
    let handle = cx.keep_open().await?;
    let outcome = handle.outcome("again");
    let before = host.handle.lock().unwrap().replace(handle);
    match before {
        None => Err(ToolError::failed("who knows").with_outcome_unknown()),
        Some(_) => Ok(outcome),
    }
}

#[tokio::test]
async fn of_two_attempts_only_the_second_counts_and_may_stay_open() {
    for layered in [false, true] {
        let (host, open) = (Arc::new(Host::default()), OpenCalls::new());
        let mut executor =
            Executor::serial(tools![flaky; state = Arc::clone(&host)]).open_calls(&open);
        if layered {
            executor = executor.layer(Plain);
        }
        let batch = executor
            .run(&[ToolCall::new("1", "flaky", "{}")], &cx())
            .await;
        assert_eq!(texts(&batch), ["again"], "{layered}");
        assert_eq!(batch.updates(), [("ran".to_owned(), json!(2))], "{layered}");
        assert!(open.is_live());
    }
}

/// A store in which somebody else has ended each call before.
struct Taken(Store);

impl OpenCallStore for Taken {
    fn begin<'a>(&'a self, call: &'a OpenCall) -> BoxFuture<'a, Result<(), OpenCallError>> {
        self.0.begin(call)
    }

    fn end<'a>(
        &'a self,
        key: &'a str,
        _: &'a StoredOutcome,
    ) -> BoxFuture<'a, Result<(), OpenCallError>> {
        Box::pin(async move {
            let known = Ok(Outcome::value("known before"));
            let known = StoredOutcome::new(&film("1", 3), &known).unwrap();
            self.0.end(key, &known).await?;
            Err(OpenCallError::Ended {
                key: key.to_owned(),
            })
        })
    }

    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<OpenCall>, OpenCallError>> {
        self.0.get(key)
    }

    fn all(&self) -> BoxFuture<'_, Result<Vec<OpenCall>, OpenCallError>> {
        self.0.all()
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), OpenCallError>> {
        self.0.remove(key)
    }
}

#[tokio::test]
async fn the_outcome_that_a_store_has_stands_in_each_process() {
    let (host, store) = (Arc::new(Host::default()), Taken(Store::default()));
    let open = OpenCalls::new().store(store);
    let executor = Executor::serial(set(&host)).open_calls(&open);
    executor.run(&deciding("yes"), &cx()).await;
    let handle = host.handle.lock().unwrap().take().unwrap();
    let error = handle.end(Ok(Outcome::value("late"))).await.unwrap_err();
    assert!(matches!(error, OpenCallError::Ended { .. }), "{error}");
    assert_eq!(said(&open.take_ended().unwrap()), r#""known before""#);
}

#[tokio::test]
async fn whoever_waits_for_a_call_that_is_withdrawn_waits_no_more() {
    let host = Arc::new(Host::default());
    let open = OpenCalls::new();
    let executor = Executor::serial(tools![render; state = Arc::clone(&host)]).open_calls(&open);
    let calls = ["1", "2"].map(|id| ToolCall::new(id, "render", r#"{"minutes": 3}"#));
    drop(executor.run(&calls, &Context::new()).await);
    let keys: Vec<_> = open.list().into_iter().map(|call| call.key).collect();
    assert_eq!((open.len(), keys.len()), (2, 2));
    let long = Duration::from_secs(20);
    let (first, ()) = tokio::join!(tokio::time::timeout(long, open.wait(&keys[0])), async {
        tokio::task::yield_now().await;
        open.withdraw(&keys[0]);
    });
    assert!(matches!(first, Ok(None)), "it waits on");
    // Its time is not over yet.
    open.withdraw_begun_before(std::time::UNIX_EPOCH);
    assert_eq!(open.len(), 1);
    open.withdraw_begun_before(std::time::SystemTime::now() + Duration::from_secs(1));
    assert!(open.is_empty() && open.wait(&keys[1]).await.is_none());
}

/// A permit for each body that has begun, and for each that has ended.
struct Bodies {
    begun: Semaphore,
    ended: Semaphore,
}

/// Waits until it is cancelled.
#[tool(background)]
async fn waits(#[state] bodies: &Bodies) {
    struct Ends<'a>(&'a Bodies);
    impl Drop for Ends<'_> {
        fn drop(&mut self) {
            self.0.ended.add_permits(1);
        }
    }
    let _ends = Ends(bodies);
    bodies.begun.add_permits(1);
    std::future::pending::<()>().await;
}

/// A reader on another thread holds the call for a moment, which is not a copy of the list.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_withdrawn_call_is_cancelled_whoever_reads_it_meanwhile() {
    const ROUNDS: usize = 300;
    let bodies = Arc::new(Bodies {
        begun: Semaphore::new(0),
        ended: Semaphore::new(0),
    });
    let open = OpenCalls::new();
    let executor = Executor::serial(tools![waits; state = Arc::clone(&bodies)]).open_calls(&open);
    let (reader, stop) = (open.clone(), Cancel::new());
    let stopped = stop.clone();
    let reads = std::thread::spawn(move || {
        while !stopped.is_cancelled() {
            for call in reader.list() {
                drop(reader.get(&call.key));
            }
        }
    });
    for round in 0..ROUNDS {
        let call = ToolCall::new(round.to_string(), "waits", "{}");
        drop(executor.run(&[call], &Context::new()).await);
        bodies.begun.acquire().await.unwrap().forget();
        open.withdraw(&open.list()[0].key);
        let ended = bodies.ended.acquire();
        let ended = tokio::time::timeout(Duration::from_secs(20), ended).await;
        assert!(ended.is_ok(), "the call runs on");
        ended.unwrap().unwrap().forget();
    }
    stop.cancel();
    reads.join().unwrap();
}

#[tokio::test]
async fn an_open_call_says_when_it_ended() {
    let host = Arc::new(Host::default());
    let open = OpenCalls::new();
    let executor = Executor::serial(tools![render; state = Arc::clone(&host)]).open_calls(&open);
    let calls = [ToolCall::new("1", "render", r#"{"minutes": 3}"#)];
    drop(executor.run(&calls, &Context::new()).await);
    let running = open.list().remove(0);
    assert_eq!(running.ended_ms, None);
    host.go.notify_one();
    let ended = open.wait(&running.key).await.unwrap();
    assert!(ended.ended_ms >= Some(ended.began_ms));
    assert!(matches!(ended.state, OpenCallState::Ended(_)));
    // It stays in the list.
    assert_eq!(open.take_ended().unwrap().key, running.key);
}
