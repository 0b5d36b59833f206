//! Where an array or object starts and ends.

/// What opens and closes, and what may follow an element.
#[derive(Clone, Copy)]
pub(crate) struct Brackets {
    pub(crate) open: u8,
    pub(crate) close: u8,
    pub(crate) name: &'static str,
    pub(crate) next: &'static str,
}

pub(crate) const ARRAY: Brackets = Brackets {
    open: b'[',
    close: b']',
    name: "an array",
    next: "`,` or `]`",
};
pub(crate) const OBJECT: Brackets = Brackets {
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
