//! The tools of a queue, as a worker runs them.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use temporalio_common::ActivityError;
use temporalio_common::error::ApplicationFailure;
use temporalio_sdk::activities::{
    ActivityContext, ActivityDefinitions, ActivityImplementer, ExecutableActivity,
};
use toolwright::call::{Annotations, Cancel, Decision, ErrorKind, StoredOutcome};
use toolwright::executor::{Batch, CallPlan, DecidedCall, Event, Turn};
use toolwright::{Context, Executor, ToolCall, ToolError, ToolResult, Toolset};

use crate::call::{CallRequest, CallTool};
use crate::health::Health;
use crate::metrics::Metrics;
use crate::payloads::Payloads;
use crate::progress::Reports;
use crate::remote::NOT_STARTED;
use crate::wire::JsonPayload;
use crate::{Fleet, fingerprint};

/// The tools of a queue.
pub(crate) struct ToolsHost {
    executor: Executor,
    payloads: Payloads,
    health: Health,
    metrics: Metrics,
    /// Fires when the worker waits no longer for calls to end.
    expired: Cancel,
}

impl ToolsHost {
    pub(crate) fn new(
        executor: &Executor,
        fleet: &Fleet,
        health: &Health,
        expired: Cancel,
    ) -> Self {
        let executor = executor.clone().on_event(|event| {
            if let Event::Progress { cx, progress, .. } = event
                && let Some(reports) = cx.get::<Reports>()
            {
                reports.send(progress);
            }
        });
        Self {
            executor,
            payloads: fleet.payloads.clone(),
            health: health.clone(),
            metrics: fleet.metrics.clone(),
            expired,
        }
    }

    async fn call(
        &self,
        activity: ActivityContext,
        wire: JsonPayload,
    ) -> Result<JsonPayload, ActivityError> {
        let request = self.payloads.receive("a call", &wire).await;
        let request: CallRequest = request.map_err(|error| {
            ApplicationFailure::builder(error)
                .type_name(NOT_STARTED.to_owned())
                .build()
        })?;
        let _busy = self.health.call();
        let tool = self.executor.tools(&Context::new());
        let tool = tool.get(&request.call.name).map(|tool| &*tool.def().name);
        let mut measured = self.metrics.call(tool, request.agent(), activity.info());
        let (call, result, updates) = self.run(&activity, &request).await?;
        let error = match &result {
            Some(result) => result.outcome.as_ref().err().map(ToolError::kind),
            None => Some(ErrorKind::NotApproved),
        };
        measured.ended(None, error.map(ErrorKind::as_str));
        drop(measured);
        let outcome = match result {
            Some(result) => StoredOutcome::of(&result).unwrap_or_else(|error| {
                let words = format!("the result cannot be written: {error}");
                StoredOutcome::of_error(&ToolError::new(ErrorKind::Encoding, words))
            }),
            None => StoredOutcome::of_error(&waits(&call)),
        };
        let outcome = outcome.with_updates(updates);
        match self.payloads.send("a call's result", &outcome).await {
            Ok(wire) => Ok(wire),
            Err(error) => {
                let words = format!("the call ended, and its result cannot be sent: {error}");
                let error = ToolError::new(ErrorKind::Encoding, words);
                let outcome = StoredOutcome::of_error(&error.permanent());
                let wire = self.payloads.send("a call's result", &outcome).await;
                wire.map_err(ActivityError::from)
            }
        }
    }

    /// Returns the time limit of a tool without one of its own: the executor's, and no more than the caller waits.
    fn limit(&self, tools: &Toolset, call: &ToolCall, callers: Duration) -> Duration {
        let def = tools.get(&call.name).map(|tool| tool.def());
        let own = def.and_then(|def| self.executor.time_limit(def));
        own.map_or(callers, |own| own.min(callers))
    }

    /// Runs the call. Returns it as it ran, its result, and the updates of its conversation's state.
    async fn run(
        &self,
        activity: &ActivityContext,
        request: &CallRequest,
    ) -> Result<Ran, ActivityError> {
        let (beats, reports) = Reports::start(activity);
        let stop = Cancel::new();
        let cx = request
            .context()
            .with_cancel(stop.clone())
            .__with_own(reports);
        let tools = self.executor.tools(&cx);
        let call = request.call.clone();
        if let Err(error) = fingerprint::check(&request.fingerprint, &tools, &call, &cx) {
            let result = ToolResult::new(&call, Err(error));
            return Ok((call, Some(result), Vec::new()));
        }
        let executor = self
            .executor
            .clone()
            .timeout(self.limit(&tools, &call, request.limit()));
        let ran = call.clone();
        let mut batch = Box::pin(run_batch(&executor, &ran, request.approved, &cx));
        let batch = tokio::select! {
            batch = &mut batch => batch,
            () = activity.cancelled() => {
                stop.cancel();
                batch.await
            }
            () = self.expired.cancelled() => {
                let def = tools.get(&call.name).map(|tool| tool.def().options.annotations);
                if def.is_some_and(Annotations::may_repeat) {
                    // Another worker runs it again.
                    return Err(ApplicationFailure::new("the worker stops").into());
                }
                stop.cancel();
                let batch = batch.await;
                let result = batch.results().next().filter(|result| result.outcome.is_ok()).cloned();
                let result = result.unwrap_or_else(|| {
                    let words = "the worker stopped while the call ran; it is not known whether it took effect";
                    let error = ToolError::new(ErrorKind::NoAnswer, words);
                    ToolResult::new(&call, Err(error.with_outcome_unknown()))
                });
                let updates = batch.updates().to_vec();
                return Ok((call, Some(result), updates));
            }
        };
        drop(beats);
        let updates = batch.updates().to_vec();
        Ok((call, batch.into_results().next(), updates))
    }
}

type Ran = (
    ToolCall,
    Option<ToolResult>,
    Vec<(String, serde_json::Value)>,
);

async fn run_batch(executor: &Executor, call: &ToolCall, approved: bool, cx: &Context) -> Batch {
    if !approved {
        // The caller has decided whether the call may use old names.
        let calls = std::slice::from_ref(call);
        return executor
            .run(Turn::planned(calls, &[CallPlan::Stored]), cx)
            .await;
    }
    let decided = DecidedCall::new(call.clone(), 0, Decision::Approve);
    executor.run(&[decided], cx).await
}

/// Returns the error of a call that waits for somebody: only callers ask people.
#[cold]
fn waits(call: &ToolCall) -> ToolError {
    let words = format!(
        "the worker leaves calls of `{}` to a person, and nobody is asked there; approve them where the agent runs",
        call.name
    );
    ToolError::new(ErrorKind::NotApproved, words)
}

impl ActivityImplementer for ToolsHost {
    fn register_all(self: Arc<Self>, definitions: &mut ActivityDefinitions) {
        definitions.register_activity::<CallTool>(self);
    }
}

impl ExecutableActivity for CallTool {
    type Implementer = ToolsHost;
    const REQUIRES_INSTANCE: bool = true;

    fn definition() -> Self {
        Self
    }

    fn execute(
        receiver: Option<Arc<ToolsHost>>,
        activity: ActivityContext,
        input: JsonPayload,
    ) -> BoxFuture<'static, Result<JsonPayload, ActivityError>> {
        Box::pin(async move {
            match receiver {
                Some(host) => host.call(activity, input).await,
                None => Err(ApplicationFailure::new("the activity has no tools").into()),
            }
        })
    }
}
