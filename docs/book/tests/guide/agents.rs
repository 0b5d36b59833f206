//! The page `agents.md`.
