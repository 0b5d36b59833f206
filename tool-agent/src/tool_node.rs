use toolwright_runtime::{
    Batch, CallPlan, Context, Encoder, Executor, Halted, Pending, PendingReason, Reply, State,
    ToolCall,
};

use crate::{AgentError, Message, Node, Thread, ToolMessage};

/// Runs the calls that a thread ends with, for hosts that keep their own loop.
///
/// ```
/// use toolwright::agent::{Message, Node, Thread, ToolNode, route};
/// use toolwright::{Context, Executor, ToolCall, Toolset};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let call = ToolCall::new("c1", "nowhere", "{}");
/// let mut thread = Thread::from([Message::user("Go!"), Message::calls([call])]);
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
}

/// Outcomes of the calls that a thread ended with.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Answers {
    /// The answers, in call order, as they stand in the thread now.
    pub messages: Vec<ToolMessage>,
    /// The calls that wait for a person or the host, in call order.
    pub pending: Vec<Pending>,
    /// Why the conversation does not go on by itself; `None` if the model is to be asked next.
    pub halted: Option<Halted>,
    /// Every such reason, in the order in which they count: `halted` is the first. A turn may ask several
    /// [questions](Thread::questions), and end the conversation beside them.
    pub halts: Vec<Halted>,
    /// The conversation's new state, if calls changed it.
    pub state: Option<State>,
}

/// Returns the node at which a conversation goes on. That is the tools node if its last message makes calls and one
/// has no answer. It is the end after a last message without calls, and for an empty thread; otherwise the model.
pub fn route(thread: &Thread) -> Node {
    if thread.is_open().unwrap_or(false) {
        return Node::Tools;
    }
    match thread.last() {
        Some(Message::User { .. } | Message::Tool(_)) => Node::Model,
        Some(Message::Assistant(_)) | None => Node::End,
    }
}

impl ToolNode {
    /// Calls are run like this.
    pub fn new(executor: Executor) -> Self {
        Self {
            executor,
            encoder: Encoder::auto(),
        }
    }

    /// Sets the encoder that turns results into the model's text.
    pub fn encoder(self, encoder: Encoder) -> Self {
        Self { encoder, ..self }
    }

    /// Runs the unanswered calls at the end of the thread and appends their answers: one for each call, in call
    /// order, under its id. A thread that ends otherwise stays as it is.
    ///
    /// If calls ask a person, the first question is appended in the assistant's words. [`Thread::questions`] returns
    /// all of them, and [`Thread::answer_call`] answers each.
    ///
    /// What the context does not say of the conversation, its input and the tools that were called
    /// before, is taken from the thread. Dropping the future leaves the thread as it was.
    ///
    /// # Errors
    /// When the thread is empty, and when no provider would take it for another reason than the calls at
    /// its end.
    pub async fn process(&self, thread: &mut Thread, cx: &Context) -> Result<Answers, AgentError> {
        if thread.is_empty() {
            return Err(AgentError::EmptyThread);
        }
        if !thread.is_open()? {
            return Ok(Answers::default());
        }
        let open: Vec<_> = thread.unanswered().iter().map(|open| open.index).collect();
        let calls = thread.last_calls();
        let (plans, cx) = (
            plans(calls, &open),
            conversation_context(thread, cx.clone()),
        );
        let batch = self.executor.run_planned(calls, &plans, &cx).await;
        Ok(self.take(thread, &batch, &open))
    }

    fn take(&self, thread: &mut Thread, batch: &Batch, ran: &[usize]) -> Answers {
        let mut answers = Answers {
            halts: batch.halts().to_vec(),
            state: batch.state().cloned(),
            ..Answers::default()
        };
        for (index, reply) in batch.calls().iter().enumerate() {
            match reply {
                Reply::Answered(result) if ran.binary_search(&index).is_ok() => {
                    let answer = ToolMessage::of(index, result, self.encoder);
                    thread.answer(answer.clone());
                    answers.messages.push(answer);
                }
                Reply::Pending(pending) if pending.reason != PendingReason::Left => {
                    answers.pending.push(pending.clone());
                }
                _ => {}
            }
        }
        // Calls that had an answer before wait for nobody.
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

/// The calls at these places run, and no others.
pub(crate) fn plans(calls: &[ToolCall], places: &[usize]) -> Vec<CallPlan> {
    let mut plans = vec![CallPlan::Leave; calls.len()];
    for place in places {
        if let Some(plan) = plans.get_mut(*place) {
            *plan = CallPlan::Run;
        }
    }
    plans
}

/// Builds the context of calls: the host's context over what the thread says.
pub(crate) fn conversation_context(thread: &Thread, cx: Context) -> Context {
    let known = Context::new().with_called(thread.called());
    let known = match thread.last_input() {
        Some(input) => known.with_input(input),
        None => known,
    };
    let known = if thread.is_lowered() {
        known.with_lowered()
    } else {
        known
    };
    cx.over(&known)
}
