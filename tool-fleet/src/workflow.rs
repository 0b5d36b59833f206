//! The workflow of a conversation: it takes inputs, and lets a worker run the agent with them.

// The macros make public items of what they are given, and inputs come by value.
#![allow(unreachable_pub, clippy::needless_pass_by_value)]

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use temporalio_common::RetryPolicy;
use temporalio_workflow::{
    ActivityCancellationType, ActivityOptions, ContinueAsNewOptions, SyncWorkflowContext,
    WorkflowCancellationToken, WorkflowContext, WorkflowContextView, WorkflowResult, workflow,
    workflow_methods,
};

use toolwright::call::FormatVersion;

use crate::agent_host::{NumberedInput, RunAgent, RunOrder};
use crate::payloads::{Packed, from_wire, to_wire};
use crate::state::ConversationState;
use crate::wire::JsonPayload;

/// What the macro makes of the method `run`.
pub(crate) use self::conversation_workflow::Run as Definition;

/// Name of the workflow type.
pub(crate) const CONVERSATION: &str = "toolwright.conversation";

/// Inputs after which a conversation goes on in a new run, with an empty history.
const MOST_INPUTS: u64 = 200;

/// Bytes of the inputs of one run, at most, unless one alone has more.
const MOST_BYTES: usize = 1024 * 1024;

/// Time limit of a run. The agent's own limits hold before.
const RUN_LIMIT: Duration = Duration::from_hours(24 * 7);

/// Input of the workflow.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct RunInput {
    /// Number of the stored form. Inputs of form 1 have none.
    #[serde(default = "first_form")]
    form: u32,
    pub(crate) session: String,
    pub(crate) heartbeat_ms: u64,
    /// Id of the first run. The inputs are counted from there.
    #[serde(default)]
    chain: Option<String>,
    #[serde(default)]
    last: u64,
    #[serde(default)]
    state: Option<Packed>,
}

const fn first_form() -> u32 {
    1
}

impl RunInput {
    pub(crate) fn new(session: &str, heartbeat: Duration) -> Self {
        Self {
            form: FormatVersion.into(),
            session: session.to_owned(),
            heartbeat_ms: u64::try_from(heartbeat.as_millis()).unwrap_or(u64::MAX),
            ..Self::default()
        }
    }
}

/// A conversation with an agent.
#[workflow]
pub struct ConversationWorkflow {
    start: RunInput,
    /// Inputs that no run has taken.
    inputs: VecDeque<NumberedInput>,
    /// Number of the last input.
    last: u64,
    /// Number of the last input that a run was tried with.
    tried: u64,
    /// Number of the last input before this run of the workflow.
    before: u64,
    running: Option<WorkflowCancellationToken>,
    /// Number of those who wait for the state.
    waiting: usize,
    is_ended: bool,
    state: Option<Packed>,
}

#[workflow_methods]
impl ConversationWorkflow {
    #[init]
    fn new(_: &WorkflowContextView, start: JsonPayload) -> Self {
        // Only this crate starts it.
        let mut start: RunInput = from_wire("a conversation", &start).unwrap_or_default();
        let (last, state) = (start.last, start.state.take());
        Self {
            start,
            inputs: VecDeque::new(),
            last,
            tried: last,
            before: last,
            running: None,
            waiting: 0,
            is_ended: false,
            state,
        }
    }

    #[run(name = CONVERSATION)]
    pub async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<JsonPayload> {
        let chain = ctx.state(|this| this.start.chain.clone());
        let chain = chain.unwrap_or_else(|| ctx.run_id().to_owned());
        loop {
            ctx.wait_condition(|this| this.is_due() || this.is_ended)
                .await?;
            if !ctx.state(Self::is_due) {
                let state = ctx.state(Self::state_wire);
                return Ok(state);
            }
            let token = ctx.cancellation_token().child_token();
            let order = ctx.state_mut(|this| this.next_order(&chain, &token));
            let options = ctx.state(|this| this.options(&token));
            let ran = ctx.execute_activity(RunAgent, order, options).await;
            ctx.state_mut(|this| {
                this.running = None;
                let state = ran.map_err(|error| error.to_string());
                match state
                    .and_then(|wire| from_wire("a state", &wire).map_err(|error| error.to_string()))
                {
                    Ok(state) => {
                        let tried = this.tried;
                        this.inputs.retain(|one| one.number > tried);
                        this.state = Some(state);
                    }
                    // The inputs that it had go with the next ones: the session knows which of them it has.
                    Err(words) => {
                        // No program of this form ever reads what one of another form has stored.
                        let another = FormatVersion::try_from(this.start.form).err();
                        this.is_ended |= another.is_some();
                        this.state = failed(another.unwrap_or(words));
                    }
                }
            });
            let is_long = ctx.state(|this| this.tried - this.before >= MOST_INPUTS);
            if !is_long && !ctx.continue_as_new_suggested() {
                continue;
            }
            // They would get no answer.
            ctx.wait_condition(|this| this.waiting == 0 || this.is_due())
                .await?;
            if ctx.state(|this| this.inputs.is_empty() && !this.is_ended)
                && ctx.all_handlers_finished()
            {
                let start = ctx.state(|this| this.as_new(&chain));
                ctx.continue_as_new(start, ContinueAsNewOptions::default())?;
            }
        }
    }

    /// Takes an input.
    #[signal(name = "input")]
    pub fn input(&mut self, _ctx: &mut SyncWorkflowContext<Self>, input: JsonPayload) {
        // What cannot be read was not sent by this crate.
        if let Ok(input) = from_wire("an input", &input) {
            self.last += 1;
            let number = self.last;
            self.inputs.push_back(NumberedInput { number, input });
        }
    }

    /// Cancels what runs.
    #[signal(name = "cancel")]
    pub fn cancel(&mut self, _ctx: &mut SyncWorkflowContext<Self>, _: JsonPayload) {
        if let Some(token) = &self.running {
            token.cancel_with_reason("the conversation was cancelled");
        }
    }

    /// Ends the workflow once all inputs are answered. The session stays.
    #[signal(name = "end")]
    pub fn end(&mut self, _ctx: &mut SyncWorkflowContext<Self>, _: JsonPayload) {
        self.is_ended = true;
    }

    /// Returns the state as the last run left it.
    #[query(name = "state")]
    pub fn state(&self, _ctx: &WorkflowContextView, _: JsonPayload) -> JsonPayload {
        self.state_wire()
    }

    /// Waits until nothing runs and no input waits, and returns the state.
    #[update(name = "settled")]
    pub async fn settled(ctx: &mut WorkflowContext<Self>, _: JsonPayload) -> JsonPayload {
        ctx.state_mut(|this| this.waiting += 1);
        // If the workflow is cancelled, this is its last state.
        let _ = ctx
            .wait_condition(|this| this.running.is_none() && !this.is_due())
            .await;
        ctx.state_mut(|this| {
            this.waiting -= 1;
            this.state_wire()
        })
    }
}

impl ConversationWorkflow {
    /// Returns true if there is an input that no run was tried with.
    fn is_due(&self) -> bool {
        self.inputs
            .back()
            .is_some_and(|one| one.number > self.tried)
    }

    fn next_order(&mut self, chain: &str, token: &WorkflowCancellationToken) -> JsonPayload {
        let (mut inputs, mut bytes) = (Vec::new(), 0);
        for one in &self.inputs {
            bytes += one.input.len();
            if bytes > MOST_BYTES && !inputs.is_empty() && one.number > self.tried + 1 {
                break;
            }
            inputs.push(one.clone());
        }
        self.tried = inputs.last().map_or(self.tried, |one| one.number);
        self.running = Some(token.clone());
        let order = RunOrder {
            form: self.start.form,
            session: self.start.session.clone(),
            chain: chain.to_owned(),
            inputs,
        };
        wire(&order)
    }

    fn options(&self, token: &WorkflowCancellationToken) -> ActivityOptions {
        let retry = RetryPolicy::builder()
            .initial_interval(Duration::from_millis(500))
            .maximum_interval(Duration::from_secs(10))
            .build();
        ActivityOptions::with_start_to_close_timeout(RUN_LIMIT)
            .heartbeat_timeout(Duration::from_millis(self.start.heartbeat_ms.max(1000)))
            .retry_policy(retry)
            .cancellation_type(ActivityCancellationType::WaitCancellationCompleted)
            .cancellation_token(token.clone())
            .summary(self.start.session.clone())
            .build()
    }

    fn as_new(&self, chain: &str) -> JsonPayload {
        wire(&RunInput {
            form: self.start.form,
            session: self.start.session.clone(),
            heartbeat_ms: self.start.heartbeat_ms,
            chain: Some(chain.to_owned()),
            last: self.last,
            state: self.state.clone(),
        })
    }

    fn state_wire(&self) -> JsonPayload {
        wire(&self.state)
    }
}

/// Writes what has only texts and numbers, and so can be written.
fn wire<T: Serialize>(value: &T) -> JsonPayload {
    to_wire("a conversation", value).unwrap_or_else(|_| JsonPayload("null".to_owned()))
}

fn failed(words: String) -> Option<Packed> {
    let state = ConversationState::not_run(words);
    serde_json::value::to_raw_value(&state)
        .ok()
        .map(Packed::Inline)
}
