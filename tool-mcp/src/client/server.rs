use std::fmt;
use std::io;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use super::connection::{Connection, Outgoing};
use super::error::{ConnectError, ConnectErrorKind};
use super::settings::Settings;
use super::stderr::Tail;
use super::stdio;

/// Address of an MCP server: a command or a URL.
///
/// A text that starts with `http://` or `https://` is a URL; another scheme is an error. Any other text is a command
/// with arguments, separated by spaces, without quotes. Use a [`Command`] for arguments with spaces, the environment,
/// or the working directory. The connection uses its standard input, output and error.
pub struct ServerAt(pub(super) Source);

/// Shows the program of a command, and nothing of a URL. Arguments, environment and queries may hold secrets.
impl fmt::Debug for ServerAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Command(command) => write!(f, "ServerAt({:?} …)", command.get_program()),
            Source::Url(_) => f.write_str("ServerAt(a URL)"),
        }
    }
}

pub(super) enum Source {
    Command(Command),
    #[cfg_attr(not(feature = "client-http"), allow(dead_code))]
    Url(String),
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

/// What a text begins with that is a URL.
fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once("://")?;
    let is_scheme = |char: char| char.is_ascii_alphanumeric() || "+-.".contains(char);
    (!scheme.is_empty() && scheme.chars().all(is_scheme)).then_some(scheme)
}

/// The same, ready to be connected to more than once.
#[derive(Clone)]
pub(super) enum Target {
    Command(Program),
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
        !matches!(self, Self::Command(_))
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
