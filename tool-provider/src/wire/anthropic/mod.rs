//! Anthropic's Messages.
//!
//! Source: the types `ToolParam`, `ToolUseBlock` and `ToolResultBlockParam` of
//! anthropic-sdk-python, 2026-11.

pub(super) mod loading;
pub(super) mod request;
pub(super) mod response;
pub(super) mod stream;

pub(super) struct Anthropic;
