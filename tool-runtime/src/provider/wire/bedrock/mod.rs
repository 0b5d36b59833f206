//! Amazon Bedrock's Converse.
//!
//! Source: the shapes `ToolSpecification`, `ToolUseBlock`, `ToolResultBlock` and `ToolChoice` of
//! botocore's `bedrock-runtime` 2023-09-30 `service-2.json`, botocore 1.44, 2026-11.

mod request;
mod response;
mod stream;

use self::response::Response;
use self::stream::Stream;
use super::stream::Assemble;
use super::{Provider, ReadResponse, WireError};

pub(super) struct BedrockConverse;

impl Provider for BedrockConverse {
    fn response<'t>(&self, text: &'t str) -> Result<Box<dyn ReadResponse + 't>, WireError> {
        Ok(Box::new(Response::read(text)?))
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(Stream::default())
    }
}
