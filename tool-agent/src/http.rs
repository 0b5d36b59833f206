//! Models behind HTTP.
//!
//! An [`Endpoint`] sends a request and reads the response, whole or as a stream. `body` writes the request, `send`
//! transfers it and retries, `failure` maps errors. No error and no `Debug` output contains the key.

mod body;
mod chat;
mod failure;
mod send;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use serde_json::{Map, Value};
use toolwright_provider::definitions::DefinitionOptions;
use toolwright_provider::dialect::Dialect;
use toolwright_provider::wire::{Loading, Wire};
use toolwright_runtime::tool::BoxFuture;

use self::chat::ChatProvider;
use crate::model::{DeltaSink, Model, ModelError, ModelRequest, ModelResponse};

/// A model behind HTTP, at any address that uses a provider's format.
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
/// The endpoint streams if there is a listener, with the same result. Errors have a [`kind`](ModelError::kind):
/// - [`Busy`](crate::model::ModelErrorKind::Busy): the provider answered 408, 409, 425, 429 or 5xx.
/// - [`Refused`](crate::model::ModelErrorKind::Refused): any other error status, with the provider's message.
/// - [`Transport`](crate::model::ModelErrorKind::Transport): the connection broke, also in the middle of a stream.
/// - [`Timeout`](crate::model::ModelErrorKind::Timeout): the response was not complete in time.
/// - [`Unreadable`](crate::model::ModelErrorKind::Unreadable): the response has no known form, or is too long.
///
/// A transient failure is [retried](Self::retries), unless a piece of the response was already sent to the listener.
///
/// The key appears in no `Debug` output and no error. Redirects are not followed, since they could send the key
/// elsewhere.
#[derive(Clone)]
pub struct Endpoint {
    wire: Wire,
    /// What the endpoint of a chat takes.
    chat: &'static ChatProvider,
    base_url: Arc<str>,
    model: Arc<str>,
    key: Option<Arc<str>>,
    fit: DefinitionOptions,
    max_tokens: Option<u64>,
    is_free: bool,
    members: Map<String, Value>,
    builtins: Vec<Value>,
    pictures_after: Option<bool>,
    headers: Vec<(String, String)>,
    timeout: Duration,
    read_timeout: Duration,
    max_bytes: usize,
    retries: u32,
    /// Created at the first request; shared by clones.
    client: Arc<OnceLock<Result<Client, ModelError>>>,
}

impl Endpoint {
    /// Creates a model behind `OpenAI`'s Chat Completions. The base URL is the part before `/chat/completions`:
    /// `https://api.openai.com/v1`. Tools are declared in strict mode. For other providers of this format, see
    /// [`groq`](Self::groq) and its neighbours, and [`compatible`](Self::compatible).
    pub fn openai_chat(
        base_url: impl Into<Arc<str>>,
        model: impl Into<Arc<str>>,
        key: impl Into<Arc<str>>,
    ) -> Self {
        Self::of(Wire::OpenAiChat, base_url, model, Dialect::OpenAiStrict).key(key)
    }

    /// Creates a model behind `OpenAI`'s Responses. The base URL is the part before `/responses`:
    /// `https://api.openai.com/v1`. Tools are declared in strict mode.
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

    /// Creates a model behind Anthropic's Messages. The base URL is the part before `/v1/messages`:
    /// `https://api.anthropic.com`. Requests must limit the tokens of a response; default of
    /// [`max_tokens`](Self::max_tokens): 8,192.
    pub fn anthropic(
        base_url: impl Into<Arc<str>>,
        model: impl Into<Arc<str>>,
        key: impl Into<Arc<str>>,
    ) -> Self {
        let endpoint = Self::of(Wire::Anthropic, base_url, model, Dialect::Anthropic);
        endpoint.key(key).max_tokens(8_192)
    }

    /// Creates a model behind Gemini's `generateContent`. The base URL is the part before `/v1beta/models`:
    /// `https://generativelanguage.googleapis.com`.
    pub fn gemini(
        base_url: impl Into<Arc<str>>,
        model: impl Into<Arc<str>>,
        key: impl Into<Arc<str>>,
    ) -> Self {
        Self::of(Wire::Gemini, base_url, model, Dialect::GeminiJson).key(key)
    }

    /// Creates a model behind Ollama. The base URL is the part before `/api/chat`: `http://localhost:11434`.
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
            chat: &chat::OPENAI,
            base_url: base_url.into(),
            model: model.into(),
            key: None,
            fit: DefinitionOptions::to(dialect),
            max_tokens: None,
            is_free: false,
            members: Map::new(),
            builtins: Vec::new(),
            pictures_after: None,
            headers: Vec::new(),
            timeout: Duration::from_mins(10),
            read_timeout: Duration::from_mins(2),
            max_bytes: 32 << 20,
            retries: 2,
            client: Arc::default(),
        }
    }

    /// Sets the API key. An empty key is not sent.
    pub fn key(self, key: impl Into<Arc<str>>) -> Self {
        let key = key.into();
        let key = (!key.is_empty()).then_some(key);
        Self { key, ..self }
    }

    /// Sets the dialect in which tools are declared.
    pub fn dialect(self, fit: impl Into<DefinitionOptions>) -> Self {
        let fit = fit.into();
        Self { fit, ..self }
    }

    /// Sets how deferred tools are loaded. Default: in the provider's own form for models that are known to have one, by their
    /// names; otherwise [`Loading::Plain`].
    pub fn loading(self, loading: Loading) -> Self {
        let fit = self.fit.loading(loading);
        Self { fit, ..self }
    }

    /// Says that the model costs nothing, so that a budget of money needs no price of it: see [`Model::is_free`].
    pub fn free(self) -> Self {
        Self {
            is_free: true,
            ..self
        }
    }

    /// Limits the tokens of a response.
    pub fn max_tokens(self, most: u64) -> Self {
        Self {
            max_tokens: Some(most),
            ..self
        }
    }

    /// Adds a member to the body of each request, such as `temperature`. It replaces the member with that name; two
    /// objects are merged. A value that cannot be written as JSON is ignored.
    pub fn body_field(mut self, name: impl Into<String>, value: impl Serialize) -> Self {
        if let Ok(value) = serde_json::to_value(value) {
            self.members.insert(name.into(), value);
        }
        self
    }

    /// Adds a tool of the provider's own to the tools of each request, such as `{"type": "web_search"}`. The provider runs it;
    /// [`ModelResponse::hosted`] has its calls. A value that cannot be written as JSON is ignored.
    pub fn builtin(mut self, tool: impl Serialize) -> Self {
        self.builtins.extend(serde_json::to_value(tool));
        self
    }

    /// Sets whether the pictures of results follow in a message of their own: see [`Encoder::pictures_after`]. Default: for
    /// Gemini models before 3, and those without a version, by their names.
    ///
    /// [`Encoder::pictures_after`]: toolwright_provider::call::Encoder::pictures_after
    pub fn pictures_after(self, after: bool) -> Self {
        let pictures_after = Some(after);
        Self {
            pictures_after,
            ..self
        }
    }

    /// Adds a header. An invalid header is an error of the first request.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the time limit of one [attempt](Self::retries). Default: 10 minutes.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Sets the time limit for the next piece of a response. Default: 2 minutes.
    pub fn read_timeout(self, read_timeout: Duration) -> Self {
        Self {
            read_timeout,
            client: Arc::default(),
            ..self
        }
    }

    /// Limits the bytes read of a response. Default: 32 MiB.
    pub fn max_bytes(self, most: usize) -> Self {
        Self {
            max_bytes: most,
            ..self
        }
    }

    /// Sets how often a transient failure is retried. Default: 2. The wait is the provider's, if it names one; a wait
    /// longer than a minute is not retried. Otherwise the wait is half a second, doubled each time.
    pub fn retries(self, most: u32) -> Self {
        Self {
            retries: most,
            ..self
        }
    }

    /// Returns the wire.
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
                Wire::OpenAiChat if self.chat.has_key_header => put("api-key", key, true)?,
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

    fn name(&self) -> Option<&str> {
        Some(&self.model)
    }

    fn is_free(&self) -> bool {
        self.is_free
    }

    fn definition_options(&self) -> Option<(Wire, DefinitionOptions)> {
        Some((self.wire, self.fit()))
    }
}

impl fmt::Debug for Endpoint {
    /// Omits the base URL, which may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("wire", &self.wire)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}
