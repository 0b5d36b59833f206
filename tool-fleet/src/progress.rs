//! What activities tell while they run: signs of life, and with them the progress of calls.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use temporalio_common::protos::temporal::api::enums::v1::PendingActivityState;
use temporalio_common::protos::temporal::api::workflow::v1::PendingActivityInfo;
use temporalio_sdk::activities::ActivityContext;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use toolwright::agent::{Listener, RunEvent};
use toolwright::call::Progress;
use toolwright::executor::{BatchId, Event};

use crate::payloads::to_wire;

/// Most time between two signs of life, which also bring word of a cancellation.
const BEAT: Duration = Duration::from_secs(2);

/// Time after which a run tells of a change. One that ends before tells of none.
const AFTER: Duration = Duration::from_secs(1);

/// Longest item of a report, and longest message, in bytes. A server ends an activity that tells over 2 MB.
const LONGEST: usize = 256 * 1024;

/// Longest text that a run tells of one of its calls, in bytes. Models make ids and names of any length.
const BRIEF: usize = 500;

/// Most calls that a run tells of.
const MOST: usize = 100;

/// Signs of life of an activity, which end when this is dropped. They are sent by a task of its own, because a tool may keep its
/// task busy.
pub(crate) struct Beats(JoinHandle<()>);

impl Beats {
    /// Starts beats that carry the newest of the values, each this long after it came.
    fn start<T: Serialize + Send + Sync + 'static>(
        activity: &ActivityContext,
        mut values: watch::Receiver<T>,
        after: Duration,
    ) -> Self {
        let (beat, activity) = (interval(activity), activity.clone());
        Self(tokio::spawn(async move {
            loop {
                let changed = async {
                    if values.changed().await.is_err() {
                        std::future::pending::<()>().await;
                    }
                    sleep(after).await;
                };
                tokio::select! {
                    () = sleep(beat) => {}
                    () = changed => {}
                }
                let value = to_wire("progress", &*values.borrow_and_update());
                // Whoever waits notices if beats do not arrive.
                let _ = match value {
                    Ok(value) => activity.record_heartbeat(value).await,
                    Err(_) => activity.record_heartbeat(()).await,
                };
            }
        }))
    }
}

impl Drop for Beats {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Returns the time between two signs of life.
pub(crate) fn interval(activity: &ActivityContext) -> Duration {
    let limit = activity.info().heartbeat_timeout.unwrap_or(BEAT * 3);
    (limit / 3).min(BEAT)
}

/// The newest report of a call, as heartbeats carry it.
#[derive(Serialize, Deserialize)]
pub(crate) struct StoredProgress {
    /// Number of the report, from 1.
    #[serde(default)]
    pub(crate) number: u64,
    /// `null` is not a number, as `NaN` is none.
    done: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    item: Option<Value>,
}

impl StoredProgress {
    /// Stores all of a report, but for an item that is too long.
    fn new(number: u64, progress: &Progress) -> Self {
        let item = progress.item.as_ref().filter(|item| {
            let text = serde_json::to_string(item);
            text.is_ok_and(|text| text.len() <= LONGEST)
        });
        Self {
            number,
            item: item.cloned(),
            ..Self::brief(progress, LONGEST)
        }
    }

    /// Stores a report without its item.
    fn brief(progress: &Progress, longest: usize) -> Self {
        Self {
            number: 0,
            done: Some(progress.done),
            total: progress.total,
            message: progress.message.as_deref().map(|text| cut(text, longest)),
            item: None,
        }
    }

    pub(crate) fn into_progress(self) -> Progress {
        let mut progress = Progress::new(self.done.unwrap_or(f64::NAN));
        progress.total = self.total;
        progress.message = self.message.map(Cow::Owned);
        progress.item = self.item;
        progress
    }
}

fn cut(text: &str, longest: usize) -> String {
    let (part, _) = text.split_at(text.floor_char_boundary(longest));
    part.to_owned()
}

/// Way of a call's reports to the heartbeats.
pub(crate) struct Reports {
    number: AtomicU64,
    newest: watch::Sender<Option<StoredProgress>>,
}

impl Reports {
    pub(crate) fn start(activity: &ActivityContext) -> (Beats, Self) {
        let (newest, reports) = watch::channel(None);
        let number = AtomicU64::new(0);
        let beats = Beats::start(activity, reports, Duration::ZERO);
        (beats, Self { number, newest })
    }

    pub(crate) fn send(&self, progress: &Progress) {
        let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        let report = StoredProgress::new(number, progress);
        self.newest.send_replace(Some(report));
    }
}

/// A call that a run makes now.
#[derive(Serialize, Deserialize)]
struct BeatCall {
    id: String,
    tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    progress: Option<StoredProgress>,
    /// Where the run finds it again.
    #[serde(skip)]
    place: Option<(BatchId, usize)>,
}

/// Way of a run's calls to the heartbeats. [`NoteCalls`] finds it in their context.
#[derive(Clone)]
pub(crate) struct RunningCalls(Arc<watch::Sender<Vec<BeatCall>>>);

impl RunningCalls {
    pub(crate) fn start(activity: &ActivityContext) -> (Beats, Self) {
        let (sender, calls) = watch::channel(Vec::new());
        let beats = Beats::start(activity, calls, AFTER);
        (beats, Self(Arc::new(sender)))
    }

    fn note(&self, event: &Event<'_>) {
        let batch = event.batch_id();
        match *event {
            Event::Started { index, call, .. } => self.0.send_if_modified(|calls| {
                let has_room = calls.len() < MOST;
                if has_room {
                    calls.push(BeatCall {
                        id: cut(&call.id, BRIEF),
                        tool: cut(&call.name, BRIEF),
                        progress: None,
                        place: Some((batch, index)),
                    });
                }
                has_room
            }),
            Event::Progress {
                index, progress, ..
            } => self.0.send_if_modified(|calls| {
                let place = Some((batch, index));
                let call = calls.iter_mut().find(|call| call.place == place);
                let Some(call) = call else { return false };
                call.progress = Some(StoredProgress::brief(progress, BRIEF));
                true
            }),
            Event::Finished { index, .. } => self.end(|place| place == (batch, index)),
            Event::Pending { pending, .. } => self.end(|place| place == (batch, pending.index)),
            _ => false,
        };
    }

    fn end(&self, is_it: impl Fn((BatchId, usize)) -> bool) -> bool {
        self.0.send_if_modified(|calls| {
            let before = calls.len();
            calls.retain(|call| !call.place.is_some_and(&is_it));
            calls.len() < before
        })
    }
}

/// Notes the calls of runs.
pub(crate) struct NoteCalls;

impl Listener for NoteCalls {
    fn event(&self, event: &RunEvent<'_>) {
        if let RunEvent::Call { event, .. } = event
            && let Some(calls) = event.context().get::<RunningCalls>()
        {
            calls.note(event);
        }
    }

    fn wants_deltas(&self) -> bool {
        false
    }
}

/// The run of a conversation that is in progress, or waits for another worker.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunningInfo {
    /// Identity of the worker that runs the agent: `toolwright@`, its process id, and an id of its own. `None` while no worker has
    /// the run.
    pub worker: Option<String>,
    /// Number of the attempt, from 1. Another attempt starts after a worker has died or its store has failed.
    pub attempt: u32,
    /// Reason why the previous attempt failed.
    pub failure: Option<String>,
    /// Calls in progress, in the order in which they started, as of the last heartbeat, which is about two seconds old. At most
    /// 100. Calls of agents in calls are not listed. Empty while the model responds.
    pub calls: Vec<RunningCall>,
}

/// A call in progress.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunningCall {
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub tool: String,
    /// The tool's last report, without its item. A long message is cut.
    pub progress: Option<Progress>,
}

impl RunningInfo {
    pub(crate) fn of(run: PendingActivityInfo) -> Self {
        let is_started = matches!(
            run.state(),
            PendingActivityState::Started | PendingActivityState::CancelRequested
        );
        // Before its first heartbeat, an attempt has the details of the one before.
        let (heard, started) = (run.last_heartbeat_time, run.last_started_time);
        let at = |time: Option<_>| time.and_then(|at| SystemTime::try_from(at).ok());
        let is_newer = at(heard) >= at(started);
        let details = run.heartbeat_details.filter(|_| is_started && is_newer);
        let details = details.and_then(|details| details.payloads.into_iter().next());
        let calls = details.map(|details| serde_json::from_slice::<Vec<BeatCall>>(&details.data));
        let calls = calls.and_then(Result::ok).unwrap_or_default();
        let calls = calls.into_iter().map(|call| RunningCall {
            id: call.id,
            tool: call.tool,
            progress: call.progress.map(StoredProgress::into_progress),
        });
        Self {
            worker: Some(run.last_worker_identity).filter(|_| is_started),
            attempt: u32::try_from(run.attempt).unwrap_or(1),
            failure: run.last_failure.map(|failure| failure.message),
            calls: calls.collect(),
        }
    }
}
