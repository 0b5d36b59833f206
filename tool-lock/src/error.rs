//! What a check finds.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::check::{LockChange, MODE};

/// Error of a check. `Debug` prints the message, too, so that `unwrap` shows it.
#[non_exhaustive]
pub enum LockError {
    /// Tools changed in a way that breaks those who call them or read their results.
    Breaks(PathBuf, Vec<LockChange>),
    /// The file is not up to date; nothing breaks.
    Outdated(PathBuf, Vec<LockChange>),
    /// There was no file. It is written now.
    Missing(PathBuf),
    /// There is no file for the tools of somebody else's server. It is written if `TOOLS_LOCK` says so.
    Absent(PathBuf),
    /// A line of the file, by its number, is not as it was written; it may have marks of a conflict.
    Unreadable(PathBuf, usize),
    /// `TOOLS_LOCK` has an unknown value.
    Mode(String),
    /// The file cannot be read or written.
    Io(PathBuf, io::Error),
}

impl LockError {
    /// Returns the changes that are not accepted or not written.
    pub fn changes(&self) -> &[LockChange] {
        match self {
            Self::Breaks(_, changes) | Self::Outdated(_, changes) => changes,
            _ => &[],
        }
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = |path: &Path, changes: &[LockChange], what: &str, mode: &str| {
            write!(f, "{} {what}", path.display())?;
            for change in changes {
                write!(f, "\n  {change}")?;
            }
            if changes.is_empty() {
                f.write_str("\n  the lines are not in order")?;
            }
            write!(
                f,
                "\nhelp: to accept that, run the same with `{MODE}={mode}`"
            )
        };
        match self {
            Self::Breaks(path, changes) => {
                let what = "does not admit these changes, since a tool breaks those who use it:";
                list(path, changes, what, "accept-major")
            }
            Self::Outdated(path, changes) => list(path, changes, "is out of date:", "update"),
            Self::Missing(path) => {
                let path = path.display();
                write!(f, "{path} was missing, and is written now\nhelp: commit it")
            }
            Self::Absent(path) => write!(
                f,
                "{} is missing\nhelp: to accept the server's tools as they are now, run the same with `{MODE}=update`",
                path.display()
            ),
            Self::Unreadable(path, line) => write!(
                f,
                "{}:{line} cannot be read\nhelp: restore the file from version control, or delete it to write it anew",
                path.display()
            ),
            Self::Mode(mode) => write!(
                f,
                "`{MODE}={mode}` is unknown\nhelp: set it to `update` or `accept-major`"
            ),
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl fmt::Debug for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for LockError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(_, error) => Some(error),
            _ => None,
        }
    }
}
