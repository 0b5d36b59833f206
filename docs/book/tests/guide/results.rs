//! The page `results.md`.
