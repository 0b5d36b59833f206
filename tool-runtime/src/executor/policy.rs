use std::fmt;
use std::sync::Arc;

use toolwright_provider::call::{Outcome, ToolCall, ToolError, contained};

/// Policy for calls that failed. It is called once for each failure, when it happens, but not for cancelled calls.
///
/// ```
/// use toolwright::{
///     Executor, Outcome, Toolset, call::ErrorKind, executor::{ErrorPolicy, OnFailure},
/// };
///
/// let policy = ErrorPolicy::with(|_call, error| match error.kind() {
///     ErrorKind::Timeout => OnFailure::Replace(Outcome::value("no answer in time; go on without")),
///     _ => OnFailure::Continue,
/// });
/// let executor = Executor::serial(&Toolset::default()).on_error(policy);
/// ```
///
/// Calls of unknown tools fail before any call runs. [`OnFailure::Abort`] for
/// [`ErrorKind::Unknown`](toolwright_provider::call::ErrorKind::Unknown) and
/// [`ErrorKind::Hidden`](toolwright_provider::call::ErrorKind::Hidden) therefore runs nothing; calls for the host stay pending.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum ErrorPolicy {
    /// The model reads the error and continues.
    #[default]
    Continue,
    /// The other calls run to their end; then the conversation halts.
    Halt,
    /// Calls that have not ended are cancelled, and the conversation halts.
    Abort,
    /// The host decides. If its code panics, the conversation halts; the call's error stays, and its
    /// [`host_detail`](ToolError::host_detail) mentions the panic.
    With(Arc<Decide>),
}

/// Decides about the failure of a call.
pub type Decide = dyn Fn(&ToolCall, &ToolError) -> OnFailure + Send + Sync;

/// Reaction to a failure.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum OnFailure {
    /// The model reads the error and continues.
    Continue,
    /// This is the call's answer instead. One that cannot be written as JSON halts the conversation.
    Replace(Outcome),
    /// See [`ErrorPolicy::Halt`].
    Halt,
    /// See [`ErrorPolicy::Abort`].
    Abort,
}

impl ErrorPolicy {
    /// The host decides.
    pub fn with(
        decide: impl Fn(&ToolCall, &ToolError) -> OnFailure + Send + Sync + 'static,
    ) -> Self {
        Self::With(Arc::new(decide))
    }

    /// Asks the policy. A panic of it is the error.
    pub(super) fn ask(&self, call: &ToolCall, error: &ToolError) -> Result<OnFailure, ToolError> {
        match self {
            Self::Continue => Ok(OnFailure::Continue),
            Self::Halt => Ok(OnFailure::Halt),
            Self::Abort => Ok(OnFailure::Abort),
            Self::With(decide) => contained(|| decide(call, error)),
        }
    }
}

impl fmt::Debug for ErrorPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Continue => "Continue",
            Self::Halt => "Halt",
            Self::Abort => "Abort",
            Self::With(_) => "With(..)",
        })
    }
}

/// Policy for calls whose outcome is unknown: they began, and it is unknown whether they took effect.
///
/// A call of a tool that is `read_only` or `idempotent` never waits for a person. It runs again, once, unless its time
/// is over or the run was cancelled; layers and the model see the result of the second attempt.
///
/// The code of an asynchronous tool ends with its time limit, so the model reads of that limit, whatever the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownOutcome {
    /// The call waits for a person to decide. An approval runs it again, as another call with a new
    /// [key](crate::tool::Context::idempotency_key). It can also be answered with its outcome, or rejected.
    Ask,
    /// The model reads the error.
    Fail,
    /// The call runs again, once. Its effect may happen twice.
    RunAgain,
}
