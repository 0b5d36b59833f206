//! Dialects of JSON Schema that providers accept for a tool's arguments, and the lowering of a schema into them.
//!
//! The rules are data: one table per dialect, in `table`, each rule with its source, so a correction is one
//! line. A schema is first brought into one form (`canonical`), then lowered by the dialect's table
//! (`lower`). The inverse that comes with the result restores a model's arguments (`restore`).

mod canonical;
mod inverse;
mod limit;
mod lower;
mod names;
mod report;
mod restore;
mod rules;
mod shared;
mod size;
mod table;
mod verdict;

use std::fmt;
use std::str::FromStr;

use toolwright_schema::text::{did_you_mean, near};

pub use self::inverse::{Inverse, Op, Step};
pub use self::limit::Limit;
pub use self::limit::{LimitUse, shares};
pub use self::lower::{Lowered, lower};
pub use self::lower::{lower_all, object_root};
pub use self::names::Renames;
pub use self::report::{LowerError, LowerErrorCode, Note, NoteKind};
use self::rules::Rules;
pub(crate) use self::shared::provider_text;
pub use self::size::Size;
pub use self::verdict::Analysis;
pub use self::verdict::{Acceptance, InverseSteps};

/// Dialect of JSON Schema that one provider's API accepts.
///
/// ```
/// use toolwright::{Dialect, Wire, tool, tools};
///
/// /// Lists files.
/// #[tool]
/// fn list(#[arg(range(1..=50))] at_most: Option<u8>) -> Vec<String> {
///     vec![format!("{at_most:?}")]
/// }
///
/// // The compiler checks the list against the dialects that it names.
/// let tools = tools! { targets: [openai_strict, anthropic_strict]; list };
/// let definitions = Wire::OpenAiChat.definitions_in(&tools, Dialect::OpenAiStrict).unwrap();
/// assert!(definitions.text().contains(r#""strict":true"#));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// `OpenAI`'s Chat Completions and Responses, `strict: true`.
    OpenAiStrict,
    /// `OpenAI`'s, `strict: false`.
    OpenAiNonStrict,
    /// Azure's `OpenAI`, `strict: true`.
    AzureStrict,
    /// Anthropic's Messages.
    Anthropic,
    /// Anthropic's Messages, `strict: true`.
    AnthropicStrict,
    /// Gemini's `parameters`, a subset of `OpenAPI`.
    GeminiOpenApi,
    /// Gemini's `parametersJsonSchema`.
    GeminiJson,
    /// Bedrock's Converse.
    Bedrock,
    /// `DeepSeek`'s `/beta`, `strict: true`.
    DeepSeekStrict,
    /// Ollama's `/api/chat`.
    Ollama,
    /// Mistral's chat.
    Mistral,
    /// Groq's chat, `strict: true`.
    Groq,
    /// `xAI`'s chat.
    Xai,
    /// vLLM with xgrammar.
    Vllm,
    /// llguidance, on its own or in vLLM and llama.cpp.
    LlGuidance,
    /// MCP, version 2025-03-26.
    Mcp20250326,
    /// MCP, version 2025-06-18.
    Mcp20250618,
    /// MCP, version 2025-11-25.
    Mcp20251125,
    /// MCP, version 2026-07-28.
    Mcp20260728,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 19] = [
        Self::OpenAiStrict,
        Self::OpenAiNonStrict,
        Self::AzureStrict,
        Self::Anthropic,
        Self::AnthropicStrict,
        Self::GeminiOpenApi,
        Self::GeminiJson,
        Self::Bedrock,
        Self::DeepSeekStrict,
        Self::Ollama,
        Self::Mistral,
        Self::Groq,
        Self::Xai,
        Self::Vllm,
        Self::LlGuidance,
        Self::Mcp20250326,
        Self::Mcp20250618,
        Self::Mcp20251125,
        Self::Mcp20260728,
    ];

    const fn rules(self) -> &'static Rules {
        match self {
            Self::OpenAiStrict => &table::OPENAI_STRICT,
            Self::OpenAiNonStrict => &table::OPENAI_NON_STRICT,
            Self::AzureStrict => &table::AZURE_STRICT,
            Self::Anthropic => &table::ANTHROPIC,
            Self::AnthropicStrict => &table::ANTHROPIC_STRICT,
            Self::GeminiOpenApi => &table::GEMINI_OPENAPI,
            Self::GeminiJson => &table::GEMINI_JSON,
            Self::Bedrock => &table::BEDROCK,
            Self::DeepSeekStrict => &table::DEEPSEEK_STRICT,
            Self::Ollama => &table::OLLAMA,
            Self::Mistral => &table::MISTRAL,
            Self::Groq => &table::GROQ,
            Self::Xai => &table::XAI,
            Self::Vllm => &table::VLLM,
            Self::LlGuidance => &table::LLGUIDANCE,
            Self::Mcp20250326 => &table::MCP_2025_03_26,
            Self::Mcp20250618 => &table::MCP_2025_06_18,
            Self::Mcp20251125 => &table::MCP_2025_11_25,
            Self::Mcp20260728 => &table::MCP_2026_07_28,
        }
    }

    /// The dialect's name, for configuration and logs: `openai_strict`.
    pub const fn name(self) -> &'static str {
        self.rules().name
    }

    /// Returns true if the provider is asked to enforce the schema.
    pub fn is_strict(self) -> bool {
        self.rules().strict
    }

    /// Returns the same provider's dialect without strictness; itself if it is not a strict mode.
    ///
    /// ```
    /// use toolwright::Dialect;
    ///
    /// assert_eq!(Dialect::AzureStrict.non_strict(), Dialect::OpenAiNonStrict);
    /// assert_eq!(Dialect::GeminiJson.non_strict(), Dialect::GeminiJson);
    /// ```
    pub const fn non_strict(self) -> Self {
        match self.rules().non_strict {
            Some(non_strict) => non_strict,
            None => self,
        }
    }

    /// The most characters that the provider is known to have taken of a tool's description.
    pub const fn longest_description(self) -> Option<usize> {
        self.rules().description
    }

    /// The dialect of this name.
    pub const fn named(name: &str) -> Option<Self> {
        let mut rest: &[Self] = &Self::ALL;
        while let [one, tail @ ..] = rest {
            if toolwright_schema::text::same(one.name(), name) {
                return Some(*one);
            }
            rest = tail;
        }
        None
    }

    /// Returns true if a tool may have this name.
    ///
    /// ```
    /// use toolwright::Dialect;
    ///
    /// assert!(Dialect::GeminiJson.accepts_name("admin.list"));
    /// assert!(!Dialect::OpenAiStrict.accepts_name("admin.list"));
    /// ```
    pub const fn accepts_name(self, name: &str) -> bool {
        self.rules().tool_name.accepts(name)
    }

    /// Returns the limits of one request, over all of its tools of this dialect.
    pub const fn request_limits(self) -> RequestLimits {
        self.rules().limits.request
    }
}

/// Limits of one request, over all of its tools; `None` where no limit is known.
///
/// [`Lowered`] has a schema's share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestLimits {
    /// Tools.
    pub tools: Option<usize>,
    /// Keys that may be missing.
    pub optional_keys: Option<usize>,
    /// Values of one of several types, `null` included.
    pub unions: Option<usize>,
}

impl RequestLimits {
    const NONE: Self = Self {
        tools: None,
        optional_keys: None,
        unions: None,
    };
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        let found = Self::ALL.into_iter().find(|one| one.name() == name);
        found.ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

/// Error of an unknown dialect name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownDialect(String);

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = || Dialect::ALL.into_iter().map(Dialect::name);
        let near = near(&self.0, names());
        let told = match near.as_slice() {
            [] => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
            near => did_you_mean(near),
        };
        write!(f, "no dialect is called {:?}; {told}", self.0)
    }
}

impl std::error::Error for UnknownDialect {}
