//! The page `mcp-server.md`.
