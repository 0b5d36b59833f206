//! The page `state.md`.
