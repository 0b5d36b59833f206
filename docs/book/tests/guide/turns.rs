//! The page `turns.md`.
