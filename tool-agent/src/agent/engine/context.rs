//! The context of the calls that an engine makes.

use std::sync::Arc;

use toolwright_runtime::tool::Context;

use super::Engine;
use super::tools_visit::ToolsVisit;
use crate::tool_node::conversation_context;

impl Engine<'_> {
    /// Returns the context of this turn's calls: the host's over the session's. The executor puts its defaults under
    /// both.
    pub(super) fn context(&self) -> Context {
        let (session, host) = (&self.session, &self.host);
        let mut base = Context::new().with_state(session.state.clone());
        if let Some(name) = self.agent_name() {
            base = base.with_agent(Arc::clone(name));
        }
        // An agent in a call must not read the messages of its caller.
        let host_cx = host.clone().without_conversation();
        let mut cx = conversation_context(&session.thread, host_cx.with_fallback(&base));
        if let Some((wire, fit)) = self.active_agent().model.definition_options() {
            cx = cx.declared_in(wire, fit.dialect());
        }
        if self.is_step {
            return cx;
        }
        let called = host.scope().called.iter().map(|tool| &**tool);
        let called = called.chain(session.thread.called());
        cx.with_called(called)
            .with_session(session.id())
            .with_run(session.run_id())
            .with_turn(session.turn())
    }

    /// Returns the context that this turn's calls run with. Drop it before the thread changes, which would copy the
    /// messages otherwise.
    pub(super) fn call_context(&self, visit: &ToolsVisit) -> Context {
        let cx = visit.add_to(self.context());
        if self.active_agent().shares_thread {
            cx.with_conversation(self.session.thread.clone())
        } else {
            cx
        }
    }
}
