//! `OpenAI`'s Responses.
//!
//! Source: the `FunctionTool`, `FunctionToolCall`, `FunctionCallOutputItemParam` and
//! `ToolChoiceFunction` of openai/openai-openapi, `openapi.yaml`, 2026-08.

mod request;
mod response;
mod stream;

use self::response::Response;
use self::stream::Stream;
use super::stream::Assemble;
use super::{Provider, ReadResponse, WireError};

pub(super) struct OpenAiResponses;

impl Provider for OpenAiResponses {
    fn response<'t>(&self, text: &'t str) -> Result<Box<dyn ReadResponse + 't>, WireError> {
        Ok(Box::new(Response::read(text)?))
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(Stream::default())
    }
}
