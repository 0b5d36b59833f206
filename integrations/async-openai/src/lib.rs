#![doc = include_str!("../README.md")]

mod chat;
mod responses;

use async_openai::error::OpenAIError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Display;
use toolwright::ToolResult;

pub use self::chat::{ChatStream, ChatTools};
pub use self::responses::ResponsesTools;

/// Converts an error to that of async-openai, whose client the caller's loop uses beside it.
fn invalid(error: impl Display) -> OpenAIError {
    OpenAIError::InvalidArgument(error.to_string())
}

/// Writes a value of async-openai's as the JSON that the provider sends or takes.
fn to_json(value: &impl Serialize) -> Result<String, OpenAIError> {
    serde_json::to_string(value).map_err(invalid)
}

/// Reads JSON as a value of async-openai's.
fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, OpenAIError> {
    serde_json::from_str(text).map_err(invalid)
}

fn owned<'r>(results: impl IntoIterator<Item = &'r ToolResult>) -> Vec<ToolResult> {
    results.into_iter().cloned().collect()
}
