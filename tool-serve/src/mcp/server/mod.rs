//! A server of a toolset.

mod answers;
mod begun;
mod call;
mod flight;
mod handler;
mod http;
mod limits;
mod lines;
mod list;
mod message;
mod pipe;
mod progress;
mod question;
mod raw;
mod request;
mod session;
mod state;
mod stdio;

use std::fmt;
use std::io;
use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};
use toolwright_runtime::{Cancel, Context, Encoder, Executor, Registry, Tool, Toolset};

use self::flight::Flight;
use self::handler::Handler;
use self::state::Sealed;
use crate::exclusive_gate::ExclusiveGate;
use crate::from_outside;
use crate::stdout;

pub use self::answers::{ElicitResult, ElicitResults};
pub use self::http::{HttpBody, HttpService};
pub use self::limits::ServerLimits;

/// How many tools a page of `tools/list` has.
const PAGE: usize = 100;

/// Why a request with the id of another is refused.
const IN_FLIGHT: &str = "another request with this id is not answered yet";

/// The key among a tool's attributes for what a client must be able to do: the protocol's
/// `ClientCapabilities`.
const NEEDS: &str = "client_capabilities";

/// A server of the Model Context Protocol for a toolset: of the versions 2025-06-18, 2025-11-25 and
/// 2026-07-28, whichever a client speaks.
///
/// Arguments are read from the text that the client sent, as strictly as everywhere else; what is wrong
/// with them, and what a tool says went wrong, is a result with `isError`, which the model reads. An
/// unknown tool is an error of the protocol. Calls run in an [`Executor`]. Clients are told when a
/// [`Registry`] changes.
///
/// The server asks about no call by itself: which calls need a yes is said by the layers of its
/// [executor](Self::executor), such as `Approval::default()`. The program of `serve::main` has that one.
///
/// What needs a person (an [`Outcome::AskUser`](toolwright_runtime::Outcome::AskUser), an
/// [approval](toolwright_runtime::layers::Approval), a manual tool) is asked by the client, if it can:
/// as an elicitation up to 2025-11-25, as an input that is required since. See [`ElicitResults`].
///
/// Values that a model got wrong are [repaired](toolwright_runtime::Repair), unless the
/// [context](Self::context) is strict; keys never are. A result whose call was repaired says how:
/// `_meta` has `toolwright/repairs`, a list of `{"path", "kind", "from", "to"}`.
///
/// Of a tool's attributes (`meta`) clients are told those with a `/` in their key, as `_meta`, and
/// `icons`, a list as the protocol has it. `client_capabilities` is what a client must be able to do to
/// call it. Progress goes to clients that ask for it; its words also to those that read logs.
///
/// ```no_run
/// use toolwright::Toolset;
/// use toolwright::serve::mcp::McpServer;
///
/// # async fn serve(tools: Toolset) -> std::io::Result<()> {
/// McpServer::new(tools).name("shop").version("1.2.0").serve_stdio().await
/// # }
/// ```
#[derive(Clone)]
pub struct McpServer(Shared);

/// What all sessions share.
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
    sealed: Sealed,
    stop: Cancel,
    /// The calls have had their time since then, and are cancelled.
    end_calls: Cancel,
    /// On a pipe: nothing that the client says is heard any more.
    hung_up: Cancel,
    gate: ExclusiveGate,
    /// Of the client on a pipe.
    flight: Arc<Flight>,
}

impl Shared {
    fn has_headers(&self, name: &str) -> bool {
        let tool = self.registry.get(name);
        tool.is_some_and(|tool| has_headers(&*tool))
    }

    /// For all sessions, whose calls tell how far they are.
    fn shared(self) -> Arc<Self> {
        let executor = crate::progress::with_progress(self.executor);
        Arc::new(Self {
            executor,
            context: from_outside(self.context),
            end_calls: Cancel::new(),
            hung_up: Cancel::new(),
            flight: Arc::default(),
            ..self
        })
    }
}

/// Whether parameters of this tool are repeated in headers of HTTP.
fn has_headers(tool: &dyn Tool) -> bool {
    tool.def().input.as_json().contains("x-mcp-header")
}

impl McpServer {
    /// A server of these tools; of a [`Registry`], of those that it has at the time.
    pub fn new(tools: impl Into<Registry>) -> Self {
        let registry = tools.into();
        Self(Shared {
            executor: Executor::serial(&registry),
            registry,
            encoder: Encoder::auto(),
            context: Context::new(),
            name: "tools".into(),
            version: "0".into(),
            title: None,
            instructions: None,
            page: PAGE,
            limits: ServerLimits::default(),
            sealed: Sealed::new(),
            stop: Cancel::new(),
            end_calls: Cancel::new(),
            hung_up: Cancel::new(),
            gate: ExclusiveGate::default(),
            flight: Arc::default(),
        })
    }

    /// The same server under this name, as clients are told.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.0.name = name.into();
        self
    }

    /// The same server, of this version.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.0.version = version.into();
        self
    }

    /// The same server, with a name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.0.title = Some(title.into());
        self
    }

    /// The same server, with words for models about how its tools belong together.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.0.instructions = Some(instructions.into());
        self
    }

    /// The same server, with what `change` makes of its executor: layers, time limits, observers. Its
    /// tools stay the server's.
    pub fn executor(mut self, change: impl FnOnce(Executor) -> Executor) -> Self {
        self.0.executor = change(self.0.executor);
        self
    }

    /// The same server, whose calls know this, and whose clients see and call what it lets them; each
    /// session has an id of its own. It says how far arguments are repaired, too: no further than
    /// [`Repairs::Values`](toolwright_runtime::Repairs::Values), since nobody knows who wrote them.
    pub fn context(mut self, cx: Context) -> Self {
        self.0.context = cx;
        self
    }

    /// The same server, which writes values for models in this way.
    pub fn encoder(mut self, encoder: Encoder) -> Self {
        self.0.encoder = encoder;
        self
    }

    /// The same server, which lists so many tools a page, 100 if nothing is said; at least one.
    pub fn page_size(mut self, tools: usize) -> Self {
        self.0.page = tools.max(1);
        self
    }

    /// The same server, with other limits on what clients may send.
    pub fn limits(mut self, limits: ServerLimits) -> Self {
        self.0.limits = limits;
        self
    }

    /// The same server, which ends when `stop` is fired: it reads nothing more, and waits for calls
    /// that run as long as [`ServerLimits::grace`] says; what then still runs is cancelled, and answered.
    pub fn stopped_by(mut self, stop: Cancel) -> Self {
        self.0.stop = stop;
        self
    }

    /// The same server, whose `exclusive` tools also wait for calls that came by another way.
    #[cfg(feature = "serve")]
    pub(crate) fn gate(mut self, gate: ExclusiveGate) -> Self {
        self.0.gate = gate;
        self
    }

    /// Serves a client on the standard input and output, until the input ends.
    ///
    /// From here on the process prints to the standard error what it prints, so that tools cannot
    /// speak in between (on Unix; elsewhere a tool that prints is heard).
    ///
    /// # Errors
    /// When reading or writing fails. A client that has heard enough is no error.
    pub async fn serve_stdio(self) -> io::Result<()> {
        let input = stdio::Input::open()?;
        let output = stdio::Output::open(stdout::take()?)?;
        self.serve_pipe(input, output).await
    }

    /// Serves a client that sends a message a line, until the input ends.
    ///
    /// # Errors
    /// When reading or writing fails. A client that has heard enough is no error.
    pub async fn serve_pipe(
        self,
        input: impl AsyncRead + Unpin + Send + 'static,
        output: impl AsyncWrite + Unpin + Send + 'static,
    ) -> io::Result<()> {
        let shared = self.0.shared();
        let (pipe, end) = pipe::open(input, output, Arc::clone(&shared));
        let service = tokio::spawn(async move {
            loop {
                match Handler::new(&shared).serve(pipe.clone()).await {
                    Ok(service) => return service.waiting().await.map(drop),
                    // A client may begin anew.
                    Err(
                        ServerInitializeError::ExpectedInitializeRequest(Some(_))
                        | ServerInitializeError::InitializeFailed(_),
                    ) => {}
                    Err(_) => return Ok(()),
                }
            }
        });
        let ended = end.await;
        // What it waits for is closed, or takes longer than it may.
        let _ = tokio::time::timeout(pipe::END, service).await;
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
