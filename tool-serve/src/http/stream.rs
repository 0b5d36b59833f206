//! A call whose progress is told while it runs: server-sent events, the answer last.

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
use toolwright_runtime::{Batch, Context, Decided, Progress, ToolCall};

use super::Shared;
use super::call::{answer_json, run};
use crate::body::Held;
use crate::{answer, progress};

/// So often something is sent, so that a client that is gone is found out.
const PULSE: Duration = Duration::from_secs(10);

/// The events of a call: `progress`, and at the end `answer`.
pub(super) fn answer(
    shared: &Arc<Shared>,
    call: ToolCall,
    decided: Option<Decided>,
    cx: Context,
    held: Held,
) -> Response {
    let (cx, reports) = progress::listen(cx);
    let mut pulse = interval_at(tokio::time::Instant::now() + PULSE, PULSE);
    pulse.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (shared, runs, known) = (Arc::clone(shared), Arc::clone(shared), cx.clone());
    let events = Events {
        running: Some(Box::pin(
            async move { run(&runs, &call, decided, known).await },
        )),
        reports,
        pulse,
        shared,
        cx,
        _held: held,
    };
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(events)).into_response()
}

/// Runs the call while it is read; dropped with the connection, and the call with it.
struct Events {
    /// Nothing after the answer.
    running: Option<Pin<Box<dyn Future<Output = Batch> + Send>>>,
    reports: Receiver<Progress>,
    pulse: Interval,
    shared: Arc<Shared>,
    cx: Context,
    /// What the request holds until it is answered.
    _held: Held,
}

impl Stream for Events {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(running) = &mut this.running else {
            return Poll::Ready(None);
        };
        let batch = running.as_mut().poll(task);
        // What was reported stands before the answer.
        let mut text = String::new();
        while let Ok(report) = this.reports.try_recv() {
            text.push_str(&event("progress", &answer::progress_json(&report)));
        }
        if let Poll::Ready(batch) = batch {
            this.running = None;
            if let Some(reply) = batch.calls().first() {
                let answer = answer_json(&this.shared, &this.cx, reply);
                text.push_str(&event("answer", &answer));
            }
        } else if text.is_empty() {
            // Wakes this task at the next report.
            if let Poll::Ready(Some(report)) = this.reports.poll_recv(task) {
                text.push_str(&event("progress", &answer::progress_json(&report)));
            } else if this.pulse.poll_tick(task).is_ready() {
                text.push_str(":\n\n");
            } else {
                return Poll::Pending;
            }
        }
        Poll::Ready(Some(Ok(text.into())))
    }
}

/// JSON has no line breaks in it that would end the event's data.
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
