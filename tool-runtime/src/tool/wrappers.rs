//! Wrappers around tools, which change one thing each.

use std::sync::Arc;

use crate::tool::{Answer, Call, Redefined, Tool, WrapTool};
use serde_json::Value;
use toolwright_provider::call::{ErrorKind, Outcome, Output, ToolError};
use toolwright_provider::wire::{ExtrasError, Wire};

/// Wrappers. They keep all that they do not change, and can be nested in any order.
/// [`Toolset::with`](crate::toolset::Toolset::with) replaces a tool by the wrapped one.
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
    /// Turns errors into results: the model reads the error's text as the tool's value, and no error policy sees it.
    /// The value goes to the model, for a [`return_direct`](toolwright_provider::call::ToolOptions::return_direct) tool too.
    ///
    /// Only errors that the tool's code returns are handled. Invalid arguments, a missing handler, a panic, a timeout
    /// and a cancellation stay errors.
    pub fn handle_errors(self: Arc<Self>) -> Arc<dyn Tool> {
        self.handle_errors_with(ToString::to_string)
    }

    /// Turns errors into results of your own: a value, an [`Outcome`], or [`Content`](toolwright_provider::call::Content). A value goes to
    /// the model; use [`Outcome::direct`] for the user.
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

    /// Sends the tool's result to the user as it is; see [`ToolOptions::return_direct`](toolwright_provider::call::ToolOptions::return_direct).
    pub fn return_direct(self: Arc<Self>) -> Arc<dyn Tool> {
        let mut def = self.def().clone();
        def.options.return_direct = true;
        Redefined::share(def, &self)
    }

    /// Writes the tool's examples at the end of its description for providers that take no examples: all but Anthropic.
    /// They cost tokens in every request.
    ///
    /// ```
    /// use toolwright::{Toolset, Wire, tool, tool_of};
    ///
    /// /// Tells the weather.
    /// #[tool(example({"city": "Oslo"}, "a city"))]
    /// fn forecast(city: String) -> String {
    ///     format!("{city}: sun")
    /// }
    ///
    /// let tools = Toolset::new([tool_of!(forecast).describe_examples()]).unwrap();
    /// let sent = Wire::OpenAiChat.definitions(&tools).to_string();
    /// assert!(sent.contains(r#"Examples:\n- a city: {\"city\":\"Oslo\"}"#));
    /// ```
    pub fn describe_examples(self: Arc<Self>) -> Arc<dyn Tool> {
        let mut def = self.def().clone();
        def.describe_examples = true;
        Redefined::share(def, &self)
    }

    /// Adds keys to the tool's definition in requests of one wire. The object has keys that the provider reads and this
    /// library does not write, such as Anthropic's `cache_control`. The keys are not checked.
    ///
    /// The keys follow the definition's, in alphabetical order: for `OpenAI`'s chat and Ollama beside `function`, for
    /// Bedrock inside of `toolSpec`, and elsewhere beside `name`. They go to this wire alone, in all of its dialects.
    /// Extras that are added later replace earlier ones of the same key. A stored
    /// [`ToolDef`](toolwright_provider::call::ToolDef) keeps them, and
    /// [`tokens`](toolwright_provider::call::ToolDef::tokens) does not count them.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwright::{Wire, tool, tool_of, tools};
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// /// Searches the archive.
    /// #[tool]
    /// fn search(words: &str) -> String {
    ///     format!("nothing about {words}")
    /// }
    ///
    /// // Anthropic caches a request up to here: the tools, since this is the last one.
    /// let extras = json!({"cache_control": {"type": "ephemeral"}});
    /// let last = tool_of!(search).with_extras(Wire::Anthropic, extras).unwrap();
    /// let tools = tools![add, search].with(last);
    ///
    /// let sent = Wire::Anthropic.definitions(&tools);
    /// assert!(sent.ends_with(r#""cache_control":{"type":"ephemeral"}}]"#));
    /// assert!(!Wire::OpenAiChat.definitions(&tools).contains("cache_control"));
    /// ```
    ///
    /// # Errors
    /// Fails if the extras are not an object, or name a key that definitions of the wire have already.
    pub fn with_extras(
        self: Arc<Self>,
        wire: Wire,
        extras: impl Into<Value>,
    ) -> Result<Arc<dyn Tool>, ExtrasError> {
        let def = self.def().clone().with_extras(wire, extras.into())?;
        Ok(Redefined::share(def, &self))
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

/// Returns true if the tool's code returned the error. Arguments are refused before: by `validate` in one executor, by
/// `call` in another.
fn is_the_tools_own(kind: ErrorKind) -> bool {
    !matches!(
        kind,
        ErrorKind::InvalidArgs
            | ErrorKind::NoHandler
            | ErrorKind::NotApproved
            | ErrorKind::NotStarted
            | ErrorKind::Cancelled
    )
}

impl WrapTool for HandleErrors {
    fn inner(&self) -> &Arc<dyn Tool> {
        &self.tool
    }

    fn reads_context(&self) -> bool {
        self.tool.reads_context()
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        match self.tool.call(call) {
            Answer::Ready(answer) => Answer::Ready(self.handled(answer)),
            Answer::Later(later) => Answer::later(async { self.handled(later.await) }),
        }
    }
}
