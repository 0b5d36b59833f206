use std::fmt;
use std::io::Write;

use tokio::time::Instant;

use crate::executor::{Handled, Layer, Next, Request};
use crate::tool::BoxFuture;
use toolwright_provider::call::Outcome;
use toolwright_schema::panics::reported;
use toolwright_schema::text::excerpt;

/// Logs a line for each call that has ended: id, tool, outcome and duration.
///
/// ```text
/// call_1 search: ok in 12.3ms
/// call_2 pay: rejected in 4.1s
/// ```
///
/// Arguments, results and error texts are left out, because they may be secret. A cancelled call has its line, too.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use toolwright::layers::Log;
/// use toolwright::{Executor, Toolset};
///
/// let lines = Arc::new(Mutex::new(Vec::new()));
/// let log = Arc::clone(&lines);
/// let executor = Executor::serial(&Toolset::default())
///     .layer(Log::new(move |line| log.lock().unwrap().push(line.to_owned())));
/// ```
pub struct Log {
    write: Box<dyn Fn(&str) + Send + Sync>,
    arguments: bool,
}

impl Log {
    /// Writes lines with a closure. They hold no line break.
    pub fn new(write: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self {
            write: Box::new(write),
            arguments: false,
        }
    }

    /// Writes lines to the program's standard error.
    pub fn stderr() -> Self {
        Self::new(|line| {
            // Standard error may be closed.
            let _ = writeln!(std::io::stderr(), "{line}");
        })
    }

    /// Adds each call's arguments without secrets.
    pub fn arguments(self) -> Self {
        Self {
            arguments: true,
            ..self
        }
    }
}

/// Log line of a call in flight.
struct LogLine<'a> {
    log: &'a Log,
    head: String,
    began: Instant,
    what: &'static str,
}

impl LogLine<'_> {
    fn ends(&mut self, handled: &Handled) {
        self.what = word(handled);
    }
}

impl Drop for LogLine<'_> {
    fn drop(&mut self) {
        let Self { head, what, .. } = self;
        let line = format!("{head}: {what} in {:?}", self.began.elapsed());
        // A panic of the writer changes nothing.
        reported("the writer of a `Log`", || (self.log.write)(&line));
    }
}

impl Layer for Log {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        let call = request.call();
        let mut head = format!("{} {}", call.id, call.name);
        if self.arguments {
            head = format!("{head} {}", request.redacted());
        }
        let mut line = LogLine {
            log: self,
            // Ids are foreign text, and JSON may span several lines.
            head: excerpt(&head, usize::MAX),
            began: Instant::now(),
            what: "cancelled",
        };
        Box::pin(async move {
            let handled = next.run(request).await;
            line.ends(&handled);
            handled
        })
    }
}

fn word(handled: &Handled) -> &'static str {
    match handled {
        Handled::Wait(_) => "waits for a decision",
        Handled::Done(Err(error)) => error.kind().as_str(),
        Handled::Done(Ok(Outcome::AskUser { .. })) => "asks the user",
        Handled::Done(Ok(Outcome::Halt { .. })) => "halts the conversation",
        Handled::Done(Ok(_)) => "ok",
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log")
            .field("arguments", &self.arguments)
            .finish_non_exhaustive()
    }
}
