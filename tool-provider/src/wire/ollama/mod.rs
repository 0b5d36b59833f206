//! Ollama's `/api/chat`.
//!
//! Source: the types `Message`, `ToolCall` and `Tool` of ollama/ollama, `api/types.go`, and
//! `docs/api.md`, 2026-10.

pub(super) mod request;
pub(super) mod response;
pub(super) mod stream;

pub(super) struct Ollama;
