//! Calls that run before `rmcp` hears of them.
//!
//! Most calls are over as soon as they are begun. Over HTTP such a one is answered where its request is read: it needs no
//! stream, since nothing was said before its answer, and no task. One that is not goes on where it stands, as all others do.

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use http::request::Parts;
use tokio::sync::mpsc;
use toolwright_runtime::{Batch, Cancel, Context, Decided, Progress, Reply, ToolCall};

use super::http::Client;
use super::request::CallRequest;
use super::session::Session;
use super::{Shared, call, question};
use crate::progress;

/// A call on its way.
pub(super) struct Running {
    pub(super) batch: Pin<Box<dyn Future<Output = Batch> + Send>>,
    /// How far it is, where somebody wants to hear of it.
    pub(super) reports: Option<mpsc::Receiver<Progress>>,
}

/// A call, and what is known of it.
pub(super) struct Begun {
    pub(super) call: ToolCall,
    pub(super) cx: Context,
    /// The client's word, which ends this call alone.
    pub(super) stop: Cancel,
    /// `None` before it runs.
    pub(super) run: Option<Running>,
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
    Begun(Begun),
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
    let is_heard = client.has_token || client.session.logs();
    let mut run = start(shared, &begun.call, begun.cx.clone(), None, is_heard);
    let first = std::future::poll_fn(|task| Poll::Ready(run.batch.as_mut().poll(task))).await;
    if let Poll::Ready(batch) = first {
        let is_silent = run.reports.as_ref().is_none_or(mpsc::Receiver::is_empty);
        if let Some(Reply::Answered(result)) = batch.calls().first()
            && is_silent
            && question::asked(result).is_none()
            && let Ok(text) = call::text(shared, client.is_2026, result)
        {
            return First::Over(text);
        }
        run.batch = Box::pin(std::future::ready(batch));
    }
    begun.run = Some(run);
    First::Begun(begun)
}

/// What is known of a request: of whoever asks, by a layer around the HTTP service; of the session; of
/// all calls.
pub(super) fn context(shared: &Shared, session: &str, parts: Option<&Parts>) -> Context {
    let own = parts.and_then(|parts| parts.extensions.get::<Context>());
    let own = own.cloned().unwrap_or_default();
    own.with_session(session).over(&shared.context)
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
        let (cx, reports) = progress::listen(cx);
        (cx, Some(reports))
    } else {
        (cx, None)
    };
    let (shared, call) = (Arc::clone(shared), call.clone());
    let batch = Box::pin(async move {
        let Shared {
            registry,
            turns,
            executor,
            ..
        } = &*shared;
        // Where it is to end before, it ends below.
        let _turn = turns.take(registry, &call.name, &cx.cancel()).await;
        match decided {
            Some(decided) => executor.decide(&[decided], &cx).await,
            None => executor.run(std::slice::from_ref(&call), &cx).await,
        }
    });
    Running { batch, reports }
}
