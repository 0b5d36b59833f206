//! Tools of a toolset in a server of rmcp.

use std::fmt;
use std::sync::Arc;

use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, ErrorData, ProgressNotificationParam,
    ProgressToken, ProtocolVersion, Tool as Listed,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use toolwright::args::Repairs;
use toolwright::call::{ErrorKind, Progress};
use toolwright::executor::{Event, ExclusiveGate, Pending, PendingReason, Reply};
use toolwright::{
    Context, Encoder, Executor, Outcome, Registry, ToolCall, ToolResult, Toolset, Wire,
};

/// Number of unread progress reports that are kept. Further ones are dropped, since each supersedes the last.
const REPORTS: usize = 64;

/// Makes the context of a call of its request.
type MakeContext = dyn Fn(&RequestContext<RoleServer>) -> Context + Send + Sync;

/// Tools of a toolset for a `ServerHandler` of rmcp. Cheap to clone; clones share their state.
///
/// A server with rmcp's macros adds it to its [`ToolRouter`]:
///
/// ```
/// use rmcp::handler::server::router::tool::ToolRouter;
/// use rmcp::{ServerHandler, tool_handler, tool_router};
/// use toolwright_rmcp::ToolsetRouter;
///
/// #[derive(Clone)]
/// struct Shop {
///     router: ToolRouter<Self>,
/// }
///
/// #[tool_router]
/// impl Shop {
///     fn new(tools: toolwright::Toolset) -> Self {
///         Self { router: Self::tool_router() + ToolsetRouter::new(tools).into() }
///     }
///
///     /// Says how many lamps are left.
///     #[rmcp::tool]
///     fn stock(&self) -> String {
///         "2 lamps".to_owned()
///     }
/// }
///
/// #[tool_handler(router = self.router)]
/// impl ServerHandler for Shop {}
/// ```
///
/// The router has the tools of that moment, and of two tools with one name the one that was added last. A server whose
/// [`Registry`] changes implements `ServerHandler` itself, with [`list_tools`](Self::list_tools) and
/// [`call_tool`](Self::call_tool), and sends `peer.notify_tool_list_changed()` after a change.
///
/// # Calls
/// Faults of the arguments and errors of tools, panics too, are results with `isError`, which the model reads. An unknown
/// tool is a protocol error. Arguments are repaired at most as far as [`Repairs::Values`]. The client's cancellation
/// cancels the call, and progress goes to clients that ask for it. A tool reads the request, and through it the client, as
/// `cx.get::<RequestContext<RoleServer>>()`.
///
/// A call that waits for an approval or for an answer of a person is refused in words, with `isError`. A tool may ask the
/// client itself, by rmcp's elicitation. `background` tools run as all others do.
#[derive(Clone)]
pub struct ToolsetRouter {
    executor: Executor,
    context: Arc<MakeContext>,
}

impl ToolsetRouter {
    /// Makes a router of a toolset, or of a [`Registry`] whose tools may change.
    pub fn new(tools: impl Into<Registry>) -> Self {
        let tools = tools.into();
        let executor = Executor::serial(&tools)
            .exclusive_across(&ExclusiveGate::default())
            .on_event(|event| {
                if let Event::Progress { cx, progress, .. } = event
                    && let Some(Reports(reports)) = cx.get()
                {
                    // A report is not part of the result, so a full or closed channel is not an error.
                    let _ = reports.try_send((*progress).clone());
                }
            });
        Self {
            executor,
            context: Arc::new(|_| Context::new()),
        }
    }

    /// Changes the executor: layers, time limits, observers. The tools stay those of the router.
    pub fn executor(mut self, change: impl FnOnce(Executor) -> Executor) -> Self {
        self.executor = change(self.executor);
        self
    }

    /// Sets the function that makes a call's context of its request. The context decides which tools the client sees and
    /// may call. Default: a new context.
    pub fn context(
        mut self,
        make: impl Fn(&RequestContext<RoleServer>) -> Context + Send + Sync + 'static,
    ) -> Self {
        self.context = Arc::new(make);
        self
    }

    /// Returns the tools that this client may see: the `tools` of `ListToolsResult`.
    pub fn list_tools(&self, request: &RequestContext<RoleServer>) -> Vec<Listed> {
        let cx = (self.context)(request);
        listed(&self.executor.tools(&cx), wire(request))
    }

    /// Runs a call of one of the tools.
    ///
    /// # Errors
    /// When there is no tool of that name.
    pub async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let arguments = params.arguments.map(|all| Value::from(all).to_string());
        let id = request.id.to_string();
        let call = ToolCall::new(&*id, &*params.name, arguments.unwrap_or_default());
        let (wire, cancelled) = (wire(&request), request.ct.clone());
        let token = request.meta.get_progress_token();
        let token = token.map(|token| (request.peer.clone(), token));
        let (reports, mut reported) = mpsc::channel(REPORTS);

        let cx = (self.context)(&request);
        let stop = cx.cancel().child();
        let repairs = cx.repairs().min(Repairs::Values);
        let mut cx = cx.with_cancel(stop.clone()).with_repairs(repairs);
        cx = cx.with(request);
        if token.is_some() {
            cx = cx.with(Reports(reports));
        }
        let calls = std::slice::from_ref(&call);
        let run = self.executor.run(calls, &cx);
        tokio::pin!(run);
        let mut client = token.map(|(peer, token)| Client::new(peer, token));
        let batch = {
            // A client that reads nothing holds up its progress, and not the call.
            let progress = async {
                while let (Some(report), Some(client)) = (reported.recv().await, &mut client) {
                    client.notify(report).await;
                }
                std::future::pending::<()>().await;
            };
            tokio::select! {
                biased;
                batch = &mut run => Some(batch),
                () = progress => None,
                () = cancelled.cancelled() => {
                    stop.cancel();
                    None
                }
            }
        };
        let batch = match batch {
            Some(batch) => batch,
            // The executor answers a cancelled call.
            None => run.await,
        };
        // Before the result: clients forget the token with it.
        while let (Ok(report), Some(client)) = (reported.try_recv(), &mut client) {
            client.notify(report).await;
        }
        match batch.calls().first() {
            Some(Reply::Answered(result)) => answer(wire, result),
            Some(Reply::Pending(pending)) => Ok(error(waits(pending))),
            None => Err(ErrorData::internal_error("the call has no answer", None)),
        }
    }
}

impl<S: Send + Sync + 'static> From<ToolsetRouter> for ToolRouter<S> {
    /// Makes a route of each tool that a client without a context of its own may see.
    fn from(tools: ToolsetRouter) -> Self {
        let mut router = Self::new();
        for tool in listed(&tools.executor.tools(&Context::new()), Wire::Mcp) {
            let tools = tools.clone();
            router.add_route(ToolRoute::new_dyn(
                tool,
                move |call: ToolCallContext<'_, S>| {
                    let mut params = CallToolRequestParams::new(call.name);
                    params.arguments = call.arguments;
                    let (tools, request) = (tools.clone(), call.request_context);
                    Box::pin(async move { Ok(tools.call_tool(params, request).await?.into()) })
                },
            ));
        }
        router
    }
}

impl fmt::Debug for ToolsetRouter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolsetRouter")
            .field("executor", &self.executor)
            .finish_non_exhaustive()
    }
}

/// Sender of a call's progress, in its context.
struct Reports(mpsc::Sender<Progress>);

/// Client that asked for the progress of a call.
struct Client {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    last: f64,
}

impl Client {
    fn new(peer: Peer<RoleServer>, token: ProgressToken) -> Self {
        Self {
            peer,
            token,
            last: f64::NEG_INFINITY,
        }
    }

    /// Sends the report, unless it is not above the last one, which the protocol wants.
    async fn notify(&mut self, report: Progress) {
        if !report.done.is_finite() || report.done <= self.last {
            return;
        }
        self.last = report.done;
        let mut params = ProgressNotificationParam::new(self.token.clone(), report.done);
        params.total = report.total;
        params.message = report.message.map(Into::into);
        // A client that is gone needs no progress.
        let _ = self.peer.notify_progress(params).await;
    }
}

/// Returns the form of the client's version: since 2026-07-28 structured content is of any type.
fn wire(request: &RequestContext<RoleServer>) -> Wire {
    match request.protocol_version() {
        Some(version) if version >= ProtocolVersion::V_2026_07_28 => Wire::Mcp2026,
        _ => Wire::Mcp,
    }
}

/// Converts definitions. A tool whose icons or output schema rmcp cannot hold loses both.
fn listed(tools: &Toolset, wire: Wire) -> Vec<Listed> {
    let text = wire.definitions(tools).into_string();
    let all: Vec<&RawValue> = serde_json::from_str(&text).unwrap_or_default();
    let all = all.into_iter().filter_map(|text| {
        serde_json::from_str(text.get()).ok().or_else(|| {
            let mut bare: Value = serde_json::from_str(text.get()).ok()?;
            let members = bare.as_object_mut()?;
            members.retain(|key, _| !["icons", "outputSchema"].contains(&key.as_str()));
            serde_json::from_value(bare).ok()
        })
    });
    all.collect()
}

/// Converts a result; one of an unknown tool is an error of the protocol.
fn answer(wire: Wire, result: &ToolResult) -> Result<CallToolResult, ErrorData> {
    match &result.outcome {
        Err(unknown) if matches!(unknown.kind(), ErrorKind::Unknown | ErrorKind::Hidden) => {
            return Err(ErrorData::invalid_params(unknown.to_string(), None));
        }
        Ok(Outcome::AskUser { question, options }) => {
            return Ok(if options.contains_key("key") {
                error(format!("this server cannot ask the user: {question}"))
            } else {
                let words = format!("Ask the user, and go on with the answer: {question}");
                CallToolResult::success(vec![ContentBlock::text(words)])
            });
        }
        _ => {}
    }
    let text = wire.results(std::slice::from_ref(result), Encoder::auto());
    let results: Result<Vec<CallToolResult>, _> = serde_json::from_str(text.as_str());
    let result = results.ok().and_then(|mut results| results.pop());
    result.ok_or_else(|| ErrorData::internal_error("the result cannot be converted", None))
}

fn error(words: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(words)])
}

/// Says why a call has no result.
fn waits(pending: &Pending) -> String {
    match &pending.reason {
        PendingReason::OutcomeUnknown(error) => error.clone(),
        PendingReason::Decision(_) => {
            "the call did not run: it needs a person's approval, and this server cannot ask for one"
                .to_owned()
        }
        _ => "the call did not run: it needs a person's answer, and this server cannot ask for one"
            .to_owned(),
    }
}
