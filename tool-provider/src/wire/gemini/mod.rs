//! Gemini's `generateContent`.
//!
//! Source: the types `FunctionDeclaration`, `FunctionCall`, `FunctionResponse` and
//! `FunctionCallingConfig` of the Gemini API reference (v1beta) and of python-genai 3.4, 2026-11.

mod partial_call;
pub(super) mod request;
pub(super) mod response;
pub(super) mod stream;

pub(super) struct Gemini;
