//! `OpenAI`'s Responses.
//!
//! Source: the `FunctionTool`, `FunctionToolCall`, `FunctionCallOutputItemParam` and
//! `ToolChoiceFunction` of openai/openai-openapi, `openapi.yaml`, 2026-08.

pub(super) mod loading;
pub(super) mod request;
pub(super) mod response;
pub(super) mod stream;

pub use self::response::MCP_APPROVAL;

pub(super) struct OpenAiResponses;
