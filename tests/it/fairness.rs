//! How a batch shares its thread with other tasks of the runtime, counted in turns.
#![cfg(feature = "tokio")]
#![allow(clippy::unwrap_used)]

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use tokio::task::yield_now;
use toolwright::{
    Context, Executor, ToolCall, Toolset, call::Cancel, executor::Batch, tool, tools,
};

/// How many calls a batch has.
const CALLS: usize = 10_000;

/// What happened, in turns.
#[derive(Default)]
struct Turns {
    /// Of the task beside the batch.
    neighbour: AtomicUsize,
    /// Of calls, since the neighbour had its last one.
    calls: AtomicUsize,
    /// The most that there were.
    most: AtomicUsize,
    /// What costs a little of tokio's budget, and is always free.
    door: tokio::sync::Mutex<()>,
}

impl Turns {
    fn call(&self) {
        let calls = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(calls, Ordering::SeqCst);
    }

    fn neighbour(&self) {
        self.neighbour.fetch_add(1, Ordering::SeqCst);
        self.calls.store(0, Ordering::SeqCst);
    }

    fn all(&self) -> usize {
        self.neighbour.load(Ordering::SeqCst)
    }
}

/// Waits so many times, and is ready to go on at once.
#[tool]
async fn waits(times: usize, #[state] turns: &Turns) -> usize {
    turns.call();
    drop(turns.door.lock().await);
    for _ in 0..times {
        yield_now().await;
        turns.call();
    }
    times
}

/// Wakes itself, so many times, while it is polled.
#[tool]
async fn insists(times: usize, #[state] turns: &Turns) -> usize {
    let mut left = times;
    poll_fn(|task| {
        turns.call();
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        task.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
    times
}

/// Runs a batch beside a task that wants its turn whenever it can have it. What the batch came to, how often
/// it was polled, and how many turns the neighbour had in between.
async fn beside(tools: Toolset, turns: Arc<Turns>, calls: Vec<ToolCall>) -> (Batch, usize, usize) {
    let neighbours = Arc::clone(&turns);
    let neighbour = poll_fn(move |task| {
        neighbours.neighbour();
        // At once: tokio's own `yield_now` waits until nothing else is to do.
        task.waker().wake_by_ref();
        Poll::<()>::Pending
    });
    let neighbour = tokio::spawn(neighbour);
    // As a task, so that both are one of many to the runtime.
    let run = tokio::spawn(async move {
        // The neighbour has begun.
        while turns.all() == 0 {
            yield_now().await;
        }
        let executor = Executor::parallel(tools, CALLS);
        let cx = Context::new().with_cancel(Cancel::new());
        let before = turns.all();
        let mut polls = 0;
        let mut run = pin!(executor.run(&calls, &cx));
        let batch = poll_fn(|task| {
            polls += 1;
            run.as_mut().poll(task)
        });
        let batch = batch.await;
        (batch, polls, turns.all() - before)
    });
    let ran = run.await.unwrap();
    neighbour.abort();
    ran
}

fn calls(name: &str, times: usize) -> Vec<ToolCall> {
    let arguments = format!(r#"{{"times": {times}}}"#);
    let call = |place: usize| ToolCall::new(place.to_string(), name, arguments.as_str());
    (0..CALLS).map(call).collect()
}

fn answered(batch: &Batch) -> usize {
    batch.results().filter(|result| result.is_success()).count()
}

/// A round of the calls that are ready, at most, lies between two turns of others.
#[tokio::test]
async fn calls_that_wait_take_turns_with_other_tasks() {
    for name in ["waits", "insists"] {
        let turns = Arc::<Turns>::default();
        let tools = tools![waits, insists; state = Arc::clone(&turns)];
        let (batch, _, between) = beside(tools, Arc::clone(&turns), calls(name, 5)).await;
        assert_eq!(answered(&batch), CALLS);
        let most = turns.most.load(Ordering::SeqCst);
        assert!(between >= 5, "{name}: {between}");
        assert!(most <= CALLS, "{name}: {most}");
    }
}

/// Calls that are ready end in one go, and tokio's budget does not stop them on the way. Others wait for
/// that long.
#[tokio::test]
async fn calls_that_are_ready_end_in_one_turn_of_their_batch() {
    let turns = Arc::<Turns>::default();
    let tools = tools![waits, insists; state = Arc::clone(&turns)];
    let (batch, polls, between) = beside(tools, turns, calls("waits", 0)).await;
    assert_eq!(answered(&batch), CALLS);
    assert_eq!((polls, between), (1, 0));
}
