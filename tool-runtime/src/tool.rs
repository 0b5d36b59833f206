mod answer;
mod call;
#[cfg(feature = "tokio")]
mod cancel;
mod contain;
mod context;
mod decision;
mod decode;
mod filter;
#[cfg(feature = "tokio")]
pub(crate) mod items;
#[cfg(feature = "tokio")]
mod progress;
mod provide;
mod redefined;
#[cfg(feature = "tokio")]
mod running;
mod slot;
pub(crate) mod state;
mod wrap;
mod wrappers;

pub use self::answer::{Answer, BoxFuture, Ran, Stop};
pub use self::call::Call;
#[cfg(feature = "tokio")]
pub use self::cancel::Cancel;
#[cfg(feature = "tokio")]
pub(crate) use self::contain::{Broken, not_started};
pub(crate) use self::contain::{Contained, wait};
pub use self::context::{Context, inside_call};
pub use self::decision::Decision;
#[cfg(feature = "validate")]
pub(crate) use self::decode::check;
pub(crate) use self::decode::{decode_params, decode_root, decode_value, decode_value_of};
pub use self::filter::Filter;
#[cfg(feature = "tokio")]
pub use self::items::Items;
#[cfg(feature = "tokio")]
pub(crate) use self::items::is_stream;
#[cfg(feature = "tokio")]
pub(crate) use self::items::{or_else, stream_of};
#[cfg(feature = "tokio")]
pub use self::progress::Progress;
pub use self::provide::Provide;
pub(crate) use self::redefined::Redefined;
#[cfg(feature = "tokio")]
pub(crate) use self::running::{Caller, RunningBatch};
pub use self::slot::Slot;
pub use self::state::{Scope, State};
pub use self::wrap::WrapTool;

use std::borrow::Cow;
use std::fmt;

use toolwright_provider::call::{ToolDef, ToolError};
use toolwright_schema::decode::without_secrets;

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

    /// What of a call's arguments may be logged and redacted to people: all but its secrets. What does
    /// not fit the tool's parameters may be one, and is left out too.
    ///
    /// Without an implementation of its own, a tool's secrets are those that its
    /// [input schema](ToolDef::input) knows: of parameters marked `#[arg(secret)]`, and of types
    /// marked `#[schema(secret)]`.
    fn redacted<'t>(&self, arguments: &'t str) -> Cow<'t, str> {
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
