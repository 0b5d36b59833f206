//! Calls that run before `rmcp` hears of them.
//!
//! Most calls are over as soon as they are begun. Over HTTP such a one is answered where its request is read: it needs no
//! stream for what may be said before its answer, and no task. One that is not goes on where it stands, as all others do.

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use http::request::Parts;
use toolwright_runtime::{Batch, Cancel, Context, Decided, Reply, ToolCall};

use super::request::CallRequest;
use super::session::Session;
use super::{Shared, call, question};

/// A call on its way.
pub(super) type Running = Pin<Box<dyn Future<Output = Batch> + Send>>;

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

/// Begins a call of which it is known that nothing is to be told of it before its answer.
pub(super) async fn begin(
    shared: &Arc<Shared>,
    session: &Session,
    is_2026: bool,
    request: &CallRequest<'_>,
    parts: &Parts,
) -> First {
    let call = ToolCall::new(request.id.to_string(), request.name(), request.arguments());
    let mut begun = Begun::new(shared, session, call, Some(parts));
    let mut run: Running = {
        let (shared, call, cx) = (Arc::clone(shared), begun.call.clone(), begun.cx.clone());
        Box::pin(async move { self::run(&shared, &call, None, &cx).await })
    };
    let first = std::future::poll_fn(|task| Poll::Ready(run.as_mut().poll(task))).await;
    if let Poll::Ready(batch) = first {
        if let Some(Reply::Answered(result)) = batch.calls().first()
            && question::asked(result).is_none()
            && let Ok(text) = call::text(shared, is_2026, result)
        {
            return First::Over(text);
        }
        run = Box::pin(std::future::ready(batch));
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

/// Runs the call, or goes on with it, in its turn.
pub(super) async fn run(
    shared: &Shared,
    call: &ToolCall,
    decided: Option<Decided>,
    cx: &Context,
) -> Batch {
    let Shared {
        registry,
        turns,
        executor,
        ..
    } = shared;
    // Where it is to end before, it ends below.
    let _turn = turns.take(registry, &call.name, &cx.cancel()).await;
    match decided {
        Some(decided) => executor.decide(&[decided], cx).await,
        None => executor.run(std::slice::from_ref(call), cx).await,
    }
}
