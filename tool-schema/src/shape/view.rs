//! How a tree is shown, whatever shows it.

use crate::panics::reported;

/// Which of serde's sides is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// What is read: a key with a default may be missing.
    Input,
    /// What is written: every key is there.
    Output,
}

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// All that holds.
    Full,
    /// Without bounds that only repeat how wide a Rust number is.
    Provider,
    /// All that holds, and `writeOnly` at what is secret.
    Marked,
}

/// A default or an example as JSON. What makes it is the author's code: where that panics there is none, and the definitions
/// are written all the same.
pub fn written(json: fn() -> Option<String>) -> Option<String> {
    reported("a default or an example", json).flatten()
}
