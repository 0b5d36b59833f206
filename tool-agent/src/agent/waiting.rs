//! What a conversation waits for, with the agents in its calls.

use toolwright_provider::call::ToolCall;
use toolwright_runtime::tool::{Context, Tool};

use crate::agent::Agent;
use crate::session::{PendingCallReason, Session};
use crate::thread::Question;

/// A call that waits for somebody: of a conversation, or of an agent that one of its calls runs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Waiting {
    /// Places in their turns, from 0: of the calls that run the agents around this one, outermost first, and its own. See
    /// [`Session::at_path`].
    pub path: Vec<usize>,
    /// The call's id.
    pub id: String,
    /// Key of the call's [record](crate::store::CallRecord::key), if it has begun.
    pub key: String,
    /// The tool's name.
    pub tool: String,
    /// The arguments, without secrets. `None` if the agent has no such tool: then nothing says what is secret.
    pub arguments: Option<String>,
    /// What it waits for.
    pub what: WaitingFor,
}

/// What a call waits for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum WaitingFor {
    /// A decision or a result.
    Decision(PendingCallReason),
    /// An answer.
    Answer(Question),
}

impl Agent {
    /// Returns the agent that a tool runs, if it is an [`AgentTool`](crate::AgentTool).
    pub fn of_tool(tool: &dyn Tool) -> Option<&Self> {
        tool.__agent()?.downcast_ref()
    }

    /// Returns all that the session and the agents in its calls wait for, in the order of the calls: an agent's call comes before
    /// those inside of it. Arguments are those that the tools in this context show.
    pub fn waiting(&self, session: &Session, cx: &Context) -> Vec<Waiting> {
        let mut all = Vec::new();
        add_waiting(Some(self), session, cx, &[], &mut all);
        // Paths have the order of the calls.
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all
    }
}

/// Adds what a session waits for. Of an agent that is not there any more, nothing says what is secret.
fn add_waiting(
    agent: Option<&Agent>,
    session: &Session,
    cx: &Context,
    around: &[usize],
    all: &mut Vec<Waiting>,
) {
    let active = agent.map(|agent| agent.active_agent(session).unwrap_or(agent));
    let tools = active.map(|agent| agent.executor().tools(cx));
    let tool = |name: &str| tools.as_ref().and_then(|tools| tools.get(name));
    let calls = session.thread().last_calls();
    let path = |index| around.iter().copied().chain([index]).collect::<Vec<_>>();
    let mut add = |index, call: &ToolCall, what| {
        all.push(Waiting {
            path: path(index),
            id: call.id.to_string(),
            key: session.call_key(index, &call.id),
            tool: call.name.to_string(),
            arguments: tool(&call.name).map(|tool| tool.redacted(&call.arguments).into_owned()),
            what,
        });
    };
    for asks in session.thread().questions() {
        if let Some(call) = calls.get(asks.index) {
            add(asks.index, call, WaitingFor::Answer(asks.question));
        }
    }
    let mut inside = Vec::new();
    for pending in session.pending() {
        add(
            pending.index,
            &pending.call,
            WaitingFor::Decision(pending.reason),
        );
        if let Some(sub) = session.sub_session(pending.index) {
            inside.push((pending.index, pending.call.name.clone(), sub));
        }
    }
    for (index, name, sub) in inside {
        let agent = tool(&name).and_then(|tool| Agent::of_tool(&**tool));
        add_waiting(agent, sub, cx, &path(index), all);
    }
}
