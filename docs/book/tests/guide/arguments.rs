//! The page `arguments.md`.
