//! Streams a call as server-sent events: progress, and the answer last.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Task, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_core::Stream;
use tokio::sync::mpsc::Receiver;
use tokio::time::{Interval, MissedTickBehavior, interval_at};
use toolwright_provider::call::ToolCall;
use toolwright_runtime::executor::{Batch, Decided};
use toolwright_runtime::tool::{Context, Progress};

use super::ServerState;
use super::call::{answer_json, run};
use crate::answer;
use toolwright_mcp::body::BodyPermit;
use toolwright_mcp::progress;

/// Interval of comments, which detect a disconnected client.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Responds with the events of a call: `progress`, and at the end `answer`.
pub(super) fn respond(
    state: &Arc<ServerState>,
    call: ToolCall,
    decided: Option<Decided>,
    cx: Context,
    held: BodyPermit,
) -> Response {
    let (cx, progress_reports) = progress::subscribe(cx);
    let mut keep_alive = interval_at(tokio::time::Instant::now() + KEEP_ALIVE, KEEP_ALIVE);
    keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (state, runs, known) = (Arc::clone(state), Arc::clone(state), cx.clone());
    let running = {
        let call = call.clone();
        async move { run(&runs, &call, decided, known).await }
    };
    let events = EventStream {
        running: Some(Box::pin(running)),
        call,
        progress_reports,
        keep_alive,
        state,
        cx,
        _held: held,
    };
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(events)).into_response()
}

/// Runs the call while it is polled. Dropping it, with the connection, drops the call.
struct EventStream {
    /// `None` after the answer.
    running: Option<Pin<Box<dyn Future<Output = Batch> + Send>>>,
    call: ToolCall,
    progress_reports: Receiver<Progress>,
    keep_alive: Interval,
    state: Arc<ServerState>,
    cx: Context,
    /// Permit of the request's body, held until the answer.
    _held: BodyPermit,
}

impl Stream for EventStream {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(running) = &mut this.running else {
            return Poll::Ready(None);
        };
        let batch = running.as_mut().poll(task);
        // Reports come before the answer.
        let mut text = String::new();
        while let Ok(report) = this.progress_reports.try_recv() {
            text.push_str(&event("progress", &answer::progress_json(&report)));
        }
        if let Poll::Ready(batch) = batch {
            this.running = None;
            if let Some(reply) = batch.calls().first() {
                let answer = answer_json(&this.state, &this.cx, &this.call, reply);
                text.push_str(&event("answer", &answer));
            }
        } else if text.is_empty() {
            // Wakes this task at the next report.
            if let Poll::Ready(Some(report)) = this.progress_reports.poll_recv(task) {
                text.push_str(&event("progress", &answer::progress_json(&report)));
            } else if this.keep_alive.poll_tick(task).is_ready() {
                text.push_str(":\n\n");
            } else {
                return Poll::Pending;
            }
        }
        Poll::Ready(Some(Ok(text.into())))
    }
}

/// Writes an event. A line break in the data would end it, so each line has its own `data:`.
fn event(name: &str, json: &str) -> String {
    let mut text = format!("event: {name}\n");
    for line in json.lines() {
        text.push_str("data: ");
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    text
}
