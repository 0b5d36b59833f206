//! Exit codes.

use std::process::ExitCode;

use toolwright_provider::call::ErrorKind;

use crate::answer::ReplyStatus;

/// Exit code of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The command succeeded.
    Done = 0,
    /// The tool failed, a target refuses a tool, or the program could not do its work.
    Failed = 1,
    /// The command line is invalid.
    Usage = 2,
    /// The arguments do not match the tool's schema.
    Arguments = 3,
    /// The tool does not exist.
    UnknownTool = 4,
    /// The call waits for a person, or the tool asks one.
    NeedsPerson = 5,
    /// A person or a policy rejected the call.
    Rejected = 6,
    /// The call timed out, as with `timeout(1)`.
    Timeout = 124,
    /// The call was cancelled, as in a shell after Ctrl-C.
    Cancelled = 130,
}

/// Exit codes in `--help`.
pub(super) const EXIT_CODES: &str = "\
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
    pub(super) fn of(status: ReplyStatus) -> Self {
        match status {
            ReplyStatus::Done => Self::Done,
            ReplyStatus::AskUser | ReplyStatus::Pending => Self::NeedsPerson,
            ReplyStatus::Failed(kind) => match kind {
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
