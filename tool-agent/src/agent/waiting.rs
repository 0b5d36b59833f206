//! What a conversation waits for, with the agents in its calls.

use std::sync::Arc;

use toolwright_runtime::executor::{PendingReason, Waiting};
use toolwright_runtime::tool::{Context, Decision, OpenCallState, Tool};
use toolwright_runtime::toolset::Toolset;

use crate::agent::Agent;
use crate::session::{Session, SessionError};

impl Agent {
    /// Returns the agent that a tool runs, if it is an [`AgentTool`](crate::AgentTool).
    pub fn of_tool(tool: &dyn Tool) -> Option<&Self> {
        tool.__agent()?.downcast_ref()
    }

    /// Returns all that the session and the agents in its calls wait for. Arguments are those that the tools in this context
    /// show. [`Session::decide`] takes each of them. Decided calls are not listed.
    ///
    /// First come [open calls](Session::open) whose outcome is unknown, and calls of
    /// [detached](crate::AgentTool::detached) agents that paused, without a path. Then come the calls of the last turn, in call
    /// order: an agent's call before those inside of it.
    pub fn waiting(&self, session: &Session, cx: &Context) -> Vec<Waiting> {
        let mut all = Vec::new();
        add_waiting(Some(self), session, cx, &[], &mut all);
        // Paths have the order of the calls.
        all.sort_by(|a, b| a.path.cmp(&b.path));
        let tools = self
            .active_agent(session)
            .unwrap_or(self)
            .executor()
            .tools(cx);
        let mut earlier = Vec::new();
        for call in session.open().list() {
            let OpenCallState::Unknown(error) = call.state else {
                continue;
            };
            if session.is_pending(&call.key) {
                if let Some(shown) = all.iter_mut().find(|shown| shown.key == call.key) {
                    shown.reason = PendingReason::OutcomeUnknown(error);
                }
                continue;
            }
            // Secrets of a call of an agent inside are unknown here.
            let is_own = call.session.as_deref() == Some(session.id());
            let shown_by = if is_own { &tools } else { &Toolset::default() };
            let reason = PendingReason::OutcomeUnknown(error);
            let mut shown = Waiting::new(&call.call, reason, shown_by);
            shown.key = call.key;
            earlier.push(shown);
        }
        for paused in session.queue().paused_sessions() {
            let tool = session.tool_of_detached(&paused);
            let tool = tool.and_then(|name| tools.get(name));
            let agent = tool.and_then(|tool| Self::of_tool(&**tool));
            let mut inside = Vec::new();
            add_waiting(agent, &paused, cx, &[], &mut inside);
            earlier.extend(inside.into_iter().map(|mut shown| {
                shown.path.clear();
                shown
            }));
        }
        earlier.append(&mut all);
        earlier
    }

    /// Returns the first call that waits for a decision or a result, here or in an agent that a call runs.
    pub(super) fn first_waiting(&self, session: &Session, cx: &Context) -> Option<Waiting> {
        let waits = |call: &Waiting| {
            !matches!(call.reason, PendingReason::NotRun | PendingReason::Agent)
                && !call.path.is_empty()
        };
        self.waiting(session, cx).into_iter().find(waits)
    }

    /// Records a decision about the first call that waits. Returns false if none does.
    pub(super) fn decide_first(
        &self,
        session: &mut Session,
        decision: Decision,
        cx: &Context,
    ) -> Result<bool, SessionError> {
        match self.first_waiting(session, cx) {
            Some(first) => session.decide(&first, decision).map(|()| true),
            None => Ok(false),
        }
    }

    /// Returns true if a run may pause for a decision. With `asks`, questions about calls can be asked.
    pub(super) fn may_wait(&self, cx: &Context, asks: bool) -> bool {
        let tools = self.executor.tools(cx);
        let holds = |tool: &Arc<dyn Tool>| {
            // What pauses in the background of the agent ends with it.
            let is_awaited = !tool.def().options.background || self.model.__is_computed();
            let asks_inside = asks && is_awaited;
            (!asks && self.executor.may_hold(tool.def()))
                || Self::of_tool(&**tool).is_some_and(|agent| agent.may_wait(cx, asks_inside))
        };
        !self.before.is_empty()
            || !self.after.is_empty()
            || tools.iter().any(holds)
            || self.peers.values().any(|peer| peer.may_wait(cx, asks))
    }
}

/// Adds what a session waits for. Without the agent secrets are unknown, so arguments are omitted.
fn add_waiting(
    agent: Option<&Agent>,
    session: &Session,
    cx: &Context,
    around: &[usize],
    all: &mut Vec<Waiting>,
) {
    let active = agent.map(|agent| agent.active_agent(session).unwrap_or(agent));
    let tools = active.map(|agent| agent.executor().tools(cx));
    let tools = tools.unwrap_or_default();
    let calls = session.thread().questions().into_iter();
    for call in calls.chain(session.pending()) {
        let wait = session.wait(call.index);
        if wait.is_some_and(|wait| wait.decision.is_some()) {
            continue;
        }
        let mut shown = call.shown(&tools);
        shown.path.splice(..0, around.iter().copied());
        shown.key = session.call_key(call.index, &call.call.id);
        let path = shown.path.clone();
        all.push(shown);
        if let Some(sub) = session.sub_session(call.index) {
            let tool = tools.get(&call.call.name);
            let agent = tool.and_then(|tool| Agent::of_tool(&**tool));
            add_waiting(agent, sub, cx, &path, all);
        }
    }
}
