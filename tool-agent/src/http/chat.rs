//! Providers that speak `OpenAI`'s Chat Completions, and what each of them takes.

use std::sync::Arc;

use toolwright_provider::dialect::Dialect;
use toolwright_provider::wire::Wire;

use super::Endpoint;

/// What a provider takes of a request.
pub(super) struct ChatProvider {
    /// The part of the URL before `/chat/completions`.
    base_url: &'static str,
    dialect: Dialect,
    /// Key of the limit of a response's tokens.
    pub(super) max_tokens: &'static str,
    /// It takes `stream_options`. Without them, it reports the usage of a stream unasked, or never.
    pub(super) has_stream_options: bool,
    /// The API key is sent in the header `api-key`.
    pub(super) has_key_header: bool,
}

/// Source: openai/openai-openapi, `openapi.yaml`, 2026-08.
pub(super) static OPENAI: ChatProvider = ChatProvider {
    base_url: "https://api.openai.com/v1",
    dialect: Dialect::OpenAiStrict,
    max_tokens: "max_completion_tokens",
    has_stream_options: true,
    has_key_header: false,
};

/// What every endpoint takes. `max_tokens` and no `stream_options` were there first.
static COMPATIBLE: ChatProvider = ChatProvider {
    base_url: "",
    dialect: Dialect::OpenAiNonStrict,
    max_tokens: "max_tokens",
    has_stream_options: false,
    has_key_header: false,
};

/// Takes what `OpenAI` takes. The model is the name of the deployment.
///
/// Source: "Azure `OpenAI` in Microsoft Foundry Models v1 API" of Microsoft's documentation (`api-version-lifecycle`), 2026-11;
/// `azure.md` of openai-node.
static AZURE: ChatProvider = ChatProvider {
    base_url: "",
    dialect: Dialect::AzureStrict,
    has_key_header: true,
    ..OPENAI
};

/// `max_tokens` is deprecated. Requests have no `stream_options`: streams report usage in `x_groq` unasked.
///
/// Source: the types `CompletionCreateParams` and `XGroq` of groq-python 1.7, 2026-11.
static GROQ: ChatProvider = ChatProvider {
    base_url: "https://api.groq.com/openai/v1",
    dialect: Dialect::Groq,
    has_stream_options: false,
    ..OPENAI
};

/// `max_tokens` is deprecated.
///
/// Source: "Chat completions" of xAI's API reference, 2026-11; `@ai-sdk/xai` 3.0.138 sends both keys.
static XAI: ChatProvider = ChatProvider {
    base_url: "https://api.x.ai/v1",
    dialect: Dialect::Xai,
    ..OPENAI
};

/// Answers 422 to keys that it does not know, such as `max_completion_tokens`, and knows no `stream_options`. Streams report
/// usage unasked.
///
/// Source: the type `ChatCompletionStreamRequest` of mistralai 3.7, 2026-11; editor-code-assistant/eca issue 231.
static MISTRAL: ChatProvider = ChatProvider {
    base_url: "https://api.mistral.ai/v1",
    dialect: Dialect::Mistral,
    ..COMPATIBLE
};

/// Takes `strict` only at its beta URL, and then of all tools.
///
/// Source: "Create chat completion" of `DeepSeek`'s API reference, 2026-11; `@ai-sdk/deepseek` 2.0.69 sends both keys.
static DEEPSEEK: ChatProvider = ChatProvider {
    base_url: "https://api.deepseek.com",
    has_stream_options: true,
    ..COMPATIBLE
};

/// Streams report usage unasked.
///
/// Source: "Usage accounting" of `OpenRouter`'s documentation, 2026-11.
static OPENROUTER: ChatProvider = ChatProvider {
    base_url: "https://openrouter.ai/api/v1",
    ..COMPATIBLE
};

/// Streams report usage unasked.
///
/// Source: the types `CompletionCreateParams` and `ChatCompletionChunk` of together-python 3.1, 2026-11; mlflow/mlflow pull
/// request 11557.
static TOGETHER: ChatProvider = ChatProvider {
    base_url: "https://api.together.xyz/v1",
    ..COMPATIBLE
};

impl Endpoint {
    fn chat(
        chat: &'static ChatProvider,
        base_url: impl Into<Arc<str>>,
        model: impl Into<Arc<str>>,
        key: impl Into<Arc<str>>,
    ) -> Self {
        let endpoint = Self::of(Wire::OpenAiChat, base_url, model, chat.dialect);
        Self { chat, ..endpoint }.key(key)
    }

    /// Creates a model behind any endpoint that speaks `OpenAI`'s Chat Completions. The base URL is the part before
    /// `/chat/completions`. A request has nothing that only some of them take: tools are not declared in strict mode, and a
    /// stream may report no usage.
    pub fn compatible(
        base_url: impl Into<Arc<str>>,
        model: impl Into<Arc<str>>,
        key: impl Into<Arc<str>>,
    ) -> Self {
        Self::chat(&COMPATIBLE, base_url, model, key)
    }

    /// Creates a model of Azure `OpenAI`. The base URL is `https://NAME.openai.azure.com/openai/v1`, and the model is the
    /// deployment. Tools are declared in strict mode.
    pub fn azure(
        base_url: impl Into<Arc<str>>,
        model: impl Into<Arc<str>>,
        key: impl Into<Arc<str>>,
    ) -> Self {
        Self::chat(&AZURE, base_url, model, key)
    }

    /// Creates a model of Groq.
    pub fn groq(model: impl Into<Arc<str>>, key: impl Into<Arc<str>>) -> Self {
        Self::chat(&GROQ, GROQ.base_url, model, key)
    }

    /// Creates a model of xAI.
    pub fn xai(model: impl Into<Arc<str>>, key: impl Into<Arc<str>>) -> Self {
        Self::chat(&XAI, XAI.base_url, model, key)
    }

    /// Creates a model of Mistral.
    pub fn mistral(model: impl Into<Arc<str>>, key: impl Into<Arc<str>>) -> Self {
        Self::chat(&MISTRAL, MISTRAL.base_url, model, key)
    }

    /// Creates a model of `DeepSeek`.
    pub fn deepseek(model: impl Into<Arc<str>>, key: impl Into<Arc<str>>) -> Self {
        Self::chat(&DEEPSEEK, DEEPSEEK.base_url, model, key)
    }

    /// Creates a model of `OpenRouter`.
    pub fn openrouter(model: impl Into<Arc<str>>, key: impl Into<Arc<str>>) -> Self {
        Self::chat(&OPENROUTER, OPENROUTER.base_url, model, key)
    }

    /// Creates a model of Together.
    pub fn together(model: impl Into<Arc<str>>, key: impl Into<Arc<str>>) -> Self {
        Self::chat(&TOGETHER, TOGETHER.base_url, model, key)
    }

    /// Sets the part of the URL before the path of requests.
    pub fn base_url(self, base_url: impl Into<Arc<str>>) -> Self {
        let base_url = base_url.into();
        Self { base_url, ..self }
    }
}
