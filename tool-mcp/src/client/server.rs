use std::fmt;
use std::io;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

use super::connection::{Connection, Outgoing};
use super::error::{ConnectError, ConnectErrorKind};
use super::settings::Settings;
use super::stderr::Tail;
use super::stdio;

/// Address of an MCP server: a command, a URL, or [pipes](Self::pipes).
///
/// A text that starts with `http://` or `https://` is a URL; another scheme is an error. Any other text is a command
/// with arguments, separated by spaces, without quotes. Use a [`Command`] for arguments with spaces, the environment,
/// or the working directory. The connection uses its standard input, output and error.
pub struct ServerAt(pub(super) Source);

/// The stream that a server writes.
pub(super) type Input = Box<dyn AsyncRead + Unpin + Send>;

/// The stream that a server reads.
pub(super) type Output = Box<dyn AsyncWrite + Unpin + Send>;

type Open = dyn Fn() -> io::Result<(Input, Output)> + Send + Sync;

impl ServerAt {
    /// A server at the other end of pipes, one message per line: in this process, in a container, behind a tunnel. `open` is
    /// called for each connection. It returns a reader of the server's output and a writer to its input.
    ///
    /// ```
    /// use toolwright::mcp::{self, McpServer, ServerAt};
    /// use toolwright::{Context, ToolCall, tool, tools};
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = McpServer::new(tools![add]);
    /// let at = ServerAt::pipes(move || {
    ///     let (ours, theirs) = tokio::io::duplex(64 * 1024);
    ///     let (input, output) = tokio::io::split(theirs);
    ///     tokio::spawn(server.clone().serve_pipe(input, output));
    ///     Ok(tokio::io::split(ours))
    /// });
    /// let client = mcp::connect(at).await?;
    /// let call = ToolCall::new("1", "add", r#"{"a": 2, "b": 3}"#);
    /// let result = client.toolset().call(&call, &Context::new()).await;
    /// assert_eq!(result.value(), Some(5.into()));
    /// # Ok::<_, mcp::ConnectError>(())
    /// # }).unwrap();
    /// ```
    pub fn pipes<R, W>(open: impl Fn() -> io::Result<(R, W)> + Send + Sync + 'static) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        Self(Source::Pipes(Arc::new(move || {
            let (input, output) = open()?;
            Ok((Box::new(input), Box::new(output)))
        })))
    }
}

/// Shows the program of a command, and nothing of a URL. Arguments, environment and queries may hold secrets.
impl fmt::Debug for ServerAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Command(command) => write!(f, "ServerAt({:?} …)", command.get_program()),
            Source::Url(_) => f.write_str("ServerAt(a URL)"),
            Source::Pipes(_) => f.write_str("ServerAt(pipes)"),
        }
    }
}

pub(super) enum Source {
    Command(Command),
    #[cfg_attr(not(feature = "client-http"), allow(dead_code))]
    Url(String),
    Pipes(Arc<Open>),
}

impl From<Command> for ServerAt {
    fn from(command: Command) -> Self {
        Self(Source::Command(command))
    }
}

impl From<&str> for ServerAt {
    fn from(text: &str) -> Self {
        let text = text.trim();
        if scheme(text).is_some() {
            return Self(Source::Url(text.to_owned()));
        }
        let mut words = text.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        Self(Source::Command(command))
    }
}

impl From<String> for ServerAt {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

/// Returns the scheme of a text that is a URL.
fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once("://")?;
    let is_scheme = |char: char| char.is_ascii_alphanumeric() || "+-.".contains(char);
    (!scheme.is_empty() && scheme.chars().all(is_scheme)).then_some(scheme)
}

/// The same, ready to be connected to more than once.
#[derive(Clone)]
pub(super) enum Target {
    Command(Program),
    Pipes(Arc<Open>),
    #[cfg(feature = "client-http")]
    Url(reqwest::Url),
}

#[derive(Clone)]
pub(super) struct Program(Arc<Mutex<tokio::process::Command>>);

impl Source {
    pub(super) fn into_target(self) -> Result<Target, ConnectError> {
        let invalid = |words: &str| ConnectError::new(ConnectErrorKind::Invalid, words);
        match self {
            Self::Command(command) if command.get_program().is_empty() => {
                Err(invalid("the command has no name"))
            }
            Self::Command(command) => {
                let command = Arc::new(Mutex::new(command.into()));
                Ok(Target::Command(Program(command)))
            }
            Self::Pipes(open) => Ok(Target::Pipes(open)),
            #[cfg(not(feature = "client-http"))]
            Self::Url(_) => Err(invalid(
                "a URL takes the feature `mcp-client-http` of the crate `toolwright`",
            )),
            #[cfg(feature = "client-http")]
            Self::Url(url) => match reqwest::Url::parse(&url) {
                Ok(parsed) if !matches!(parsed.scheme(), "http" | "https") => Err(invalid(
                    "the server's URL has to begin with `http://` or `https://`",
                )),
                Ok(parsed) if parsed.has_host() => Ok(Target::Url(parsed)),
                // Not the URL, which may hold a secret.
                _ => Err(invalid("the server's URL is none")),
            },
        }
    }
}

impl Target {
    pub(super) fn is_http(&self) -> bool {
        !matches!(self, Self::Command(_) | Self::Pipes(_))
    }

    /// Opens what messages go over.
    pub(super) fn start(
        &self,
        connection: &Arc<Connection>,
        outgoing: mpsc::UnboundedReceiver<Outgoing>,
        tail: &Tail,
        settings: &Settings,
    ) -> Result<(), ConnectError> {
        match self {
            Self::Command(program) => {
                program.start(connection, outgoing, tail, settings.most_bytes)
            }
            Self::Pipes(open) => {
                let pipes = open().map_err(|error| {
                    let words = format!("the pipes to the server could not be opened: {error}");
                    ConnectError::new(ConnectErrorKind::Start, words)
                })?;
                stdio::over(pipes, connection, outgoing, settings.most_bytes);
                Ok(())
            }
            #[cfg(feature = "client-http")]
            Self::Url(url) => super::http::start(url, connection, outgoing, settings),
        }
    }
}

impl Program {
    fn start(
        &self,
        connection: &Arc<Connection>,
        outgoing: mpsc::UnboundedReceiver<Outgoing>,
        tail: &Tail,
        most: usize,
    ) -> Result<(), ConnectError> {
        let mut command = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stdio::start(&mut command, connection, outgoing, tail, most).map_err(|error| {
            let program = command.as_std().get_program().to_string_lossy().into_owned();
            let help = match error.kind() {
                io::ErrorKind::NotFound if cfg!(windows) => {
                    "; is it installed, and in the PATH of this program? A script is named with its ending: `npx.cmd`"
                }
                io::ErrorKind::NotFound => {
                    "; is it installed, and in the PATH of this program (or is the working directory missing)?"
                }
                _ => "",
            };
            let words = format!("`{program}` could not be started: {error}{help}");
            ConnectError::new(ConnectErrorKind::Start, words)
        })
    }
}
