//! Parts of the loop, for hosts that run their own: the calls of a turn, and what follows a message.

use toolwright_provider::call::{Encoder, ToolCall};
use toolwright_provider::wire::Usage;
use toolwright_runtime::executor::{
    Batch, CallPlan, Executor, Halted, Pending, PendingReason, Reply, Turn,
};
use toolwright_runtime::tool::{Context, State};

use crate::run::{AgentError, RunEnd};
use crate::session::Node;
use crate::thread::{Thread, ThreadMessage, ToolMessage};

/// Runs the calls at the end of a thread, for hosts that run their own loop.
///
/// ```
/// use toolwright::agent::{ThreadMessage, Node, Thread, tool_node::{ToolNode, route}};
/// use toolwright::{Context, Executor, ToolCall, Toolset};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let call = ToolCall::new("c1", "nowhere", "{}");
/// let mut thread = Thread::from([ThreadMessage::user("Go!"), ThreadMessage::calls([call])]);
/// assert_eq!(route(&thread), Node::Tools);
/// let node = ToolNode::new(Executor::serial(Toolset::default()));
/// let answers = node.process(&mut thread, &Context::new()).await.unwrap();
/// assert_eq!(answers.messages[0].text, "unknown tool `nowhere`");
/// assert_eq!(route(&thread), Node::Model);
/// # });
/// ```
#[derive(Debug, Clone)]
pub struct ToolNode {
    executor: Executor,
    encoder: Encoder,
    shares_thread: bool,
}

/// Outcomes of the calls at the end of a thread.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ToolNodeResult {
    /// Answers in call order, as they are in the thread now.
    pub messages: Vec<ToolMessage>,
    /// Calls that wait for a person or the host, in call order.
    pub pending: Vec<Pending>,
    /// Reason why the conversation stops here. `None` if the model is called next.
    pub halted: Option<Halted>,
    /// All such reasons, the one that counts first. A turn may ask several [questions](Thread::questions), and end the
    /// conversation beside them.
    pub halts: Vec<Halted>,
    /// New state of the conversation, if calls changed it.
    pub state: Option<State>,
}

/// Result of a step. The messages are in the thread.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StepResult {
    /// Reason why the conversation stops here. [`RunEnd::Interrupted`] names the node that follows.
    pub end: RunEnd,
    /// Text of the model.
    pub text: Option<String>,
    /// Calls without an answer, in call order.
    pub pending: Vec<Pending>,
    /// Reason why the conversation ends once the turn has no open [question](Thread::questions) and no pending call.
    /// `None` if the model continues then.
    pub deferred_end: Option<RunEnd>,
    /// State of the conversation after the step.
    pub state: State,
    /// Usage of the model call.
    pub usage: Usage,
}

/// Returns the node at which a conversation continues. This is the tools node if a call of the last turn has no answer.
/// It is the end after a message without calls, and for an empty thread; otherwise the model.
pub fn route(thread: &Thread) -> Node {
    if thread.is_open().unwrap_or(false) {
        return Node::Tools;
    }
    match thread.last() {
        Some(ThreadMessage::User { .. } | ThreadMessage::Tool(_) | ThreadMessage::Late(_)) => {
            Node::Model
        }
        Some(ThreadMessage::Assistant(_)) | None => Node::End,
    }
}

impl ToolNode {
    /// Creates a node whose calls run on this executor.
    pub fn new(executor: Executor) -> Self {
        Self {
            executor,
            encoder: Encoder::auto(),
            shares_thread: false,
        }
    }

    /// Sets the encoder that turns results into the model's text.
    pub fn encoder(self, encoder: Encoder) -> Self {
        Self { encoder, ..self }
    }

    /// Lets the tools read the thread: see [`Agent::share_thread`](crate::Agent::share_thread).
    pub fn share_thread(self) -> Self {
        Self {
            shares_thread: true,
            ..self
        }
    }

    /// Runs the unanswered calls at the end of the thread and appends their answers, one per call, in call order. A
    /// thread without such calls does not change.
    ///
    /// If calls ask a person, the first question is appended as an assistant message. [`Thread::questions`] returns all
    /// of them, and [`Thread::answer_call`] answers each.
    ///
    /// Input and called tools come from the thread, unless the context has them. Dropping the future leaves the thread
    /// unchanged.
    ///
    /// # Errors
    /// Fails if the thread is empty, or if no provider would accept it for another reason than these calls.
    pub async fn process(
        &self,
        thread: &mut Thread,
        cx: &Context,
    ) -> Result<ToolNodeResult, AgentError> {
        if thread.is_empty() {
            return Err(AgentError::EmptyThread);
        }
        if !thread.is_open()? {
            return Ok(ToolNodeResult::default());
        }
        let open: Vec<_> = thread.unanswered().iter().map(|open| open.index).collect();
        let calls = thread.last_calls();
        let plans = plans(calls, &open);
        let mut cx = conversation_context(thread, cx.clone());
        if self.shares_thread {
            cx = cx.with_conversation(thread.clone());
        }
        let batch = self.executor.run(Turn::planned(calls, &plans), &cx).await;
        // Otherwise an answer would copy the messages.
        drop(cx);
        Ok(self.take(thread, &batch, &open))
    }

    fn take(&self, thread: &mut Thread, batch: &Batch, ran: &[usize]) -> ToolNodeResult {
        let mut answers = ToolNodeResult {
            halts: batch.halts().to_vec(),
            state: batch.state().cloned(),
            ..ToolNodeResult::default()
        };
        for (index, reply) in batch.calls().iter().enumerate() {
            match reply {
                Reply::Answered(result) if ran.binary_search(&index).is_ok() => {
                    let answer = ToolMessage::of(index, result, self.encoder);
                    thread.answer(answer.clone());
                    answers.messages.push(answer);
                }
                Reply::Pending(pending) if pending.reason != PendingReason::NotRun => {
                    answers.pending.push(pending.clone());
                }
                _ => {}
            }
        }
        // Calls answered before this batch wait for nobody.
        if answers.pending.is_empty() && answers.halts.contains(&Halted::Pending) {
            answers.halts.retain(|halt| *halt != Halted::Pending);
            let direct = thread.direct().map(|_| Halted::ReturnDirect);
            answers.halts.retain(|halt| *halt != Halted::ReturnDirect);
            answers.halts.extend(direct);
        }
        answers.halted = answers.halts.first().cloned();
        thread.restate_question();
        answers
    }
}

/// Returns plans that run only the calls at these places.
pub(crate) fn plans(calls: &[ToolCall], places: &[usize]) -> Vec<CallPlan> {
    let mut plans = vec![CallPlan::Leave; calls.len()];
    for place in places {
        if let Some(plan) = plans.get_mut(*place) {
            *plan = CallPlan::Run;
        }
    }
    plans
}

/// Returns the context of calls: the host's context over what the thread says.
pub(crate) fn conversation_context(thread: &Thread, cx: Context) -> Context {
    let known = Context::new().with_called(thread.called());
    let known = match thread.last_input() {
        Some(input) => known.with_input(input),
        None => known,
    };
    cx.with_fallback(&known)
}
