//! Where an array or object starts and ends.

/// What opens and closes, and what may follow an element.
#[derive(Clone, Copy)]
pub(super) struct Brackets {
    pub(super) open: u8,
    pub(super) close: u8,
    pub(super) name: &'static str,
    pub(super) next: &'static str,
}

pub(super) const ARRAY: Brackets = Brackets {
    open: b'[',
    close: b']',
    name: "an array",
    next: "`,` or `]`",
};
pub(super) const OBJECT: Brackets = Brackets {
    open: b'{',
    close: b'}',
    name: "an object",
    next: "`,` or `}`",
};

/// How far an array or object has been read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Behind the opening bracket.
    Opened,
    /// Behind an element.
    Inside,
    /// Behind the closing bracket.
    Closed,
}
