/// A type's schema, as a tree that the compiler can read.
///
/// `#[derive(Schema)]` makes it, and so does `#[tool]` for a function's parameters. The text is
/// made from it at first use; what can be decided from the tree is decided when it compiles.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// What values look like.
    pub kind: Kind,
    /// The type's own words about itself; empty for none. A field's words win over its type's.
    pub description: &'static str,
}

/// What values of a type look like in JSON.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Kind {
    /// Any JSON value.
    Any,
    /// `null` alone.
    Null,
    /// `true` or `false`.
    Bool,
    /// An integer, in any spelling that is exact (`1.0`, `1e2`).
    Integer(IntegerRange),
    /// A number that the type can hold.
    Number {
        /// The largest magnitude that the type holds; the smallest is its negative.
        max: f64,
    },
    /// A string.
    String(StringRules),
    /// One of some strings: an enum without data.
    Enum(&'static [Variant]),
    /// An array of one type of element.
    Array(Array),
    /// An array with a type for each place.
    Tuple(&'static [&'static Shape]),
    /// An object with the keys that the type declares.
    Object(&'static [Field]),
    /// An object with any keys.
    Map {
        /// What a key looks like; keys are strings in JSON.
        keys: &'static Shape,
        /// What stands behind each key.
        values: &'static Shape,
    },
    /// The inner type, or `null`.
    Nullable(&'static Shape),
    /// Known to nobody: the type has no schema. The compiler has refused it by now, in its words.
    Unknown,
}

/// The integers from `min` to `max`.
#[derive(Debug, Clone, Copy)]
pub struct IntegerRange {
    /// The smallest.
    pub min: i128,
    /// The largest.
    pub max: u128,
    /// The bounds say no more than how wide the type is, and the width is 32 bits or more. They
    /// hold, but a provider is not told: they cost tokens and steer no model.
    pub is_width: bool,
}

/// What is asked of a string beyond being one.
#[derive(Debug, Clone, Copy)]
pub struct StringRules {
    /// The fewest characters (Unicode scalar values).
    pub min_len: u64,
    /// The most characters.
    pub max_len: Option<u64>,
}

/// An array of one type of element.
#[derive(Debug, Clone, Copy)]
pub struct Array {
    /// What each element looks like.
    pub items: &'static Shape,
    /// The fewest elements.
    pub min_len: u64,
    /// The most elements.
    pub max_len: Option<u64>,
    /// No two elements are equal.
    pub unique: bool,
}

/// One string of an enum.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// The string.
    pub name: &'static str,
    /// What it means; empty for no words.
    pub description: &'static str,
}

/// One key of an object, or one parameter of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The key in JSON.
    pub name: &'static str,
    /// What it is for; empty to use the type's own description.
    pub description: &'static str,
    /// What stands behind the key.
    pub shape: &'static Shape,
    /// Whether the key must be there when the type is read.
    pub presence: Presence,
    /// The default's JSON, where it has one that can be written as JSON.
    pub default: Option<fn() -> Option<String>>,
    /// An example's JSON.
    pub example: Option<fn() -> Option<String>>,
}

/// Whether a key must be there when the type is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It must.
    Required,
    /// It may be missing, which means the same as `null`.
    Optional,
    /// It may be missing, which means its default.
    Defaulted,
}

impl Presence {
    /// What a field without a default has to be: an `Option` may be missing, anything else not.
    pub const fn of(shape: &Shape) -> Self {
        match shape.kind {
            Kind::Nullable(_) => Self::Optional,
            _ => Self::Required,
        }
    }

    pub(crate) fn is_required(self) -> bool {
        self == Self::Required
    }
}

impl Shape {
    /// A shape without words of its own.
    pub const fn new(kind: Kind) -> Self {
        Self {
            kind,
            description: "",
        }
    }

    /// The same shape, with the words of the type that has it.
    pub const fn described(self, description: &'static str) -> Self {
        Self {
            description,
            ..self
        }
    }

    /// Integers from `min` to `max`; `bits` is the width of the type that has just these.
    pub(crate) const fn integer(min: i128, max: u128, bits: u32) -> Self {
        Self::new(Kind::Integer(IntegerRange {
            min,
            max,
            is_width: bits >= 32,
        }))
    }

    /// Strings from `min_len` to `max_len` characters.
    pub(crate) const fn string(min_len: u64, max_len: Option<u64>) -> Self {
        Self::new(Kind::String(StringRules { min_len, max_len }))
    }
}
