use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolwright_runtime::{Printable, SchemaDoc, StreamEvent, ToolCall, ToolChoice, Toolset, Usage};

use crate::{Native, Thread};

/// A model: the one trait between an agent and a provider.
///
/// A model answers each request once. A model that streams also sends the pieces to `news`. The response is complete
/// in any case, so an agent works the same with all models.
pub trait Model: Send + Sync {
    /// The model's next message.
    ///
    /// Dropping the future ends the request.
    fn respond<'a>(&'a self, request: Request<'a>, news: News<'a>) -> Responding<'a>;
}

/// Future that a [`Model`] returns.
pub type Responding<'a> = Pin<Box<dyn Future<Output = Result<Response, ModelError>> + Send + 'a>>;

/// Request to a model.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The system prompt, if there is one.
    pub system: Option<&'a str>,
    /// The conversation. Every call in it is answered.
    pub thread: &'a Thread,
    /// The tools that the model may call, in order.
    pub tools: &'a Toolset,
    /// Tool choice of the request. A tool that it names is among `tools`.
    pub choice: &'a ToolChoice,
    /// Schema of the answer, if it has to be a value.
    pub schema: Option<&'a SchemaDoc>,
}

impl<'a> Request<'a> {
    /// A conversation to go on with, without tools.
    pub fn new(thread: &'a Thread, tools: &'a Toolset, choice: &'a ToolChoice) -> Self {
        Self {
            system: None,
            thread,
            tools,
            choice,
            schema: None,
        }
    }
}

/// Sink of a streamed response. Cheap to copy.
#[derive(Clone, Copy)]
pub struct News<'a>(Option<&'a (dyn Fn(&StreamEvent) + Send + Sync)>);

impl<'a> News<'a> {
    /// Nobody wants pieces, so the model need not stream.
    pub const NOBODY: News<'static> = News(None);

    /// Whoever wants them.
    pub fn to(listener: &'a (dyn Fn(&StreamEvent) + Send + Sync)) -> Self {
        Self(Some(listener))
    }

    /// Returns true if somebody receives the pieces.
    pub fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Tells a piece.
    pub fn tell(&self, event: &StreamEvent) {
        if let Some(listener) = self.0 {
            listener(event);
        }
    }
}

impl fmt::Debug for News<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("News").field(&self.is_wanted()).finish()
    }
}

/// Response of a model.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Response {
    /// Its words; empty if it only called tools.
    pub text: String,
    /// Its calls, in order, with the names of the tools as they are here. An agent gives those without an id
    /// one that no other call of the thread has.
    pub calls: Vec<ToolCall>,
    /// The message in the provider's own form.
    pub native: Option<Native>,
    /// Usage of the call, if the provider reported it.
    pub usage: Option<Usage>,
    /// True if the provider cut the answer off.
    pub cut_off: bool,
    /// True if the tools were declared in lowered forms, so that the calls are read with
    /// [`Context::with_lowered`](toolwright_runtime::Context::with_lowered).
    pub lowered: bool,
}

impl Response {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Calls.
    pub fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self {
            calls: calls.into_iter().collect(),
            ..Self::default()
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

/// Why a model gave no answer.
#[derive(Debug, Clone)]
pub struct ModelError {
    kind: ModelErrorKind,
    message: String,
    retry_after: Option<Duration>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// The ways in which a request can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// The provider could not be reached, or the connection broke.
    Transport,
    /// The provider asks for patience: too many requests, or too much load.
    Busy,
    /// The provider refused the request: it would refuse it again.
    Refused,
    /// The answer cannot be read.
    Unreadable,
    /// The answer did not come in time.
    Timeout,
}

impl ModelErrorKind {
    /// The kind's name, as it is stored: `transport`.
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
    /// A failure in words for the host. What nobody sees in them becomes an escape, as in
    /// [`Printable`]: most are a provider's.
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

    /// Sets how long the provider asks to wait.
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

    /// Which way it failed.
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
