//! The page `errors.md`.
