//! The trait between agents and providers, with its request, response and error.

use std::error::Error;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_provider::call::ToolCall;
use toolwright_provider::definitions::DefinitionOptions;
use toolwright_provider::wire::{FinishReason, HostedCall, StreamEvent, ToolChoice, Usage, Wire};
use toolwright_runtime::tool::{BoxFuture, Cancel};
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::text::{Printable, ShortStr};

use crate::thread::{Native, Thread};

/// A model: the one trait between an agent and a provider.
///
/// A model answers each request once. A model that streams also sends the pieces to `deltas`. The response is complete
/// in any case, so an agent works the same with every model.
pub trait Model: Send + Sync {
    /// Returns the model's next message.
    ///
    /// Dropping the future cancels the request.
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>>;

    /// Returns the name that [`Prices`](crate::budget::Prices) know the model by, such as `gpt-5`. Default: none. A model around
    /// another one returns the other's.
    fn name(&self) -> Option<&str> {
        None
    }

    /// Returns true if the model costs nothing, such as one on a machine of the host. Its tokens count for a
    /// [budget](crate::Agent::budget) of tokens. For one of money it needs no price. Default: false. A model around another one
    /// returns the other's.
    fn is_free(&self) -> bool {
        false
    }

    /// Returns true if the model works its responses out of the thread, at once, and sends nothing. A checkpointer then stores a
    /// response with the first call of it that begins, and a crash may repeat the last request. No budget counts its tokens. The
    /// model reads each result, so no call stays open or goes to the user. A question is an error if the run has no user to ask.
    #[doc(hidden)]
    fn __is_computed(&self) -> bool {
        false
    }

    /// Returns how the model declares tools, so that an agent knows which tools it leaves out. Default: `None`. A model around
    /// another one returns the other's.
    fn definition_options(&self) -> Option<(Wire, DefinitionOptions)> {
        None
    }
}

/// Request to a model.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ModelRequest<'a> {
    /// System prompt.
    pub system: Option<&'a str>,
    /// Conversation. Every call in it is answered.
    pub thread: &'a Thread,
    /// Tools of the conversation, of which deferred ones are [loaded](toolwright_runtime::toolset::Toolset::load). The
    /// definitions of a request are [`requested`](toolwright_runtime::toolset::Toolset::requested), in order.
    pub tools: &'a Toolset,
    /// Tool choice. A tool that it names is in `tools`.
    pub choice: &'a ToolChoice,
    /// Schema of the answer, if the answer has to be a value.
    pub schema: Option<&'a SchemaDoc>,
    /// Id of the session; `None` for a single step without one.
    pub session: Option<&'a str>,
    /// Signal of the host's cancellation. The future of the request is dropped when it fires; a model that works elsewhere stops
    /// that too.
    pub cancel: Option<&'a Cancel>,
}

impl<'a> ModelRequest<'a> {
    /// Creates a request that continues a conversation, without a system prompt.
    pub fn new(thread: &'a Thread, tools: &'a Toolset, choice: &'a ToolChoice) -> Self {
        Self {
            system: None,
            thread,
            tools,
            choice,
            schema: None,
            session: None,
            cancel: None,
        }
    }
}

/// Sink of a streamed response. Cheap to copy.
#[derive(Clone, Copy)]
pub struct DeltaSink<'a>(Option<&'a (dyn Fn(&StreamEvent) + Send + Sync)>);

impl<'a> DeltaSink<'a> {
    /// Sink that discards all pieces. The model need not stream.
    pub const NONE: DeltaSink<'static> = DeltaSink(None);

    /// Creates a sink that sends all pieces to a listener.
    pub fn to(listener: &'a (dyn Fn(&StreamEvent) + Send + Sync)) -> Self {
        Self(Some(listener))
    }

    /// Returns true if a listener receives the pieces.
    pub fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Sends a piece.
    pub fn send(&self, event: &StreamEvent) {
        if let Some(listener) = self.0 {
            listener(event);
        }
    }
}

impl fmt::Debug for DeltaSink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DeltaSink").field(&self.is_wanted()).finish()
    }
}

/// Response of a model.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelResponse {
    /// Text of the response. Empty if the model only made calls. If the request has a schema, the text is JSON in the form of
    /// that schema: [`AnswerForm::restore`](toolwright_provider::wire::AnswerForm::restore) makes it so.
    pub text: String,
    /// Calls, in order, by the tools' own names, with arguments in the form of their schemas:
    /// [`Definitions::restore`](toolwright_provider::definitions::Definitions::restore) makes them so. An agent gives each call without an id a new one, unique in the
    /// thread.
    pub calls: Vec<ToolCall>,
    /// Calls of tools that the provider ran itself, in order, with their results.
    pub hosted: Vec<HostedCall>,
    /// Message in the provider's own form.
    pub native: Option<Native>,
    /// Usage, if the provider reported it.
    pub usage: Option<Usage>,
    /// Deferred tools that the provider's own search has loaded, by the tools' own names.
    pub loaded: Vec<ShortStr>,
    /// Reason why the response ended, if the provider reported it.
    pub stop: Option<FinishReason>,
}

impl ModelResponse {
    /// Creates a response with text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Creates a response with calls.
    pub fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self {
            calls: calls.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Sets the reason why the response ended.
    pub fn with_stop(self, stop: FinishReason) -> Self {
        Self {
            stop: Some(stop),
            ..self
        }
    }

    /// Returns the reason why the response is not a whole answer; `None` if it is one. A reason that no table knows counts only if
    /// the response has neither text nor calls. A [paused](FinishReason::Paused) response is not a whole answer; an agent goes on with it.
    pub fn stopped(&self) -> Option<&FinishReason> {
        match self.stop.as_ref()? {
            FinishReason::Done => None,
            FinishReason::Other(_) if !self.text.is_empty() || !self.calls.is_empty() => None,
            reason => Some(reason),
        }
    }

    /// Returns the places of calls that must not run: the last one of a response that was cut off, if only half of it came, and all
    /// of a response that the provider stopped otherwise.
    pub(crate) fn lost_calls(&self) -> Range<usize> {
        let all = self.calls.len();
        let is_half = |call: &ToolCall| {
            let arguments = serde_json::from_str::<Map<String, Value>>(&call.arguments);
            // Providers write `{}` for arguments of which nothing came.
            arguments.map_or(true, |arguments| arguments.is_empty())
        };
        match self.stopped() {
            None | Some(FinishReason::Paused) => all..all,
            Some(FinishReason::CutOff) => match self.calls.last() {
                Some(last) if is_half(last) => all - 1..all,
                _ => all..all,
            },
            Some(_) => 0..all,
        }
    }

    /// Sets the usage.
    pub fn with_usage(self, usage: Usage) -> Self {
        Self {
            usage: Some(usage),
            ..self
        }
    }
}

/// Error of a request to a model.
#[derive(Debug, Clone)]
pub struct ModelError {
    kind: ModelErrorKind,
    message: String,
    retry_after: Option<Duration>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// Kind of a [`ModelError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// The provider could not be reached, or the connection broke.
    Transport,
    /// The provider is overloaded or limits the rate of requests.
    Busy,
    /// The provider rejected the request, and would reject it again.
    Refused,
    /// The response cannot be read.
    Unreadable,
    /// The response was not complete in time.
    Timeout,
}

impl ModelErrorKind {
    /// Returns the kind's stored name: `transport`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Transport => "transport",
            Self::Busy => "busy",
            Self::Refused => "refused",
            Self::Unreadable => "unreadable",
            Self::Timeout => "timeout",
        }
    }

    /// Returns true if the same request may succeed later.
    pub const fn is_transient(self) -> bool {
        matches!(self, Self::Transport | Self::Busy | Self::Timeout)
    }
}

impl ModelError {
    /// Creates an error with a message for the host. Invisible characters are escaped, as in [`Printable`], since the
    /// text may be a provider's.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: Printable::new(&message.into()).to_string(),
            retry_after: None,
            source: None,
        }
    }

    /// Sets the cause of the error.
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(Arc::from(source.into()));
        self
    }

    /// Sets the wait that the provider asks for.
    pub fn with_retry_after(self, wait: Duration) -> Self {
        Self {
            retry_after: Some(wait),
            ..self
        }
    }

    /// Returns how long the provider asks to wait before the same request is sent again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ModelErrorKind {
        self.kind
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
