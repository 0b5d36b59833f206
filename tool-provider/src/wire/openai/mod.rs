//! `OpenAI`'s Chat Completions.
//!
//! Source: the `ChatCompletionTool`, `ChatCompletionMessageToolCall` and
//! `ChatCompletionRequestToolMessage` of openai/openai-openapi, `openapi.yaml`, 2026-08.

mod failed_call;
pub(super) mod request;
pub(super) mod response;
pub(super) mod stream;

pub(super) struct OpenAiChat;
