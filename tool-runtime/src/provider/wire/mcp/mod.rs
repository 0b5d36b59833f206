//! The Model Context Protocol, as its server: the client's `tools/call` is what asks for a call.
//!
//! Source: `Tool`, `CallToolRequestParams`, `CallToolResult` and `ContentBlock` of
//! modelcontextprotocol/modelcontextprotocol, `schema/2025-11-25/schema.ts` and
//! `schema/2026-07-28/schema.ts`.

mod request;
mod response;
mod stream;

use self::response::Response;
use self::stream::Stream;
use super::stream::Assemble;
use super::{Provider, ReadResponse, WireError};

pub(super) struct Mcp {
    /// Since 2026-07-28: structured content and its schema are of any type, and a result says that
    /// it is one.
    of_2026: bool,
}

impl Mcp {
    pub(super) const UP_TO_2025: Self = Self { of_2026: false };
    pub(super) const OF_2026: Self = Self { of_2026: true };
}

impl Provider for Mcp {
    fn response<'t>(&self, text: &'t str) -> Result<Box<dyn ReadResponse + 't>, WireError> {
        Ok(Box::new(Response::read(text)?))
    }

    fn stream(&self) -> Box<dyn Assemble> {
        Box::new(Stream::default())
    }
}
