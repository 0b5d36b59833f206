//! The page `testing.md`.
