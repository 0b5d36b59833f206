use std::sync::Arc;
use std::time::Duration;

use super::{Names, lists, names};
use crate::executor::{Handled, Layer, Next, Request, pause};
use crate::tool::BoxFuture;
use toolwright_provider::call::{ErrorKind, ToolError};

/// Retries failed calls, with a delay that doubles each time.
///
/// - Only tools whose annotations say `idempotent` or `read_only`: any other tool may have taken effect before it
///   failed. [`always_for`](Self::always_for) names others. A call that did [not start](ErrorKind::NotStarted) is made
///   again, whatever its tool says.
/// - Only after a [`Failed`](ErrorKind::Failed) or a [`Timeout`](ErrorKind::Timeout), and not if the
///   error is [`permanent`](ToolError::permanent). Wrong arguments stay wrong, and a panic is a
///   defect.
/// - After an error with a [time to wait](ToolError::retry_after), the delay is at least that time. If it is longer than
///   the longest delay, the call is not retried.
/// - The tool's time limit is one on each attempt. A `blocking` tool whose time is over may still run, beside the next
///   attempt; its token fires once the call is answered.
/// - State updates of a failed attempt by [`Context::update_state`](crate::tool::Context::update_state) are discarded,
///   and [`Context::idempotency_key`](crate::tool::Context::idempotency_key) is the same in all of them.
/// - The last attempt's error is the call's.
/// - The work of a `background` tool is repeated in the background.
///
/// Without a tokio runtime's clock there is no wait between attempts.
///
/// ```
/// use std::time::Duration;
/// use toolwright::layers::Retry;
/// use toolwright::{Executor, tool, tools};
///
/// /// Searches the web.
/// #[tool(read_only)]
/// async fn search(query: &str) -> Result<Vec<String>, String> {
///     Err(format!("nothing answers about {query}"))
/// }
///
/// let retry = Retry::new(4).backoff(Duration::from_millis(50), Duration::from_secs(2));
/// let executor = Executor::serial(&tools![search]).layer(retry);
/// ```
#[derive(Debug, Clone)]
pub struct Retry {
    attempts: u32,
    first: Duration,
    longest: Duration,
    always: Names,
}

impl Retry {
    /// Sets the number of attempts, including the first: 0 and 1 mean no retry. The first delay is 100 ms, the longest
    /// 10 s.
    pub fn new(attempts: u32) -> Self {
        Self {
            attempts,
            first: Duration::from_millis(100),
            longest: Duration::from_secs(10),
            always: Names::new(),
        }
    }

    /// Sets the first delay, which doubles before each further attempt, and the longest.
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        self.first = first;
        self.longest = longest;
        self
    }

    /// Retries these tools whatever their annotations say, but not after an error that leaves the outcome unknown
    /// ([`ToolError::is_outcome_unknown`]).
    pub fn always_for<N: Into<Arc<str>>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.always = names(tools);
        self
    }

    fn is_for(&self, request: &Request<'_>) -> bool {
        request.annotations().may_repeat() || lists(&self.always, request.def())
    }
}

fn may_pass(error: &ToolError, request: &Request<'_>) -> bool {
    matches!(error.kind(), ErrorKind::Failed | ErrorKind::Timeout)
        && !error.is_permanent()
        && (!error.is_outcome_unknown() || request.annotations().may_repeat())
}

impl Layer for Retry {
    fn is_about_work(&self) -> bool {
        true
    }

    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            let is_for = self.is_for(&request);
            let mut wait = self.first.min(self.longest);
            for _ in 1..self.attempts {
                let handled: Handled = next.run(request.clone()).await;
                let goes_on = |error: &ToolError| match error.kind() {
                    ErrorKind::NotStarted => !error.is_permanent(),
                    _ => is_for && may_pass(error, &request),
                };
                let asked = handled.error().and_then(ToolError::retry_after);
                let asked = asked.unwrap_or_default();
                if asked > self.longest || !handled.error().is_some_and(goes_on) {
                    return handled;
                }
                pause(wait.max(asked)).await;
                wait = wait.saturating_mul(2).min(self.longest);
            }
            next.run(request).await
        })
    }
}
