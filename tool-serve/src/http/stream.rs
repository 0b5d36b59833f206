//! Streams a call as server-sent events: progress, and the answer last.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Task, Poll};

use axum::body::Body;
use axum::response::Response;
use tokio::sync::mpsc::Receiver;
use toolwright_http::body::BodyPermit;
use toolwright_http::events::{EventBody, EventSource, add_headers, event};
use toolwright_mcp::progress;
use toolwright_runtime::executor::Batch;
use toolwright_runtime::tool::{Context, Progress};

use super::ServerState;
use super::call::{CallRun, answer_json, run};
use crate::answer;

/// Responds with the events of a call: `progress`, and at the end `answer`.
pub(super) fn respond(
    state: &Arc<ServerState>,
    call: CallRun,
    cx: Context,
    held: BodyPermit,
) -> Response {
    let (cx, progress_reports) = progress::subscribe(cx);
    let (state, runs, known) = (Arc::clone(state), Arc::clone(state), cx.clone());
    let running = {
        let call = call.clone();
        async move { run(&runs, &call, known).await }
    };
    let events = EventBody::new(CallEvents {
        running: Some(Box::pin(running)),
        call,
        progress_reports,
        state,
        cx,
        _held: held,
    });
    let mut response = Response::new(Body::new(events));
    add_headers(response.headers_mut());
    response
}

/// Runs the call while it is polled. Dropping it, with the connection, drops the call.
struct CallEvents {
    /// `None` after the answer.
    running: Option<Pin<Box<dyn Future<Output = Batch> + Send>>>,
    call: CallRun,
    progress_reports: Receiver<Progress>,
    state: Arc<ServerState>,
    cx: Context,
    /// Permit of the request's body, held until the answer.
    _held: BodyPermit,
}

impl EventSource for CallEvents {
    fn poll_event(&mut self, task: &mut Task<'_>) -> Poll<Option<String>> {
        let Some(running) = &mut self.running else {
            return Poll::Ready(None);
        };
        let batch = running.as_mut().poll(task);
        let progress = |report: &Progress| {
            let fields = [("event", "progress")];
            event(&fields, &answer::progress_json(report))
        };
        // Reports come before the answer.
        let mut text = String::new();
        while let Ok(report) = self.progress_reports.try_recv() {
            text.push_str(&progress(&report));
        }
        if let Poll::Ready(batch) = batch {
            self.running = None;
            if let Some(reply) = batch.calls().first() {
                let (_, answer) = answer_json(&self.state, &self.cx, &self.call, reply);
                text.push_str(&event(&[("event", "answer")], &answer));
            }
        } else if text.is_empty() {
            // Wakes this task at the next report.
            match self.progress_reports.poll_recv(task) {
                Poll::Ready(Some(report)) => text = progress(&report),
                _ => return Poll::Pending,
            }
        }
        Poll::Ready(Some(text))
    }
}
