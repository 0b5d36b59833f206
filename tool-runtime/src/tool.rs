use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::__private::Ran;
use crate::secret::without_secrets;
use crate::{Call, Outcome, Scope, ToolDef, ToolError};

/// What the runtime knows of a tool: a definition, and a way to call it.
///
/// `#[tool]` and [`DynTool`](crate::DynTool) make tools; implement the trait by hand for one that is
/// neither. An implementation decodes its arguments itself and reports faults in them as
/// [`InvalidArgs`](crate::ErrorKind::InvalidArgs).
pub trait Tool: Send + Sync {
    /// The tool's definition; the same at every call.
    fn def(&self) -> &ToolDef;

    /// Answers a call. A panic here or in the answer's future is the caller's to contain.
    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a>;

    /// The same, for the runtime: generated code answers so, and to hand its answer on as another type
    /// would be to copy it.
    #[doc(hidden)]
    fn __run<'a>(&'a self, call: Call<'a>) -> Ran<'a> {
        Ok(self.call(call))
    }

    /// Whether the arguments would be accepted, without running the tool.
    ///
    /// # Errors
    /// What [`call`](Self::call) would answer for these arguments.
    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        let _ = call;
        Ok(())
    }

    /// What of a call's arguments may be logged and shown to people: all but its secrets. What does
    /// not fit the tool's parameters may be one, and is left out too.
    ///
    /// Without an implementation of its own, a tool's secrets are those that its
    /// [input schema](ToolDef::input) knows: of parameters marked `#[arg(secret)]`, and of types
    /// marked `#[schema(secret)]`.
    fn shown<'t>(&self, arguments: &'t str) -> Cow<'t, str> {
        match self.def().input.shape() {
            Some(shape) => without_secrets(arguments, shape),
            None => arguments.into(),
        }
    }

    /// Whether the conversation may see and call the tool.
    fn visible(&self, scope: &Scope<'_>) -> bool {
        let _ = scope;
        true
    }

    /// Whether [`visible`](Self::visible) may ever say no: generated code knows whether there is a
    /// function to ask, and a tool that nobody hides is not asked at each call.
    #[doc(hidden)]
    fn __may_hide(&self) -> bool {
        true
    }

    /// Whether a call that is made again, under the same
    /// [idempotency key](crate::Context::idempotency_key), goes on with what it began the first time:
    /// the tool keeps a record of its own, so that a journal of calls need not.
    fn resumes(&self) -> bool {
        false
    }
}

/// So that a `Result` of a tool can be unwrapped in a test.
impl fmt::Debug for dyn Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tool").field(&self.def().name).finish()
    }
}

/// What a call comes to later.
pub(crate) type Later<'a> = Pin<Box<dyn Future<Output = Result<Outcome, ToolError>> + Send + 'a>>;

/// A tool's answer: there at once, or later.
pub enum Answer<'a> {
    /// There, without an allocation.
    Ready(Result<Outcome, ToolError>),
    /// Later.
    Later(Pin<Box<dyn Future<Output = Result<Outcome, ToolError>> + Send + 'a>>),
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
