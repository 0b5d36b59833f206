//! The page `your-client.md`.
