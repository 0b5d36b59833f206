//! Calls that code of the host runs, and that none of them is lost.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolwright::call::{BoxFuture, Cancel, Decision, ErrorKind};
use toolwright::executor::{Batch, Runner, RunnerCall};
use toolwright::layers::Approval;
use toolwright::{Context, Executor, Outcome, ToolCall, ToolError, Toolset, tool, tools};

/// Doubles a number.
#[tool]
fn double(n: i64) -> i64 {
    2 * n
}

/// Waits for longer than any test.
#[tool]
async fn hang() {
    std::future::pending::<()>().await;
}

/// Runs alone.
#[tool(exclusive)]
fn alone(n: i64) -> i64 {
    n
}

/// Panics.
#[tool]
fn breaks() {
    panic!("broken");
}

fn set() -> Toolset {
    tools![double, hang, alone, breaks]
}

fn doubles(count: usize) -> Vec<ToolCall> {
    let calls =
        (0..count).map(|n| ToolCall::new(format!("c{n}"), "double", format!(r#"{{"n": {n}}}"#)));
    calls.collect()
}

/// A closure as a runner.
struct By<F>(F);

impl<F> Runner for By<F>
where
    F: Fn(Vec<RunnerCall>) -> BoxFuture<'static, ()> + Send + Sync,
{
    fn run(&self, calls: Vec<RunnerCall>) -> BoxFuture<'_, ()> {
        (self.0)(calls)
    }
}

fn by<F>(run: impl Fn(Vec<RunnerCall>) -> F + Send + Sync + 'static) -> impl Runner + 'static
where
    F: Future<Output = ()> + Send + 'static,
{
    By(move |calls| -> BoxFuture<'static, ()> { Box::pin(run(calls)) })
}

/// The id and the text of each answer, or the kind of its error.
fn answers(batch: &Batch) -> Vec<(String, String)> {
    let results = batch.results().map(|result| {
        let text = match &result.outcome {
            Ok(_) => result.content(toolwright::Encoder::auto()).into_owned(),
            Err(error) => format!("{:?}", error.kind()),
        };
        (result.id.to_string(), text)
    });
    results.collect()
}

fn texts(batch: &Batch) -> Vec<String> {
    answers(batch).into_iter().map(|(_, text)| text).collect()
}

#[tokio::test]
async fn a_runner_answers_calls_or_runs_them_here() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&seen);
    let runner = by(move |calls| {
        let shown = |call: &RunnerCall| {
            let id = call.context().call_id().map(str::to_owned);
            (
                call.index(),
                call.def().name.to_string(),
                id,
                call.call().arguments.to_string(),
            )
        };
        note.lock()
            .unwrap()
            .push(calls.iter().map(shown).collect::<Vec<_>>());
        async move {
            // In an order of its own.
            for call in calls.into_iter().rev() {
                if call.index() == 1 {
                    call.answer(Ok(Outcome::value("from elsewhere")));
                } else {
                    call.run().await;
                }
            }
        }
    });
    let executor = Executor::parallel(set(), 8).runner(runner);
    let mut calls = doubles(3);
    calls[0].arguments = r#"{"n": "5"}"#.into();
    calls.push(ToolCall::new("c3", "double", r#"{"n": "five"}"#));
    calls.push(ToolCall::new("c4", "nowhere", "{}"));
    let batch = executor.run(&calls, &Context::new()).await;
    assert_eq!(
        texts(&batch),
        ["10", "from elsewhere", "4", "InvalidArgs", "Unknown"]
    );
    // It gets what can run, in call order and with repaired arguments.
    let shown = |index, arguments: &str| {
        (
            index,
            "double".to_owned(),
            Some(format!("c{index}")),
            arguments.to_owned(),
        )
    };
    let expected = [
        shown(0, r#"{"n": 5}"#),
        shown(1, r#"{"n": 1}"#),
        shown(2, r#"{"n": 2}"#),
    ];
    assert_eq!(*seen.lock().unwrap(), [expected]);
}

#[tokio::test]
async fn calls_come_together_as_far_as_they_may_run_together() {
    let sizes = Arc::new(Mutex::new(Vec::new()));
    let executor = |at_once| {
        let note = Arc::clone(&sizes);
        Executor::parallel(set(), at_once).runner(by(move |calls| {
            note.lock().unwrap().push(calls.len());
            async move {
                for call in calls {
                    call.run().await;
                }
            }
        }))
    };
    let taken = || std::mem::take(&mut *sizes.lock().unwrap());
    executor(1).run(&doubles(3), &Context::new()).await;
    assert_eq!(taken(), [1, 1, 1]);
    executor(8).run(&doubles(3), &Context::new()).await;
    assert_eq!(taken(), [3]);
    let mut calls = doubles(4);
    calls[1] = ToolCall::new("c1", "alone", r#"{"n": 1}"#);
    let batch = executor(8).run(&calls, &Context::new()).await;
    assert_eq!(taken(), [1, 1, 2]);
    assert_eq!(texts(&batch), ["0", "1", "4", "6"]);
}

#[tokio::test]
async fn a_call_that_a_runner_forgets_is_an_error_and_the_others_stand() {
    let forgets = by(|calls: Vec<RunnerCall>| async move {
        for call in calls.into_iter().filter(|call| call.index() != 1) {
            call.run().await;
        }
    });
    let executor = Executor::parallel(set(), 8).runner(forgets);
    let batch = executor.run(&doubles(3), &Context::new()).await;
    assert_eq!(texts(&batch), ["0", "NoAnswer", "4"]);
    let error = batch
        .results()
        .nth(1)
        .unwrap()
        .outcome
        .as_ref()
        .unwrap_err()
        .clone();
    assert!(error.is_outcome_unknown());
    // So does one that forgets all.
    let executor = Executor::parallel(set(), 8).runner(by(|_| async {}));
    let batch = executor.run(&doubles(2), &Context::new()).await;
    assert_eq!(texts(&batch), ["NoAnswer", "NoAnswer"]);
}

#[tokio::test]
async fn a_panic_of_a_runner_is_an_error_of_what_it_had_not_answered() {
    let breaks = by(|calls: Vec<RunnerCall>| async move {
        for call in calls {
            assert!(call.index() < 1, "it breaks here");
            call.run().await;
        }
    });
    let at_once = By(|_: Vec<RunnerCall>| -> BoxFuture<'static, ()> { panic!("it breaks here") });
    let batch = Executor::parallel(set(), 8).runner(breaks);
    let batch = batch.run(&doubles(3), &Context::new()).await;
    assert_eq!(texts(&batch), ["0", "NoAnswer", "NoAnswer"]);
    let executor = Executor::parallel(set(), 8).runner(at_once);
    let batch = executor.run(&doubles(1), &Context::new()).await;
    let error = batch
        .results()
        .next()
        .unwrap()
        .outcome
        .as_ref()
        .unwrap_err()
        .clone();
    assert_eq!(error.kind(), ErrorKind::NoAnswer);
    assert!(error.host_detail().unwrap().contains("it breaks here"));
    assert!(!error.to_string().contains("breaks"));
}

/// Answers of a worker that answers by what it takes for indices: one is missing, one is there twice, one is foreign.
const WORKER: [(usize, &str); 3] = [(0, "first"), (0, "second"), (7, "foreign")];

#[tokio::test]
async fn a_second_answer_and_a_foreign_one_find_no_call() {
    let left = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&left);
    let runner = by(move |calls: Vec<RunnerCall>| {
        let note = Arc::clone(&note);
        async move {
            let mut open: HashMap<usize, RunnerCall> =
                calls.into_iter().map(|call| (call.index(), call)).collect();
            for (index, text) in WORKER {
                match open.remove(&index) {
                    Some(call) => call.answer(Ok(Outcome::value(text))),
                    None => note.lock().unwrap().push(text),
                }
            }
        }
    });
    let executor = Executor::parallel(set(), 8).runner(runner);
    let batch = executor.run(&doubles(2), &Context::new()).await;
    assert_eq!(texts(&batch), ["first", "NoAnswer"]);
    assert_eq!(*left.lock().unwrap(), ["second", "foreign"]);
}

#[tokio::test]
async fn calls_with_one_id_have_answers_of_their_own() {
    let runner = by(|calls: Vec<RunnerCall>| async move {
        for call in calls {
            let text = format!("{} of {}", call.index(), call.call().id);
            call.answer(Ok(Outcome::value(text)));
        }
    });
    let calls: Vec<_> = (0..2)
        .map(|n| ToolCall::new("c", "double", format!(r#"{{"n": {n}}}"#)))
        .collect();
    let executor = Executor::parallel(set(), 8).runner(runner);
    let batch = executor.run(&calls, &Context::new()).await;
    assert_eq!(texts(&batch), ["0 of c", "1 of c"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_a_runner_keeps_ends_at_its_time_limit() {
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&kept);
    let runner = by(move |calls: Vec<RunnerCall>| {
        keep.lock().unwrap().extend(calls);
        async {}
    });
    let executor = Executor::parallel(set(), 8).runner(runner);
    let batch = executor.run(&doubles(2), &Context::new()).await;
    assert_eq!(texts(&batch), ["Timeout", "Timeout"]);
    let error = batch
        .results()
        .next()
        .unwrap()
        .outcome
        .as_ref()
        .unwrap_err()
        .clone();
    assert!(error.is_outcome_unknown());
    // What it says later is ignored; it can see that nobody waits.
    let mut late = std::mem::take(&mut *kept.lock().unwrap()).into_iter();
    let call = late.next().unwrap();
    assert!(call.context().cancel().is_cancelled());
    call.answer(Ok(Outcome::value("late")));
    late.next().unwrap().run().await;
    // A limit of the batch and a cancellation end it, too.
    let executor = executor.timeout(None);
    let limited = executor.clone().batch_timeout(Duration::from_secs(1));
    let batch = limited.run(&doubles(1), &Context::new()).await;
    assert_eq!(texts(&batch), ["Timeout"]);
    let stop = Cancel::new();
    let cx = Context::new().with_cancel(stop.clone());
    let calls = doubles(1);
    let (batch, ()) = tokio::join!(executor.run(&calls, &cx), async { stop.cancel() });
    assert_eq!(texts(&batch), ["Cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn calls_may_be_answered_on_other_tasks_after_the_runner_has_returned() {
    let runner = by(|calls: Vec<RunnerCall>| async move {
        for call in calls {
            tokio::spawn(async move {
                let wait = if call.index() == 0 { 20 } else { 10 };
                tokio::time::sleep(Duration::from_millis(wait)).await;
                if call.index() < 2 {
                    call.answer(Err(ToolError::failed(format!("no {}", call_word(wait)))));
                } else {
                    call.run().await;
                }
            });
        }
    });
    let executor = Executor::parallel(set(), 8).runner(runner);
    let batch = executor.run(&doubles(3), &Context::new()).await;
    assert_eq!(texts(&batch), ["Failed", "Failed", "4"]);
}

fn call_word(wait: u64) -> String {
    format!("after {wait}")
}

#[tokio::test(start_paused = true)]
async fn what_runs_here_has_its_limits_and_contains_its_panics() {
    let runs = by(|calls: Vec<RunnerCall>| async move {
        for call in calls {
            tokio::spawn(call.run());
        }
    });
    let calls = ["hang", "breaks"].map(|name| ToolCall::new(name, name, "{}"));
    let executor = Executor::parallel(set(), 8).runner(runs);
    let batch = executor.run(&calls, &Context::new()).await;
    assert_eq!(texts(&batch), ["Timeout", "Panicked"]);
}

#[tokio::test]
async fn layers_come_before_a_runner() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&ran);
    let runner = by(move |calls: Vec<RunnerCall>| {
        let note = Arc::clone(&note);
        async move {
            for call in calls {
                note.lock().unwrap().push(call.call().arguments.to_string());
                call.run().await;
            }
        }
    });
    let executor = Executor::parallel(set(), 8);
    let executor = executor.layer(Approval::when(|_| true)).runner(runner);
    let batch = executor.run(&doubles(2), &Context::new()).await;
    assert_eq!(batch.pending().count(), 2);
    assert_eq!(ran.lock().unwrap().len(), 0);
    let edit = Decision::edit(serde_json::json!({"n": 50}));
    let decisions = [(0, Decision::Reject("no".into())), (1, edit)];
    let batch = batch
        .resume(&executor, decisions, &Context::new())
        .await
        .unwrap();
    assert_eq!(texts(&batch), ["Rejected", "100"]);
    assert_eq!(*ran.lock().unwrap(), [r#"{"n":50}"#]);
}

#[test]
fn a_runner_needs_no_runtime() {
    let runner = by(|calls: Vec<RunnerCall>| async move {
        for call in calls {
            call.run().await;
        }
    });
    let executor = Executor::parallel(set(), 8).runner(runner);
    let batch = executor.run_blocking(&doubles(2), &Context::new());
    assert_eq!(texts(&batch), ["0", "2"]);
}
