//! The page `people.md`.
