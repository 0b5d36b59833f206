//! The page `costs.md`.
