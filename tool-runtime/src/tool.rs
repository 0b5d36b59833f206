mod answer;
mod approved;
mod call;
#[cfg(feature = "tokio")]
mod cancel;
mod contain;
mod context;
mod decision;
mod decode;
mod filter;
mod grant;
#[cfg(feature = "tokio")]
mod identity;
#[cfg(feature = "tokio")]
pub(crate) mod items;
#[cfg(feature = "tokio")]
mod open_calls;
mod past;
mod place;
#[cfg(feature = "tokio")]
mod progress;
mod provide;
mod reading;
mod redefined;
#[cfg(feature = "tokio")]
mod running;
mod slot;
pub(crate) mod state;
mod wrap;
mod wrappers;

#[cfg(feature = "tokio")]
pub(crate) use self::answer::Answered;
pub use self::answer::{Answer, BoxFuture, EarlyExit, RunResult};
#[cfg(feature = "tokio")]
pub(crate) use self::approved::ApprovalToken;
pub use self::approved::Approved;
pub(crate) use self::approved::{approved_in_test, not_approved};
pub use self::call::Call;
#[cfg(feature = "tokio")]
pub use self::cancel::Cancel;
pub(crate) use self::contain::{Contained, wait};
#[cfg(feature = "tokio")]
pub(crate) use self::contain::{FromToolError, not_started};
pub use self::context::{Context, inside_call};
pub use self::decision::Decision;
pub(crate) use self::decode::{check, filled, with_defaults};
pub(crate) use self::decode::{decode_params, decode_root, decode_value, decode_value_of};
pub use self::filter::Filter;
pub use self::grant::Grant;
#[cfg(feature = "tokio")]
pub(crate) use self::identity::Identity;
#[cfg(feature = "tokio")]
pub use self::items::Items;
#[cfg(feature = "tokio")]
pub(crate) use self::items::is_stream;
#[cfg(feature = "tokio")]
pub(crate) use self::items::{or_else, stream_of};
#[cfg(feature = "tokio")]
pub use self::open_calls::{
    OpenCall, OpenCallError, OpenCallHandle, OpenCallState, OpenCallStore, OpenCalls,
};
#[cfg(feature = "tokio")]
pub(crate) use self::open_calls::{failed, key_of};
pub(crate) use self::past::{naming_arguments, old_name, with_names_of_today};
pub use self::place::CallPlace;
#[cfg(feature = "tokio")]
pub use self::progress::Progress;
pub use self::provide::{Provide, ProvideShared};
pub use self::reading::Reading;
pub(crate) use self::redefined::Redefined;
#[cfg(feature = "tokio")]
pub(crate) use self::running::{Caller, RunningBatch};
pub use self::slot::Slot;
pub use self::state::{Scope, State};
pub use self::wrap::WrapTool;

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use toolwright_provider::call::{ToolDef, ToolError};
use toolwright_schema::decode::without_secrets;

/// A tool as the runtime sees it: a definition and a way to call it.
///
/// `#[tool]` and [`DynTool`](crate::dyn_tool::DynTool) make tools. Implement the trait by hand for a tool that is neither a
/// function nor a closure; `def` and `call` are enough. Decode arguments with [`Call::decode`], and report faults in
/// them as [`InvalidArgs`](toolwright_provider::call::ErrorKind::InvalidArgs).
///
/// A tool around another tool implements [`WrapTool`], which keeps secrets, visibility and resumption.
pub trait Tool: Send + Sync {
    /// Returns the definition; always the same one.
    fn def(&self) -> &ToolDef;

    /// Answers a call. The runtime contains panics, in the answer's future too.
    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a>;

    /// Runs generated code without converting its answer, which would copy it.
    #[doc(hidden)]
    fn __run<'a>(&'a self, call: Call<'a>) -> RunResult<'a> {
        Ok(self.call(call))
    }

    /// Checks the arguments without running the tool.
    ///
    /// # Errors
    /// When [`call`](Self::call) would refuse the arguments.
    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        let _ = call;
        Ok(())
    }

    /// Returns the arguments for logs and people, without secrets. Values that do not fit the parameters may be secret
    /// and are left out, too.
    ///
    /// By default the secrets are those of the [input schema](ToolDef::input): of parameters marked `#[arg(secret)]`
    /// and types marked `#[schema(secret)]`.
    fn redacted<'t>(&self, arguments: &'t str) -> Cow<'t, str> {
        let Some(shape) = self.def().input.shape() else {
            return arguments.into();
        };
        match with_names_of_today(arguments, &self.def().old_names().arguments) {
            Some((today, _)) => without_secrets(&today, shape).into_owned().into(),
            None => without_secrets(arguments, shape),
        }
    }

    /// Returns true if the conversation may see and call the tool.
    fn visible(&self, scope: &Scope<'_>) -> bool {
        let _ = scope;
        true
    }

    /// Returns true if an answer may depend on the call's [context](Context), such as on who calls. A
    /// [`Cache`](crate::layers::Cache) never shares such answers between conversations. Default: true.
    ///
    /// For a `#[tool]` function the macro sets it: true if there is a parameter `&Context`.
    fn reads_context(&self) -> bool {
        true
    }

    /// Returns true if [`visible`](Self::visible) may refuse; otherwise calls skip it.
    #[doc(hidden)]
    fn __may_hide(&self) -> bool {
        true
    }

    /// Returns the tool that this one is around. A toolset adds the caution of its definition to this one's.
    #[doc(hidden)]
    fn __inner(&self) -> Option<&Arc<dyn Tool>> {
        None
    }

    /// Returns true if a repeated call, under the same [idempotency key](crate::tool::Context::idempotency_key), continues
    /// the work of the first one. If a program ends while such a call runs, an agent makes it again when its session is resumed,
    /// instead of asking a person. The tool must know its calls for as long.
    fn resumes(&self) -> bool {
        false
    }

    /// Returns valid arguments with the defaults that the tool fills in, if there are some.
    #[doc(hidden)]
    fn __with_defaults(&self, arguments: &str) -> Option<String> {
        let _ = arguments;
        None
    }

    /// Returns the agent that the tool runs, whose session is the record of the call.
    #[doc(hidden)]
    fn __agent(&self) -> Option<&(dyn Any + Send + Sync)> {
        None
    }

    /// Returns the whole definition, if the tool's own is a short one.
    #[doc(hidden)]
    fn __whole(&self) -> Option<&ToolDef> {
        None
    }
}

impl dyn Tool + '_ {
    /// The name that a model calls.
    pub fn name(&self) -> &str {
        &self.def().name
    }
}

/// Allows `unwrap` on a `Result` of a tool.
impl fmt::Debug for dyn Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tool").field(&self.def().name).finish()
    }
}
