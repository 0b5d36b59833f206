use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::executor::{Handled, Layer, Next, Request};
use crate::tool::BoxFuture;
use toolwright_provider::call::{ErrorKind, ToolError};

/// Number of runs with counts; a new run replaces the one that was idle longest.
const RUNS: usize = 1024;

/// Limits the number of calls in one run: of all tools, or of one.
///
/// The run is that of [`Context::with_run`](crate::tool::Context::with_run); calls without one count as those of one
/// run. A call counts when it reaches this layer, whatever its result, unless it becomes pending. A call above the
/// limit is [`Rejected`](ErrorKind::Rejected), and the model reads that the limit is reached. Counts of 1,024 runs are
/// kept.
///
/// ```
/// use toolwright::layers::CallLimit;
/// use toolwright::{Executor, Toolset};
///
/// let executor = Executor::serial(&Toolset::default())
///     .layer(CallLimit::per_run(50))
///     .layer(CallLimit::of("search", 5));
/// ```
#[derive(Debug)]
pub struct CallLimit {
    of: Option<Arc<str>>,
    most: u32,
    runs: Mutex<RunCounts>,
}

#[derive(Debug, Default)]
struct RunCounts {
    counts: HashMap<Option<Box<str>>, Count>,
    /// Grows with every call.
    now: u64,
}

#[derive(Debug)]
struct Count {
    calls: u32,
    last: u64,
}

impl CallLimit {
    /// Limits the calls of a run, of all tools together.
    pub fn per_run(most: u32) -> Self {
        Self {
            of: None,
            most,
            runs: Mutex::default(),
        }
    }

    /// Limits the calls of this tool in a run.
    pub fn of(tool: impl Into<Arc<str>>, most: u32) -> Self {
        Self {
            of: Some(tool.into()),
            ..Self::per_run(most)
        }
    }

    fn runs(&self) -> MutexGuard<'_, RunCounts> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call. Returns false if it exceeds the limit.
    fn take(&self, run: Option<&str>) -> bool {
        let mut runs = self.runs();
        runs.now += 1;
        let now = runs.now;
        let run = run.map(Box::from);
        if !runs.counts.contains_key(&run) && runs.counts.len() >= RUNS {
            runs.forget_one();
        }
        let count = runs
            .counts
            .entry(run)
            .or_insert(Count { calls: 0, last: 0 });
        count.last = now;
        let is_free = count.calls < self.most;
        count.calls += u32::from(is_free);
        is_free
    }

    /// Uncounts a call that did not run.
    fn give_back(&self, run: Option<&str>) {
        if let Some(count) = self.runs().counts.get_mut(&run.map(Box::from)) {
            count.calls = count.calls.saturating_sub(1);
        }
    }

    #[cold]
    fn reached(&self) -> ToolError {
        let most = self.most;
        let calls = if most == 1 { "call" } else { "calls" };
        let words = match &self.of {
            Some(tool) => format!(
                "the call was rejected: `{tool}` may be called no more than {most} times here"
            ),
            None => {
                format!("the call was rejected: no more than {most} tool {calls} may be made here")
            }
        };
        ToolError::new(ErrorKind::Rejected, words)
    }
}

impl RunCounts {
    fn forget_one(&mut self) {
        let quiet = self.counts.iter().min_by_key(|(_, count)| count.last);
        if let Some(run) = quiet.map(|(run, _)| run.clone()) {
            self.counts.remove(&run);
        }
    }
}

impl Layer for CallLimit {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            if self
                .of
                .as_ref()
                .is_some_and(|of| !request.def().is_called(of))
            {
                return next.run(request).await;
            }
            let run = request.context().run_id();
            if !self.take(run) {
                return self.reached().into();
            }
            let handled = next.run(request).await;
            if matches!(handled, Handled::Wait(_)) {
                self.give_back(run);
            }
            handled
        })
    }
}
