//! Views of a tree, whatever shows it.

/// Side of serde that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The values that are read: a key with a default may be missing.
    Input,
    /// The values that are written: every key is there.
    Output,
}

/// Amount of detail that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// All that holds.
    Full,
    /// All that holds, without bounds that only repeat how wide a Rust number is.
    Provider,
    /// All rules, with `writeOnly` on secrets.
    Marked,
}
