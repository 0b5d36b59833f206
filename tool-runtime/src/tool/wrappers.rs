//! Tools around tools. Each has the definition of what it wraps, but for what it is there to change.

use std::sync::Arc;

use crate::tool::{Answer, Call, Redefined, Tool, WrapTool};
use toolwright_provider::call::{ErrorKind, Outcome, Output, ToolError};

/// Wrappers. They keep the tool's schema, attributes, annotations, validation and visibility, and can be
/// put around each other in any order. [`Toolset::with`](crate::Toolset::with) puts the wrapped tool in
/// the other one's place.
///
/// ```
/// use toolwright::{Context, DynTool, ToolCall, Toolset};
///
/// let find = DynTool::builder()
///     .name("find")
///     .description("Finds.")
///     .handler_sync(|_: serde_json::Value, _cx| Err::<u8, _>("the index is being built"))
///     .build()
///     .unwrap();
/// let tools = Toolset::new([find.handle_errors()]).unwrap();
/// let result = tools.call_blocking(&ToolCall::new("1", "find", "{}"), &Context::new());
/// assert!(result.is_success());
/// assert_eq!(result.value(), Some("the index is being built".into()));
/// ```
impl dyn Tool {
    /// The same tool, whose errors are values: what the model would read of the error is the tool's
    /// result, and no policy for errors sees it. It goes to the model, of a tool that is
    /// [`return_direct`](crate::ToolDef::return_direct) too.
    ///
    /// Errors that the tool's own code returns, that is. Wrong arguments stay an error, as do a tool
    /// without code, a panic, a time limit and a cancellation.
    pub fn handle_errors(self: Arc<Self>) -> Arc<dyn Tool> {
        self.handle_errors_with(ToString::to_string)
    }

    /// The same, with a result of your own: a value, an [`Outcome`], or [`Content`](crate::Content). A value
    /// goes to the model; what is to go to the user is [`Outcome::direct`].
    pub fn handle_errors_with<T: Output>(
        self: Arc<Self>,
        handle: impl Fn(&ToolError) -> T + Send + Sync + 'static,
    ) -> Arc<dyn Tool> {
        Arc::new(HandleErrors {
            tool: self,
            handle: Arc::new(move |error| match handle(error).into_outcome() {
                Outcome::Value(value) => Outcome::Value(value.__handled()),
                other => other,
            }),
        })
    }

    /// The same tool, whose result goes to the user as it is; see
    /// [`ToolDef::return_direct`](crate::ToolDef::return_direct).
    pub fn return_direct(self: Arc<Self>) -> Arc<dyn Tool> {
        let mut def = self.def().clone();
        def.return_direct = true;
        Redefined::share(def, &self)
    }
}

struct HandleErrors {
    tool: Arc<dyn Tool>,
    handle: Arc<Handle>,
}

type Handle = dyn Fn(&ToolError) -> Outcome + Send + Sync;

impl HandleErrors {
    fn handled(&self, answer: Result<Outcome, ToolError>) -> Result<Outcome, ToolError> {
        let answer = instead(&self.handle, answer);
        #[cfg(feature = "tokio")]
        if let Some(stream) = crate::tool::stream_of(&answer) {
            let handle = Arc::clone(&self.handle);
            return Ok(crate::tool::or_else(stream, move |error| {
                instead(&handle, Err(error))
            }));
        }
        answer
    }
}

fn instead(handle: &Arc<Handle>, answer: Result<Outcome, ToolError>) -> Result<Outcome, ToolError> {
    match answer {
        Err(error) if is_the_tools_own(error.kind()) => Ok(handle(&error)),
        other => other,
    }
}

/// Whether the tool's code ran and returned the error. Arguments are refused before it runs: by
/// `validate` in one executor and by `call` in another.
fn is_the_tools_own(kind: ErrorKind) -> bool {
    !matches!(
        kind,
        ErrorKind::InvalidArgs
            | ErrorKind::NoHandler
            | ErrorKind::NotStarted
            | ErrorKind::Cancelled
    )
}

impl WrapTool for HandleErrors {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        match self.tool.call(call) {
            Answer::Ready(answer) => Answer::Ready(self.handled(answer)),
            Answer::Later(later) => Answer::later(async { self.handled(later.await) }),
        }
    }
}
