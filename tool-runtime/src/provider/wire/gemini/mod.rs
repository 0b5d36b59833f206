//! Gemini's `generateContent`.
//!
//! Source: the types `FunctionDeclaration`, `FunctionCall`, `FunctionResponse` and
//! `FunctionCallingConfig` of the Gemini API reference (v1beta) and of python-genai 3.4, 2026-11.

mod request;
mod response;
mod stream;

use self::response::Response;
use self::stream::Stream;
use super::stream::Assemble;
use super::{Provider, ReadResponse, WireError};

pub(super) struct Gemini;

impl Provider for Gemini {
    fn response<'t>(&self, text: &'t str) -> Result<Box<dyn ReadResponse + 't>, WireError> {
        Ok(Box::new(Response::read(text)?))
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(Stream::default())
    }
}
