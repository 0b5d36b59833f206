use std::ffi::OsString;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::net::TcpListener;
use toolwright_runtime::layers::Approval;
use toolwright_runtime::{Cancel, Context, Executor, Registry};

use crate::cli::{self, Exit};
use crate::http::{Change, HttpServer};
use crate::mcp;
use crate::signals::Signals;

/// A toolset as a whole program: what [`main`] runs, with a host's own choices.
///
/// It asks a person before a call of a tool that is `destructive`, or whose `risk` is `high` or more:
/// [`Approval::default`]. Those calls do not run until somebody says yes:
///
/// - On the command line with `--approve`, or by a yes at the prompt where standard input and error are a
///   terminal; else the call waits, and the exit code is 5.
/// - Over MCP by the client, as elicitation or as input that is required. A client that can do neither is
///   refused, in words that the model reads.
/// - Over HTTP the call is answered as pending, and goes on by `POST /calls/{id}`; see
///   [`http::HttpServer`](crate::http::HttpServer).
///
/// A host's own layers see a call first. One that an [`Approval`] of theirs let run is not asked about
/// again. [`unattended`](Self::unattended) switches the asking off.
///
/// ```no_run
/// # use toolwright::Toolset;
/// use toolwright::serve::Serve;
///
/// fn main() -> std::process::ExitCode {
/// #   let tools = Toolset::default();
///     Serve::new(tools).name("shop").version("1.2.0").about("Orders and stock").run()
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
    http: Vec<ChangeHttp>,
}

type ChangeHttp = Box<dyn FnOnce(HttpServer) -> HttpServer + Send>;

/// The program of a toolset: command line, MCP, HTTP. To be returned from a plain `fn main()`.
///
/// ```no_run
/// # use toolwright::Toolset;
/// fn main() -> std::process::ExitCode {
/// #   let tools = Toolset::default();
///     toolwright::serve::main(tools) // `toolwright::serve::main(tools![forecast, order])`
/// }
/// ```
///
/// | command | what it does |
/// | --- | --- |
/// | `list` | lists the tools |
/// | `schema [NAME] [--dialect D]` | prints the JSON Schemas of their arguments |
/// | `check --target D` | tells what a provider would refuse |
/// | `call NAME --city Oslo` | calls a tool: flags made of its schema, `--json TEXT` or `--json -` |
/// | `mcp` | serves them over MCP, on stdin and stdout |
/// | `serve --listen ADDRESS` | serves them over HTTP, with a page to try them, and over MCP at `/mcp` |
/// | `completions SHELL` | prints a script that completes all of this |
///
/// A call of a tool that is `destructive`, or of high risk (`meta(risk = "high")`), waits for a person's
/// yes, however it comes; see [`Serve`], and [`Serve::unattended`] for programs that nobody attends.
///
/// The exit code is 0 where all went well, 1 where a tool failed, 2 for a command line that makes no
/// sense, 3 for arguments that do not fit, 4 for a tool that is not there, 5 where a person has to
/// answer or to say yes, 6 where one said no, 124 for a call that took too long, 130 for one that was
/// cancelled.
pub fn main(tools: impl Into<Registry>) -> ExitCode {
    Serve::new(tools).run()
}

impl Serve {
    /// The program of these tools: a toolset, or a registry whose tools may change.
    pub fn new(tools: impl Into<Registry>) -> Self {
        let registry = tools.into();
        Self {
            http: Vec::new(),
            registry,
            change: Arc::new(|executor| executor),
            is_attended: true,
            name: own_name(),
            version: None,
            about: None,
            cx: Context::new(),
        }
    }

    /// The same program under this name, in its help and for clients; if nothing is said, the name of
    /// its file.
    pub fn name(self, name: impl Into<String>) -> Self {
        let name = name.into();
        Self { name, ..self }
    }

    /// The same program, of this version.
    pub fn version(self, version: impl Into<String>) -> Self {
        let version = Some(version.into());
        Self { version, ..self }
    }

    /// The same program, with a line on what it is for.
    pub fn about(self, about: impl Into<String>) -> Self {
        let about = Some(about.into());
        Self { about, ..self }
    }

    /// The same program, with what `change` makes of the executors that run its calls: layers, time
    /// limits, observers; said again, of what was made of them before. If nothing is said, a call over
    /// HTTP or MCP has 30 s from when it runs, and one from the command line all the time in the world.
    pub fn executor(self, change: impl Fn(Executor) -> Executor + Send + Sync + 'static) -> Self {
        let before = self.change;
        let change = Arc::new(move |executor| change(before(executor)));
        Self { change, ..self }
    }

    /// Runs every call without asking for a yes, `destructive` ones and those of high risk too. Layers of the
    /// host's own still ask:
    ///
    /// ```no_run
    /// # use toolwright::Toolset;
    /// # use toolwright::serve::Serve;
    /// use toolwright::layers::Approval;
    ///
    /// # let tools = Toolset::default();
    /// // Asks from `medium` on, and not about what is destructive and of low risk.
    /// Serve::new(tools).unattended().executor(|executor| executor.layer(Approval::at_least("medium")));
    /// ```
    pub fn unattended(self) -> Self {
        Self {
            is_attended: false,
            ..self
        }
    }

    /// The same program, with what all of its calls know. Arguments are repaired no further than
    /// [`Repairs::Values`](toolwright_runtime::Repairs::Values): their keys are as they were written.
    pub fn context(self, cx: Context) -> Self {
        Self { cx, ..self }
    }

    /// The same program, with other choices about HTTP, beside those for all of it: a token, hosts, routes
    /// of the host's own.
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

    /// Does what the command line says.
    pub fn run(self) -> ExitCode {
        self.run_with(std::env::args_os())
    }

    /// Does what these arguments say; the first one is the program's own name.
    pub fn run_with<A: Into<OsString>>(self, arguments: impl IntoIterator<Item = A>) -> ExitCode {
        let arguments = arguments.into_iter().map(Into::into).collect();
        cli::run(self, arguments).into()
    }

    /// What runs a call from the command line: a person waits as long as a person likes.
    pub(crate) fn calls(&self) -> Executor {
        let executor = (self.change)(Executor::serial(&self.registry).no_timeout());
        self.attend()(executor)
    }

    /// Asks for a yes further in than all layers of the host's: what is shown is what runs.
    fn attend(&self) -> impl Fn(Executor) -> Executor + Send + Sync + 'static {
        let is_attended = self.is_attended;
        move |executor| {
            if is_attended {
                executor.layer(Approval::default().unless_approved())
            } else {
                executor
            }
        }
    }

    /// Serves over HTTP until a signal ends it.
    pub(crate) fn run_http(self, address: &str) -> io::Result<Exit> {
        let server = self.http_server();
        let runtime = runtime()?;
        let end = runtime.block_on(async {
            let listener = match TcpListener::bind(address).await {
                Ok(listener) => listener,
                Err(error) => {
                    cli::say(&format!("cannot listen on `{address}`: {error}"));
                    // What is no address is a mistake of the command line's.
                    let is_none = error.kind() == io::ErrorKind::InvalidInput;
                    return Ok(if is_none { Exit::Usage } else { Exit::Failed });
                }
            };
            let address = listener.local_addr()?;
            if let Some(why) = server.why_not(address) {
                cli::say(why);
                return Ok(Exit::Usage);
            }
            announce(address);
            let stop = Cancel::new();
            tokio::spawn(heed(Signals::new(), stop.clone()));
            server.serve(listener, stop).await?;
            Ok(Exit::Done)
        });
        // Threads that tools still keep busy are not waited for.
        runtime.shutdown_background();
        end
    }

    /// Serves over MCP on the standard input and output, until the input ends or a signal comes.
    pub(crate) fn run_mcp(self) -> io::Result<Exit> {
        let stop = Cancel::new();
        let attend = self.attend();
        let mut server = mcp::McpServer::new(self.registry)
            .executor(|executor| attend((self.change)(executor)))
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
            tokio::spawn(heed(Signals::new(), stop));
            server.serve_stdio().await
        });
        // Threads that tools still keep busy are not waited for.
        runtime.shutdown_background();
        end.map(|()| Exit::Done)
    }

    fn http_server(self) -> HttpServer {
        let attend = self.attend();
        let change = self.change;
        let mut server = HttpServer::new(self.registry)
            .name(self.name)
            .context(self.cx)
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
            .executor(attend)
    }
}

/// What commands run on.
pub(crate) fn runtime() -> io::Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let build = AssertUnwindSafe(|| builder.enable_all().build());
    // Where the system has no thread left, tokio panics.
    let no_thread = |_| Err(io::Error::other("no thread could be started"));
    catch_unwind(build).unwrap_or_else(no_thread)
}

/// The first signal ends the serving, calls in flight first; the second ends the program.
async fn heed(mut signals: Signals, stop: Cancel) {
    signals.next().await;
    stop.cancel();
    signals.next().await;
    std::process::exit(i32::from(Exit::Cancelled as u8));
}

/// Where the tools are, for people and for scripts that asked for any free port.
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
