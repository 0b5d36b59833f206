//! `OpenAI`'s Chat Completions.
//!
//! Source: the `ChatCompletionTool`, `ChatCompletionMessageToolCall` and
//! `ChatCompletionRequestToolMessage` of openai/openai-openapi, `openapi.yaml`, 2026-08.

pub(super) mod request;
pub(super) mod response;
mod stream;

use self::response::Response;
use self::stream::Stream;
use super::stream::Assemble;
use super::{Provider, ReadResponse, WireError};

pub(super) struct OpenAiChat;

impl Provider for OpenAiChat {
    fn response<'t>(&self, text: &'t str) -> Result<Box<dyn ReadResponse + 't>, WireError> {
        Ok(Box::new(Response::read(text)?))
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(Stream::default())
    }
}
