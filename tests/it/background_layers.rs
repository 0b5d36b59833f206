//! Layers and background work: what limits, repeats or measures the work of a tool does so where the work is.
#![cfg(feature = "tokio")]
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;
use toolwright::executor::{OpenCallState, OpenCalls};
use toolwright::layers::{CallLimit, ConcurrencyLimit, Retry};
use toolwright::{
    Context, Executor, ToolCall, ToolError, ToolResult,
    call::{BoxFuture, StoredOutcome},
    layers::{Handled, Layer, Next, Request},
    tool, tools,
};

#[derive(Default)]
struct Work {
    now: AtomicUsize,
    most: AtomicUsize,
    begun: AtomicUsize,
}

/// Makes a film.
#[tool(background, idempotent)]
async fn film(fails: usize, #[state] work: &Work) -> Result<&'static str, ToolError> {
    let now = work.now.fetch_add(1, Ordering::SeqCst) + 1;
    work.most.fetch_max(now, Ordering::SeqCst);
    let begun = work.begun.fetch_add(1, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(5)).await;
    work.now.fetch_sub(1, Ordering::SeqCst);
    if begun < fails {
        return Err(ToolError::failed("the film tore"));
    }
    Ok("a film")
}

/// Films, and returns what became of the calls.
async fn filmed(executor: Executor, calls: usize, fails: usize) -> Vec<bool> {
    let open = OpenCalls::new();
    let executor = executor.open_calls(&open);
    let calls = (0..calls).map(|id| {
        let arguments = format!(r#"{{"fails": {fails}}}"#);
        ToolCall::new(format!("c{id}"), "film", arguments)
    });
    let calls: Vec<_> = calls.collect();
    let began = Instant::now();
    let batch = executor.run(&calls, &Context::new().with_run("r")).await;
    // The model reads a note at once, whatever is around the work.
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert!(batch.results().all(ToolResult::is_success));
    let mut ended = Vec::new();
    while ended.len() < calls.len() {
        let call = open.ended().await;
        let OpenCallState::Ended(outcome) = call.state else {
            panic!("{:?}", call.state);
        };
        ended.push(StoredOutcome::clone(&outcome).into_outcome().is_ok());
    }
    ended
}

#[tokio::test(start_paused = true)]
async fn a_limit_holds_for_work_in_the_background() {
    for (limit, most) in [(1, 1), (2, 2), (9, 4)] {
        let work = Arc::new(Work::default());
        let tools = tools![film; state = Arc::clone(&work)];
        let executor = Executor::parallel(tools, 8).layer(ConcurrencyLimit::each(limit));
        assert_eq!(filmed(executor, 4, 0).await, [true; 4]);
        assert_eq!(work.most.load(Ordering::SeqCst), most);
    }
}

#[tokio::test(start_paused = true)]
async fn work_in_the_background_is_repeated() {
    let work = Arc::new(Work::default());
    let tools = tools![film; state = Arc::clone(&work)];
    let executor = Executor::parallel(tools, 8).layer(Retry::new(3));
    assert_eq!(filmed(executor, 1, 2).await, [true]);
    assert_eq!(work.begun.load(Ordering::SeqCst), 3);
}

/// Measures the calls of a tool.
struct Timer {
    is_about_work: bool,
    took: Arc<Mutex<Vec<Duration>>>,
}

impl Layer for Timer {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            let began = Instant::now();
            let handled = next.run(request).await;
            self.took.lock().unwrap().push(began.elapsed());
            handled
        })
    }

    fn is_about_work(&self) -> bool {
        self.is_about_work
    }
}

#[tokio::test(start_paused = true)]
async fn a_layer_of_ones_own_is_about_the_beginning_or_the_work() {
    for (is_about_work, seconds) in [(false, 0), (true, 5)] {
        let took = Arc::new(Mutex::new(Vec::new()));
        let timer = Timer {
            is_about_work,
            took: Arc::clone(&took),
        };
        let tools = tools![film; state = Arc::new(Work::default())];
        // A limit of calls is about the answer to each, and counts them once.
        let executor = Executor::parallel(tools, 8)
            .layer(CallLimit::per_run(1))
            .layer(timer);
        assert_eq!(filmed(executor, 1, 0).await, [true]);
        assert_eq!(*took.lock().unwrap(), [Duration::from_secs(seconds)]);
    }
}

/// A time limit of tower, around the work of a background tool or around its beginning.
#[cfg(feature = "tower")]
#[tokio::test(start_paused = true)]
async fn a_layer_of_tower_is_about_the_beginning_or_the_work() {
    use toolwright::layers::Tower;
    use tower::timeout::TimeoutLayer;

    for (limit, succeeds) in [(3, false), (9, true)] {
        let tower = || Tower::new(TimeoutLayer::new(Duration::from_secs(limit)));
        let executor = |layer| {
            let tools = tools![film; state = Arc::new(Work::default())];
            Executor::parallel(tools, 8).layer(layer)
        };
        assert_eq!(filmed(executor(tower()), 1, 0).await, [true]);
        let work = executor(tower().about_work());
        assert_eq!(filmed(work, 1, 0).await, [succeeds]);
    }
}
