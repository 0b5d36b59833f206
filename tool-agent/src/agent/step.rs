//! One step at a time, for hosts that keep their own loop.

use toolwright_runtime::{Context, State};

use super::Agent;
use super::engine::Engine;
use crate::{AgentError, PendingCall, RunEnd, Session, Thread, Usage};

/// Result of a step. The messages are in the thread.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StepResult {
    /// Why nothing follows by itself; [`RunEnd::Interrupted`] where the node follows that it names.
    pub end: RunEnd,
    /// The model's words.
    pub text: Option<String>,
    /// The calls that have no answer, in call order.
    pub pending: Vec<PendingCall>,
    /// Why the conversation ends once nothing of the turn is open any more: neither one of the
    /// [questions](Thread::questions) nor a pending call. `None` if the model goes on then.
    pub deferred_end: Option<RunEnd>,
    /// The conversation's state after the step.
    pub state: State,
    /// Usage of the model call.
    pub usage: Usage,
}

/// Steps of a conversation of which only the thread is there. The agent's prompt, tools, choice, encoder,
/// `halt_when`, listeners and hooks around model calls count; its limits, interrupts, peers and checkpointer
/// do not, and where a call runs an agent that pauses, that is the call's outcome. What the context says of
/// the conversation (session, run, turn, state) holds.
impl Agent {
    /// One request: the model's answer is added to the thread, and its calls are left to the host.
    ///
    /// ```
    /// use toolwright::agent::testing::ScriptedModel;
    /// use toolwright::agent::{Agent, ThreadMessage, Node, ModelResponse, Thread, ToolNode, route};
    /// use toolwright::{Context, DynTool, Executor, ToolCall, ToolError, Toolset};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let time = DynTool::builder().name("time").description("Tells the time.");
    /// let time = time.handler_sync(|_: serde_json::Value, _cx| Ok::<_, ToolError>("noon"));
    /// let tools = Toolset::new([time.build().unwrap()]).unwrap();
    /// let model = ScriptedModel::new([
    ///     Ok(ModelResponse::calls([ToolCall::new("c1", "time", "{}")])),
    ///     Ok(ModelResponse::text("It is noon.")),
    /// ]);
    /// let agent = Agent::new(model, &tools);
    /// let node = ToolNode::new(Executor::serial(&tools));
    ///
    /// let (mut thread, cx) = (Thread::from([ThreadMessage::user("What time is it?")]), Context::new());
    /// loop {
    ///     match route(&thread) {
    ///         Node::Model => drop(agent.chat(&mut thread, &cx).await.unwrap()),
    ///         Node::Tools => drop(node.process(&mut thread, &cx).await.unwrap()),
    ///         Node::End => break,
    ///     }
    /// }
    /// assert_eq!(thread.last_text(), Some("It is noon."));
    /// # });
    /// ```
    ///
    /// # Errors
    /// When the thread is empty, no provider would take it, or the model fails; the thread stays as it
    /// was.
    pub async fn chat(&self, thread: &mut Thread, cx: &Context) -> Result<StepResult, AgentError> {
        self.once(thread, cx, false).await
    }

    /// One request, and its calls once: the model's answer and the answers of its calls are added to the
    /// thread. Calls that wait for somebody have none; calls that ask a person are [`Thread::questions`].
    ///
    /// Dropping the future leaves the thread as it was.
    ///
    /// # Errors
    /// As [`chat`](Self::chat).
    pub async fn step(&self, thread: &mut Thread, cx: &Context) -> Result<StepResult, AgentError> {
        self.once(thread, cx, true).await
    }

    async fn once(
        &self,
        thread: &mut Thread,
        cx: &Context,
        tools: bool,
    ) -> Result<StepResult, AgentError> {
        if thread.is_empty() {
            return Err(AgentError::EmptyThread);
        }
        let mut session = Session::of_thread(thread.clone()).with_state(cx.state().clone());
        let run = Engine::new(self, &mut session, cx.clone())
            .step(tools)
            .await?;
        let (pending, ending) = (session.pending(), session.ending());
        *thread = session.thread;
        Ok(StepResult {
            end: run.end,
            text: run.text,
            pending,
            deferred_end: ending,
            state: session.state,
            usage: run.usage,
        })
    }
}
