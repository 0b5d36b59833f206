//! A store of events that listens to agents. The runtime, which has the store, knows no agent.

use toolwright_runtime::executor::{TraceEvent, TraceStore, Traced};

use super::{Listener, RunEvent};

/// Stores the events of runs, model calls, hand-overs and calls.
impl Listener for TraceStore {
    fn event(&self, event: &RunEvent<'_>) {
        if let RunEvent::Call { event, .. } = event {
            return self.store_call(event);
        }
        self.store(|at| {
            let mut traced = TraceEvent::of_run(at, event.session(), event.run_id(), what(event)?);
            if let RunEvent::ModelStarted { agent, turn, .. }
            | RunEvent::ModelFinished { agent, turn, .. }
            | RunEvent::ModelFailed { agent, turn, .. } = *event
            {
                traced.agent = agent.map(Into::into);
                traced.turn = Some(turn);
            }
            Some(traced)
        });
    }

    /// It stores responses, and not their pieces.
    fn wants_deltas(&self) -> bool {
        false
    }
}

/// Returns the content of a stored event; `None` for events that others repeat.
fn what(event: &RunEvent<'_>) -> Option<Traced> {
    Some(match *event {
        RunEvent::RunStarted { .. } => Traced::RunStarted,
        RunEvent::ModelStarted { request, .. } => Traced::ModelStarted {
            messages: request.thread.len(),
            tools: request
                .tools
                .requested()
                .map(|def| (*def.name).into())
                .collect(),
        },
        RunEvent::ModelFinished {
            response, duration, ..
        } => Traced::ModelFinished {
            text: response.text.clone(),
            calls: response
                .calls
                .iter()
                .map(|call| call.name.clone())
                .collect(),
            usage: response.usage,
            duration,
        },
        RunEvent::ModelFailed {
            error, duration, ..
        } => Traced::ModelFailed {
            kind: error.kind().as_str(),
            message: error.to_string(),
            duration,
        },
        RunEvent::HandedOver { agent, .. } => Traced::HandedOver {
            agent: agent.into(),
        },
        RunEvent::RunFinished { run, duration, .. } => Traced::RunFinished {
            end: run.end.as_str().to_owned(),
            turns: run.turns,
            rounds: run.rounds,
            usage: run.usage,
            duration,
        },
        RunEvent::RunFailed {
            error, duration, ..
        } => Traced::RunFailed {
            message: error.to_string(),
            duration,
        },
        RunEvent::NodeStarted { .. }
        | RunEvent::ToolLeftOut { .. }
        | RunEvent::Delta { .. }
        | RunEvent::CallsReady { .. }
        | RunEvent::Call { .. }
        | RunEvent::NodeFinished { .. } => return None,
    })
}
