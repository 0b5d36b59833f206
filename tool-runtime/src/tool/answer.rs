use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::tool::Call;
use toolwright_provider::call::{Outcome, Payload, ToolError};

/// A boxed future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A tool's answer: there at once, or later.
pub enum Answer<'a> {
    /// There, without an allocation.
    Ready(Result<Outcome, ToolError>),
    /// Later.
    Later(BoxFuture<'a, Result<Outcome, ToolError>>),
}

impl<'a> Answer<'a> {
    /// An answer that comes later.
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

/// What a call came to, or why it ends before the tool's body.
pub type Ran<'a> = Result<Answer<'a>, Stop>;

/// Why a call ends before the tool's body.
#[derive(Debug)]
pub struct Stop(Option<ToolError>);

impl Stop {
    /// Something is wrong with the call.
    pub fn failed(error: ToolError) -> Self {
        Self(Some(error))
    }

    /// What the call is answered with.
    #[cold]
    pub(crate) fn into_outcome(self) -> Result<Outcome, ToolError> {
        match self.0 {
            Some(error) => Err(error),
            None => Ok(Outcome::Value(Payload::text(""))),
        }
    }

    /// Only the arguments were asked about, and they are right; or the tool did not compile.
    pub(crate) fn checked() -> Self {
        Self(None)
    }

    /// What a check of the arguments is answered with.
    pub(crate) fn into_validated(self) -> Result<(), ToolError> {
        self.0.map_or(Ok(()), Err)
    }

    /// Only the arguments were asked about, and they are right.
    pub fn check(call: &Call<'_>) -> Result<(), Self> {
        if call.is_check() {
            Err(Self(None))
        } else {
            Ok(())
        }
    }
}
