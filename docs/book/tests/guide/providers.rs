//! The page `providers.md`.
