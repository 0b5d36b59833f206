//! The page `mcp-client.md`.
