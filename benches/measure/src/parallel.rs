//! Rows of many calls at a time.

use std::future::Future;
use std::hint::black_box;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::row::{Group, Row};

/// So many calls sleep at a time.
pub const CALLS: usize = 10_000;

/// So many calls compute at a time.
const COMPUTING: usize = 100;

type Done = Pin<Box<dyn Future<Output = usize> + Send>>;

/// Makes so many calls of the tool of this name, all at once, and counts the answers.
type Batch = Arc<dyn Fn(&'static str, usize) -> Done + Send + Sync>;

/// The rows of many calls at a time, in turn with what is measured.
pub struct Parallel {
    row: String,
    batch: Batch,
}

impl Parallel {
    /// `batch` calls one of two tools without arguments many times at once, and counts the answers: `rest`, which sleeps for
    /// a millisecond, and `work`, which runs [`compute`].
    pub fn new<F>(
        row: &str,
        batch: impl Fn(&'static str, usize) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = usize> + Send + 'static,
    {
        Self {
            row: row.to_owned(),
            batch: Arc::new(move |tool, calls| Box::pin(batch(tool, calls))),
        }
    }

    /// The groups.
    pub fn groups(&self) -> Vec<Group> {
        let mut groups = Vec::new();
        for threads in [1, 2] {
            groups.push(self.group("parallel-rest-spawned", threads, true, "rest", CALLS));
            groups.push(self.group("parallel-rest-block-on", threads, false, "rest", CALLS));
            groups.push(self.group("parallel-work", threads, true, "work", COMPUTING));
        }
        groups
    }

    fn group(
        &self,
        group: &str,
        threads: usize,
        spawned: bool,
        tool: &'static str,
        calls: usize,
    ) -> Group {
        let batch = Arc::clone(&self.batch);
        let make = move || {
            let runtime = runtime(threads);
            move || {
                let all = batch(tool, calls);
                let answers = if spawned {
                    let task = runtime.spawn(all);
                    runtime.block_on(task).unwrap_or(0)
                } else {
                    runtime.block_on(all)
                };
                assert_eq!(black_box(answers), calls, "{tool}");
            }
        };
        Group(vec![Row::made(
            format!("{group}-{threads}/{}", self.row),
            make,
        )])
    }
}

/// A runtime with so many threads that run tasks.
pub fn runtime(threads: usize) -> Runtime {
    let built = Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_time()
        .build();
    built.expect("a runtime")
}

/// About a tenth of a millisecond of work.
pub fn compute() -> u64 {
    let mut sum = 0_u64;
    for at in 0..60_000_u64 {
        sum = black_box(sum.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(at));
    }
    sum
}

/// How long a call of `rest` sleeps.
pub const REST: Duration = Duration::from_millis(1);

/// What a future that never waits comes to.
pub fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("it waits"),
    }
}
