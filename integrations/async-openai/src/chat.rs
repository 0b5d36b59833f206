//! Chat Completions.

use async_openai::error::OpenAIError;
use async_openai::types::chat::{
    ChatCompletionRequestMessage, ChatCompletionTools, CreateChatCompletionResponse,
    CreateChatCompletionStreamResponse,
};
use toolwright::wire::{Accumulator, DefinitionOptions, Definitions, StreamEvent, ToolList};
use toolwright::{Dialect, Encoder, ToolCall, ToolResult, Wire};

use crate::{from_json, invalid, owned, to_json};

/// Tools of a request to Chat Completions.
///
/// Errors are [`OpenAIError::InvalidArgument`].
#[derive(Debug, Clone)]
pub struct ChatTools {
    definitions: Definitions,
    tools: Vec<ChatCompletionTools>,
}

impl ChatTools {
    /// Converts tools for `OpenAI`'s strict mode. Tools that the mode cannot express are sent without strictness.
    ///
    /// # Errors
    /// When `OpenAI` would refuse the tools. The message has a line for each reason.
    pub fn new(tools: &(impl ToolList + ?Sized)) -> Result<Self, OpenAIError> {
        Self::in_dialect(tools, Dialect::OpenAiStrict)
    }

    /// Converts tools for another provider with `OpenAI`'s interface, or without strictness:
    /// [`Dialect::OpenAiNonStrict`].
    ///
    /// # Errors
    /// When the provider would refuse the tools. The message has a line for each reason.
    pub fn in_dialect(
        tools: &(impl ToolList + ?Sized),
        options: impl Into<DefinitionOptions>,
    ) -> Result<Self, OpenAIError> {
        let definitions = Wire::OpenAiChat.definitions_in(tools, options);
        let definitions = definitions.map_err(invalid)?;
        let tools = from_json(&definitions.text())?;
        Ok(Self { definitions, tools })
    }

    /// Returns the `tools` of a request.
    pub fn tools(&self) -> Vec<ChatCompletionTools> {
        self.tools.clone()
    }

    /// Returns the definitions. Their notes list what the dialect cannot express.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// Returns the calls of a response, in order; none if the model made none.
    ///
    /// # Errors
    /// When the response has no choices.
    pub fn calls(
        &self,
        response: &CreateChatCompletionResponse,
    ) -> Result<Vec<ToolCall>, OpenAIError> {
        self.definitions.calls(&to_json(response)?).map_err(invalid)
    }

    /// Returns the messages that the next request gains: the model's message and the answers to its calls.
    ///
    /// # Errors
    /// When the response has no choices.
    pub fn turn<'r>(
        &self,
        response: &CreateChatCompletionResponse,
        results: impl IntoIterator<Item = &'r ToolResult>,
    ) -> Result<Vec<ChatCompletionRequestMessage>, OpenAIError> {
        let (response, results) = (to_json(response)?, owned(results));
        let turn = self.definitions.turn(&response, &results, Encoder::auto());
        from_json(&turn.map_err(invalid)?)
    }

    /// Starts to assemble a streamed response.
    pub fn stream(&self) -> ChatStream {
        ChatStream(self.definitions.accumulator())
    }
}

/// Assembles the chunks of a streamed response, from [`ChatTools::stream`].
#[derive(Debug)]
pub struct ChatStream(Accumulator);

impl ChatStream {
    /// Adds a chunk. Returns what a user may want to see at once: text, and calls as they begin.
    ///
    /// # Errors
    /// When the provider reports an error in the chunk.
    pub fn push(
        &mut self,
        chunk: &CreateChatCompletionStreamResponse,
    ) -> Result<Vec<StreamEvent>, OpenAIError> {
        self.0.push(&to_json(chunk)?).map_err(invalid)
    }

    /// Returns the whole response, for [`ChatTools::calls`] and [`ChatTools::turn`].
    ///
    /// # Errors
    /// When the stream ended before the response did.
    pub fn finish(self) -> Result<CreateChatCompletionResponse, OpenAIError> {
        let streamed = self.0.finish().map_err(invalid)?;
        if !streamed.ended {
            return Err(invalid("the stream ended before the response was complete"));
        }
        from_json(&streamed.response)
    }
}
