//! Rules of JSON Schema that no Rust type has. Only trees that are read at run time contain them.

use super::{Pattern, Shape};

/// A rule of a schema that was read at run time.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Rule<'s> {
    /// No value (`false`).
    Never,
    /// One of these values, as JSON (`enum`, `const`).
    Literals(&'s [&'s str]),
    /// A value of all of these shapes (`allOf`, and sibling keywords).
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
    PrefixItems(PrefixItems<'s>),
    /// An array that holds so many elements of a shape (`contains`).
    Contains(Contains<'s>),
    /// Keywords that depend on each other.
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
pub struct PrefixItems<'s> {
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

/// A rule about a value as a whole, with the keywords that say it.
#[derive(Debug, Clone, Copy)]
pub struct Text<'s> {
    /// The keywords, as JSON.
    pub keywords: &'s str,
    pub check: Check<'s>,
}

/// Rules that depend on several sibling keywords.
#[derive(Debug, Clone, Copy)]
pub enum Check<'s> {
    /// Values by patterns of their keys (`patternProperties`, with `additionalProperties`).
    Keys(PatternKeys<'s>),
    /// Entries or elements that no other keyword looks at (`unevaluatedProperties`, `unevaluatedItems`).
    Unevaluated {
        by: &'s Evaluated<'s>,
        rest: &'s Shape<'s>,
        /// The first byte of the values: `{` or `[`.
        of: u8,
    },
}

/// Shapes of an object's values by patterns of their keys.
#[derive(Debug, Clone, Copy)]
pub struct PatternKeys<'s> {
    pub patterns: &'s [(Pattern<'s>, &'s Shape<'s>)],
    /// The keys that `properties` has, sorted.
    pub declared: &'s [&'s str],
    /// The shape of values whose keys neither are declared nor match a pattern.
    pub rest: Option<&'s Shape<'s>>,
}

/// Entries and elements that a schema looks at.
#[derive(Debug, Clone, Copy)]
pub struct Evaluated<'s> {
    /// All entries or elements.
    pub all: bool,
    pub keys: &'s [&'s str],
    pub patterns: &'s [Pattern<'s>],
    /// Number of first elements.
    pub first: usize,
    /// Elements of this shape.
    pub contains: Option<&'s Shape<'s>>,
    /// Entries and elements that other schemas for the same value look at, if it is of their conditions.
    pub parts: &'s [(&'s Shape<'s>, &'s Self)],
}

impl Evaluated<'_> {
    /// Returns true if it looks at the value of a key.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        let is_match = |pattern: &Pattern<'_>| pattern.is_match(key);
        self.all || self.keys.contains(&key) || self.patterns.iter().any(is_match)
    }
}
