//! Ollama's `/api/chat`.
//!
//! Source: the types `Message`, `ToolCall` and `Tool` of ollama/ollama, `api/types.go`, and
//! `docs/api.md`, 2026-10.

mod request;
mod response;
mod stream;

use self::response::Response;
use self::stream::Stream;
use super::stream::Assemble;
use super::{Provider, ReadResponse, WireError};

pub(super) struct Ollama;

impl Provider for Ollama {
    fn response<'t>(&self, text: &'t str) -> Result<Box<dyn ReadResponse + 't>, WireError> {
        Ok(Box::new(Response::read(text)?))
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(Stream::default())
    }
}
