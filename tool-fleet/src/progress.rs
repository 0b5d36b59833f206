//! What activities tell while they run: signs of life, and with them the progress of calls.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
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

/// Longest message that a run tells of one of its calls, in bytes.
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
    done: f64,
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
        let message = progress.message.as_deref().map(|text| {
            let (part, _) = text.split_at(text.floor_char_boundary(longest));
            part.to_owned()
        });
        Self {
            number: 0,
            done: progress.done,
            total: progress.total,
            message,
            item: None,
        }
    }

    pub(crate) fn into_progress(self) -> Progress {
        let mut progress = Progress::new(self.done);
        progress.total = self.total;
        progress.message = self.message.map(Cow::Owned);
        progress.item = self.item;
        progress
    }
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
pub(crate) struct StoredCall {
    pub(crate) id: String,
    pub(crate) tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) progress: Option<StoredProgress>,
    /// Where the run finds it again.
    #[serde(skip)]
    place: Option<(BatchId, usize)>,
}

/// Way of a run's calls to the heartbeats. [`NoteCalls`] finds it in their context.
#[derive(Clone)]
pub(crate) struct RunningCalls(Arc<watch::Sender<Vec<StoredCall>>>);

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
                    calls.push(StoredCall {
                        id: call.id.to_string(),
                        tool: call.name.to_string(),
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

    fn hears_deltas(&self) -> bool {
        false
    }
}
