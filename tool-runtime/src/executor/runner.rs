//! Runners: code of the host that runs the calls of a batch.
//!
//! A call reaches the runner behind its layers, where the tool's own code would begin. All calls that are there when the
//! batch has nothing else to do go to the runner together. Each of them holds the one way to answer it, so that no
//! runner can answer a call twice, or one of another batch; a call that is dropped is answered with an error.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Context as TaskContext;

use tokio::sync::oneshot;

use crate::tool::{Answered, BoxFuture, Contained, Context, Tool};
use toolwright_provider::call::{ErrorKind, Outcome, ToolCall, ToolDef, ToolError, contained};
use toolwright_schema::panics;

/// Code of the host that runs the calls of an [`Executor`](crate::executor::Executor), and so of an agent, in place of
/// the tools' own code: in another process, on workers, or here in another order.
///
/// The executor's guarantees stay. A call comes with valid, repaired arguments, after all layers; events, policies
/// and limits are the executor's. Calls that may run at the same time come together: from a serial executor one after
/// the other, an `exclusive` tool's alone. A call that a layer holds up comes later, and one that a layer repeats comes
/// again.
///
/// Each call is answered once, whatever a runner does:
///
/// - [`RunnerCall::answer`] takes the call, so it cannot be answered twice, and there is no answer without a call.
/// - A call that the runner drops, also by a panic, is answered with a [`NoAnswer`](ErrorKind::NoAnswer) error.
/// - A call that the runner keeps is answered at its time limit, or when the batch ends. Later answers of the runner are
///   ignored.
///
/// The runner may give its calls to other tasks and return before they are answered.
///
/// ```
/// use toolwright::call::BoxFuture;
/// use toolwright::executor::{Runner, RunnerCall};
/// use toolwright::{Context, Executor, Outcome, ToolCall, tool, tools};
///
/// /// Reads a file.
/// #[tool]
/// fn read(path: String) -> String {
///     format!("{path} as it is here")
/// }
///
/// /// Sends calls of file tools to a sandbox.
/// struct Sandbox;
///
/// impl Runner for Sandbox {
///     fn run(&self, calls: Vec<RunnerCall>) -> BoxFuture<'_, ()> {
///         Box::pin(async move {
///             for call in calls {
///                 if call.call().arguments.contains("/sandbox") {
///                     call.answer(Ok(Outcome::value("as it is in the sandbox")));
///                 } else {
///                     call.run().await;
///                 }
///             }
///         })
///     }
/// }
///
/// let executor = Executor::parallel(tools![read], 8).runner(Sandbox);
/// let calls = [
///     ToolCall::new("1", "read", r#"{"path": "/sandbox/a"}"#),
///     ToolCall::new("2", "read", r#"{"path": "/b"}"#),
/// ];
/// let batch = executor.run_blocking(&calls, &Context::new());
/// let texts: Vec<_> = batch.results().map(|result| result.content(Default::default())).collect();
/// assert_eq!(texts, ["as it is in the sandbox", "/b as it is here"]);
/// ```
///
/// An agent takes the executor: [`Agent::with_executor`](https://docs.rs/toolwright/latest/toolwright/agent/struct.Agent.html).
pub trait Runner: Send + Sync {
    /// Runs calls, which are in call order. The future is dropped when the batch ends.
    fn run(&self, calls: Vec<RunnerCall>) -> BoxFuture<'_, ()>;
}

/// A call that a [`Runner`] is to answer. It may move to other tasks and threads.
///
/// ```compile_fail
/// use toolwright::{Outcome, executor::RunnerCall};
///
/// fn answer_twice(call: RunnerCall) {
///     call.answer(Ok(Outcome::value(1)));
///     call.answer(Ok(Outcome::value(2)));
/// }
/// ```
#[must_use = "a call that is dropped is answered with an error"]
pub struct RunnerCall {
    index: usize,
    call: ToolCall,
    tool: Arc<dyn Tool>,
    cx: Context,
    reply: oneshot::Sender<RunnerReply>,
}

/// A runner's reply to a call.
pub(super) enum RunnerReply {
    Answer(Answered),
    /// The tool's own code runs. The sender is dropped when it has ended.
    Here(oneshot::Sender<()>),
}

impl RunnerCall {
    /// Returns the call, with valid arguments.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// Returns the call's index in its batch, from 0. Unlike ids, no two calls of a batch have the same.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the tool's definition.
    pub fn def(&self) -> &ToolDef {
        self.tool.def()
    }

    /// Returns the call's context. Its [token](Context::cancel) fires when the answer is no longer awaited.
    pub fn context(&self) -> &Context {
        &self.cx
    }

    /// Answers the call. The answer is ignored if the call is answered already, by its time limit for example.
    pub fn answer(self, outcome: Result<Outcome, ToolError>) {
        // Nobody awaits the answer any more.
        let _ = self.reply.send(RunnerReply::Answer(outcome));
    }

    /// Runs the tool's own code, as without a runner, and returns when it has ended. The call runs on even if this
    /// future is dropped.
    pub async fn run(self) {
        let (ends, ended) = oneshot::channel();
        if self.reply.send(RunnerReply::Here(ends)).is_ok() {
            // It ends by being dropped.
            let _ = ended.await;
        }
    }
}

impl fmt::Debug for RunnerCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunnerCall")
            .field("index", &self.index)
            .field("call", &self.call)
            .finish_non_exhaustive()
    }
}

/// A batch's way to the runner.
pub(super) struct RunnerQueue<'a> {
    runner: &'a dyn Runner,
    /// Calls that have arrived since the runner last ran.
    arrived: Mutex<Vec<RunnerCall>>,
    panic: Mutex<Option<ToolError>>,
}

impl<'a> RunnerQueue<'a> {
    pub(super) fn new(runner: &'a dyn Runner) -> Self {
        Self {
            runner,
            arrived: Mutex::default(),
            panic: Mutex::default(),
        }
    }

    /// Hands a call over. Poisoning is harmless: no foreign code runs under this lock.
    pub(super) fn hand_over(
        &self,
        index: usize,
        call: &ToolCall,
        tool: &Arc<dyn Tool>,
        cx: &Context,
    ) -> oneshot::Receiver<RunnerReply> {
        let (reply, replied) = oneshot::channel();
        self.arrived().push(RunnerCall {
            index,
            call: call.clone(),
            tool: Arc::clone(tool),
            cx: cx.clone(),
            reply,
        });
        replied
    }

    fn arrived(&self) -> MutexGuard<'_, Vec<RunnerCall>> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn panic(&self) -> MutexGuard<'_, Option<ToolError>> {
        self.panic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the error of a call that the runner gave no answer to.
    #[cold]
    pub(super) fn no_answer(&self) -> ToolError {
        let words = "nobody answered the call, and it is not known whether it took effect";
        let error = ToolError::new(ErrorKind::NoAnswer, words).with_outcome_unknown();
        match &*self.panic() {
            Some(panic) => error.with_debug(panic.host_detail().unwrap_or_default()),
            None => error,
        }
    }
}

/// The runs that a batch awaits.
#[derive(Default)]
pub(super) struct Runs<'a>(Vec<Contained<'a, Result<(), ToolError>>>);

impl<'a> Runs<'a> {
    /// Gives the runner the calls that have arrived, and polls its futures. Answers wake their calls.
    pub(super) fn poll(&mut self, queue: &RunnerQueue<'a>, task: &mut TaskContext<'_>) {
        let mut calls = std::mem::take(&mut *queue.arrived());
        if !calls.is_empty() {
            calls.sort_by_key(RunnerCall::index);
            match contained(|| queue.runner.run(calls)) {
                Ok(run) => self.0.push(Contained::new(Box::pin(async move {
                    run.await;
                    Ok(())
                }))),
                Err(error) => queue.panicked(error),
            }
        }
        self.0
            .retain_mut(|run| match std::pin::Pin::new(run).poll(task) {
                std::task::Poll::Pending => true,
                std::task::Poll::Ready(Ok(())) => false,
                std::task::Poll::Ready(Err(error)) => {
                    queue.panicked(error);
                    false
                }
            });
    }
}

impl RunnerQueue<'_> {
    #[cold]
    fn panicked(&self, error: ToolError) {
        panics::report("a runner", error.host_detail().unwrap_or_default());
        *self.panic() = Some(error);
    }
}
