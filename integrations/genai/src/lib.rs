#![doc = include_str!("../README.md")]

use genai::adapter::AdapterKind;
use genai::chat::{ChatMessage, Tool, ToolCall, ToolResponse};
use serde::Deserialize;
use serde_json::Value;
use toolwright::wire::{DefinitionOptions, Definitions, ToolList};
use toolwright::{Dialect, Encoder, ToolResult, Wire};

/// Tools of a request of genai's.
///
/// genai writes the request in the provider's format, so the tools here are in the provider's dialect alone.
#[derive(Debug, Clone)]
pub struct GenaiTools {
    definitions: Definitions,
    tools: Vec<Tool>,
}

/// Tool in the form that is read here, whatever provider genai writes it for.
#[derive(Deserialize)]
struct Declared {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    description: String,
    parameters: Value,
    #[serde(default)]
    strict: bool,
}

impl GenaiTools {
    /// Converts tools for a model, by the provider that genai chooses for its name: see [`dialect_of`].
    ///
    /// A client with a resolver of its own may choose another; take [`in_dialect`](Self::in_dialect) there.
    ///
    /// # Errors
    /// When the provider would refuse the tools: [`genai::Error::Internal`] has a line for each reason.
    pub fn for_model(tools: &(impl ToolList + ?Sized), model: &str) -> genai::Result<Self> {
        Self::in_dialect(tools, dialect_of(AdapterKind::from_model(model)?))
    }

    /// Converts tools for a dialect.
    ///
    /// # Errors
    /// When the provider would refuse the tools: [`genai::Error::Internal`] has a line for each reason.
    pub fn in_dialect(
        tools: &(impl ToolList + ?Sized),
        options: impl Into<DefinitionOptions>,
    ) -> genai::Result<Self> {
        let definitions = Wire::OpenAiChat.definitions_in(tools, options);
        let definitions = definitions.map_err(|error| genai::Error::Internal(error.to_string()))?;
        let declared: Vec<Declared> = serde_json::from_str(&definitions.text())?;
        let tools = declared.into_iter().map(|Declared { function }| {
            let tool = Tool::new(function.name).with_description(function.description);
            let tool = tool.with_schema(function.parameters);
            // Some adapters send `false` as well, which not all of their providers know.
            if function.strict {
                tool.with_strict(true)
            } else {
                tool
            }
        });
        let tools = tools.collect();
        Ok(Self { definitions, tools })
    }

    /// Returns the tools, for `ChatRequest::with_tools`.
    pub fn tools(&self) -> Vec<Tool> {
        self.tools.clone()
    }

    /// Returns the definitions. Their notes list what the dialect cannot express.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// Converts calls: those of `ChatResponse::tool_calls`, or of `StreamEnd::captured_tool_calls`.
    pub fn calls<'c>(
        &self,
        calls: impl IntoIterator<Item = &'c ToolCall>,
    ) -> Vec<toolwright::ToolCall> {
        let calls = calls.into_iter().map(|call| {
            let arguments = match &call.fn_arguments {
                Value::Null => String::new(),
                // Text of the model that is not JSON.
                Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            let (id, name) = (call.call_id.as_str(), call.fn_name.as_str());
            let mut call = toolwright::ToolCall::new(id, name, arguments);
            self.definitions.restore(&mut call);
            call
        });
        calls.collect()
    }

    /// Returns the message with the answers, which follows the model's message in the next request.
    pub fn answers<'r>(&self, results: impl IntoIterator<Item = &'r ToolResult>) -> ChatMessage {
        let renames = self.definitions.renames();
        let answers = results.into_iter().map(|result| {
            let name = renames.to_provider(&result.name).unwrap_or(&result.name);
            let answer = ToolResponse::new(&*result.id, result.content(Encoder::auto()));
            answer.with_fn_name(name)
        });
        ChatMessage::from(answers.collect::<Vec<_>>())
    }
}

/// Returns the dialect of a provider's tools: `OpenAI`'s strict mode. Tools for other providers are not strict.
pub fn dialect_of(provider: AdapterKind) -> Dialect {
    match provider {
        AdapterKind::OpenAI | AdapterKind::OpenAIResp => Dialect::OpenAiStrict,
        AdapterKind::Anthropic => Dialect::Anthropic,
        AdapterKind::Gemini | AdapterKind::GeminiIx => Dialect::GeminiJson,
        AdapterKind::BedrockApi => Dialect::Bedrock,
        AdapterKind::Ollama | AdapterKind::OllamaCloud => Dialect::Ollama,
        _ => Dialect::OpenAiNonStrict,
    }
}
