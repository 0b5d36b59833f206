use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use toolwright_json::{ObjectWriter, list, named_enum, quoted};
use toolwright_schema::decode::Fault;
use toolwright_schema::text::{Printable, printable};

/// Error of a call without a result: a text for the model, and separate details for the host.
///
/// The model reads the `Display`. It is safe to print: invisible characters are escaped, as in [`Printable`].
/// `Debug` and [`source`](Error::source) are for the host: they can hold paths, addresses and secrets.
///
/// A tool can return any error with `Display`. With an `impl From<MyError> for ToolError` the error keeps its kind and data.
#[derive(Clone)]
pub struct ToolError(Box<ErrorData>);

/// Parts of an error, as it is stored, but for the source.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ErrorData {
    kind: ErrorKind,
    messages: Vec<Cow<'static, str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    faults: Vec<Fault>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
    /// The tool's own error, or the payload of its panic.
    #[serde(skip)]
    source: Option<Arc<dyn Error + Send + Sync>>,
    #[serde(default, rename = "detail", skip_serializing_if = "Option::is_none")]
    debug: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    permanent: bool,
    /// Only a layer of the same call waits for it.
    #[serde(skip)]
    retry_after: Option<Duration>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    outcome_unknown: bool,
}

named_enum! {
    /// The ways in which a call can fail. Hidden tools have the name of unknown ones, so that a name cannot be probed for.
    #[non_exhaustive]
    pub enum ErrorKind {
        /// No tool of that name.
        Unknown = "unknown_tool",
        /// A tool of that name, but not for this conversation.
        Hidden = "unknown_tool",
        /// The arguments do not fit, or the tool's validator refused them.
        InvalidArgs = "invalid_args",
        /// A person or a policy rejected the call.
        Rejected = "rejected",
        /// The tool ran and reported an error.
        Failed = "failed",
        /// The tool panicked.
        Panicked = "panicked",
        /// The tool took too long.
        Timeout = "timeout",
        /// The call was cancelled.
        Cancelled = "cancelled",
        /// The tool needs the approval of a person, and none was asked. It did not run.
        NotApproved = "not_approved",
        /// The tool is declared, but nothing here runs it.
        NoHandler = "no_handler",
        /// There was no thread or no room for the call. It did not run, and may be made again.
        NotStarted = "not_started",
        /// A [`Runner`](https://docs.rs/toolwright/latest/toolwright/executor/trait.Runner.html) of the host gave no answer.
        NoAnswer = "no_answer",
        /// The result cannot be written as JSON.
        Encoding = "encoding",
        /// The tool returned a forbidden value.
        InvalidReturn = "invalid_return",
    }
}

impl ErrorKind {
    /// Returns true if the tool itself reported the failure, as opposed to a crash or a call that never reached it.
    pub const fn is_reported(self) -> bool {
        matches!(self, Self::Failed)
    }
}

impl Serialize for ErrorKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Reads the kind of a hidden tool as that of an unknown one, and a kind that is not known as `failed`.
impl<'de> Deserialize<'de> for ErrorKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        let mut all = Self::ALL.iter().copied();
        Ok(all
            .find(|kind| kind.as_str() == name)
            .unwrap_or(Self::Failed))
    }
}

impl ToolError {
    /// Key of `_meta` under which the result of an MCP call holds the error as JSON.
    #[doc(hidden)]
    pub const META: &str = "toolwright/error";

    /// An error whose only text is `message`, for the model.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self::with_messages(kind, vec![message.into()])
    }

    /// Creates the error that a failing tool returns, of kind [`Failed`](ErrorKind::Failed).
    pub fn failed(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Failed, message)
    }

    #[cold]
    pub fn with_messages(kind: ErrorKind, messages: Vec<Cow<'static, str>>) -> Self {
        Self::of_printable(kind, messages.into_iter().map(printable).collect())
    }

    fn of_printable(kind: ErrorKind, mut messages: Vec<Cow<'static, str>>) -> Self {
        // A model that reads nothing takes it for a success.
        messages.retain(|message| !message.is_empty());
        if messages.is_empty() {
            messages.push("the tool failed and did not say why".into());
        }
        Self(Box::new(ErrorData {
            kind,
            messages,
            faults: Vec::new(),
            data: None,
            source: None,
            debug: None,
            permanent: false,
            retry_after: None,
            outcome_unknown: false,
        }))
    }

    /// Returns the parts to store.
    pub(super) fn stored(&self) -> ErrorData {
        let source = None;
        ErrorData {
            source,
            ..(*self.0).clone()
        }
    }

    /// Restores an error. Its texts come from elsewhere.
    pub(super) fn restored(stored: ErrorData) -> Self {
        let messages = Self::with_messages(stored.kind, stored.messages).0.messages;
        let faults = stored.faults.into_iter().map(Fault::printable).collect();
        Self(Box::new(ErrorData {
            messages,
            faults,
            ..stored
        }))
    }

    #[cold]
    pub fn invalid_args(faults: Vec<Fault>) -> Self {
        let faults: Vec<_> = faults.into_iter().map(Fault::printable).collect();
        let messages = faults
            .iter()
            .map(|fault| fault.to_string().into())
            .collect();
        let mut error = Self::of_printable(ErrorKind::InvalidArgs, messages);
        error.0.faults = faults;
        error
    }

    /// Removes keys and values from the faults, for arguments whose secrets are unknown.
    #[cold]
    pub fn without_values(self) -> Self {
        let Some(fault) = self.0.faults.first() else {
            return self;
        };
        let words =
            "the arguments do not fit the tool's check; they may hold a secret and are not shown";
        Self::invalid_args(vec![Fault::new(
            String::new(),
            fault.code,
            words.to_owned(),
        )])
    }

    /// Appends a message for the model.
    pub fn with_message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.0.messages.push(printable(message.into()));
        self
    }

    /// Appends faults of the arguments, as data: those of another error's [`faults`](Self::faults). The
    /// model reads the messages.
    pub fn with_faults(mut self, faults: impl IntoIterator<Item = Fault>) -> Self {
        self.0
            .faults
            .extend(faults.into_iter().map(Fault::printable));
        self
    }

    /// Sets data for programs that read the error, such as a code or an id. Over MCP and HTTP the caller gets it, so it must
    /// hold no secret. The model reads the messages.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwright::ToolError;
    ///
    /// let error = ToolError::failed("the card was declined").with_data(json!({"code": "declined"}));
    /// assert_eq!(error.data().unwrap()["code"], "declined");
    /// ```
    pub fn with_data(mut self, data: impl Into<Value>) -> Self {
        self.0.data = Some(data.into());
        self
    }

    /// Sets the cause of the error, for the host alone.
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// Sets the detail that only the host reads.
    pub fn with_debug(mut self, debug: impl Into<String>) -> Self {
        self.0.debug = Some(debug.into());
        self
    }

    /// Marks the error as permanent: the same call would meet it again, so it is not retried.
    ///
    /// The layer `Retry` asks for it.
    pub fn permanent(mut self) -> Self {
        self.0.permanent = true;
        self
    }

    /// Returns true if the tool marked the error as permanent.
    pub fn is_permanent(&self) -> bool {
        self.0.permanent
    }

    /// Sets how long to wait before the same call is made again, such as the API's `Retry-After`.
    ///
    /// The layer `Retry` waits at least this long.
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.0.retry_after = Some(wait);
        self
    }

    /// Returns how long to wait before the same call is made again, if the tool said so.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Marks the error as one after which it is unknown whether the call took effect: its code may have run, or still
    /// run.
    ///
    /// The model reads the messages, which should say so. A layer `Retry` makes such a call again only
    /// if its tool is `idempotent` or `read_only`.
    ///
    /// The runtime marks errors of calls that it could not stop: a time limit or a cancellation of a tool that is
    /// `blocking` or `spawn` and has begun, and of a tool or an agent that runs such a call in a batch of its own.
    ///
    /// ```
    /// use toolwright::ToolError;
    ///
    /// let error = ToolError::failed("the connection broke before the answer came; the order may have been placed")
    ///     .with_outcome_unknown();
    /// assert!(error.is_outcome_unknown());
    /// ```
    pub fn with_outcome_unknown(mut self) -> Self {
        self.0.outcome_unknown = true;
        self
    }

    /// Returns whether it is unknown if the call took effect.
    pub fn is_outcome_unknown(&self) -> bool {
        self.0.outcome_unknown
    }

    /// Adds a panic of `what` to the host's details.
    #[cold]
    pub fn beside(self, what: &str, panic: &Self) -> Self {
        let panic = panic.host_detail().unwrap_or_default();
        let detail = match self.host_detail() {
            Some(detail) => format!("{detail}\n{what} panicked: {panic}"),
            None => format!("{what} panicked: {panic}"),
        };
        self.with_debug(detail)
    }

    /// Replaces the messages for which `replace` returns another text.
    pub fn replace_messages(&mut self, mut replace: impl FnMut(&str) -> Option<String>) {
        for message in &mut self.0.messages {
            if let Some(other) = replace(message) {
                *message = other.into();
            }
        }
    }

    /// Returns the kind of failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the messages for the model, one a fault, in order.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.messages.iter().map(AsRef::as_ref)
    }

    /// Returns the faults of the arguments, as data; empty unless they were refused.
    pub fn faults(&self) -> &[Fault] {
        &self.0.faults
    }

    /// Returns the [data](Self::with_data) for programs.
    pub fn data(&self) -> Option<&Value> {
        self.0.data.as_ref()
    }

    /// Returns JSON of all that a caller may read, as HTTP, MCP and the command line write it.
    #[doc(hidden)]
    pub fn __to_json(&self) -> String {
        let fault = |fault: &Fault| {
            ObjectWriter::new()
                .text("path", &fault.path)
                .text("code", fault.code.as_str())
                .text("message", &fault.message)
                .end()
        };
        let faults = (!self.faults().is_empty()).then(|| list(self.faults().iter().map(fault)));
        let data = self.data().map(Value::to_string);
        ObjectWriter::new()
            .text("kind", self.kind().as_str())
            .json("messages", &list(self.messages().map(quoted)))
            .maybe_json("faults", faults.as_deref())
            .maybe_json("data", data.as_deref())
            .maybe_json("permanent", self.is_permanent().then_some("true"))
            .maybe_json(
                "outcome_unknown",
                self.is_outcome_unknown().then_some("true"),
            )
            .end()
    }

    /// Returns the detail that only the host may read: the tool's error in `Debug`, or the payload of its panic.
    pub fn host_detail(&self) -> Option<&str> {
        self.0.debug.as_deref()
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, message) in self.messages().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            f.write_str(message)?;
        }
        Ok(())
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("ToolError");
        debug.field("kind", &self.0.kind);
        debug.field("messages", &self.0.messages);
        if let Some(data) = &self.0.data {
            debug.field("data", data);
        }
        if self.0.outcome_unknown {
            debug.field("outcome", &format_args!("unknown"));
        }
        if let Some(detail) = &self.0.debug {
            debug.field("detail", &format_args!("{}", Printable::new(detail)));
        }
        if let Some(source) = &self.0.source {
            debug.field("source", source);
        }
        debug.finish()
    }
}

impl Error for ToolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}
