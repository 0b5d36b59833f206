//! What the program's exit code says.

use std::process::ExitCode;

use toolwright_runtime::ErrorKind;

use crate::answer::Way;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what was asked.
    Done = 0,
    /// The tool failed, a target refuses a tool, or the program could not do what was asked.
    Failed = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// The arguments do not fit the tool's schema.
    Arguments = 3,
    /// There is no such tool.
    UnknownTool = 4,
    /// The call waits for a person, or the tool asks one.
    NeedsPerson = 5,
    /// A person or a policy said no.
    Rejected = 6,
    /// The call took too long; as of `timeout(1)`.
    Timeout = 124,
    /// The call was cancelled; as of a shell after Ctrl-C.
    Cancelled = 130,
}

/// The same as text, for `--help`.
pub(super) const TOLD: &str = "\
Exit codes:
    0  done
    1  the tool failed, or the program could not do what was asked
    2  the command line makes no sense
    3  the arguments do not fit
    4  there is no such tool
    5  a person has to answer or to say yes
    6  a person or a policy said no
  124  the call took too long
  130  the call was cancelled";

impl Exit {
    pub(super) fn of(way: Way) -> Self {
        match way {
            Way::Done => Self::Done,
            Way::AskUser | Way::Pending => Self::NeedsPerson,
            Way::Failed(kind) => match kind {
                ErrorKind::Unknown | ErrorKind::Hidden => Self::UnknownTool,
                ErrorKind::InvalidArgs => Self::Arguments,
                ErrorKind::Rejected => Self::Rejected,
                ErrorKind::Timeout => Self::Timeout,
                ErrorKind::Cancelled => Self::Cancelled,
                _ => Self::Failed,
            },
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
