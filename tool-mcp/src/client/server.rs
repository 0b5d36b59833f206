use std::fmt;
use std::io;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

use super::desk::Desk;
use super::error::{ConnectError, ConnectErrorKind};
use super::stderr::Tail;
use super::stdio::Process;

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
    Url(Arc<str>),
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
            Self::Url(url) => match reqwest::Url::parse(&url) {
                Ok(parsed) if !matches!(parsed.scheme(), "http" | "https") => Err(invalid(
                    "the server's URL has to begin with `http://` or `https://`",
                )),
                Ok(parsed) if parsed.has_host() => Ok(Target::Url(url.into())),
                // Not the URL, which may hold a secret.
                _ => Err(invalid("the server's URL is none")),
            },
        }
    }
}

impl Program {
    pub(super) fn start(
        &self,
        desk: &Arc<Desk>,
        tail: &Tail,
        most: usize,
    ) -> Result<Process, ConnectError> {
        let mut command = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Process::start(&mut command, desk, tail, most).map_err(|error| {
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
