//! Responses.

use async_openai::error::OpenAIError;
use async_openai::types::responses::{InputItem, Response, Tool};
use toolwright::wire::{DefinitionOptions, Definitions, ToolList};
use toolwright::{Dialect, Encoder, ToolCall, ToolResult, Wire};

use crate::{from_json, invalid, owned, to_json};

/// Tools of a request to Responses.
///
/// A streamed response comes whole in its last event, as `ResponseStreamEvent::ResponseCompleted`. Errors are
/// [`OpenAIError::InvalidArgument`].
#[derive(Debug, Clone)]
pub struct ResponsesTools {
    definitions: Definitions,
    tools: Vec<Tool>,
}

impl ResponsesTools {
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
        let definitions = Wire::OpenAiResponses.definitions_in(tools, options);
        let definitions = definitions.map_err(invalid)?;
        let tools = from_json(&definitions.text())?;
        Ok(Self { definitions, tools })
    }

    /// Returns the `tools` of a request.
    pub fn tools(&self) -> Vec<Tool> {
        self.tools.clone()
    }

    /// Returns the definitions. Their notes list what the dialect cannot express.
    pub fn definitions(&self) -> &Definitions {
        &self.definitions
    }

    /// Returns the calls of a response, in order; none if the model made none.
    ///
    /// # Errors
    /// When the response cannot be read.
    pub fn calls(&self, response: &Response) -> Result<Vec<ToolCall>, OpenAIError> {
        self.definitions.calls(&to_json(response)?).map_err(invalid)
    }

    /// Returns the items that the next request's input gains: the model's output, and the answers to its calls.
    ///
    /// A request with `previous_response_id` takes [`answers`](Self::answers) alone.
    ///
    /// # Errors
    /// When the response cannot be read.
    pub fn turn<'r>(
        &self,
        response: &Response,
        results: impl IntoIterator<Item = &'r ToolResult>,
    ) -> Result<Vec<InputItem>, OpenAIError> {
        let (response, results) = (to_json(response)?, owned(results));
        let turn = self.definitions.turn(&response, &results, Encoder::auto());
        from_json(&turn.map_err(invalid)?)
    }

    /// Returns the answers to calls, as items of the next request's input.
    ///
    /// # Errors
    /// When an answer cannot be written.
    pub fn answers<'r>(
        &self,
        results: impl IntoIterator<Item = &'r ToolResult>,
    ) -> Result<Vec<InputItem>, OpenAIError> {
        let answers = self.definitions.results(&owned(results), Encoder::auto());
        from_json(&answers)
    }
}
