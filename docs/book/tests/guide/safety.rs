//! The page `safety.md`.
