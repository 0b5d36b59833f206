//! Single steps, for hosts that run their own loop.
//!
//! A step gets a thread and a context. It changes the thread only once the whole step is done, so a dropped step leaves
//! no call without an answer.

use toolwright_runtime::tool::Context;

use super::Agent;
use super::engine::Engine;
use crate::run::AgentError;
use crate::session::{Session, SessionError, Status};
use crate::thread::Thread;
use crate::tool_node::StepResult;

/// Steps of a conversation that is only a thread. They use the agent's prompt, tools, choice, encoder, `halt_when`,
/// listeners and model hooks. They ignore its limits, interrupts, peers and checkpointer. Session, run, turn and state
/// come from the context. If a call runs an agent that pauses, the pause is the call's outcome.
impl Agent {
    /// Makes one request and appends the response to the thread. The host runs the calls in it.
    ///
    /// ```
    /// use toolwright::agent::testing::ScriptedModel;
    /// use toolwright::agent::{Agent, ThreadMessage, Node, ModelResponse, Thread, tool_node::{ToolNode, route}};
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
    /// Fails if the thread is empty, if no provider would accept it, if a tool asks a person ([`Thread::questions`]), or if the
    /// model fails. The thread does not change then.
    pub async fn chat(&self, thread: &mut Thread, cx: &Context) -> Result<StepResult, AgentError> {
        self.once(thread, cx, false).await
    }

    /// Makes one request and runs its calls once. Appends the response and the answers to the thread. Pending calls
    /// have no answer; calls that ask a person are in [`Thread::questions`].
    ///
    /// Dropping the future leaves the thread unchanged.
    ///
    /// # Errors
    /// See [`chat`](Self::chat).
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
        let mut session =
            Session::from_thread(thread.clone()).with_state(cx.session_state().clone());
        if let status @ Status::AwaitingUser { .. } = session.status() {
            let (status, tried) = (status.as_str(), "step");
            return Err(SessionError::WrongStatus { status, tried }.into());
        }
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
