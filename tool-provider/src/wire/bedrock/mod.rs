//! Amazon Bedrock's Converse.
//!
//! Source: the shapes `ToolSpecification`, `ToolUseBlock`, `ToolResultBlock` and `ToolChoice` of
//! botocore's `bedrock-runtime` 2023-09-30 `service-2.json`, botocore 1.44, 2026-11.

pub(super) mod request;
pub(super) mod response;
pub(super) mod stream;

pub(super) struct BedrockConverse;
