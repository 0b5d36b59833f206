//! Tools of other machines as tools of this one.

mod activity;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use temporalio_client::errors::{ActivityResultError, StartActivityError};
use temporalio_client::{
    ActivityHandle, ActivityIdConflictPolicy, ActivityIdReusePolicy, ActivityStartOptions, Client,
};
use temporalio_common::error::{IncomingError, TimeoutType};
use temporalio_common::{ActivityCloseTimeouts, RetryPolicy};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use toolwright::agent::store::made_before;
use toolwright::call::{Answer, Call, ErrorKind, Scope, StoredOutcome};
use toolwright::{Context, DynTool, Outcome, Tool, ToolCall, ToolDef, ToolError, Toolset};

use self::activity::{CancelOnDrop, Pause, is_passing, progress, start};
use crate::call::{CallRequest, CallTool, MovedRun};
use crate::fingerprint::fingerprint;
use crate::payloads::sha256;
use crate::retention::is_remembered;
use crate::wire::JsonPayload;
use crate::{Fleet, FleetError, fleet};

/// Time for what is around a call: the way to the server, and its records.
const MARGIN: Duration = Duration::from_secs(10);

/// Time limit of a tool that works in the background, if it has none. The same as that of open calls.
const BACKGROUND: Duration = Duration::from_hours(24);

/// How often a waiting caller asks for the progress of a call.
const PROGRESS: Duration = Duration::from_secs(1);

/// Longest id of an activity, with room for the number of an attempt. Servers on Postgres or `MySQL` list ids of 255 bytes.
const LONGEST_ID: usize = 240;

/// Why the outcome of a call of long ago is unknown.
const FORGOTTEN: &str = "an earlier run made the call, and the server no longer knows of it";

/// Type of failures of calls whose tool did not begin.
pub(crate) const NOT_STARTED: &str = "toolwright.not_started";

impl Fleet {
    /// Returns tools whose code runs elsewhere: where a [worker](Self::worker) serves the toolset of this queue.
    ///
    /// The given tools are definitions alone, and their code does not run here. Arguments are decoded and validated here before
    /// they are sent, and there again. A call sees there what it would see here: its
    /// [idempotency key](Context::idempotency_key), session, run, turn, agent, input, state. Values of the host
    /// ([`Context::with`]) and the conversation's messages do not travel.
    ///
    /// # At most once
    /// A call is an activity of Temporal under the call's idempotency key. If this process ends and its session is resumed,
    /// anywhere, the same call is found again, running or ended. So ids of sessions must be unique in a namespace, as those of
    /// [conversations](Self::conversation) are.
    ///
    /// Temporal forgets an ended call after the namespace's retention. An agent with a checkpointer knows when it first made a call:
    /// one that is older, and that Temporal does not know, has an unknown outcome, and is not begun. Without a checkpointer, make no
    /// call again after the retention.
    ///
    /// A call whose worker died is an error of [unknown outcome](ToolError::is_outcome_unknown), which an agent lets a person
    /// decide. Tools that are `read_only` or `idempotent` run again by themselves. If no worker serves the queue, the call ends with
    /// [`NotStarted`](ErrorKind::NotStarted).
    ///
    /// A layer [`Retry`](toolwright::layers::Retry) here makes calls again that did not begin, and failed calls of tools that may be
    /// repeated. Other failures stand, as does an unknown outcome under
    /// [`RunAgain`](toolwright::executor::UnknownOutcome::RunAgain): give the layer to the [executor](crate::Worker::executor) of the
    /// worker.
    ///
    /// # Errors
    /// If the queue's name cannot be used.
    ///
    /// ```no_run
    /// use toolwright::{Toolset, tool, tools};
    /// use toolwright_fleet::Fleet;
    ///
    /// /// Charges a customer.
    /// #[tool]
    /// async fn charge(customer: u32, cents: u64) -> String {
    ///     format!("charged customer {customer} {cents} cents")
    /// }
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let fleet = Fleet::connect("http://127.0.0.1:7233").await?;
    /// let far: Toolset = fleet.toolset("billing", &tools![charge])?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn toolset(&self, queue: &str, tools: &Toolset) -> Result<Toolset, FleetError> {
        fleet::check_name(queue)?;
        let far = tools.iter().fold(tools.clone(), |far, tool| {
            far.with(Arc::new(RemoteTool::new(self, queue, tool)))
        });
        Ok(far)
    }

    /// Returns tools whose code runs elsewhere, from their definitions as data. See [`toolset`](Self::toolset).
    ///
    /// # Errors
    /// If a definition cannot be read, two have the same name, or the queue's name cannot be used.
    pub fn toolset_of(
        &self,
        queue: &str,
        defs: impl IntoIterator<Item = ToolDef>,
    ) -> Result<Toolset, FleetError> {
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for def in defs {
            let name = def.name.to_string();
            // The worker has its own defaults.
            let tool = DynTool::builder().def(def).fill_defaults(false);
            let tool = tool.handler_sync(|_: serde_json::Value, _| {
                let words = "this tool runs on a worker of its fleet";
                Err::<(), _>(ToolError::new(ErrorKind::NoHandler, words))
            });
            let tool = tool.build().map_err(|source| FleetError::Definition {
                tool: name,
                source: Arc::new(source),
            })?;
            tools.push(tool);
        }
        self.toolset(queue, &Toolset::new(tools)?)
    }
}

/// A tool whose code runs on a worker.
struct RemoteTool {
    fleet: Fleet,
    queue: Arc<str>,
    /// The definition, its checks and its visibility.
    inner: Arc<dyn Tool>,
    def: ToolDef,
    /// The name that the worker knows: a list here may rename the tool.
    name: String,
    fingerprint: String,
    /// Time limit of the tool's code.
    limit: Duration,
    may_repeat: bool,
}

impl RemoteTool {
    fn new(fleet: &Fleet, queue: &str, inner: &Arc<dyn Tool>) -> Self {
        let mut def = inner.def().clone();
        let limit = match def.options.timeout {
            Some(own) => own,
            None if def.options.background => BACKGROUND,
            None => fleet.settings.call_timeout,
        };
        // The limit of the executor here is the last resort: what it ends can have taken effect.
        if !def.options.background {
            def.options.timeout =
                Some(total(fleet, limit, def.options.annotations.may_repeat()) + MARGIN);
        }
        def.options.blocking = false;
        Self {
            fleet: fleet.clone(),
            queue: queue.into(),
            inner: Arc::clone(inner),
            name: def.name.to_string(),
            fingerprint: fingerprint(inner.def()),
            limit,
            may_repeat: def.options.annotations.may_repeat(),
            def,
        }
    }
}

/// Returns the time in which a call has an answer, or its worker is dead. One that may be repeated has time for two workers that
/// die.
fn total(fleet: &Fleet, limit: Duration, may_repeat: bool) -> Duration {
    let settings = &fleet.settings;
    let attempts = if may_repeat { 3 } else { 1 };
    settings.queue_timeout + (limit + settings.heartbeat) * attempts + MARGIN
}

impl Tool for RemoteTool {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        // Notes the repairs, too.
        if let Err(error) = self.inner.validate(call) {
            return Answer::Ready(Err(error));
        }
        if self.def.options.needs_approval
            && let Err(error) = call.approved()
        {
            return Answer::Ready(Err(error));
        }
        let request = CallRequest::new(call, &self.name, &self.fingerprint, self.limit);
        let cx = call.context();
        let answer = self.answer(request, cx.clone());
        Answer::later(async move {
            cx.__runs_elsewhere(true);
            let answer = answer.await;
            cx.__runs_elsewhere(false);
            // Whoever cancels a call expects no other answer.
            if let Err(error) = &answer
                && error.is_outcome_unknown()
                && error.kind() != ErrorKind::Cancelled
            {
                self.fleet.metrics.unknown_outcome(&self.name);
            }
            answer
        })
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        self.inner.validate(call)
    }

    fn reads_context(&self) -> bool {
        self.inner.reads_context()
    }

    fn redacted<'t>(&self, arguments: &'t str) -> Cow<'t, str> {
        self.inner.redacted(arguments)
    }

    fn visible(&self, scope: &Scope<'_>) -> bool {
        self.inner.visible(scope)
    }

    fn __may_hide(&self) -> bool {
        self.inner.__may_hide()
    }

    fn __inner(&self) -> Option<&Arc<dyn Tool>> {
        Some(&self.inner)
    }

    fn resumes(&self) -> bool {
        true
    }

    fn __whole(&self) -> Option<&ToolDef> {
        self.inner.__whole()
    }
}

/// How an activity ended.
enum Ended {
    Answer(Box<StoredOutcome>),
    /// The tool's code did not begin.
    NotStarted(ToolError),
    Failed(ToolError),
}

impl RemoteTool {
    async fn answer(&self, request: CallRequest, cx: Context) -> Result<Outcome, ToolError> {
        let payloads = &self.fleet.payloads;
        let wire = payloads.send("a call's arguments", &request).await;
        let wire = wire.map_err(|error| not_started(&error).permanent())?;
        let key = cx.idempotency_key();
        let key = key.unwrap_or_else(|| format!("call/{}", uuid::Uuid::new_v4()));
        let ran = self.run(&request.call, &wire, activity_id(key), &cx);
        let limit = total(&self.fleet, self.limit, self.may_repeat);
        let Ok(outcome) = timeout(limit, ran).await else {
            return Err(unknown("no answer came in time", None));
        };
        let outcome = outcome?;
        for (name, value) in outcome.updates() {
            cx.update_state(name.as_str(), value.clone());
        }
        outcome.into_outcome()
    }

    /// Runs the call, or finds it again. Each attempt that has ended without effect, or whose tool may repeat it, is followed
    /// by one with the next id; of two callers that come so far, one starts it and both wait for it.
    async fn run(
        &self,
        call: &ToolCall,
        wire: &JsonPayload,
        first: String,
        cx: &Context,
    ) -> Result<StoredOutcome, ToolError> {
        self.is_remembered(&first, cx).await?;
        let mut attempt = 0_u32;
        loop {
            let id = match attempt {
                0 => first.clone(),
                again => format!("{first}~{again}"),
            };
            let (handle, has_ended) = self.start(call, wire, id, cx).await?;
            let ended = self.wait(&handle, cx).await;
            let is_error = match &ended {
                Ended::Answer(outcome) => outcome.is_error(),
                Ended::NotStarted(_) | Ended::Failed(_) => true,
            };
            let may_run = matches!(ended, Ended::NotStarted(_)) || (self.may_repeat && is_error);
            if has_ended && may_run {
                attempt = attempt.saturating_add(1);
                continue;
            }
            return match ended {
                Ended::Answer(outcome) => Ok(*outcome),
                Ended::NotStarted(error) | Ended::Failed(error) => Err(error),
            };
        }
    }

    /// Fails if an earlier run made the call, and the server may have forgotten how it ended.
    async fn is_remembered(&self, id: &str, cx: &Context) -> Result<(), ToolError> {
        let Some(age) = made_before(cx).filter(|_| !self.may_repeat) else {
            return Ok(());
        };
        let (mut pause, stop) = (Pause::new(), cx.cancel());
        loop {
            let remembered = tokio::select! {
                remembered = is_remembered(&self.fleet.client, id, age) => remembered,
                () = stop.cancelled() => {
                    return Err(unknown("the call was cancelled while it was looked for", None));
                }
            };
            match remembered {
                Ok(true) => return Ok(()),
                Ok(false) => return Err(unknown(FORGOTTEN, None)),
                Err(status) if is_passing(status.code()) => pause.wait().await,
                Err(status) => {
                    let error = unknown("the call cannot be looked for", None);
                    return Err(error.with_debug(status.to_string()).with_source(*status));
                }
            }
        }
    }

    /// Starts the activity, or finds it. Returns true if it has ended before.
    async fn start(
        &self,
        call: &ToolCall,
        wire: &JsonPayload,
        id: String,
        cx: &Context,
    ) -> Result<(ActivityHandle<Client, CallTool>, bool), ToolError> {
        let (client, mut pause, stop) = (&self.fleet.client, Pause::new(), cx.cancel());
        loop {
            let options = self.options(call, id.clone());
            let started = tokio::select! {
                started = start(client.clone(), wire.clone(), options, cx) => started,
                () = stop.cancelled() => {
                    return Err(unknown("the call was cancelled while it was sent", None));
                }
            };
            match started {
                Ok(handle) => return Ok((handle, false)),
                Err(StartActivityError::AlreadyStarted { run_id, .. }) => {
                    return Ok((client.get_activity_handle(CallTool, id, Some(run_id)), true));
                }
                // The id makes it harmless to ask once more.
                Err(StartActivityError::Rpc(status)) if is_passing(status.code()) => {
                    pause.wait().await;
                }
                Err(error) => return Err(not_started(&error)),
            }
        }
    }

    fn options(&self, call: &ToolCall, id: String) -> ActivityStartOptions {
        let settings = &self.fleet.settings;
        let retry = RetryPolicy::builder();
        let retry = if self.may_repeat {
            let retry = retry.initial_interval(Duration::from_millis(200));
            retry.maximum_interval(Duration::from_secs(10)).build()
        } else {
            retry.maximum_attempts(1).build()
        };
        let limits = ActivityCloseTimeouts::ScheduleAndStartToClose {
            schedule_to_close: total(&self.fleet, self.limit, self.may_repeat),
            start_to_close: self.limit + MARGIN / 2,
        };
        ActivityStartOptions::new(&*self.queue, id, limits)
            .schedule_to_start_timeout(settings.queue_timeout)
            .heartbeat_timeout(settings.heartbeat)
            .retry_policy(retry)
            .id_reuse_policy(ActivityIdReusePolicy::RejectDuplicate)
            .id_conflict_policy(ActivityIdConflictPolicy::UseExisting)
            .summary(&*call.name)
            .build()
    }

    /// Waits for the end of the activity, and cancels it if nobody waits any more.
    async fn wait(&self, handle: &ActivityHandle<Client, CallTool>, cx: &Context) -> Ended {
        let moved = cx.get::<MovedRun>().cloned();
        let mut guard = CancelOnDrop::new(self.fleet.client.clone(), handle, moved);
        let mut pause = Pause::new();
        let mut ticks = interval_at(Instant::now() + PROGRESS, PROGRESS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (stop, mut seen) = (cx.cancel(), 0);
        let mut result = Box::pin(handle.result());
        loop {
            tokio::select! {
                ended = &mut result => {
                    if let Err(ActivityResultError::Rpc(status)) = &ended
                        && is_passing(status.code())
                    {
                        pause.wait().await;
                        result = Box::pin(handle.result());
                        continue;
                    }
                    guard.disarm();
                    return self.ended(ended).await;
                }
                _ = ticks.tick() => progress(handle, cx, &mut seen).await,
                () = stop.cancelled() => {
                    drop(guard);
                    let words = "the call was cancelled; it may have taken effect";
                    let error = ToolError::new(ErrorKind::Cancelled, words);
                    return Ended::Failed(error.with_outcome_unknown());
                }
            }
        }
    }

    async fn ended(&self, result: Result<JsonPayload, ActivityResultError>) -> Ended {
        let error = match result {
            Ok(wire) => return self.read(&wire).await,
            Err(error) => error,
        };
        let queue = &self.queue;
        match &error {
            ActivityResultError::ActivityFailed(IncomingError::Timeout(late)) => {
                match late.timeout_type() {
                    TimeoutType::ScheduleToStart => Ended::NotStarted(ToolError::new(
                        ErrorKind::NotStarted,
                        format!("no worker serves the queue `{queue}`; the call did not begin"),
                    )),
                    TimeoutType::Heartbeat => {
                        Ended::Failed(unknown("the worker that ran the call is gone", Some(error)))
                    }
                    _ => Ended::Failed(unknown("the call did not end in time", Some(error))),
                }
            }
            ActivityResultError::ActivityFailed(IncomingError::Application(failure))
                if failure.type_name() == Some(NOT_STARTED) =>
            {
                Ended::NotStarted(ToolError::new(ErrorKind::NotStarted, failure.to_string()))
            }
            ActivityResultError::ActivityFailed(IncomingError::Application(failure))
                if failure.type_name() == Some("NotFoundError") =>
            {
                let words = format!("the workers of the queue `{queue}` serve no tools");
                Ended::NotStarted(ToolError::new(ErrorKind::NotStarted, words))
            }
            ActivityResultError::Cancelled { .. } => {
                let words = "the call was cancelled; it may have taken effect";
                let error = ToolError::new(ErrorKind::Cancelled, words).with_source(error);
                Ended::Failed(error.with_outcome_unknown())
            }
            _ => Ended::Failed(unknown("the call came to no result", Some(error))),
        }
    }

    async fn read(&self, wire: &JsonPayload) -> Ended {
        let outcome = self.fleet.payloads.receive("a call's result", wire).await;
        match outcome {
            Ok(outcome) => Ended::Answer(Box::new(outcome)),
            Err(error) => {
                let words = format!("the call ended, and its result is lost: {error}");
                let error = ToolError::new(ErrorKind::NoAnswer, words).with_source(error);
                Ended::Failed(error.with_outcome_unknown())
            }
        }
    }
}

fn activity_id(key: String) -> String {
    if key.len() <= LONGEST_ID {
        return key;
    }
    sha256(key.as_bytes())
}

/// Returns the error of a call that was not sent.
fn not_started<E: std::error::Error>(error: &E) -> ToolError {
    let words = format!("the call was not sent: {error}");
    ToolError::new(ErrorKind::NotStarted, words).with_debug(format!("{error:?}"))
}

#[cold]
fn unknown(why: &str, source: Option<ActivityResultError>) -> ToolError {
    let words = format!("{why}; it is not known whether the call took effect");
    let error = ToolError::new(ErrorKind::NoAnswer, words).with_outcome_unknown();
    match source {
        Some(source) => error.with_debug(source.to_string()).with_source(source),
        None => error,
    }
}
