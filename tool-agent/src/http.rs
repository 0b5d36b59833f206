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

use crate::model::{Model, ModelError, News, Request, Responding};

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
/// It streams where somebody listens, with the same result. What fails is told by its
/// [`kind`](ModelError::kind): an answer that says so ([`Busy`](crate::ModelErrorKind::Busy) of 429
/// and of 5xx, else [`Refused`](crate::ModelErrorKind::Refused), in the provider's words), a
/// connection that broke ([`Transport`](crate::ModelErrorKind::Transport)), also in the midst of a
/// stream, an answer that is too late, or one that is of no known form or too long
/// ([`Unreadable`](crate::ModelErrorKind::Unreadable)). What may succeed later is sent again, if
/// nothing of the answer was told yet: [`retries`](Self::retries).
///
/// The key is in no `Debug` and no error. Redirections are not followed, or the key would be.
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

    /// The same endpoint, with this key; with an empty one it sends none.
    pub fn key(self, key: impl Into<Arc<str>>) -> Self {
        let key = key.into();
        let key = (!key.is_empty()).then_some(key);
        Self { key, ..self }
    }

    /// The same endpoint, which declares tools in this dialect.
    pub fn dialect(self, fit: impl Into<Fit>) -> Self {
        let fit = fit.into();
        Self { fit, ..self }
    }

    /// The same endpoint, whose answers have at most so many tokens.
    pub fn max_tokens(self, most: u64) -> Self {
        Self {
            max_tokens: Some(most),
            ..self
        }
    }

    /// The same endpoint, whose requests have this member in their body: `temperature`. It replaces
    /// what stands there; of two objects, member by member. A value that is no JSON is left out.
    pub fn member(mut self, name: impl Into<String>, value: impl Serialize) -> Self {
        if let Ok(value) = serde_json::to_value(value) {
            self.members.insert(name.into(), value);
        }
        self
    }

    /// The same endpoint, with one more header. One that HTTP does not allow is refused at the first
    /// request.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same endpoint, which waits so long for a whole answer: 10 minutes if nothing is said. Each
    /// [attempt](Self::retries) has so long.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The same endpoint, which waits so long for the next piece of an answer: 2 minutes if nothing
    /// is said.
    pub fn silence(self, silence: Duration) -> Self {
        Self {
            silence,
            client: Arc::default(),
            ..self
        }
    }

    /// The same endpoint, which reads so many bytes of an answer: 32 MiB if nothing is said.
    pub fn most_bytes(self, most: usize) -> Self {
        Self {
            most_bytes: most,
            ..self
        }
    }

    /// The same endpoint, which sends a request so many times more, when it may succeed then: twice
    /// if nothing is said. It waits as long as the provider asks, but gives up where that is more
    /// than a minute; where the provider says nothing, half a second, and each time twice as long.
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
    fn respond<'a>(&'a self, request: Request<'a>, news: News<'a>) -> Responding<'a> {
        Box::pin(self.send(request, news))
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
