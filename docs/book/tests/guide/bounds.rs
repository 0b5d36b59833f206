//! The page `bounds.md`.
