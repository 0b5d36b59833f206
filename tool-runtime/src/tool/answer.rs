use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::tool::Call;
use toolwright_provider::call::{ErrorKind, Outcome, Payload, ToolError};

/// A boxed future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Result of a call.
pub(crate) type Answered = Result<Outcome, ToolError>;

/// An answer that is still to come.
pub(crate) type LaterAnswer<'a> = BoxFuture<'a, Answered>;

/// Answer of a tool: ready, or a future.
pub enum Answer<'a> {
    /// Ready, without an allocation.
    Ready(Result<Outcome, ToolError>),
    /// Still to come.
    Later(LaterAnswer<'a>),
}

impl<'a> Answer<'a> {
    /// Makes an answer of a future.
    pub fn later(future: impl Future<Output = Result<Outcome, ToolError>> + Send + 'a) -> Self {
        Self::Later(Box::pin(future))
    }
}

impl fmt::Debug for Answer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready(answer) => f.debug_tuple("Ready").field(answer).finish(),
            Self::Later(_) => f.write_str("Later(..)"),
        }
    }
}

/// Answer of a call, or an exit before the tool's body.
pub type RunResult<'a> = Result<Answer<'a>, EarlyExit>;

/// Exit of a call before the tool's body.
#[derive(Debug)]
pub enum EarlyExit {
    /// Only the arguments were checked, and they are valid; or the tool did not compile.
    CheckPassed,
    /// The call failed.
    Failed(ToolError),
}

impl EarlyExit {
    /// Returns the answer of the call.
    #[cold]
    pub(crate) fn into_outcome(self) -> Result<Outcome, ToolError> {
        match self {
            Self::Failed(error) => Err(error),
            Self::CheckPassed => Ok(Outcome::Value(Payload::text(""))),
        }
    }

    /// Returns the error that the arguments are refused with.
    #[cold]
    pub(crate) fn into_error(self) -> ToolError {
        match self {
            Self::Failed(error) => error,
            Self::CheckPassed => {
                ToolError::new(ErrorKind::InvalidArgs, "the arguments were only checked")
            }
        }
    }

    /// Returns the result of a check.
    pub(crate) fn into_validated(self) -> Result<(), ToolError> {
        match self {
            Self::Failed(error) => Err(error),
            Self::CheckPassed => Ok(()),
        }
    }

    /// Exits if only the arguments are checked.
    pub fn check(call: &Call<'_>) -> Result<(), Self> {
        if call.is_check() {
            Err(Self::CheckPassed)
        } else {
            Ok(())
        }
    }
}
