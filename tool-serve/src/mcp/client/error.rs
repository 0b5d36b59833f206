use std::error::Error;
use std::fmt;

use toolwright_runtime::Printable;

/// Why there is no connection to an MCP server.
///
/// `Display` says what to do about it where that is known; the end of what a server's process wrote on
/// its standard error is part of it. Headers are never told.
#[derive(Debug)]
pub struct ConnectError {
    kind: ConnectErrorKind,
    message: String,
    /// The end of the process's standard error.
    stderr: String,
}

/// The ways in which a connection can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConnectErrorKind {
    /// What was asked for cannot be: a header, a URL, a command without a name.
    Invalid,
    /// The command could not be started.
    Start,
    /// The server could not be reached, went away, or did not say hello as the protocol wants it.
    Handshake,
    /// The server wants somebody else, or somebody at all: HTTP 401 or 403.
    Unauthorized,
    /// It took longer than the limit.
    Timeout,
    /// The list of tools could not be read.
    List,
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

    pub(super) fn with_stderr(mut self, stderr: String) -> Self {
        self.stderr = stderr;
        self
    }

    /// Which way it failed.
    pub fn kind(&self) -> ConnectErrorKind {
        self.kind
    }

    /// The end of what the server's process wrote on its standard error, as it wrote it; empty if it
    /// wrote nothing.
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
