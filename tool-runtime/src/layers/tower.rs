use std::error::Error;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context as TaskContext, Poll};

use futures_util::future::select;
use futures_util::stream::{FuturesUnordered, Stream};
use tokio::sync::{mpsc, oneshot};
use tower_layer::Layer as TowerLayer;
use tower_service::Service;

use crate::executor::{Handled, Layer, Next, Request};
use crate::tool::{BoxFuture, Context, Tool};
use toolwright_provider::call::{ErrorKind, ToolCall, ToolError};

type BoxError = Box<dyn Error + Send + Sync>;

/// Runs a tower layer around the calls of an executor: a rate limit, or a retry with its own policy, for example.
///
/// It is applied once, to a [`TowerService`]; all calls share the resulting service, by its clones. The service returns
/// [`Handled`]: done, or pending; a failed call is an `Err` with its [`ToolError`]. An error of tower becomes one of
/// kind [`Failed`](ErrorKind::Failed), whose text only the host may read. Requests may be sent on in any number, from
/// any task, as long as the call lasts; one that is dropped ends its run.
///
/// Of a tool that works in the [background](toolwright_provider::call::ToolOptions::background), it is around the beginning, as if the
/// call were over once the model has read that it began. A layer that limits, measures or repeats the work itself is to be made
/// [about the work](Self::about_work).
///
/// ```
/// use toolwright::layers::Tower;
/// use toolwright::{Executor, Toolset};
///
/// // Of the crate `tower`: `GlobalConcurrencyLimitLayer::new(2)`, for one.
/// let layer = tower_layer::Identity::new();
/// let executor = Executor::parallel(&Toolset::default(), 8).layer(Tower::new(layer));
/// ```
pub struct Tower<S> {
    service: Mutex<S>,
    is_about_work: bool,
}

/// A call, as services of tower see it.
#[derive(Clone)]
pub struct TowerRequest {
    call: ToolCall,
    context: Context,
    tool: Arc<dyn Tool>,
    port: mpsc::UnboundedSender<ForwardedRequest>,
}

/// The layers further in and the tool, as a tower service.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct TowerService;

/// A request that reached the inner service, with the channel for its answer.
struct ForwardedRequest {
    call: ToolCall,
    answer: oneshot::Sender<Handled>,
}

impl<S> Tower<S> {
    /// Applies a layer.
    pub fn new(layer: impl TowerLayer<TowerService, Service = S>) -> Self {
        Self {
            service: Mutex::new(layer.layer(TowerService)),
            is_about_work: false,
        }
    }

    /// Puts the layer around the work of a background tool: see [`Layer::is_about_work`].
    pub fn about_work(self) -> Self {
        Self {
            is_about_work: true,
            ..self
        }
    }
}

impl TowerRequest {
    /// Returns the call with repaired arguments.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// Returns the call's context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Returns the tool.
    pub fn tool(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    /// Replaces the arguments with the text of a JSON object, which is decoded and validated again.
    pub fn with_arguments(mut self, arguments: impl Into<Arc<str>>) -> Self {
        self.call.arguments = arguments.into();
        self
    }
}

impl Service<TowerRequest> for TowerService {
    type Response = Handled;
    type Error = ToolError;
    type Future = Pin<Box<dyn Future<Output = Result<Handled, ToolError>> + Send>>;

    fn poll_ready(&mut self, _: &mut TaskContext<'_>) -> Poll<Result<(), ToolError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: TowerRequest) -> Self::Future {
        let (answer, answered) = oneshot::channel();
        let call = request.call;
        let sent = request.port.send(ForwardedRequest { call, answer });
        Box::pin(async move {
            sent.map_err(|_| ended())?;
            match answered.await {
                Ok(Handled::Done(Err(error))) => Err(error),
                Ok(handled) => Ok(handled),
                Err(_) => Err(ended()),
            }
        })
    }
}

#[cold]
fn ended() -> ToolError {
    ToolError::new(ErrorKind::Cancelled, "the call has ended already")
}

#[cold]
fn into_tool_error(error: BoxError) -> ToolError {
    match error.downcast::<ToolError>() {
        Ok(error) => *error,
        Err(error) => ToolError::failed("the call was stopped before it had a result")
            .with_debug(error.to_string())
            .with_source(error),
    }
}

/// Passes a request on, as long as its answer is awaited.
async fn hand_on<'a>(request: Request<'a>, next: Next<'a>, mut answer: oneshot::Sender<Handled>) {
    let handled = {
        let run = pin!(next.run(request));
        let given_up = pin!(answer.closed());
        match select(run, given_up).await {
            futures_util::future::Either::Left((handled, _)) => handled,
            futures_util::future::Either::Right(_) => return,
        }
    };
    // The receiver may be dropped.
    let _ = answer.send(handled);
}

impl<S> Layer for Tower<S>
where
    S: Service<TowerRequest, Response = Handled> + Clone + Send,
    S::Future: Send,
    S::Error: Into<BoxError>,
{
    fn is_about_work(&self) -> bool {
        self.is_about_work
    }

    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        let mut service = {
            let service = self.service.lock().unwrap_or_else(PoisonError::into_inner);
            service.clone()
        };
        Box::pin(async move {
            let (port, mut sent) = mpsc::unbounded_channel();
            let asked = TowerRequest {
                call: request.call().clone(),
                context: request.context().clone(),
                tool: Arc::clone(request.tool()),
                port,
            };
            let mut answer = pin!(async move {
                poll_fn(|task| service.poll_ready(task)).await?;
                service.call(asked).await
            });
            let mut running = FuturesUnordered::new();
            let answer = poll_fn(|task| {
                loop {
                    if let Poll::Ready(answer) = answer.as_mut().poll(task) {
                        return Poll::Ready(answer);
                    }
                    let mut is_quiet = true;
                    while let Poll::Ready(Some(ForwardedRequest { call, answer })) =
                        sent.poll_recv(task)
                    {
                        let request = request.clone().with_arguments(call.arguments);
                        running.push(hand_on(request, next, answer));
                        is_quiet = false;
                    }
                    while let Poll::Ready(Some(())) = Pin::new(&mut running).poll_next(task) {
                        is_quiet = false;
                    }
                    if is_quiet {
                        return Poll::Pending;
                    }
                }
            });
            let answer: Result<Handled, S::Error> = answer.await;
            answer.unwrap_or_else(|error| into_tool_error(error.into()).into())
        })
    }
}

impl<S> fmt::Debug for Tower<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tower").finish_non_exhaustive()
    }
}

impl fmt::Debug for TowerRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TowerRequest")
            .field("call", &self.call)
            .finish_non_exhaustive()
    }
}
