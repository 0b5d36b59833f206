//! The page `serve.md`.
