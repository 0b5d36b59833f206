//! Calls that run before `rmcp` hears of them.
//!
//! Most calls are over as soon as they are begun. Over HTTP such a one is answered where its request is read: it needs no
//! stream, since nothing was said before its answer, and no task. One that is not goes on where it stands, as all others do.

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use http::request::Parts;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use toolwright_provider::call::ToolCall;
use toolwright_runtime::executor::{Batch, Decided, Reply};
use toolwright_runtime::tool::{Cancel, Context, Progress};

use super::http::Client;
use super::request::CallRequest;
use super::session::{Early, Session};
use super::{Shared, call, question};
use crate::progress;

type BatchFuture = Pin<Box<dyn Future<Output = Batch> + Send>>;

/// A call on its way.
pub(super) struct Running {
    pub(super) batch: BatchFuture,
    /// How far it is, where somebody wants to hear of it.
    pub(super) reports: Option<mpsc::Receiver<Progress>>,
}

impl Running {
    /// Goes on as far as it comes at once.
    pub(super) async fn at_once(&mut self) {
        let first = std::future::poll_fn(|task| Poll::Ready(self.batch.as_mut().poll(task)));
        if let Poll::Ready(batch) = first.await {
            self.batch = Box::pin(std::future::ready(batch));
        }
    }
}

/// A call, and what is known of it.
pub(super) struct Begun {
    pub(super) call: ToolCall,
    pub(super) cx: Context,
    /// The client's word, which ends this call alone.
    pub(super) stop: Cancel,
    /// `None` before it runs.
    pub(super) run: Option<(Running, Early)>,
}

impl Begun {
    /// One that does not run yet.
    pub(super) fn new(
        shared: &Shared,
        session: &Session,
        call: ToolCall,
        parts: Option<&Parts>,
    ) -> Self {
        let cx = context(shared, session.id(), parts);
        // The client's word ends this call; the host's ends all of them.
        let stop = cx.cancel().child();
        Self {
            call,
            cx: cx.with_cancel(stop.clone()),
            stop,
            run: None,
        }
    }
}

/// How far a call has come.
pub(super) enum First {
    /// It is over: the JSON of its result.
    Over(String),
    /// It runs, or has to ask, or is to be refused in the protocol's words.
    Begun(Box<Begun>),
}

/// Begins a call of a client that was heard before.
pub(super) async fn begin(
    shared: &Arc<Shared>,
    client: &Client,
    request: &CallRequest<'_>,
    parts: &Parts,
) -> First {
    let call = ToolCall::new(request.id.to_string(), request.name(), request.arguments());
    let mut begun = Begun::new(shared, &client.session, call, Some(parts));
    let early = Early::new(&client.session, request.id.clone(), begun.stop.clone());
    let is_heard = client.has_token || client.session.logs();
    let mut run = start(shared, &begun.call, begun.cx.clone(), None, is_heard);
    let first = std::future::poll_fn(|task| Poll::Ready(run.batch.as_mut().poll(task))).await;
    run.batch = match first {
        Poll::Ready(batch) => {
            let is_silent = run.reports.as_ref().is_none_or(mpsc::Receiver::is_empty);
            if let Some(Reply::Answered(result)) = batch.calls().first()
                && is_silent
                && question::asked(result).is_none()
                && let Ok(text) = call::text(shared, client.is_2026, result)
            {
                return First::Over(text);
            }
            Box::pin(std::future::ready(batch))
        }
        Poll::Pending => alone(run.batch),
    };
    begun.run = Some((run, early));
    First::Begun(Box::new(begun))
}

/// The same as a task, so that it goes on while it is handed over, which takes until the client's session has room for it. It
/// ends when nobody waits for it.
fn alone(batch: BatchFuture) -> BatchFuture {
    let mut task = JoinSet::new();
    task.spawn(batch);
    Box::pin(async move {
        match task.join_next().await {
            Some(Ok(batch)) => batch,
            Some(Err(error)) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // The runtime ends.
            _ => std::future::pending().await,
        }
    })
}

/// What is known of a request: of whoever asks, by a layer around the HTTP service; under that, of the session;
/// under both, of all calls.
pub(super) fn context(shared: &Shared, session: &str, parts: Option<&Parts>) -> Context {
    let own = parts.and_then(|parts| parts.extensions.get::<Context>());
    let own = own.cloned().unwrap_or_default();
    let session = Context::new().with_session(session);
    own.over(&session).over(&shared.context)
}

/// Runs the call, or goes on with it, in its turn; heard of, if somebody wants to.
pub(super) fn start(
    shared: &Arc<Shared>,
    call: &ToolCall,
    cx: Context,
    decided: Option<Decided>,
    is_heard: bool,
) -> Running {
    let (cx, reports) = if is_heard {
        let (cx, reports) = progress::subscribe(cx);
        (cx, Some(reports))
    } else {
        (cx, None)
    };
    let (shared, call) = (Arc::clone(shared), call.clone());
    let batch = Box::pin(async move {
        let Shared {
            registry,
            gate,
            executor,
            ..
        } = &*shared;
        gate.run(registry, executor, &call, decided, &cx).await
    });
    Running { batch, reports }
}
