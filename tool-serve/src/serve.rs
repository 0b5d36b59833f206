//! The program of a toolset: one executor behind the command line, MCP and HTTP.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::net::TcpListener;
#[cfg(feature = "agent")]
use toolwright_agent::Agent;
use toolwright_mcp::McpServer;
use toolwright_runtime::executor::Executor;
use toolwright_runtime::layers::Approval;
use toolwright_runtime::tool::{Cancel, Context};
use toolwright_runtime::toolset::Registry;

use crate::cli::{self, Exit};
use crate::http::{Change, ChangeMcp, HttpServer};
use crate::signals::{Signals, cancel_on_signal};

/// A toolset as a program, with settings. [`main`] runs it with the defaults.
///
/// A person must approve each call of a tool that is `destructive`, or whose `risk` is at least `high`:
/// [`Approval::default`]. Such a call does not run before that:
///
/// - The command line takes `--approve`, or asks at the prompt if standard input and error are a terminal. Otherwise
///   the call stays pending, and the exit code is 5.
/// - Over MCP the client asks its user, by elicitation or by required input. If the client can do neither, the call is
///   refused with a message for the model.
/// - Over HTTP the call is answered as pending, and continues at `POST /calls/{id}`; see
///   [`HttpServer`](crate::http::HttpServer).
///
/// The host's own layers see a call first. A call that one of their [`Approval`]s let run needs no second approval.
/// [`unattended`](Self::unattended) switches the approvals off.
///
/// ```no_run
/// use toolwright::serve::Serve;
/// use toolwright::{tool, tools};
///
/// /// Finds orders of a customer.
/// #[tool(read_only)]
/// fn find_orders(customer: &str) -> Vec<String> {
///     vec![format!("17: two lamps for {customer}")]
/// }
///
/// fn main() -> std::process::ExitCode {
///     let version = env!("CARGO_PKG_VERSION");
///     Serve::new(tools![find_orders]).name("shop").version(version).about("Orders and stock").run()
/// }
/// ```
pub struct Serve {
    registry: Registry,
    change: Change,
    pub(crate) is_attended: bool,
    pub(crate) name: String,
    pub(crate) version: Option<String>,
    pub(crate) about: Option<String>,
    pub(crate) cx: Context,
    #[cfg(feature = "agent")]
    pub(crate) agent: Option<Agent>,
    http: Vec<ChangeHttp>,
    mcp: ChangeMcp,
}

type ChangeHttp = Box<dyn FnOnce(HttpServer) -> HttpServer + Send>;

/// Runs a toolset as a program: command line, MCP, HTTP. Call it from a plain `fn main()`.
///
/// ```no_run
/// use toolwright::{tool, tools};
///
/// /// Weather forecast of a city.
/// #[tool(read_only)]
/// fn forecast(city: &str) -> String {
///     format!("sun in {city}")
/// }
///
/// fn main() -> std::process::ExitCode {
///     toolwright::serve::main(tools![forecast])
/// }
/// ```
///
/// | command | what it does |
/// | --- | --- |
/// | `list` | lists the tools |
/// | `schema [NAME] [--dialect D]` | prints the JSON Schemas of their arguments |
/// | `check --target D` | reports what a provider would refuse |
/// | `call NAME --city Oslo` | calls a tool: flags from its schema, `--json TEXT` or `--json -` |
/// | `sessions` | lists, shows, decides and cancels stored conversations, with `Serve::agent` |
/// | `mcp` | serves the tools over MCP, on stdin and stdout |
/// | `serve --listen ADDRESS` | serves the tools over HTTP, with a page to try them, and over MCP at `/mcp` |
/// | `completions SHELL` | prints a shell completion script |
///
/// Calls of tools that are `destructive`, or of high risk (`meta(risk = "high")`), need a person's approval on every
/// front. See [`Serve`], and [`Serve::unattended`] for programs without a person.
///
/// In a build with `debug_assertions` the program fails if a tool refuses its own example. Other builds warn by `tracing`.
///
/// Clients of MCP read the version `0`, since a function does not know its caller's package:
/// `Serve::new(tools).version(env!("CARGO_PKG_VERSION"))` says it.
///
/// # Exit codes
///
/// | code | meaning |
/// | --- | --- |
/// | 0 | success |
/// | 1 | the tool failed |
/// | 2 | invalid command line |
/// | 3 | arguments do not match the schema |
/// | 4 | unknown tool |
/// | 5 | a person has to answer or approve |
/// | 6 | a person or a policy rejected the call |
/// | 124 | the call timed out |
/// | 130 | the call was cancelled |
pub fn main(tools: impl Into<Registry>) -> ExitCode {
    Serve::new(tools).run()
}

impl Serve {
    /// Creates a program from a toolset, or from a registry whose tools may change.
    pub fn new(tools: impl Into<Registry>) -> Self {
        let registry = tools.into();
        Self {
            http: Vec::new(),
            mcp: Arc::new(|server| server),
            registry,
            change: Arc::new(|executor| executor),
            is_attended: true,
            name: own_name(),
            version: None,
            about: None,
            cx: Context::new(),
            #[cfg(feature = "agent")]
            agent: None,
        }
    }

    /// Sets the name, for help texts and clients. Default: the name of the program's file.
    pub fn name(self, name: impl Into<String>) -> Self {
        let name = name.into();
        Self { name, ..self }
    }

    /// Sets the version.
    pub fn version(self, version: impl Into<String>) -> Self {
        let version = Some(version.into());
        Self { version, ..self }
    }

    /// Sets a one-line description of the program.
    pub fn about(self, about: impl Into<String>) -> Self {
        let about = Some(about.into());
        Self { about, ..self }
    }

    /// Changes the executors that run calls: layers, time limits, observers. Several changes apply in order. Default: a
    /// call over HTTP or MCP has a time limit of 30 s, a call from the command line has none.
    pub fn executor(self, change: impl Fn(Executor) -> Executor + Send + Sync + 'static) -> Self {
        let before = self.change;
        let change = Arc::new(move |executor| change(before(executor)));
        Self { change, ..self }
    }

    /// Runs all calls without approval, `destructive` ones and those of high risk too. The host's own layers can still
    /// ask:
    ///
    /// ```no_run
    /// # use toolwright::Toolset;
    /// # use toolwright::serve::Serve;
    /// use toolwright::layers::{Approval, Risk};
    ///
    /// # let tools = Toolset::default();
    /// // Asks from `medium` on, and not about what is destructive and of low risk.
    /// Serve::new(tools).unattended().executor(|executor| executor.layer(Approval::at_least(Risk::Medium)));
    /// ```
    pub fn unattended(self) -> Self {
        Self {
            is_attended: false,
            ..self
        }
    }

    /// Sets the context of all calls. Tools with `visible = path` are listed and called if it shows them.
    ///
    /// Arguments are repaired at most as far as [`Repairs::Values`](toolwright_schema::decode::Repairs::Values): keys are
    /// never repaired.
    pub fn context(self, cx: Context) -> Self {
        Self { cx, ..self }
    }

    /// Adds the command `sessions`, if the agent has a [checkpointer](Agent::checkpointer): it lists, shows, decides and
    /// cancels the conversations of that store. `sessions decide --run` runs the agent in the context of the program.
    ///
    /// ```no_run
    /// # use toolwright::Toolset;
    /// use toolwright::agent::{Agent, MemoryCheckpointer, testing::ScriptedModel};
    /// use toolwright::serve::Serve;
    ///
    /// # let tools = Toolset::default();
    /// // In place of a provider's model, and of a store in a file or a database.
    /// let agent = Agent::new(ScriptedModel::new([]), &tools).checkpointer(MemoryCheckpointer::new());
    /// Serve::new(tools).agent(agent).run();
    /// ```
    #[cfg(feature = "agent")]
    pub fn agent(self, agent: Agent) -> Self {
        let agent = Some(agent);
        Self { agent, ..self }
    }

    /// Changes the HTTP server, on top of the settings of the program: a token, hosts, routes of the host's own.
    ///
    /// ```no_run
    /// # use toolwright::Toolset;
    /// # use toolwright::serve::Serve;
    /// # let tools = Toolset::default();
    /// Serve::new(tools).http(|http| http.bearer("not-in-your-code").allow_host("tools.example.com"));
    /// ```
    pub fn http(mut self, change: impl FnOnce(HttpServer) -> HttpServer + Send + 'static) -> Self {
        self.http.push(Box::new(change));
        self
    }

    /// Changes the server of MCP, on the standard input and output and over HTTP: prompts, resources, completion.
    ///
    /// ```no_run
    /// # use toolwright::Toolset;
    /// # use toolwright::serve::Serve;
    /// # let (tools, prompts) = (Toolset::default(), Toolset::default());
    /// Serve::new(tools).mcp(move |server| server.prompts(prompts.clone()));
    /// ```
    pub fn mcp(self, change: impl Fn(McpServer) -> McpServer + Send + Sync + 'static) -> Self {
        let before = self.mcp;
        let mcp = Arc::new(move |server| change(before(server)));
        Self { mcp, ..self }
    }

    /// Runs the command line of this process. It may be called in a runtime of several threads, such as that of
    /// `#[tokio::main]`, where an MCP client has been connected before.
    pub fn run(self) -> ExitCode {
        self.run_with(std::env::args_os())
    }

    /// Runs these arguments. The first one is the program's name.
    pub fn run_with<A: Into<OsString>>(self, arguments: impl IntoIterator<Item = A>) -> ExitCode {
        let arguments = arguments.into_iter().map(Into::into).collect();
        let Ok(around) = tokio::runtime::Handle::try_current() else {
            return cli::run(self, arguments).into();
        };
        if around.runtime_flavor() == tokio::runtime::RuntimeFlavor::CurrentThread {
            cli::print_error(
                "the program runs inside a runtime of one thread, which would wait for itself\nhelp: write `#[tokio::main]` \
                 without a flavor, or leave the runtime before",
            );
            return cli::Exit::Failed.into();
        }
        // A runtime cannot be waited for inside of another, but on a thread of its own.
        let run = || {
            std::thread::scope(|scope| {
                let run =
                    std::thread::Builder::new().spawn_scoped(scope, || cli::run(self, arguments));
                match run.map(std::thread::ScopedJoinHandle::join) {
                    Ok(Ok(exit)) => exit,
                    Ok(Err(panic)) => std::panic::resume_unwind(panic),
                    Err(error) => {
                        cli::print_error(&format!("no thread could be started: {error}"));
                        cli::Exit::Failed
                    }
                }
            })
        };
        tokio::task::block_in_place(run).into()
    }

    /// Returns the executor for calls from the command line, without a time limit.
    pub(crate) fn call_executor(&self) -> Executor {
        let executor = (self.change)(Executor::serial(&self.registry).timeout(None));
        self.approval_layer()(executor)
    }

    /// Adds the approval inside of all layers of the host, so that what a person sees is what runs.
    fn approval_layer(&self) -> impl Fn(Executor) -> Executor + Send + Sync + 'static {
        let is_attended = self.is_attended;
        move |executor| {
            if is_attended {
                executor.layer(Approval::default().unless_approved())
            } else {
                executor
            }
        }
    }

    /// Serves over HTTP until a signal arrives.
    pub(crate) fn run_http(self, address: &str) -> io::Result<Exit> {
        let server = self.http_server();
        let runtime = runtime()?;
        let end = runtime.block_on(async {
            let listener = match TcpListener::bind(address).await {
                Ok(listener) => listener,
                Err(error) => {
                    cli::print_error(&format!("cannot listen on `{address}`: {error}"));
                    // An invalid address is an error of the command line.
                    let is_none = error.kind() == io::ErrorKind::InvalidInput;
                    return Ok(if is_none { Exit::Usage } else { Exit::Failed });
                }
            };
            let address = listener.local_addr()?;
            if let Some(reason) = server.refusal(address) {
                cli::print_error(reason);
                return Ok(Exit::Usage);
            }
            announce(address);
            let stop = Cancel::new();
            tokio::spawn(cancel_on_signal(Signals::new(), stop.clone()));
            server.serve(listener, stop).await?;
            Ok(Exit::Done)
        });
        // Does not wait for threads that tools keep busy.
        runtime.shutdown_background();
        end
    }

    /// Serves over MCP on the standard input and output, until the input ends or a signal arrives.
    pub(crate) fn run_mcp(self) -> io::Result<Exit> {
        let stop = Cancel::new();
        let approval_layer = self.approval_layer();
        let mut server = (self.mcp)(McpServer::new(self.registry))
            .executor(|executor| approval_layer((self.change)(executor)))
            .name(self.name)
            .context(self.cx)
            .stopped_by(stop.clone());
        if let Some(version) = self.version {
            server = server.version(version);
        }
        if let Some(about) = self.about {
            server = server.instructions(about);
        }
        let runtime = runtime()?;
        let end = runtime.block_on(async {
            tokio::spawn(cancel_on_signal(Signals::new(), stop));
            server.serve_stdio().await
        });
        // Does not wait for threads that tools keep busy.
        runtime.shutdown_background();
        end.map(|()| Exit::Done)
    }

    fn http_server(self) -> HttpServer {
        let approval_layer = self.approval_layer();
        let (change, mcp) = (self.change, self.mcp);
        let mut server = HttpServer::new(self.registry)
            .name(self.name)
            .context(self.cx)
            .mcp(move |server| mcp(server))
            .executor(move |executor| change(executor));
        if let Some(version) = self.version {
            server = server.version(version);
        }
        if let Some(about) = self.about {
            server = server.about(about);
        }
        self.http
            .into_iter()
            .fold(server, |server, change| change(server))
            .executor(approval_layer)
    }
}

/// Creates the runtime of a command.
pub(crate) fn runtime() -> io::Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let build = AssertUnwindSafe(|| builder.enable_all().build());
    // Tokio panics if the system has no thread left.
    let no_thread = |_| Err(io::Error::other("no thread could be started"));
    catch_unwind(build).unwrap_or_else(no_thread)
}

/// Prints the address, for people and for scripts that asked for any free port.
fn announce(address: SocketAddr) {
    anstream::eprintln!("listening on http://{address}");
}

fn own_name() -> String {
    let path = std::env::args_os().next().unwrap_or_default();
    let stem = Path::new(&path).file_stem().unwrap_or_default();
    match stem.to_str() {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => "tools".to_owned(),
    }
}

impl fmt::Debug for Serve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serve")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("is_attended", &self.is_attended)
            .field("registry", &self.registry)
            .finish_non_exhaustive()
    }
}
