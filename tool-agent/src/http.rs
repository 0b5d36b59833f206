//! Models behind HTTP.

mod body;
mod failure;
mod send;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use serde_json::{Map, Value};
use toolwright_runtime::{Dialect, Fit, Wire};

use crate::BoxFuture;
use crate::model::{DeltaSink, Model, ModelError, ModelRequest, ModelResponse};

/// A model behind HTTP, at whatever address speaks a provider's format.
///
/// ```no_run
/// use toolwright::agent::{Agent, Endpoint, Session};
/// use toolwright::{Context, Toolset};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let key = std::env::var("API_KEY")?;
/// let model = Endpoint::anthropic("https://api.anthropic.com", "claude-sonnet-4-5", key);
/// let agent = Agent::new(model, &Toolset::default());
/// let mut session = Session::ask("Hi!");
/// let run = agent.run(&mut session, &Context::new()).await?;
/// # Ok(()) }
/// ```
///
/// The endpoint streams if somebody listens, with the same result. Errors have a [`kind`](ModelError::kind):
/// - [`Busy`](crate::ModelErrorKind::Busy): the provider answered 408, 409, 425, 429 or 5xx.
/// - [`Refused`](crate::ModelErrorKind::Refused): any other error answer, with the provider's message.
/// - [`Transport`](crate::ModelErrorKind::Transport): the connection broke, also in the middle of a stream.
/// - [`Timeout`](crate::ModelErrorKind::Timeout): the answer was too late.
/// - [`Unreadable`](crate::ModelErrorKind::Unreadable): the answer has no known form, or is too long.
///
/// A request that may succeed later is sent again, if no piece of its answer was reported yet:
/// [`retries`](Self::retries).
///
/// The key appears in no `Debug` output and no error. Redirections are not followed, since they could carry the key
/// elsewhere.
#[derive(Clone)]
pub struct Endpoint {
    wire: Wire,
    base_url: Arc<str>,
    model: Arc<str>,
    key: Option<Arc<str>>,
    fit: Fit,
    max_tokens: Option<u64>,
    members: Map<String, Value>,
    headers: Vec<(String, String)>,
    timeout: Duration,
    silence: Duration,
    most_bytes: usize,
    retries: u32,
    /// Made at the first request; shared by clones.
    client: Arc<OnceLock<Result<Client, ModelError>>>,
}

impl Endpoint {
    /// A model behind `OpenAI`'s Chat Completions, or one of the many endpoints that speak them. The
    /// address is what stands before `/chat/completions`: `https://api.openai.com/v1`. Tools are
    /// declared strictly.
    pub fn openai_chat(
        base_url: impl Into<Arc<str>>,
        model: impl Into<Arc<str>>,
        key: impl Into<Arc<str>>,
    ) -> Self {
        Self::of(Wire::OpenAiChat, base_url, model, Dialect::OpenAiStrict).key(key)
    }

    /// A model behind `OpenAI`'s Responses. The address is what stands before `/responses`:
    /// `https://api.openai.com/v1`. Tools are declared strictly.
    pub fn openai_responses(
        base_url: impl Into<Arc<str>>,
        model: impl Into<Arc<str>>,
        key: impl Into<Arc<str>>,
    ) -> Self {
        Self::of(
            Wire::OpenAiResponses,
            base_url,
            model,
            Dialect::OpenAiStrict,
        )
        .key(key)
    }

    /// A model behind Anthropic's Messages. The address is what stands before `/v1/messages`:
    /// `https://api.anthropic.com`. Answers have at most 8,192 tokens, unless
    /// [`max_tokens`](Self::max_tokens) says otherwise: a request must say how many.
    pub fn anthropic(
        base_url: impl Into<Arc<str>>,
        model: impl Into<Arc<str>>,
        key: impl Into<Arc<str>>,
    ) -> Self {
        let endpoint = Self::of(Wire::Anthropic, base_url, model, Dialect::Anthropic);
        endpoint.key(key).max_tokens(8_192)
    }

    /// A model behind Gemini's `generateContent`. The address is what stands before
    /// `/v1beta/models`: `https://generativelanguage.googleapis.com`.
    pub fn gemini(
        base_url: impl Into<Arc<str>>,
        model: impl Into<Arc<str>>,
        key: impl Into<Arc<str>>,
    ) -> Self {
        Self::of(Wire::Gemini, base_url, model, Dialect::GeminiJson).key(key)
    }

    /// A model behind Ollama. The address is what stands before `/api/chat`:
    /// `http://localhost:11434`.
    pub fn ollama(base_url: impl Into<Arc<str>>, model: impl Into<Arc<str>>) -> Self {
        Self::of(Wire::Ollama, base_url, model, Dialect::Ollama)
    }

    fn of(
        wire: Wire,
        base_url: impl Into<Arc<str>>,
        model: impl Into<Arc<str>>,
        dialect: Dialect,
    ) -> Self {
        Self {
            wire,
            base_url: base_url.into(),
            model: model.into(),
            key: None,
            fit: Fit::to(dialect),
            max_tokens: None,
            members: Map::new(),
            headers: Vec::new(),
            timeout: Duration::from_mins(10),
            silence: Duration::from_mins(2),
            most_bytes: 32 << 20,
            retries: 2,
            client: Arc::default(),
        }
    }

    /// Sets the API key. With an empty key, none is sent.
    pub fn key(self, key: impl Into<Arc<str>>) -> Self {
        let key = key.into();
        let key = (!key.is_empty()).then_some(key);
        Self { key, ..self }
    }

    /// Sets the dialect in which tools are declared.
    pub fn dialect(self, fit: impl Into<Fit>) -> Self {
        let fit = fit.into();
        Self { fit, ..self }
    }

    /// Limits the tokens of an answer.
    pub fn max_tokens(self, most: u64) -> Self {
        Self {
            max_tokens: Some(most),
            ..self
        }
    }

    /// Adds a member to the body of each request, as `temperature`. It replaces the member of that name; two objects
    /// are merged member by member. A value that cannot be written as JSON is left out.
    pub fn member(mut self, name: impl Into<String>, value: impl Serialize) -> Self {
        if let Ok(value) = serde_json::to_value(value) {
            self.members.insert(name.into(), value);
        }
        self
    }

    /// Adds a header. A header that HTTP does not allow fails at the first request.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the time limit for a whole answer, for each [attempt](Self::retries). Default: 10 minutes.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Sets the time limit for the next piece of an answer. Default: 2 minutes.
    pub fn silence(self, silence: Duration) -> Self {
        Self {
            silence,
            client: Arc::default(),
            ..self
        }
    }

    /// Limits the bytes that are read of an answer. Default: 32 MiB.
    pub fn most_bytes(self, most: usize) -> Self {
        Self {
            most_bytes: most,
            ..self
        }
    }

    /// Sets how often a request is retried after a failure that may be transient. Default: 2. The wait is the
    /// provider's, if it names one, and a wait of more than a minute is not retried. Otherwise the wait is half a
    /// second, doubled each time.
    pub fn retries(self, most: u32) -> Self {
        Self {
            retries: most,
            ..self
        }
    }

    /// Its wire.
    pub fn wire(&self) -> Wire {
        self.wire
    }

    fn url(&self, streams: bool) -> String {
        let base = self.base_url.trim_end_matches('/');
        let with_version = |version: &str| {
            if base.ends_with(version) {
                base.to_owned()
            } else {
                format!("{base}{version}")
            }
        };
        match self.wire {
            Wire::OpenAiResponses => format!("{base}/responses"),
            Wire::Anthropic => format!("{}/messages", with_version("/v1")),
            Wire::Gemini => {
                let (base, model) = (with_version("/v1beta"), &self.model);
                let method = if streams {
                    "streamGenerateContent?alt=sse"
                } else {
                    "generateContent"
                };
                format!("{base}/models/{model}:{method}")
            }
            Wire::Ollama => format!("{base}/api/chat"),
            _ => format!("{base}/chat/completions"),
        }
    }

    fn headers(&self) -> Result<HeaderMap, ModelError> {
        let mut headers = HeaderMap::new();
        let mut put = |name: &str, value: &str, secret: bool| {
            let pair = HeaderName::from_bytes(name.as_bytes())
                .ok()
                .zip(HeaderValue::from_str(value).ok());
            let Some((header, mut value)) = pair else {
                return Err(failure::refused(format!(
                    "the header `{name}` has a name or a value that HTTP does not allow"
                )));
            };
            value.set_sensitive(secret);
            headers.insert(header, value);
            Ok(())
        };
        put("content-type", "application/json", false)?;
        if self.wire == Wire::Anthropic {
            put("anthropic-version", "2023-06-01", false)?;
        }
        if let Some(key) = &self.key {
            match self.wire {
                Wire::Anthropic => put("x-api-key", key, true)?,
                Wire::Gemini => put("x-goog-api-key", key, true)?,
                _ => put("authorization", &format!("Bearer {key}"), true)?,
            }
        }
        for (name, value) in &self.headers {
            put(name, value, true)?;
        }
        Ok(headers)
    }
}

impl Model for Endpoint {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        deltas: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(self.send(request, deltas))
    }
}

impl fmt::Debug for Endpoint {
    /// Without its address, which can hold secrets as well.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("wire", &self.wire)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}
