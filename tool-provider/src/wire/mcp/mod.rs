//! The Model Context Protocol, as its server: the client's `tools/call` asks for a call.
//!
//! Source: `Tool`, `CallToolRequestParams`, `CallToolResult` and `ContentBlock` of
//! modelcontextprotocol/modelcontextprotocol, `schema/2025-11-25/schema.ts` and
//! `schema/2026-07-28/schema.ts`.

pub(super) mod request;
pub(super) mod response;
pub(super) mod stream;

pub(super) struct Mcp {
    /// Since 2026-07-28: structured content and its schema are of any type, and a result says that
    /// it is one.
    of_2026: bool,
}

impl Mcp {
    pub(super) const UP_TO_2025: Self = Self { of_2026: false };
    pub(super) const OF_2026: Self = Self { of_2026: true };
}
