//! Rules of JSON Schema that no Rust type has. Only trees that are read at run time contain them.

use std::fmt;

use super::Shape;

/// A rule of a schema that was read at run time.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Rule<'s> {
    /// No value (`false`).
    Never,
    /// One of these values, as JSON (`enum`, `const`).
    Literals(&'s [&'s str]),
    /// A value of all of these shapes (`allOf`, and keywords beside each other).
    All(&'s [Shape<'s>]),
    /// A value of exactly one of these shapes (`oneOf`).
    OneOf(&'s [Shape<'s>]),
    /// A value of this shape, if it is of one of these types (keywords without `type`).
    When(Types, &'s Shape<'s>),
    /// A value that is not of this shape (`not`).
    Not(&'s Shape<'s>),
    /// A value of the one shape if it is of the condition's, and of the other if not (`if`,
    /// `dependentSchemas`, `dependentRequired`).
    If(If<'s>),
    /// An array whose first places have shapes of their own (`prefixItems`).
    Places(Places<'s>),
    /// An array that holds so many elements of a shape (`contains`).
    Contains(Contains<'s>),
    /// Keywords that a tree cannot express. An oracle decides about them.
    Text(Text<'s>),
}

/// A shape that depends on another.
#[derive(Debug, Clone, Copy)]
pub struct If<'s> {
    pub condition: &'s Shape<'s>,
    pub then: &'s Shape<'s>,
    pub otherwise: &'s Shape<'s>,
}

/// Number of an array's elements that are of a shape.
#[derive(Debug, Clone, Copy)]
pub struct Contains<'s> {
    pub item: &'s Shape<'s>,
    /// The fewest such elements.
    pub min: u64,
    /// The most such elements.
    pub max: Option<u64>,
}

/// An array whose first places have shapes of their own. None of them must be there.
#[derive(Debug, Clone, Copy)]
pub struct Places<'s> {
    /// The shapes of the first places.
    pub first: &'s [&'s Shape<'s>],
    /// The shape of each element behind them.
    pub rest: &'s Shape<'s>,
    /// The fewest elements.
    pub min_len: u64,
    /// The most elements.
    pub max_len: Option<u64>,
}

/// Types of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Types(u8);

impl Types {
    pub(crate) const NUMBER: Self = Self(1);
    pub(crate) const STRING: Self = Self(2);
    pub(crate) const ARRAY: Self = Self(4);
    pub(crate) const OBJECT: Self = Self(8);

    /// Returns true if JSON that starts with this byte is of one of the types.
    pub const fn has(self, byte: u8) -> bool {
        let one = match byte {
            b'-' | b'0'..=b'9' => Self::NUMBER,
            b'"' => Self::STRING,
            b'[' => Self::ARRAY,
            b'{' => Self::OBJECT,
            _ => Self(0),
        };
        self.0 & one.0 != 0
    }
}

/// A part of a schema that is kept as its text.
#[derive(Clone, Copy)]
pub struct Text<'s> {
    /// The keywords that no tree says, as JSON.
    pub keywords: &'s str,
    pub oracle: &'s dyn Oracle,
}

/// Decides about keywords that a tree cannot express.
pub trait Oracle: Send + Sync {
    /// Decides whether a value, given as JSON, fits. Takes what that costs from `steps`, and decides
    /// nothing if it costs more.
    fn ask(&self, json: &str, steps: &mut u64) -> Option<bool>;
}

/// An oracle has nothing to show.
impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Text").field(&self.keywords).finish()
    }
}
