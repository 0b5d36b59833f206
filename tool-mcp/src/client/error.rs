use std::error::Error;
use std::fmt;

use toolwright_schema::text::Printable;

/// Error of connecting to an MCP server.
///
/// `Display` includes a hint if one is known, and the end of the server's standard error. It never contains headers.
#[derive(Debug)]
pub struct ConnectError {
    kind: ConnectErrorKind,
    message: String,
    /// The end of the process's standard error.
    stderr: String,
}

/// Kind of a [`ConnectError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConnectErrorKind {
    /// A setting is invalid: a header, a URL, an empty command.
    Invalid,
    /// The command could not be started.
    Start,
    /// The server could not be reached, disconnected, or violated the handshake.
    Handshake,
    /// The server requires other credentials: HTTP 401 or 403.
    Unauthorized,
    /// The connection timed out.
    Timeout,
    /// The list of tools could not be read.
    List,
    /// The lock file is missing, or could not be read or written.
    Lock,
}

impl ConnectError {
    pub(super) fn new(kind: ConnectErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            // The server's words may stand in it.
            message: Printable::new(&message.into()).to_string(),
            stderr: String::new(),
        }
    }

    /// Adds an earlier error that says something else.
    pub(super) fn after(mut self, earlier: Option<Self>) -> Self {
        if let Some(earlier) = earlier.filter(|earlier| earlier.message != self.message) {
            self.message += "\nbefore that, `server/discover`: ";
            self.message += &earlier.message;
        }
        self
    }

    pub(super) fn with_stderr(mut self, stderr: String) -> Self {
        self.stderr = stderr;
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ConnectErrorKind {
        self.kind
    }

    /// Returns the end of the standard error of the server's process, unescaped. Empty if it wrote nothing.
    pub fn stderr(&self) -> &str {
        &self.stderr
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.stderr.trim_end() {
            "" => Ok(()),
            stderr => {
                let stderr = Printable::new(stderr);
                write!(f, "\nthe server's process wrote:\n{stderr}")
            }
        }
    }
}

impl Error for ConnectError {}
