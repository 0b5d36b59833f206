//! A server of a toolset.

mod call;
mod caller;
mod catalog;
mod completion;
mod definitions;
mod dispatch;
#[cfg(feature = "server-http")]
mod http;
mod incoming;
mod limits;
mod logs;
mod peer;
mod pipe;
mod prompt;
mod question;
mod requests;
mod running;
mod sealed;
mod sink;
mod stdio;
mod tasks;
pub(crate) mod template;
mod updates;

use std::fmt;
use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use toolwright_json::ObjectWriter;
use toolwright_provider::call::Encoder;
use toolwright_provider::definitions::Notice;
use toolwright_runtime::executor::{ExclusiveGate, Executor, KeptCalls};
use toolwright_runtime::tool::{BoxFuture, Cancel, Context, OpenCalls};
use toolwright_runtime::toolset::{Registry, Toolset};

use self::catalog::OfferSet;
use self::completion::Completions;
use self::sealed::Signer;
use crate::outside::from_outside;
use crate::protocol::{Version, key};
use toolwright_http::stdout;

pub use self::completion::Completing;
#[cfg(all(feature = "server-http", feature = "oauth"))]
pub use self::http::{Authorization, AuthorizationError, TokenError};
#[cfg(feature = "server-http")]
pub use self::http::{HttpBody, HttpService};
pub use self::limits::ServerLimits;
pub use self::prompt::Messages;
pub use self::updates::ResourceUpdates;

/// Tools on a page of `tools/list`.
const PAGE: usize = 100;

/// The key among a tool's attributes for what a client must be able to do: the protocol's
/// `ClientCapabilities`.
const NEEDS: &str = "client_capabilities";

/// An MCP server for a toolset. It supports protocol versions 2024-11-05, 2025-06-18, 2025-11-25 and
/// 2026-07-28; the client chooses.
///
/// # Calls
/// Arguments are decoded from the text that the client sent. Invalid arguments and errors of tools are results with
/// `isError`, which the model reads. An unknown tool is a protocol error. Calls run in an [`Executor`]. Clients are
/// notified when a [`Registry`] changes. Progress is sent to clients that ask for it; its messages also go to clients
/// that read logs.
///
/// Invalid values are [repaired](toolwright_schema::decode::Repair), unless the [context](Self::context) is strict. Keys are
/// never repaired. The `_meta` of a result lists its repairs in `toolwright/repairs`: `{"path", "kind", "from", "to"}`.
///
/// # Approvals and questions
/// A question ([`Outcome::AskUser`](toolwright_provider::call::Outcome::AskUser)), an
/// [approval](toolwright_runtime::layers::Approval) or a manual tool needs a person. The server asks the client, if the
/// client supports it: by elicitation up to 2025-11-25, and by required input since. See [`ElicitResults`](crate::ElicitResults).
///
/// The server itself asks for no approval. The layers of its [executor](Self::executor) do, such as
/// `Approval::default()`, which the program of `serve::main` adds.
///
/// # Tasks
/// Calls of `background` tools, and of tools that [keep their calls open](toolwright_runtime::tool::Context::keep_open),
/// become tasks for clients of 2026-07-28 with the extension `io.modelcontextprotocol/tasks`. The request is answered at once, and the client asks for the result later.
/// For all others the request waits. Whoever knows a task's id, which cannot be guessed, may ask for it and cancel it; where
/// callers have a [`Grant`](toolwright_runtime::tool::Grant) with a subject, the caller of the same subject alone. See
/// [`open_calls`](Self::open_calls) and [`ServerLimits::task`].
///
/// # Metadata
/// Clients get those entries of a tool's `meta` whose key contains a `/`, as `_meta`, and `icons`, a list in the
/// protocol's form. `client_capabilities` names the capabilities that a client needs to call the tool.
///
/// ```no_run
/// use toolwright::mcp::McpServer;
/// use toolwright::{tool, tools};
///
/// /// Finds orders of a customer.
/// #[tool(read_only)]
/// fn find_orders(customer: &str) -> Vec<String> {
///     vec![format!("17: two lamps for {customer}")]
/// }
///
/// #[tokio::main]
/// async fn main() -> std::io::Result<()> {
///     McpServer::new(tools![find_orders]).name("shop").version("1.2.0").serve_stdio().await
/// }
/// ```
#[derive(Clone)]
pub struct McpServer(Shared);

/// State that all sessions share.
#[derive(Clone)]
struct Shared {
    registry: Registry,
    executor: Executor,
    encoder: Encoder,
    context: Context,
    name: String,
    version: String,
    title: Option<String>,
    instructions: Option<String>,
    page: usize,
    limits: ServerLimits,
    seal: Signer,
    spend: Spend,
    /// Calls whose tools paused until their clients answer.
    paused: Arc<KeptCalls>,
    stop: Cancel,
    /// The calls have had their time since then, and are cancelled.
    end_calls: Cancel,
    gate: ExclusiveGate,
    prompts: Option<OfferSet>,
    resources: Option<OfferSet>,
    completions: Completions,
    updates: ResourceUpdates,
    /// The tasks.
    open: OpenCalls,
    #[cfg(feature = "tracing")]
    adopt: Adopt,
}

/// Makes a trace the parent of a span.
#[cfg(feature = "tracing")]
#[derive(Clone, Default)]
struct Adopt(Option<Arc<AdoptTrace>>);

#[cfg(feature = "tracing")]
type AdoptTrace = dyn Fn(&tracing::Span, &crate::TraceContext) + Send + Sync;

/// Records an approval where several servers see it.
#[derive(Clone, Default)]
struct Spend(Option<Arc<SpendApproval>>);

type SpendApproval = dyn Fn(String) -> BoxFuture<'static, Result<bool, String>> + Send + Sync;

impl Shared {
    /// For all clients, whose calls tell how far they are.
    fn shared(self) -> Arc<Self> {
        let executor = crate::progress::with_progress(self.executor);
        let offers = |set: Option<OfferSet>| set.map(|set| set.behind(&self.gate));
        let end_calls = self.context.cancel().child();
        Arc::new(Self {
            executor: executor.exclusive_across(&self.gate),
            prompts: offers(self.prompts),
            resources: offers(self.resources),
            context: from_outside(self.context),
            open: self
                .open
                .cancelled_by(end_calls.clone())
                .timeout(self.limits.task),
            end_calls,
            ..self
        })
    }

    /// Returns what ends one request: the host's word for all of them, that of whoever asks, or the client's.
    fn stop_of(&self, own: Option<&Context>) -> Cancel {
        match own {
            Some(own) => own.clone().with_fallback(&self.context).cancel().child(),
            None => self.context.cancel().child(),
        }
    }

    /// JSON of what the server says of itself.
    fn info(&self) -> String {
        ObjectWriter::new()
            .text("name", &self.name)
            .maybe_text("title", self.title.as_deref())
            .text("version", &self.version)
            .end()
    }

    fn completes(&self) -> bool {
        self.prompts.is_some() || self.resources.is_some()
    }

    /// The start of a result for a client that does not greet.
    fn complete(&self) -> ObjectWriter {
        ObjectWriter::new()
            .text("resultType", "complete")
            .object("_meta", |meta| meta.json(key::SERVER_INFO, &self.info()))
    }
}

/// Returns the name of the program's file.
fn program() -> String {
    let path = std::env::current_exe().ok();
    let name = path.as_deref().and_then(|path| path.file_stem()?.to_str());
    name.unwrap_or("tools").to_owned()
}

/// The start of a result, which says what it is where the version has it so.
fn start(version: Version) -> ObjectWriter {
    if version.is_modern() {
        ObjectWriter::new().text("resultType", "complete")
    } else {
        ObjectWriter::new()
    }
}

impl McpServer {
    /// Creates a server for a toolset, or for a [`Registry`] whose tools may change.
    pub fn new(tools: impl Into<Registry>) -> Self {
        let registry = tools.into();
        Self(Shared {
            executor: Executor::serial(&registry),
            registry,
            encoder: Encoder::auto(),
            context: Context::new(),
            name: program(),
            version: "0".into(),
            title: None,
            instructions: None,
            page: PAGE,
            limits: ServerLimits::default(),
            seal: Signer::random(),
            spend: Spend::default(),
            paused: Arc::default(),
            stop: Cancel::new(),
            end_calls: Cancel::new(),
            gate: ExclusiveGate::default(),
            prompts: None,
            resources: None,
            completions: Completions::default(),
            updates: ResourceUpdates::new(),
            open: OpenCalls::new(),
            #[cfg(feature = "tracing")]
            adopt: Adopt::default(),
        })
    }

    /// Returns notices of tools that are not listed, since their arguments are not objects: clients would refuse the whole list.
    /// They can be called.
    pub fn notices(&self) -> Vec<Notice> {
        definitions::notices(&self.0.registry.snapshot())
    }

    /// Sets the name that clients get. Default: the name of the program's file.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.0.name = name.into();
        self
    }

    /// Sets the version.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.0.version = version.into();
        self
    }

    /// Sets the title, a name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.0.title = Some(title.into());
        self
    }

    /// Sets the instructions for models, for example how the tools belong together.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.0.instructions = Some(instructions.into());
        self
    }

    /// Changes the executor of the tools: layers, time limits, observers. The tools stay those of the server. Prompts and
    /// resources run without it; their `visible` says who may have them.
    pub fn executor(mut self, change: impl FnOnce(Executor) -> Executor) -> Self {
        self.0.executor = change(self.0.executor);
        self
    }

    /// Sets the context of all calls. It also decides which tools clients see and may call. Each session has an id of
    /// its own. Arguments are repaired at most as far as [`Repairs::Values`](toolwright_schema::decode::Repairs::Values),
    /// since their author is unknown.
    pub fn context(mut self, cx: Context) -> Self {
        self.0.context = cx;
        self
    }

    /// Sets the encoder that turns results into the model's text.
    pub fn encoder(mut self, encoder: Encoder) -> Self {
        self.0.encoder = encoder;
        self
    }

    /// Offers prompts: functions with `#[prompt]`, in a toolset of their own. Users of a client choose them. A
    /// [`DynTool`](toolwright_runtime::dyn_tool::DynTool) is a prompt with `prompt: true` in its
    /// [`meta`](toolwright_runtime::dyn_tool::DynToolBuilder::meta).
    ///
    /// A prompt's arguments are texts, out of which numbers, choices and dates are read. It returns a string, which becomes
    /// a message of the user, [`Messages`], or [`Content`](toolwright_provider::call::Content): a message for each block.
    ///
    /// # Panics
    /// If one of the set is not a prompt. One that is added later is not offered.
    #[track_caller]
    pub fn prompts(mut self, prompts: impl Into<Registry>) -> Self {
        self.0.prompts = Some(OfferSet::new(prompts.into(), catalog::PROMPT));
        self
    }

    /// Offers resources: functions with `#[resource("orders://{id}")]`, in a toolset of their own. A client reads them by
    /// their URIs.
    ///
    /// A string is the resource's text, [`Content`](toolwright_provider::call::Content) its parts, of which a picture or
    /// sound is a blob, and any other value JSON. A function that returns an error with
    /// [`ErrorKind::Unknown`](toolwright_provider::call::ErrorKind::Unknown) says that there is no such resource.
    ///
    /// # Panics
    /// If one of the set is not a resource: it has no `uri` in its [`meta`](toolwright_runtime::dyn_tool::DynToolBuilder::meta).
    /// One that is added later is not offered.
    #[track_caller]
    pub fn resources(mut self, resources: impl Into<Registry>) -> Self {
        self.0.resources = Some(OfferSet::new(resources.into(), catalog::URI));
        self
    }

    /// Sets the handle that notifies subscribed clients of resources that changed.
    pub fn updates(mut self, updates: &ResourceUpdates) -> Self {
        self.0.updates = updates.clone();
        self
    }

    /// Sets the list of calls that became [tasks](Self#tasks). Default: a list of the server's own, in memory. With a store,
    /// tasks outlive the process: see [`OpenCalls::restore`]; those of a subject need a [`state_key`](Self::state_key) too. [`ServerLimits::task`] replaces the list's time limit.
    ///
    /// Do not share the list with an agent or another server: clients can read and cancel every call in it, and old ones are
    /// removed.
    pub fn open_calls(mut self, open: &OpenCalls) -> Self {
        self.0.open = open.clone();
        self
    }

    /// Sets the function that completes an argument of a prompt or a resource, both by name. Without one, the values of an
    /// enum are suggested. At most 100 values are sent.
    pub fn completion<F, R>(
        mut self,
        name: impl Into<String>,
        argument: impl Into<String>,
        complete: F,
    ) -> Self
    where
        F: Fn(Completing) -> R + Send + Sync + 'static,
        R: Future<Output = Vec<String>> + Send + 'static,
    {
        let (name, argument) = (name.into(), argument.into());
        self.0.completions.add(name, argument, complete);
        self
    }

    /// Sets the function that makes a client's trace the parent of a request's span, by whatever exports the spans. It sees
    /// the span before anybody is in it.
    ///
    /// Each request has a span, named by OpenTelemetry's conventions for MCP; the spans of its calls are inside. A client
    /// sends its trace in `_meta`. The call gets it too: `cx.get::<TraceContext>()`.
    ///
    /// ```
    /// use toolwright::Toolset;
    /// use toolwright::mcp::McpServer;
    ///
    /// let server = McpServer::new(Toolset::default()).trace_parent(|span, trace| {
    ///     // With `tracing-opentelemetry`: `span.set_parent(propagator.extract(&headers))`.
    ///     let _ = (span, trace.traceparent(), trace.state());
    /// });
    /// ```
    #[cfg(feature = "tracing")]
    pub fn trace_parent(
        mut self,
        adopt: impl Fn(&tracing::Span, &crate::TraceContext) + Send + Sync + 'static,
    ) -> Self {
        self.0.adopt = Adopt(Some(Arc::new(adopt)));
        self
    }

    /// Sets the number of tools in a page of the list, at least one. Default: 100.
    pub fn page_size(mut self, tools: usize) -> Self {
        self.0.page = tools.max(1);
        self
    }

    /// Sets the limits on clients.
    pub fn limits(mut self, limits: ServerLimits) -> Self {
        self.0.limits = limits;
        self
    }

    /// Sets the key by which the server signs what a client keeps between two requests of one call, such as a question's
    /// answer. Default: a random one for each server. Servers that share a name behind a load balancer need one key.
    pub fn state_key(mut self, key: &[u8]) -> Self {
        self.0.seal = Signer::new(key);
        self
    }

    /// Sets how an approval is recorded as used, for servers that share a [`state_key`](Self::state_key): one approval is for one run
    /// of all of them then. `spend` gets a text of 43 ASCII characters, and returns true if no server has recorded it before. It has
    /// to be one atomic step of a store, such as `INSERT … ON CONFLICT DO NOTHING`. The text can be removed after an hour. On an
    /// error nothing runs. Default: each server remembers in memory what it has used.
    ///
    /// Calls that wait inside of an agent are kept in the memory of one server, and need no record.
    pub fn spend_approvals<F, R, E>(mut self, spend: F) -> Self
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = Result<bool, E>> + Send + 'static,
        E: fmt::Display,
    {
        let spend = move |text| -> BoxFuture<'static, _> {
            let recorded = spend(text);
            Box::pin(async move { recorded.await.map_err(|error| error.to_string()) })
        };
        self.0.spend = Spend(Some(Arc::new(spend)));
        self
    }

    /// Stops the server when `stop` is fired. It reads no further message, and waits for running calls as long as
    /// [`ServerLimits::grace`]. Calls that still run then are cancelled, and answered.
    pub fn stopped_by(mut self, stop: Cancel) -> Self {
        self.0.stop = stop;
        self
    }

    /// Sets the gate of `exclusive` tools, for a server that also has calls by another way.
    #[doc(hidden)]
    pub fn gate(mut self, gate: ExclusiveGate) -> Self {
        self.0.gate = gate;
        self
    }

    /// Serves a client on the standard input and output, until the input ends.
    ///
    /// From here on, prints of the process go to the standard error, so that they cannot corrupt a message. This works
    /// on Unix only.
    ///
    /// # Errors
    /// Fails if reading or writing fails. It is not an error if the client closes its end.
    pub async fn serve_stdio(self) -> io::Result<()> {
        let input = stdio::StdinReader::open()?;
        let output = stdio::StdoutWriter::open(stdout::take()?)?;
        self.serve_pipe(input, output).await
    }

    /// Serves a client that sends one message per line, until the input ends.
    ///
    /// # Errors
    /// Fails if reading or writing fails. It is not an error if the client closes its end.
    pub async fn serve_pipe(
        self,
        input: impl AsyncRead + Unpin + Send + 'static,
        output: impl AsyncWrite + Unpin + Send + 'static,
    ) -> io::Result<()> {
        let ended = pipe::serve(self.0.shared(), input, output).await;
        match ended {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            ended => ended,
        }
    }
}

impl From<Toolset> for McpServer {
    fn from(tools: Toolset) -> Self {
        Self::new(tools)
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer")
            .field("name", &self.0.name)
            .field("version", &self.0.version)
            .field("registry", &self.0.registry)
            .finish_non_exhaustive()
    }
}
