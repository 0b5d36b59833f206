//! Calls of which nobody knows whether they took effect.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolwright::executor::{
    Batch, DecidedCall, Event, PendingReason, Runner, RunnerCall, TraceStore, UnknownOutcome,
};
use toolwright::layers::{Approval, Handled, Layer, Next, Request};
use toolwright::{
    Context, Executor, ToolCall, ToolError, Toolset,
    call::{BoxFuture, Cancel, Decision, ErrorKind},
    tool, tools,
};

/// A bank. Each entry says whether it confirms; it notes each transfer's key.
#[derive(Default)]
struct Bank {
    confirms: Mutex<Vec<bool>>,
    seen: Mutex<Vec<String>>,
    host: Cancel,
}

impl Bank {
    fn new(mut confirms: Vec<bool>) -> Arc<Self> {
        confirms.reverse();
        Arc::new(Self {
            confirms: Mutex::new(confirms),
            ..Self::default()
        })
    }

    fn book(&self, cx: &Context) -> Result<usize, ToolError> {
        let mut seen = self.seen.lock().unwrap();
        seen.push(cx.idempotency_key().unwrap_or_default());
        match self.confirms.lock().unwrap().pop() {
            Some(true) => Ok(seen.len()),
            _ => Err(ToolError::failed("no word of it").with_outcome_unknown()),
        }
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

/// Pays.
#[tool]
fn pay(
    #[arg(default)] cents: u32,
    #[state] bank: &Bank,
    #[context] cx: &Context,
) -> Result<usize, ToolError> {
    let _ = cents;
    bank.book(cx)
}

/// Pays, later.
#[tool]
async fn pay_async(#[state] bank: &Bank, #[context] cx: &Context) -> Result<usize, ToolError> {
    tokio::task::yield_now().await;
    bank.book(cx)
}

/// Pays on a thread of its own.
#[tool(blocking)]
fn pay_blocking(#[state] bank: &Bank, #[context] cx: &Context) -> Result<usize, ToolError> {
    bank.book(cx)
}

/// Looks.
#[tool(read_only)]
fn look(#[state] bank: &Bank, #[context] cx: &Context) -> Result<usize, ToolError> {
    bank.book(cx)
}

/// Looks, later.
#[tool(read_only)]
async fn look_async(#[state] bank: &Bank, #[context] cx: &Context) -> Result<usize, ToolError> {
    tokio::task::yield_now().await;
    bank.book(cx)
}

/// Sets the balance.
#[tool(idempotent, blocking)]
fn set_blocking(#[state] bank: &Bank, #[context] cx: &Context) -> Result<usize, ToolError> {
    bank.book(cx)
}

fn set(bank: &Arc<Bank>) -> Toolset {
    tools![pay, pay_async, pay_blocking, look, look_async, set_blocking; state = Arc::clone(bank)]
}

const MAY_REPEAT: [&str; 3] = ["look", "look_async", "set_blocking"];
const MAY_NOT: [&str; 3] = ["pay", "pay_async", "pay_blocking"];

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

/// All ways to the tool's code.
fn executors(bank: &Arc<Bank>) -> [(&'static str, Executor); 6] {
    [
        ("serial", Executor::serial(set(bank))),
        ("parallel", Executor::parallel(set(bank), 4)),
        ("layer", Executor::serial(set(bank)).layer(Plain)),
        ("runner", Executor::serial(set(bank)).runner(Here)),
        (
            "limit",
            Executor::serial(set(bank)).timeout(std::time::Duration::from_mins(1)),
        ),
        (
            "both",
            Executor::parallel(set(bank), 4).layer(Plain).runner(Here),
        ),
    ]
}

fn cx() -> Context {
    Context::new().with_run("r")
}

fn of(name: &str) -> [ToolCall; 1] {
    [ToolCall::new("c", name, "{}")]
}

/// The value, or the error's kind and words.
fn said(batch: &Batch) -> String {
    match &batch.results().next().unwrap().outcome {
        Ok(_) => batch.results().next().unwrap().value().unwrap().to_string(),
        Err(error) => format!("{:?}: {error}", error.kind()),
    }
}

#[tokio::test]
async fn a_call_that_may_be_repeated_runs_once_more() {
    for name in MAY_REPEAT {
        for policy in [
            UnknownOutcome::Ask,
            UnknownOutcome::Fail,
            UnknownOutcome::RunAgain,
        ] {
            for way in 0..6 {
                let bank = Bank::new(vec![false, true]);
                let (what, executor) = executors(&bank).into_iter().nth(way).unwrap();
                let executor = executor.on_unknown_outcome(policy);
                let batch = executor.run(&of(name), &cx()).await;
                assert_eq!(said(&batch), "2", "{name} {what} {policy:?}");
                // A service knows it by its key.
                assert_eq!(bank.seen(), ["r/0/0/c"; 2], "{name} {what}");

                // Once: the model can decide what to do then.
                let bank = Bank::new(vec![]);
                let (_, executor) = executors(&bank).into_iter().nth(way).unwrap();
                let executor = executor.on_unknown_outcome(policy);
                let batch = executor.run(&of(name), &cx()).await;
                assert_eq!(said(&batch), "Failed: no word of it", "{name} {what}");
                assert_eq!(bank.seen().len(), 2, "{name} {what}");
            }
        }
    }
}

#[tokio::test]
async fn any_other_call_goes_by_policy() {
    for name in MAY_NOT {
        for way in 0..6 {
            let run = |policy: Option<UnknownOutcome>, confirms| async move {
                let bank = Bank::new(confirms);
                let (_, mut executor) = executors(&bank).into_iter().nth(way).unwrap();
                if let Some(policy) = policy {
                    executor = executor.on_unknown_outcome(policy);
                }
                (executor.run(&of(name), &cx()).await, bank.seen().len())
            };
            for policy in [None, Some(UnknownOutcome::Fail)] {
                let (batch, ran) = run(policy, vec![]).await;
                assert_eq!(
                    (&*said(&batch), ran),
                    ("Failed: no word of it", 1),
                    "{name} {way}"
                );
            }
            let (batch, ran) = run(Some(UnknownOutcome::RunAgain), vec![false, true]).await;
            assert_eq!((&*said(&batch), ran), ("2", 2), "{name} {way}");
            let (batch, ran) = run(Some(UnknownOutcome::RunAgain), vec![]).await;
            assert_eq!(
                (&*said(&batch), ran),
                ("Failed: no word of it", 2),
                "{name} {way}"
            );

            let (batch, ran) = run(Some(UnknownOutcome::Ask), vec![]).await;
            assert_eq!((batch.results().count(), ran), (0, 1), "{name} {way}");
            let pending: Vec<_> = batch.pending().collect();
            let reason = PendingReason::OutcomeUnknown("no word of it".to_owned());
            assert_eq!(pending.len(), 1);
            assert_eq!((&pending[0].reason, pending[0].attempt), (&reason, 0));
        }
    }
}

#[tokio::test]
async fn an_approved_call_is_another_one_with_another_key() {
    for way in 0..6 {
        let bank = Bank::new(vec![false, false, true]);
        let (what, executor) = executors(&bank).into_iter().nth(way).unwrap();
        let executor = executor.on_unknown_outcome(UnknownOutcome::Ask);
        let mut batch = executor.run(&of("pay"), &cx()).await;
        for attempt in 0..2 {
            let pending = batch.pending().next().unwrap().clone();
            assert_eq!(pending.attempt, attempt, "{what}");
            let decided = pending.with_decision(Decision::Approve);
            // It can be stored between.
            let stored = serde_json::to_string(&decided).unwrap();
            let decided: DecidedCall = serde_json::from_str(&stored).unwrap();
            batch = executor.run(&[decided], &cx()).await;
        }
        assert_eq!(said(&batch), "3", "{what}");
        assert_eq!(bank.seen(), ["r/0/0/c", "r/0/0/c#1", "r/0/0/c#2"], "{what}");
    }
}

#[tokio::test]
async fn an_approval_before_the_first_run_does_not_change_the_key() {
    let bank = Bank::new(vec![false, true]);
    let executor = Executor::serial(set(&bank))
        .layer(Approval::when(|_| true))
        .on_unknown_outcome(UnknownOutcome::Ask);
    let batch = executor.run(&of("pay"), &cx()).await;
    assert!(bank.seen().is_empty());
    let decided = batch
        .pending()
        .next()
        .unwrap()
        .with_decision(Decision::Approve);
    let batch = executor.run(&[decided], &cx()).await;
    let pending = batch.pending().next().unwrap();
    assert!(matches!(pending.reason, PendingReason::OutcomeUnknown(_)));
    let batch = executor
        .run(&[pending.with_decision(Decision::Approve)], &cx())
        .await;
    assert_eq!(said(&batch), "2");
    assert_eq!(bank.seen(), ["r/0/0/c", "r/0/0/c#1"]);
}

#[tokio::test]
async fn whoever_knows_the_outcome_says_it_and_nothing_runs() {
    let bank = Bank::new(vec![]);
    let executor = Executor::serial(set(&bank)).on_unknown_outcome(UnknownOutcome::Ask);
    for (decision, expected) in [
        (Decision::Answer("paid".into()), "\"paid\""),
        (
            Decision::Reject("leave it".into()),
            "Rejected: the call was rejected: leave it",
        ),
    ] {
        let batch = executor.run(&of("pay"), &cx()).await;
        let ran = bank.seen().len();
        let decided = batch.pending().next().unwrap().with_decision(decision);
        let batch = executor.run(&[decided], &cx()).await;
        assert_eq!((&*said(&batch), bank.seen().len()), (expected, ran));
    }
}

#[tokio::test]
async fn a_batch_resumes_with_the_others_as_they_were() {
    let bank = Bank::new(vec![true, false, true, true]);
    let executor = Executor::serial(set(&bank)).on_unknown_outcome(UnknownOutcome::Ask);
    let calls = ["a", "b", "c"].map(|id| ToolCall::new(id, "pay", "{}"));
    let batch = executor.run(&calls, &cx()).await;
    let decisions = [(1, Decision::Approve)];
    let batch = batch.resume(&executor, decisions, &cx()).await.unwrap();
    let values: Vec<_> = batch
        .results()
        .map(|result| result.value().unwrap())
        .collect();
    assert_eq!(values, [json!(1), json!(4), json!(3)]);
    assert_eq!(bank.seen(), ["r/0/0/a", "r/0/1/b", "r/0/2/c", "r/0/1/b#1"]);
}

/// Puts a number into the arguments.
struct Cents;

impl Layer for Cents {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(next.run(request.with_arguments(r#"{"cents": 7}"#)))
    }
}

#[tokio::test]
async fn a_person_sees_the_arguments_that_the_call_ran_with() {
    let bank = Bank::new(vec![]);
    let executor = Executor::serial(set(&bank)).layer(Cents);
    let executor = executor.on_unknown_outcome(UnknownOutcome::Ask);
    let batch = executor.run(&of("pay"), &cx()).await;
    assert_eq!(
        &*batch.pending().next().unwrap().call.arguments,
        r#"{"cents": 7}"#
    );
}

/// The host stops while it runs.
#[tool(read_only)]
fn last(#[state] bank: &Bank, #[context] cx: &Context) -> Result<usize, ToolError> {
    bank.host.cancel();
    bank.book(cx)
}

/// Was stopped, and does not know how far it came.
#[tool]
fn stopped() -> Result<usize, ToolError> {
    Err(ToolError::new(ErrorKind::Cancelled, "stopped").with_outcome_unknown())
}

#[tokio::test]
async fn what_was_stopped_does_not_run_again_and_asks_nobody() {
    let bank = Bank::new(vec![false, true]);
    let executor = Executor::serial(tools![last, stopped; state = Arc::clone(&bank)]);
    let executor = executor.on_unknown_outcome(UnknownOutcome::Ask);
    let cx = cx().with_cancel(bank.host.clone());
    executor.run(&of("last"), &cx).await;
    assert_eq!(bank.seen().len(), 1);
    let batch = executor.run(&of("stopped"), &Context::new()).await;
    assert_eq!(said(&batch), "Cancelled: stopped");
}

#[tokio::test]
async fn it_is_traced_and_told() {
    let bank = Bank::new(vec![]);
    let trace = TraceStore::new(10);
    let told = Arc::new(Mutex::new(Vec::new()));
    let tells = Arc::clone(&told);
    let executor = Executor::serial(set(&bank))
        .on_unknown_outcome(UnknownOutcome::Ask)
        .on_event(trace.observer())
        .on_event(move |event| {
            if let Event::Pending { pending, .. } = event {
                tells.lock().unwrap().push(format!("{:?}", pending.reason));
            }
        });
    executor.run(&of("pay"), &cx()).await;
    assert_eq!(
        *told.lock().unwrap(),
        [r#"OutcomeUnknown("no word of it")"#]
    );
    let text = format!("{:?}", trace.events());
    assert!(text.contains("outcome_unknown"), "{text}");
}
