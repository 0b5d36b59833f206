//! The conversations of an agent, as a worker runs them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use temporalio_client::WorkflowDescribeOptions;
use temporalio_common::error::ApplicationFailure;
use temporalio_common::protos::temporal::api::enums::v1::PendingActivityState;
use temporalio_common::{ActivityDefinition, ActivityError, UntypedWorkflow};
use temporalio_sdk::activities::{
    ActivityContext, ActivityDefinitions, ActivityImplementer, ExecutableActivity,
};
use tokio::time::{sleep, timeout};
use toolwright::Context;
use toolwright::agent::session::{SessionError, StoredEnd};
use toolwright::agent::store::CheckpointError;
use toolwright::agent::{Agent, AgentError, Hooks, Run, Session};
use toolwright::call::{Cancel, FormatVersion};

use crate::call::MovedRun;
use crate::health::Health;
use crate::metrics::Metrics;
use crate::payloads::{Packed, Payloads};
use crate::progress::{NoteCalls, RunningCalls, interval};
use crate::state::{ConversationState, Input, RefusedInput};
use crate::wire::JsonPayload;
use crate::{Fleet, FleetError};

/// Name of what a session's state notes for the fleet.
const MARK: &str = "toolwright.fleet";

/// Time to ask the server about a cancellation.
const ASK: Duration = Duration::from_secs(10);

/// The one activity type of all agents.
pub(crate) struct RunAgent;

impl ActivityDefinition for RunAgent {
    type Input = JsonPayload;
    type Output = JsonPayload;

    fn name(&self) -> &'static str {
        "toolwright.run"
    }
}

/// Inputs to apply to a session, which runs then.
#[derive(Serialize, Deserialize)]
pub(crate) struct RunOrder {
    /// Number of the stored form.
    pub(crate) form: u32,
    pub(crate) session: String,
    /// The conversation that counts the inputs.
    pub(crate) chain: String,
    pub(crate) inputs: Vec<NumberedInput>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct NumberedInput {
    pub(crate) number: u64,
    pub(crate) input: Packed,
}

/// What a session notes of the inputs that it has. It is in the checkpoint that has their effects, so each takes effect once.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Mark {
    chain: String,
    last: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    refused: Vec<RefusedInput>,
    /// True if a run has ended since the last input.
    #[serde(default)]
    is_ended: bool,
}

impl Mark {
    fn of(session: &Session) -> Option<Self> {
        let mark = session.state().get(MARK)?;
        // One of another version is none.
        serde_json::from_value(mark.clone()).ok()
    }

    fn put(&self, session: &mut Session) {
        if let Ok(mark) = serde_json::to_value(self) {
            let state = session.state().clone();
            session.set_state(state.with(MARK, mark));
        }
    }
}

/// Notes the end of a run in the checkpoint of that end, so that a run whose end was stored does not run again.
struct NoteEnd;

impl Hooks for NoteEnd {
    fn after_run(&self, session: &mut Session, _: &Run) {
        if let Some(mut mark) = Mark::of(session) {
            mark.is_ended = true;
            mark.put(session);
        }
    }
}

/// The conversations of an agent.
pub(crate) struct AgentHost {
    name: String,
    agent: Agent,
    payloads: Payloads,
    health: Health,
    metrics: Metrics,
    /// Fires when the worker waits no longer for runs to end.
    expired: Cancel,
}

/// Why a run has no state.
enum Failed {
    /// The store or the server failed. Another attempt may do better.
    Passing(String),
    Agent(AgentError),
}

impl AgentHost {
    pub(crate) fn new(
        name: &str,
        agent: &Agent,
        fleet: &Fleet,
        health: &Health,
        expired: Cancel,
    ) -> Self {
        Self {
            name: name.to_owned(),
            agent: agent.clone().hooks(NoteEnd).listener(NoteCalls),
            payloads: fleet.payloads.clone(),
            health: health.clone(),
            metrics: fleet.metrics.clone(),
            expired,
        }
    }

    async fn run(
        &self,
        activity: ActivityContext,
        wire: JsonPayload,
    ) -> Result<JsonPayload, ActivityError> {
        let order = crate::payloads::from_wire("a run", &wire);
        let order: RunOrder = order.map_err(ApplicationFailure::non_retryable)?;
        FormatVersion::try_from(order.form)
            .map_err(|words| FleetError::unreadable("the conversation", words))
            .map_err(ApplicationFailure::non_retryable)?;
        let inputs = self.inputs(&order).await?;
        let (_beats, calls) = RunningCalls::start(&activity);
        let _busy = self.health.run();
        let mut measured = self.metrics.run(&self.name, activity.info());
        let (stop, moved) = (Cancel::new(), MovedRun::default());
        let cx = Context::new().with_cancel(stop.clone());
        let cx = cx.__with_own(moved.clone()).__with_own(calls);
        let mut run = Box::pin(self.converse(&activity, &order, &inputs, &cx));
        let ran = tokio::select! {
            ran = &mut run => ran,
            () = activity.cancelled() => {
                if !is_cancelled(&activity).await {
                    // It counts as dead here, and goes on elsewhere.
                    moved.set();
                    return Err(passing("the run goes on elsewhere"));
                }
                stop.cancel();
                run.await
            }
            () = self.expired.cancelled() => {
                moved.set();
                return Err(passing("the worker stops"));
            }
        };
        let state = match ran {
            Ok(state) => state,
            Err(Failed::Passing(words)) => {
                measured.ended(None, Some("store"));
                return Err(passing(&words));
            }
            Err(Failed::Agent(error)) => ConversationState::failed(StoredEnd::of_error(&error)),
        };
        let failure = state.failure();
        let end = state.end.as_ref().filter(|_| failure.is_none());
        measured.ended(end.map(|end| &*end.reason), failure);
        drop(measured);
        match self.payloads.send("a conversation's state", &state).await {
            Ok(wire) => Ok(wire),
            Err(error @ FleetError::TooLarge { .. }) => {
                let mut small = ConversationState::not_run(error.to_string());
                small.status = state.status;
                let wire = self.payloads.send("a conversation's state", &small).await;
                wire.map_err(ActivityError::from)
            }
            Err(error) => Err(passing(&error.to_string())),
        }
    }

    async fn inputs(
        &self,
        order: &RunOrder,
    ) -> Result<Vec<(u64, Result<Input, String>)>, ActivityError> {
        let mut inputs = Vec::new();
        for one in &order.inputs {
            let input = match self.payloads.unpack("an input", &one.input).await {
                Ok(input) => Ok(input),
                Err(
                    error @ (FleetError::Unreadable { .. }
                    | FleetError::Payload(crate::PayloadError::Missing { .. })),
                ) => Err(error.to_string()),
                Err(error) => return Err(passing(&error.to_string())),
            };
            inputs.push((one.number, input));
        }
        Ok(inputs)
    }

    /// Applies the inputs and runs the session, until no other writer continues it at the same time.
    async fn converse(
        &self,
        activity: &ActivityContext,
        order: &RunOrder,
        inputs: &[(u64, Result<Input, String>)],
        cx: &Context,
    ) -> Result<ConversationState, Failed> {
        loop {
            match self.try_converse(order, inputs, cx).await {
                // Another attempt, that counts as dead, has yet to learn it: with a sign of life of its own.
                Err(AgentError::Checkpoint(error)) if error.is_conflict() => {
                    self.metrics.conflict(&self.name, &error);
                    let pause = interval(activity) * 2;
                    sleep(match error {
                        CheckpointError::Held { left, .. } => pause.min(left),
                        _ => pause,
                    })
                    .await;
                }
                Err(AgentError::Checkpoint(error @ CheckpointError::Store { .. })) => {
                    return Err(Failed::Passing(error.to_string()));
                }
                ran => return ran.map_err(Failed::Agent),
            }
        }
    }

    async fn try_converse(
        &self,
        order: &RunOrder,
        inputs: &[(u64, Result<Input, String>)],
        cx: &Context,
    ) -> Result<ConversationState, AgentError> {
        let id = &*order.session;
        let stored = self.agent.state(id).await?;
        let is_new = stored.is_none();
        let mut session = stored.unwrap_or_else(|| Session::with_id(id));
        let mark = Mark::of(&session).filter(|mark| mark.chain == order.chain);
        let last = mark.as_ref().map_or(0, |mark| mark.last);
        let fresh: Vec<_> = inputs.iter().filter(|(number, _)| *number > last).collect();
        if let (
            true,
            Some(Mark {
                is_ended: true,
                refused,
                ..
            }),
        ) = (fresh.is_empty(), mark.clone())
        {
            let end = session.end().cloned();
            return Ok(ConversationState::of(&self.agent, &session, end, refused));
        }
        let mut refused = mark.map(|mark| mark.refused).unwrap_or_default();
        if !fresh.is_empty() {
            refused.clear();
            let apply = |session: &mut Session, refused: &mut Vec<_>| {
                for (number, input) in &fresh {
                    let applied = match input {
                        Ok(input) => input.apply(session).map_err(|error| error.to_string()),
                        Err(error) => Err(error.clone()),
                    };
                    if let Err(message) = applied {
                        let input = *number;
                        refused.push(RefusedInput { input, message });
                    }
                }
                let mark = Mark {
                    chain: order.chain.clone(),
                    last: fresh.last().map_or(last, |(number, _)| *number),
                    refused: refused.clone(),
                    is_ended: false,
                };
                mark.put(session);
            };
            if is_new {
                // The first checkpoint is that of the run.
                apply(&mut session, &mut refused);
                if session.thread().messages().is_empty() {
                    return Ok(ConversationState {
                        refused,
                        ..ConversationState::empty()
                    });
                }
            } else {
                let updated = self.agent.update_state(id, |session| {
                    apply(session, &mut refused);
                    Ok(())
                });
                session = updated.await?;
            }
        }
        let end = match self.agent.run(&mut session, cx).await {
            Ok(run) => Some(StoredEnd::of(&run.end)),
            // It waits for something else.
            Err(AgentError::Session(SessionError::WrongStatus { .. })) => None,
            Err(error @ AgentError::Checkpoint(_)) => return Err(error),
            Err(error) => Some(StoredEnd::of_error(&error)),
        };
        Ok(ConversationState::of(&self.agent, &session, end, refused))
    }
}

/// Returns true if somebody cancelled the run, and not the server gave up on this machine.
async fn is_cancelled(activity: &ActivityContext) -> bool {
    let info = activity.info();
    let Some(workflow) = activity.workflow_handle::<UntypedWorkflow>() else {
        return true;
    };
    let described = timeout(ASK, workflow.describe(WorkflowDescribeOptions::default())).await;
    let Ok(Ok(described)) = described else {
        return false;
    };
    let pending = &described.raw().pending_activities;
    pending.iter().any(|one| {
        one.activity_id == info.activity_id
            && u32::try_from(one.attempt).is_ok_and(|attempt| attempt == info.attempt)
            && one.state() == PendingActivityState::CancelRequested
    })
}

/// Returns a failure after which the server starts another attempt.
#[cold]
fn passing(words: &str) -> ActivityError {
    ApplicationFailure::new(words.to_owned()).into()
}

impl ActivityImplementer for AgentHost {
    fn register_all(self: Arc<Self>, definitions: &mut ActivityDefinitions) {
        definitions.register_activity::<RunAgent>(self);
    }
}

impl ExecutableActivity for RunAgent {
    type Implementer = AgentHost;
    const REQUIRES_INSTANCE: bool = true;

    fn definition() -> Self {
        Self
    }

    fn execute(
        receiver: Option<Arc<AgentHost>>,
        activity: ActivityContext,
        input: JsonPayload,
    ) -> BoxFuture<'static, Result<JsonPayload, ActivityError>> {
        Box::pin(async move {
            match receiver {
                Some(host) => host.run(activity, input).await,
                None => Err(passing("the activity has no agent")),
            }
        })
    }
}
