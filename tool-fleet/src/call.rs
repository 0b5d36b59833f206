//! A call on its way to a worker: what is sent, and what comes back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use temporalio_common::ActivityDefinition;
use toolwright::args::{Limits, Repairs};
use toolwright::call::{Call, CallPlace, State};
use toolwright::{Context, ToolCall};

use crate::wire::JsonPayload;

/// The one activity type of all tools.
pub(crate) struct CallTool;

impl ActivityDefinition for CallTool {
    type Input = JsonPayload;
    type Output = JsonPayload;

    fn name(&self) -> &'static str {
        "toolwright.call"
    }
}

/// A call, with all that the tool would know of it where it was made.
#[derive(Serialize, Deserialize)]
pub(crate) struct CallRequest {
    pub(crate) call: ToolCall,
    /// Fingerprint of the tool that the caller knows.
    pub(crate) fingerprint: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<CallPlace>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    #[serde(default)]
    turn: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    called: Vec<String>,
    #[serde(default, skip_serializing_if = "State::is_empty")]
    state: State,
    repairs: StoredRepairs,
    text_limit: usize,
    depth_limit: u8,
    /// True if a person approved these arguments.
    #[serde(default)]
    pub(crate) approved: bool,
    limit_ms: u64,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredRepairs {
    None,
    Values,
    All,
}

impl CallRequest {
    pub(crate) fn new(call: Call<'_>, name: &str, fingerprint: &str, limit: Duration) -> Self {
        let cx = call.context();
        let scope = cx.scope();
        let id = cx.call_id().unwrap_or_default();
        Self {
            call: ToolCall::new(id, name, call.arguments()),
            fingerprint: fingerprint.to_owned(),
            place: cx.call_place(),
            agent: cx.agent_id().map(str::to_owned),
            session: cx.session_id().map(str::to_owned),
            run: cx.run_id().map(str::to_owned),
            turn: cx.turn(),
            input: cx.input().map(str::to_owned),
            called: scope
                .called
                .iter()
                .map(|tool| tool.as_ref().to_owned())
                .collect(),
            state: cx.session_state().clone(),
            repairs: match cx.repairs() {
                Repairs::None => StoredRepairs::None,
                Repairs::Values => StoredRepairs::Values,
                Repairs::All => StoredRepairs::All,
            },
            text_limit: cx.limits().max_bytes,
            depth_limit: cx.limits().depth,
            approved: call.approved().is_ok(),
            limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
        }
    }

    pub(crate) fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    pub(crate) fn limit(&self) -> Duration {
        Duration::from_millis(self.limit_ms)
    }

    /// Returns the context that the tool has on the worker.
    pub(crate) fn context(&self) -> Context {
        let repairs = match self.repairs {
            StoredRepairs::None => Repairs::None,
            StoredRepairs::Values => Repairs::Values,
            StoredRepairs::All => Repairs::All,
        };
        let limits = Limits {
            max_bytes: self.text_limit,
            depth: self.depth_limit,
        };
        let mut cx = Context::new()
            .with_turn(self.turn)
            .with_called(self.called.iter().map(String::as_str))
            .with_state(self.state.clone())
            .with_repairs(repairs)
            .with_limits(limits);
        if let Some(agent) = &self.agent {
            cx = cx.with_agent(agent.as_str());
        }
        if let Some(session) = &self.session {
            cx = cx.with_session(session.as_str());
        }
        if let Some(run) = &self.run {
            cx = cx.with_run(run.as_str());
        }
        if let Some(input) = &self.input {
            cx = cx.with_input(input.as_str());
        }
        // A run's id would take it away.
        match &self.place {
            Some(place) => cx.with_place(place.clone()),
            None => cx,
        }
    }
}

/// A run that goes on elsewhere: calls that it waits for stay as they are when it is dropped here, so that they are found there.
#[derive(Clone, Default)]
pub(crate) struct MovedRun(Arc<AtomicBool>);

impl MovedRun {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
