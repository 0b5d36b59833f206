use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use crate::tool::{Answer, Call, Scope, Tool};
use toolwright_provider::call::{ToolDef, ToolError};

/// A tool around another tool: changes its definition or its calls, and forwards the rest.
///
/// Every implementation is a [`Tool`]. Secrets, visibility and resumption are always those of the wrapped tool, so a
/// wrapper cannot lose them. To hide a tool, use a [`Filter`](crate::tool::Filter).
///
/// Nor can the wrapper's definition take caution away: in a [`Toolset`](crate::toolset::Toolset) it has the stricter one
/// of both in each fact of safety, as [`Toolset::attach`](crate::toolset::Toolset::attach) lists them.
///
/// ```
/// use std::sync::Arc;
/// use toolwright::{
///     Context, DynTool, Tool, ToolCall, ToolError, Toolset, call::{Answer, Call, WrapTool},
/// };
///
/// /// Counts calls before the tool runs.
/// struct Counted(Arc<dyn Tool>, std::sync::atomic::AtomicUsize);
///
/// impl WrapTool for Counted {
///     fn inner(&self) -> &Arc<dyn Tool> {
///         &self.0
///     }
///
///     fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
///         self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
///         self.0.call(call)
///     }
/// }
///
/// # let ping = DynTool::builder().name("ping").description("Answers.");
/// # let ping = ping.handler_sync(|_: serde_json::Value, _| Ok::<_, ToolError>("pong")).build().unwrap();
/// let counted = Arc::new(Counted(ping, Default::default()));
/// let tools = Toolset::new([counted.clone() as Arc<dyn Tool>]).unwrap();
/// tools.call_blocking(&ToolCall::new("1", "ping", "{}"), &Context::new());
/// assert_eq!(counted.1.load(std::sync::atomic::Ordering::Relaxed), 1);
/// ```
pub trait WrapTool: Send + Sync {
    /// Returns the wrapped tool; always the same one.
    fn inner(&self) -> &Arc<dyn Tool>;

    /// Returns the definition; always the same one. Default: the wrapped tool's.
    fn def(&self) -> &ToolDef {
        self.inner().def()
    }

    /// Answers a call. Default: the wrapped tool does.
    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        self.inner().call(call)
    }

    /// Checks the arguments without running the tool. Default: the wrapped tool does.
    ///
    /// # Errors
    /// When [`call`](Self::call) would refuse the arguments.
    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        self.inner().validate(call)
    }

    /// See [`Tool::reads_context`]. Default: true, since [`call`](Self::call) is handed the context.
    fn reads_context(&self) -> bool {
        true
    }

    /// See [`Tool`].
    #[doc(hidden)]
    fn __whole(&self) -> Option<&ToolDef> {
        self.inner().__whole()
    }
}

#[diagnostic::do_not_recommend]
impl<W: WrapTool> Tool for W {
    fn def(&self) -> &ToolDef {
        WrapTool::def(self)
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        WrapTool::call(self, call)
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        WrapTool::validate(self, call)
    }

    fn reads_context(&self) -> bool {
        WrapTool::reads_context(self)
    }

    fn redacted<'t>(&self, arguments: &'t str) -> Cow<'t, str> {
        self.inner().redacted(arguments)
    }

    fn visible(&self, scope: &Scope<'_>) -> bool {
        self.inner().visible(scope)
    }

    fn __may_hide(&self) -> bool {
        self.inner().__may_hide()
    }

    fn __inner(&self) -> Option<&Arc<dyn Tool>> {
        Some(self.inner())
    }

    fn resumes(&self) -> bool {
        self.inner().resumes()
    }

    fn __with_defaults(&self, arguments: &str) -> Option<String> {
        self.inner().__with_defaults(arguments)
    }

    fn __agent(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.inner().__agent()
    }

    fn __whole(&self) -> Option<&ToolDef> {
        WrapTool::__whole(self)
    }
}
