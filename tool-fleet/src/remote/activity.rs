//! An activity, as the caller that waits for it sees it: started, watched, cancelled.

use std::time::Duration;

use temporalio_client::errors::StartActivityError;
use temporalio_client::{
    ActivityCancelOptions, ActivityDescribeOptions, ActivityHandle, ActivityStartOptions, Client,
};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use toolwright::Context;

use super::MARGIN;
use crate::call::{CallTool, MovedRun};
use crate::progress::StoredProgress;
use crate::wire::JsonPayload;

/// Starts an activity, on a task of its own: a request that is dropped may have reached the server, and what it started would run
/// with nobody to cancel it.
pub(super) async fn start(
    client: Client,
    wire: JsonPayload,
    options: ActivityStartOptions,
    cx: &Context,
) -> Result<ActivityHandle<Client, CallTool>, StartActivityError> {
    let (answer, answered) = oneshot::channel();
    let moved = cx.get::<MovedRun>().cloned();
    tokio::spawn(async move {
        let started = client.start_activity(CallTool, wire, options).await;
        if let Err(Ok(handle)) = answer.send(started) {
            drop(CancelOnDrop::new(client, &handle, moved));
        }
    });
    let answered = answered.await;
    answered.unwrap_or_else(|error| Err(StartActivityError::Other(Box::new(error))))
}

/// Reports the newest progress of the activity as that of the call, if there is any.
pub(super) async fn progress(
    handle: &ActivityHandle<Client, CallTool>,
    cx: &Context,
    seen: &mut u64,
) {
    let options = ActivityDescribeOptions::builder().include_heartbeat_details(true);
    // The result says more.
    let Ok(described) = handle.describe(options.build()).await else {
        return;
    };
    let Ok(Some(wire)) = described.heartbeat_details::<JsonPayload>().await else {
        return;
    };
    if let Ok(progress) = serde_json::from_str::<StoredProgress>(&wire.0)
        && progress.number > *seen
    {
        *seen = progress.number;
        cx.progress(progress.into_progress());
    }
}

/// Cancels an activity that nobody waits for any more.
pub(super) struct CancelOnDrop {
    client: Client,
    id: Option<(String, Option<String>)>,
    moved: Option<MovedRun>,
}

impl CancelOnDrop {
    pub(super) fn new(
        client: Client,
        handle: &ActivityHandle<Client, CallTool>,
        moved: Option<MovedRun>,
    ) -> Self {
        let run = handle.run_id().map(str::to_owned);
        Self {
            client,
            id: Some((handle.activity_id().to_owned(), run)),
            moved,
        }
    }

    pub(super) fn disarm(&mut self) {
        self.id = None;
    }

    /// Returns the request that cancels the activity, unless its run goes on elsewhere.
    pub(super) fn request(&mut self) -> Option<impl Future<Output = ()> + Send + 'static> {
        let (id, run) = self.id.take()?;
        if self.moved.as_ref().is_some_and(MovedRun::is_set) {
            return None;
        }
        let client = self.client.clone();
        Some(async move {
            let handle = client.get_untyped_activity_handle(id, run);
            let reason = "nobody waits for the result";
            let options = ActivityCancelOptions::builder().reason(reason).build();
            // It has ended, or its limit ends it.
            let _ = timeout(MARGIN, handle.cancel(options)).await;
        })
    }
}

/// Sends the request from a task of its own: an executor that is cancelled waits for no tool.
impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let (Some(request), Ok(runtime)) = (self.request(), Handle::try_current()) {
            runtime.spawn(request);
        }
    }
}

/// Pauses between requests to a server that is not there.
pub(super) struct Pause(Duration);

impl Pause {
    pub(super) fn new() -> Self {
        Self(Duration::from_millis(100))
    }

    pub(super) async fn wait(&mut self) {
        sleep(self.0).await;
        self.0 = (self.0 * 2).min(Duration::from_secs(5));
    }
}

/// Returns true if the server may answer the same request later.
pub(super) fn is_passing(code: temporalio_client::tonic::Code) -> bool {
    use temporalio_client::tonic::Code;
    matches!(
        code,
        Code::Unavailable
            | Code::DeadlineExceeded
            | Code::Cancelled
            | Code::Aborted
            | Code::Internal
            | Code::Unknown
            | Code::ResourceExhausted
    )
}
