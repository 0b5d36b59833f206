//! Hand-overs: another agent continues a conversation.
//!
//! A tool halts its turn with [`HANDOFF`] and names the agent. The agent that runs the session keeps its limits, hooks
//! and store, and takes model, prompt and tools from the named peer.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use toolwright_provider::call::{HaltReason, Outcome, ToolError, ToolResult};
use toolwright_runtime::dyn_tool::{BuildError, DynTool};
use toolwright_runtime::tool::Tool;

use super::Agent;
use crate::run::AgentError;
use crate::session::Session;

/// Halt reason of a tool that hands the conversation over. The value names the agent: `{"agent": "billing"}`.
pub const HANDOFF: HaltReason = HaltReason::new("handoff");

/// Creates a tool that hands the conversation over to the agent of this name. The tool is called `transfer_to_{name}`
/// and takes no arguments. `description` tells the model what the other agent is for.
///
/// The agent that runs the session must know the other one: see [`Agent::peer`]. Any other tool can hand over too, by
/// halting with the reason [`HANDOFF`].
///
/// # Errors
/// Fails if the name is not valid for a tool, or the description is empty.
pub fn handoff(name: &str, description: &str) -> Result<Arc<dyn Tool>, BuildError> {
    let to = Arc::<str>::from(name);
    DynTool::builder()
        .name(format!("transfer_to_{name}"))
        .description(description.to_owned())
        .handler_sync(move |_: serde_json::Value, _cx| {
            Ok::<_, ToolError>(Outcome::halt(HANDOFF, json!({"agent": &*to})))
        })
        .build()
}

/// Value of a tool's outcome that hands the conversation over.
#[derive(Deserialize)]
struct HandoffTarget {
    agent: Arc<str>,
}

impl Agent {
    /// Sets the agent's name. Other agents hand a conversation back by this name, and tools read it from
    /// [`Context::agent_id`](toolwright_runtime::tool::Context::agent_id).
    pub fn name(self, name: impl Into<Arc<str>>) -> Self {
        Self {
            name: Some(name.into()),
            ..self
        }
    }

    /// Adds an agent that conversations can be handed over to by this name, with a tool from [`handoff`]. That agent
    /// can hand over to all others that this one knows, but not to peers of its own.
    ///
    /// After a hand-over the thread continues unchanged, under the other agent's model, prompt and tools, also in later
    /// runs. [`Session::agent`] names the current agent. Its interrupts, [budget](Agent::budget), [`halt_when`](Agent::halt_when) and
    /// hooks around model calls hold then, beside those of this agent. Limits, hooks around runs, listeners and the checkpointer stay
    /// those of this agent. If several calls of a turn hand over, the first one does, and the others are answered with an error.
    ///
    /// ```
    /// use toolwright::agent::testing::ScriptedModel;
    /// use toolwright::agent::{Agent, ModelResponse, Session, handoff};
    /// use toolwright::{Context, ToolCall, Toolset};
    ///
    /// let billing = ScriptedModel::new([Ok(ModelResponse::text("It was paid in May."))]);
    /// let billing = Agent::new(billing, Toolset::default()).system("You know all invoices.");
    /// let desk = ScriptedModel::new([Ok(ModelResponse::calls([
    ///     ToolCall::new("c1", "transfer_to_billing", "{}"),
    /// ]))]);
    /// let tools = Toolset::new([handoff("billing", "Answers questions about invoices.").unwrap()]);
    /// let desk = Agent::new(desk, tools.unwrap()).name("desk").peer("billing", billing);
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let mut session = Session::ask("Was invoice 7 paid?");
    /// let run = desk.run(&mut session, &Context::new()).await.unwrap();
    /// assert_eq!(run.text(), Some("It was paid in May."));
    /// assert_eq!(session.agent(), Some("billing"));
    /// # });
    /// ```
    ///
    /// # Panics
    /// If the agent limits turns, rounds of tools or steps. They count a whole run, and are those of this agent.
    #[track_caller]
    pub fn peer(mut self, name: impl Into<Arc<str>>, agent: Agent) -> Self {
        let name = name.into();
        assert!(
            !agent.has_limits(),
            "the agent `{name}` has limits of its own, which do not hold after a hand-over: set them at the agent that runs the \
             session"
        );
        self.peers.insert(name, agent);
        self
    }

    /// Returns the session's current agent: this one or a peer.
    #[doc(hidden)]
    pub fn active_agent(&self, session: &Session) -> Result<&Self, AgentError> {
        let Some(name) = &session.agent else {
            return Ok(self);
        };
        if self.name.as_ref() == Some(name) {
            return Ok(self);
        }
        let peer = self.peers.get(name);
        peer.ok_or_else(|| AgentError::UnknownAgent(name.to_string()))
    }

    /// Returns the agent that the call hands over to, if it is known.
    pub(super) fn handed_to(&self, result: &ToolResult) -> Option<Arc<str>> {
        let Ok(Outcome::Halt { reason, value }) = &result.outcome else {
            return None;
        };
        if *reason != HANDOFF {
            return None;
        }
        let HandoffTarget { agent } = serde_json::from_str(&value.to_json()).ok()?;
        let known = self.peers.contains_key(&agent) || self.name.as_ref() == Some(&agent);
        known.then_some(agent)
    }
}
