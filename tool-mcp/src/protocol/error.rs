//! Errors of JSON-RPC.

use toolwright_json::ObjectWriter;
use toolwright_schema::text::Printable;

/// Codes of errors.
///
/// Source: JSON-RPC 2.0, section 5.1, and "Error Codes" of the protocol's 2026-07-28.
pub(crate) mod code {
    pub(crate) const PARSE_ERROR: i64 = -32700;
    pub(crate) const INVALID_REQUEST: i64 = -32600;
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    pub(crate) const INVALID_PARAMS: i64 = -32602;
    pub(crate) const INTERNAL_ERROR: i64 = -32603;
    /// The client does not accept the stream that an answer takes. The official TypeScript server uses this code, too.
    pub(crate) const NOT_ACCEPTABLE: i64 = -32000;
    /// Up to 2025-11-25.
    pub(crate) const RESOURCE_NOT_FOUND: i64 = -32002;
    /// Headers of HTTP say something else than the message.
    pub(crate) const HEADER_MISMATCH: i64 = -32020;
    pub(crate) const MISSING_CAPABILITY: i64 = -32021;
    pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;
}

/// So much of an error's words is sent.
const MOST: usize = 512;

/// An error, as a response has it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    /// JSON.
    pub(crate) data: Option<String>,
}

impl RpcError {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    pub(crate) fn method_not_found(method: &str) -> Self {
        Self::new(code::METHOD_NOT_FOUND, format!("unknown method `{method}`"))
    }

    pub(crate) fn with_data(mut self, json: impl Into<String>) -> Self {
        self.data = Some(json.into());
        self
    }

    pub(crate) fn to_json(&self) -> String {
        // What the other side wrote may stand in it.
        let message = Printable::new(&self.message).at_most(MOST).to_string();
        ObjectWriter::new()
            .json("code", &self.code.to_string())
            .text("message", &message)
            .maybe_json("data", self.data.as_deref())
            .end()
    }
}
