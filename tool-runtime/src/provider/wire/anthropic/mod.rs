//! Anthropic's Messages.
//!
//! Source: the types `ToolParam`, `ToolUseBlock` and `ToolResultBlockParam` of
//! anthropic-sdk-python, 2026-11.

mod request;
mod response;
mod stream;

use self::response::Response;
use self::stream::Stream;
use super::stream::Assemble;
use super::{Provider, ReadResponse, WireError};

pub(super) struct Anthropic;

impl Provider for Anthropic {
    fn response<'t>(&self, text: &'t str) -> Result<Box<dyn ReadResponse + 't>, WireError> {
        Ok(Box::new(Response::read(text)?))
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(Stream::default())
    }
}
