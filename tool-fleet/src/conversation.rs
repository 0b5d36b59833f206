//! Conversations with agents of a fleet, as people have them.

use std::fmt;
use std::time::{Duration, SystemTime};

use futures_util::StreamExt;
use serde::Serialize;
use serde_json::Value;
use temporalio_client::errors::{
    WorkflowGetResultError, WorkflowInteractionError, WorkflowQueryError, WorkflowUpdateError,
};
use temporalio_client::{
    Client, WorkflowDescribeOptions, WorkflowExecuteUpdateOptions, WorkflowFetchHistoryOptions,
    WorkflowGetResultOptions, WorkflowHandle, WorkflowIdConflictPolicy, WorkflowIdReusePolicy,
    WorkflowListOptions, WorkflowQueryOptions, WorkflowSignalOptions, WorkflowStartOptions,
};
use temporalio_common::protos::temporal::api::history::v1::history_event::Attributes;
use tokio::time::sleep;
use toolwright::agent::session::CallRef;
use toolwright::call::Decision;

use crate::fleet::check_name;
use crate::payloads::{Packed, from_wire};
use crate::wire::JsonPayload;
use crate::workflow::{CONVERSATION, RunInput};
use crate::{ConversationState, Fleet, FleetError, Input, RunningInfo, workflow};

/// Longest id of a session, with its agent's name. Servers on Postgres or `MySQL` list ids of 255 bytes.
const LONGEST_SESSION: usize = 240;

/// Pause before somebody waits again, if too many do.
const CROWDED: Duration = Duration::from_millis(500);

/// Returns the queue of an agent. No toolset's queue has this name.
pub(crate) fn agent_queue(name: &str) -> String {
    format!("agent:{name}")
}

/// A conversation with an agent of the fleet: the session of this id, wherever it runs. Cheap to clone; made by
/// [`Fleet::conversation`].
///
/// Inputs are stored by the server, in order, also while no worker runs. Each takes effect once, in spite of crashes. Those that
/// come while the agent runs are applied when its run has ended or paused.
#[derive(Clone)]
pub struct Conversation {
    fleet: Fleet,
    agent: String,
    session: String,
}

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConversationInfo {
    /// Name of the session.
    pub session: String,
    /// Time when it began, or when its history was last begun anew.
    pub started: Option<SystemTime>,
}

/// Something that happened in a conversation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum HistoryEntry {
    /// An input came.
    Input {
        /// Time of the input.
        at: Option<SystemTime>,
        /// The input.
        input: Input,
    },
    /// A run ended or paused.
    State {
        /// Time of the end.
        at: Option<SystemTime>,
        /// State of the conversation.
        state: Box<ConversationState>,
    },
    /// Somebody cancelled what ran.
    Cancelled {
        /// Time of the cancellation.
        at: Option<SystemTime>,
    },
}

impl Fleet {
    /// Returns the conversation of this session with an agent that a [worker](Self::worker) serves. Nothing is sent before
    /// somebody says something.
    ///
    /// ```no_run
    /// use serde_json::json;
    /// use toolwright::call::Decision;
    /// use toolwright_fleet::Fleet;
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let fleet = Fleet::connect("http://127.0.0.1:7233").await?;
    /// let talk = fleet.conversation("support", "ticket-17");
    /// talk.say("Charge customer 4").await?;
    /// let state = talk.wait().await?;
    /// for call in &state.waiting {
    ///     println!("{} {:?}", call.tool, call.arguments);
    ///     match call.reason.question() {
    ///         Some(_) => talk.answer(call, json!("blue")).await?,
    ///         None => talk.decide(call, Decision::Approve).await?,
    ///     }
    /// }
    /// println!("{:?}", talk.wait().await?.text);
    /// # Ok(())
    /// # }
    /// ```
    pub fn conversation(
        &self,
        agent: impl Into<String>,
        session: impl Into<String>,
    ) -> Conversation {
        Conversation {
            fleet: self.clone(),
            agent: agent.into(),
            session: session.into(),
        }
    }

    /// Returns the conversations with this agent that have not [ended](Conversation::end), newest first. The server's list may be
    /// a second behind.
    ///
    /// # Errors
    /// If the server fails, or the name cannot be one of an agent.
    pub async fn conversations(&self, agent: &str) -> Result<Vec<ConversationInfo>, FleetError> {
        check_name(agent)?;
        let query = format!(
            "WorkflowType = '{CONVERSATION}' AND TaskQueue = '{}' AND ExecutionStatus = 'Running'",
            agent_queue(agent)
        );
        let mut found = self
            .client
            .list_workflows(query, WorkflowListOptions::default());
        let (prefix, mut conversations) = (format!("{agent}/"), Vec::new());
        while let Some(one) = found.next().await {
            let one = one.map_err(|error| FleetError::server("list conversations", error))?;
            if let Some(session) = one.id().strip_prefix(&prefix) {
                conversations.push(ConversationInfo {
                    session: session.to_owned(),
                    started: one.start_time(),
                });
            }
        }
        Ok(conversations)
    }
}

impl Conversation {
    /// Returns the agent's name.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// Returns the name of the session, as it was given.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Returns the id of the session in the agent's store: `support/ticket-17`. It has the agent's name, so that sessions and
    /// calls of two agents are never mixed up. The workflow has the same id.
    pub fn session_id(&self) -> String {
        format!("{}/{}", self.agent, self.session)
    }

    /// Says something. The first message starts the conversation. If the agent asks and nothing else is open, the message is the
    /// answer. If calls are pending, the agent reads the message after their turn.
    ///
    /// # Errors
    /// If the message cannot be sent. Then it has no effect, except that a server that fails may have taken it.
    pub async fn say(&self, text: impl Into<String>) -> Result<(), FleetError> {
        self.send(&Input::Say(text.into())).await
    }

    /// Decides about a pending call: by its id, or one of [`ConversationState::waiting`]. A call that is not pending is in
    /// [`ConversationState::refused`] then.
    ///
    /// # Errors
    /// See [`say`](Self::say).
    pub async fn decide<'a>(
        &self,
        call: impl Into<CallRef<'a>>,
        decision: Decision,
    ) -> Result<(), FleetError> {
        let call = call.into().into_owned();
        self.send(&Input::Decide { call, decision }).await
    }

    /// Answers the question of a call: by the call's id, or one of [`ConversationState::waiting`]. The answer becomes the result of the tool that asks.
    ///
    /// # Errors
    /// See [`say`](Self::say). Fails also if the answer cannot be written as JSON.
    pub async fn answer<'a>(
        &self,
        call: impl Into<CallRef<'a>>,
        answer: impl Serialize,
    ) -> Result<(), FleetError> {
        let answer: Value = serde_json::to_value(answer)
            .map_err(|error| FleetError::unreadable("the answer", error))?;
        let call = call.into().into_owned();
        self.send(&Input::Answer { call, answer }).await
    }

    /// Lets the conversation go on where it stopped: after a limit, an interrupt, a cancellation, or a failure of the model.
    ///
    /// # Errors
    /// See [`say`](Self::say).
    pub async fn resume(&self) -> Result<(), FleetError> {
        self.send(&Input::Resume).await
    }

    /// Cancels what runs, here and on the machines that run its calls. Inputs that came meanwhile are applied then. Without a run it
    /// does nothing: what waits for a person waits on, until somebody [rejects](Decision::Reject) it.
    ///
    /// # Errors
    /// If there is no such conversation, or the server fails.
    pub async fn cancel(&self) -> Result<(), FleetError> {
        self.check()?;
        let signal = workflow::ConversationWorkflow::cancel;
        let handle = self.handle();
        let sent = handle.signal(signal, nothing(), WorkflowSignalOptions::default());
        sent.await
            .map_err(|error| self.failed("cancel a run", error))
    }

    /// Ends the conversation for the server, once all inputs are answered. Its session stays in the store, and a message begins
    /// it anew.
    ///
    /// # Errors
    /// If there is no such conversation, or the server fails.
    pub async fn end(&self) -> Result<(), FleetError> {
        self.check()?;
        let signal = workflow::ConversationWorkflow::end;
        let handle = self.handle();
        let sent = handle.signal(signal, nothing(), WorkflowSignalOptions::default());
        sent.await
            .map_err(|error| self.failed("end a conversation", error))
    }

    /// Waits until the agent has answered all inputs, or waits for a person, and returns the state. Waits as long as no worker
    /// runs.
    ///
    /// # Errors
    /// If there is no such conversation, or the server fails.
    pub async fn wait(&self) -> Result<ConversationState, FleetError> {
        self.check()?;
        loop {
            let settled = workflow::ConversationWorkflow::settled;
            let handle = self.handle();
            let waited =
                handle.execute_update(settled, nothing(), WorkflowExecuteUpdateOptions::default());
            match waited.await {
                Ok(wire) => return self.read(&wire).await,
                // It has ended, or was never there.
                Err(WorkflowUpdateError::NotFound(_)) => return self.ended().await,
                Err(WorkflowUpdateError::Rpc(status)) if is_crowded(&status) => {
                    sleep(CROWDED).await;
                }
                Err(error) => return Err(FleetError::server("wait for a conversation", error)),
            }
        }
    }

    /// Returns the state as the last run left it, without waiting for what runs. A worker of the agent answers, so one must
    /// run.
    ///
    /// # Errors
    /// If there is no such conversation, no worker answers within half a minute, or the server fails.
    pub async fn state(&self) -> Result<ConversationState, FleetError> {
        self.check()?;
        let query = workflow::ConversationWorkflow::state;
        let handle = self.handle();
        match handle
            .query(query, nothing(), WorkflowQueryOptions::default())
            .await
        {
            Ok(wire) => self.read(&wire).await,
            Err(WorkflowQueryError::NotFound(_)) => Err(self.unknown()),
            Err(WorkflowQueryError::Rpc(status)) if is_late(&status) => Err(FleetError::NoWorker {
                agent: self.agent.clone(),
            }),
            Err(error) => Err(FleetError::server("return a conversation's state", error)),
        }
    }

    /// Returns the run in progress, with its calls and their progress, or `None` if there is none. An input that no worker has seen
    /// yet has no run. The server answers, so no worker has to.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use toolwright_fleet::Conversation;
    /// # async fn run(talk: Conversation) -> Result<(), Box<dyn std::error::Error>> {
    /// // Shows progress until the conversation waits for somebody.
    /// let mut wait = std::pin::pin!(talk.wait());
    /// let state = loop {
    ///     tokio::select! {
    ///         state = &mut wait => break state?,
    ///         () = tokio::time::sleep(Duration::from_secs(1)) => {}
    ///     }
    ///     for call in talk.running().await?.map(|run| run.calls).unwrap_or_default() {
    ///         println!("{}: {:?}", call.tool, call.progress);
    ///     }
    /// };
    /// # let _ = state;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If there is no such conversation, or the server fails.
    pub async fn running(&self) -> Result<Option<RunningInfo>, FleetError> {
        self.check()?;
        let handle = self.handle();
        let described = handle.describe(WorkflowDescribeOptions::default()).await;
        let described = described.map_err(|error| self.failed("describe a run", error))?;
        // A conversation has one activity at most.
        let run = described.raw().pending_activities.first();
        Ok(run.cloned().map(RunningInfo::of))
    }

    /// Returns what happened, oldest first: inputs, and the states after runs. After some hundred inputs the server begins the
    /// history anew; the checkpoints of the session are complete.
    ///
    /// # Errors
    /// If there is no such conversation, or the server fails.
    pub async fn history(&self) -> Result<Vec<HistoryEntry>, FleetError> {
        self.check()?;
        let handle = self.handle();
        let events = handle
            .fetch_history(WorkflowFetchHistoryOptions::default())
            .into_events()
            .await;
        let events = events.map_err(|error| self.failed("return a history", error))?;
        let mut entries = Vec::new();
        for event in events {
            let at = event
                .event_time
                .and_then(|at| SystemTime::try_from(at).ok());
            match event.attributes {
                Some(Attributes::WorkflowExecutionSignaledEventAttributes(signal)) => {
                    match &*signal.signal_name {
                        "input" => {
                            if let Some(packed) = packed(signal.input) {
                                let input = self.fleet.payloads.unpack("an input", &packed);
                                let input = input.await?;
                                entries.push(HistoryEntry::Input { at, input });
                            }
                        }
                        "cancel" => entries.push(HistoryEntry::Cancelled { at }),
                        _ => {}
                    }
                }
                Some(Attributes::ActivityTaskCompletedEventAttributes(done)) => {
                    if let Some(packed) = packed(done.result) {
                        let state = self.fleet.payloads.unpack("a state", &packed).await?;
                        let state = Box::new(state);
                        entries.push(HistoryEntry::State { at, state });
                    }
                }
                _ => {}
            }
        }
        Ok(entries)
    }

    fn check(&self) -> Result<(), FleetError> {
        check_name(&self.agent)?;
        let is_plain = !self.session.is_empty()
            && self.session_id().len() <= LONGEST_SESSION
            && !self.session.chars().any(char::is_control);
        if is_plain {
            return Ok(());
        }
        Err(FleetError::Name {
            name: self.session.chars().take(LONGEST_SESSION).collect(),
            rule: "the name of a session has no control characters, 1 byte at least, and 239 at most with the agent's name",
        })
    }

    /// The handle names the definition, since the workflow itself is not `Send`.
    fn handle(&self) -> WorkflowHandle<Client, workflow::Definition> {
        self.fleet.client.get_workflow_handle(self.session_id())
    }

    /// Sends an input, and starts the workflow if it does not run.
    async fn send(&self, input: &Input) -> Result<(), FleetError> {
        self.check()?;
        let wire = self.fleet.payloads.send("an input", input).await?;
        let start = RunInput::new(&self.session_id(), self.fleet.settings.heartbeat);
        let start = crate::payloads::to_wire("a conversation", &start)?;
        let options = WorkflowStartOptions::new(agent_queue(&self.agent), self.session_id())
            .id_reuse_policy(WorkflowIdReusePolicy::AllowDuplicate)
            .id_conflict_policy(WorkflowIdConflictPolicy::UseExisting)
            .build();
        let sent = self.fleet.client.signal_with_start_workflow(
            workflow::ConversationWorkflow::run,
            start,
            workflow::ConversationWorkflow::input,
            wire,
            options,
        );
        match sent.await {
            Ok(_) => Ok(()),
            Err(error) => Err(FleetError::server("take an input", error)),
        }
    }

    /// Returns the last state of a conversation that has ended.
    async fn ended(&self) -> Result<ConversationState, FleetError> {
        match self
            .handle()
            .get_result(WorkflowGetResultOptions::default())
            .await
        {
            Ok(wire) => self.read(&wire).await,
            Err(WorkflowGetResultError::NotFound(_)) => Err(self.unknown()),
            Err(error) => Err(FleetError::server("return a conversation's state", error)),
        }
    }

    async fn read(&self, wire: &JsonPayload) -> Result<ConversationState, FleetError> {
        let what = "a conversation's state";
        match from_wire::<Option<Packed>>(what, wire)? {
            Some(packed) => self.fleet.payloads.unpack(what, &packed).await,
            None => Ok(ConversationState::empty()),
        }
    }

    fn failed(&self, what: &'static str, error: WorkflowInteractionError) -> FleetError {
        match error {
            WorkflowInteractionError::NotFound(_) => self.unknown(),
            error => FleetError::server(what, error),
        }
    }

    #[cold]
    fn unknown(&self) -> FleetError {
        FleetError::NoConversation {
            agent: self.agent.clone(),
            session: self.session.clone(),
        }
    }
}

fn is_crowded(status: &temporalio_client::tonic::Status) -> bool {
    status.code() == temporalio_client::tonic::Code::ResourceExhausted
}

/// Returns true if nobody answered a query.
fn is_late(status: &temporalio_client::tonic::Status) -> bool {
    use temporalio_client::tonic::Code;
    matches!(status.code(), Code::DeadlineExceeded | Code::Cancelled)
}

/// Input of messages that say all by their name.
fn nothing() -> JsonPayload {
    JsonPayload("null".to_owned())
}

fn packed(
    payloads: Option<temporalio_common::protos::temporal::api::common::v1::Payloads>,
) -> Option<Packed> {
    let payload = payloads?.payloads.into_iter().next()?;
    serde_json::from_slice(&payload.data).ok()
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation")
            .field("agent", &self.agent)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}
