//! The tree: what values of a type look like in JSON, said in `const`.
//!
//! Everything is `Copy` and `'static`, so that constant functions can build it and walk it. Schemas
//! that are known only at run time are JSON ([`Ordered`](super::ordered::Ordered)) and have a tree
//! of their own.

use super::{Care, Int, Pattern, Sure};

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
    /// A name for people; empty for none.
    pub title: &'static str,
    /// Who the type is, where a recursive type may come back to it.
    pub id: Id,
    /// How closely the decoder has to look.
    pub care: Care,
    /// Values that it need not look at closely.
    pub sure: Sure,
    /// Values are for the tool alone: no error, event or log shows them. A provider is not told.
    pub is_secret: bool,
}

/// Who a type is: its name, and a hash of its path and of the types that it is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id {
    /// The type's name without its path; empty where nothing comes back to it by name.
    pub name: &'static str,
    /// The hash.
    pub hash: u64,
}

impl Id {
    /// Nobody in particular.
    pub const NONE: Self = Self { name: "", hash: 0 };

    /// The type at `path`, called `name`.
    pub const fn of(path: &'static str, name: &'static str) -> Self {
        Self {
            name,
            hash: fold(0xcbf2_9ce4_8422_2325, path.as_bytes()),
        }
    }

    /// The same type, made with another.
    pub const fn with(self, other: Self) -> Self {
        Self {
            name: self.name,
            hash: fold(self.hash ^ 0x5bd1_e995, &other.hash.to_le_bytes()),
        }
    }
}

/// FNV-1a: a few steps a byte, which is what counts in `const`.
const fn fold(mut hash: u64, mut bytes: &[u8]) -> u64 {
    while let [byte, rest @ ..] = bytes {
        hash = (hash ^ *byte as u64).wrapping_mul(0x0100_0000_01b3);
        bytes = rest;
    }
    hash
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
    Number(NumberRange),
    /// A string.
    String(StringRules),
    /// One of some strings: an enum without data.
    Enum(&'static [Variant]),
    /// An array of one type of element.
    Array(Array),
    /// An array with a type for each place.
    Tuple(&'static [&'static Shape]),
    /// An object with the keys that the type declares.
    Object(Object),
    /// An object with any keys.
    Map(Map),
    /// The inner type, or `null`.
    Nullable(&'static Shape),
    /// A value of any one of some types.
    Union(Union),
    /// The base type, within bounds.
    Narrow(&'static Shape, Bounds),
    /// One type when it is read, another when it is written (`#[serde(from = …, into = …)]`).
    Sides {
        /// What is read.
        input: &'static Shape,
        /// What is written.
        output: &'static Shape,
    },
    /// A type that contains this one.
    Back(Back),
    /// A type that tells its schema only at run time.
    Foreign(Foreign),
    /// Known to nobody: the type has no schema. The compiler has refused it by now, in its words.
    Unknown,
}

/// The integers from `min` to `max`.
#[derive(Debug, Clone, Copy)]
pub struct IntegerRange {
    /// The smallest.
    pub min: Int,
    /// The largest.
    pub max: Int,
    /// The bounds say no more than how wide the type is, and the width is 32 bits or more. They
    /// hold, but a provider is not told: they cost tokens and steer no model.
    pub is_width: bool,
    /// Zero is left out.
    pub not_zero: bool,
    /// The numbers are multiples of this one; 0 for any.
    pub multiple_of: u64,
}

impl IntegerRange {
    /// Whether these are all the integers of one of Rust's types.
    pub(super) const fn is_type(&self) -> bool {
        let Self { min, max, .. } = *self;
        let bits = 128 - max.magnitude.leading_zeros();
        if max.negative || max.magnitude.count_ones() != bits {
            return false;
        }
        if min.negative {
            matches!(bits, 7 | 15 | 31 | 63 | 127) && min.magnitude == max.magnitude + 1
        } else {
            matches!(bits, 8 | 16 | 32 | 64 | 128)
        }
    }
}

/// The numbers within bounds.
#[derive(Debug, Clone, Copy)]
pub struct NumberRange {
    /// The largest magnitude that the type holds.
    pub width: f64,
    /// The smallest.
    pub min: Option<Edge>,
    /// The largest.
    pub max: Option<Edge>,
    /// The numbers are multiples of this one.
    pub multiple_of: Option<Literal>,
}

impl NumberRange {
    /// The largest `f32`, as its shortest text says it: what is written has to be read again.
    pub(crate) const F32: f64 = 3.402_823_5e38;

    /// All the numbers of a type.
    pub(crate) const fn of_type(width: f64) -> Self {
        Self {
            width,
            min: None,
            max: None,
            multiple_of: None,
        }
    }
}

/// A number and how it was written: `0.1` has no exact value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Literal {
    /// The value.
    pub value: f64,
    /// The text, as JSON writes it.
    pub text: &'static str,
}

/// The end of a range of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The number.
    pub at: Literal,
    /// The number itself is left out.
    pub exclusive: bool,
}

/// What is asked of a string beyond being one.
#[derive(Debug, Clone, Copy)]
pub struct StringRules {
    /// The fewest characters (Unicode scalar values).
    pub min_len: u64,
    /// The most characters.
    pub max_len: Option<u64>,
    /// A regular expression that must match somewhere.
    pub pattern: Option<Pattern>,
    /// A format of JSON Schema, such as `date-time`; empty for none.
    pub format: &'static str,
    /// A library reads the string, and what it says of one that it refuses is not for a model.
    pub is_parsed: bool,
}

impl StringRules {
    /// Whether every string will do.
    pub(crate) const fn is_any(&self) -> bool {
        self.min_len == 0
            && self.max_len.is_none()
            && self.pattern.is_none()
            && self.format.is_empty()
    }
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

/// An object with the keys that the type declares.
#[derive(Debug, Clone, Copy)]
pub struct Object {
    /// The keys, in the type's order.
    pub fields: &'static [Field],
    /// Whether other keys may stand beside them.
    pub open: bool,
}

/// An object with any keys.
#[derive(Debug, Clone, Copy)]
pub struct Map {
    /// What a key looks like; keys are strings in JSON.
    pub keys: &'static Shape,
    /// What stands behind each key.
    pub values: &'static Shape,
    /// The fewest entries.
    pub min_len: u64,
    /// The most entries.
    pub max_len: Option<u64>,
}

/// A value of any one of some types.
#[derive(Debug, Clone, Copy)]
pub struct Union {
    /// The types, in order: where several admit a value, the first is read.
    pub members: &'static [Shape],
    /// serde reads the value into a buffer before it picks a member (`untagged`, internally
    /// tagged), and the decoder cannot see in.
    pub buffered: bool,
}

/// An edge back to a type that contains this one.
#[derive(Debug, Clone, Copy)]
pub struct Back {
    /// Who it is.
    pub id: Id,
    /// Its tree. A function, since a constant cannot contain itself.
    pub shape: fn() -> &'static Shape,
}

/// A type that tells its schema only at run time.
#[derive(Debug, Clone, Copy)]
pub struct Foreign {
    /// The JSON Schema of what is read.
    pub input: fn() -> serde_json::Value,
    /// The JSON Schema of what is written.
    pub output: fn() -> serde_json::Value,
}

/// One string of an enum.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// The string that is read.
    pub name: &'static str,
    /// The string that is written.
    pub output_name: &'static str,
    /// Other spellings that are read and never told: one name a thing is enough for a model.
    pub aliases: &'static [&'static str],
    /// What it means; empty for no words.
    pub description: &'static str,
}

impl Variant {
    /// Whether a string is this one, in any spelling that is read.
    pub(crate) fn is_read_as(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

/// Bounds on a type, from its field or its parameter.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The smallest integer.
    pub min: Option<Int>,
    /// The largest integer.
    pub max: Option<Int>,
    /// The smallest number.
    pub from: Option<Edge>,
    /// The largest number.
    pub to: Option<Edge>,
    /// Multiples of this number.
    pub multiple_of: Option<Literal>,
    /// The fewest characters, elements or entries.
    pub min_len: Option<u64>,
    /// The most characters, elements or entries.
    pub max_len: Option<u64>,
    /// A regular expression that must match somewhere.
    pub pattern: Option<Pattern>,
    /// A format; empty for none.
    pub format: &'static str,
    /// No two elements are equal.
    pub unique: bool,
}

impl Bounds {
    /// No bounds.
    pub const NONE: Self = Self {
        min: None,
        max: None,
        from: None,
        to: None,
        multiple_of: None,
        min_len: None,
        max_len: None,
        pattern: None,
        format: "",
        unique: false,
    };
}

/// One key of an object, or one parameter of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The key that is read.
    pub name: &'static str,
    /// The key stands in JSON as it is: nothing in it has to be escaped.
    pub is_plain: bool,
    /// The key that is written.
    pub output_name: &'static str,
    /// Other spellings of the key that are read and never told: one name a thing is enough for a
    /// model.
    pub aliases: &'static [&'static str],
    /// What it is for; empty to use the type's own description.
    pub description: &'static str,
    /// A name for people; empty for none.
    pub title: &'static str,
    /// What stands behind the key.
    pub shape: &'static Shape,
    /// Whether the key must be there when the type is read.
    pub presence: Presence,
    /// Whether the key is there when the type is written.
    pub output: OutputPresence,
    /// The type's own keys stand in the place of this one.
    pub flatten: bool,
    /// It should no longer be given.
    pub deprecated: bool,
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
    /// It is not read.
    Never,
}

/// Whether a key is there when the type is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputPresence {
    /// It is.
    Always,
    /// It may be left out.
    Sometimes,
    /// It is not written.
    Never,
}

impl Presence {
    /// What a field without a default has to be: an `Option` may be missing, anything else not.
    pub const fn of(shape: &Shape) -> Self {
        match shape.kind {
            Kind::Nullable(_) => Self::Optional,
            // A newtype is asked for by its own name, and serde lets only an `Option` itself be
            // missing.
            Kind::Narrow(..) if shape.id.hash != 0 => Self::Required,
            Kind::Narrow(base, _) => Self::of(base),
            Kind::Sides { input, .. } => Self::of(input),
            _ => Self::Required,
        }
    }
}

impl Variant {
    /// A string that is read as it is written.
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        Self {
            name,
            output_name: name,
            aliases: &[],
            description,
        }
    }
}

/// Whether nothing in a text has to be escaped in JSON.
const fn is_plain(text: &str) -> bool {
    let mut bytes = text.as_bytes();
    while let [byte, rest @ ..] = bytes {
        if *byte < 0x20 || *byte == b'"' || *byte == b'\\' {
            return false;
        }
        bytes = rest;
    }
    true
}

impl Field {
    /// A field of this type.
    pub const fn new(name: &'static str, description: &'static str, shape: &'static Shape) -> Self {
        Self {
            name,
            is_plain: is_plain(name),
            output_name: name,
            aliases: &[],
            description,
            title: "",
            shape,
            presence: Presence::of(shape),
            output: OutputPresence::Always,
            flatten: false,
            deprecated: false,
            default: None,
            example: None,
        }
    }

    /// The same field, which must be there even if it may be `null`.
    pub const fn always(self) -> Self {
        Self {
            presence: Presence::Required,
            ..self
        }
    }
}

impl Shape {
    /// A shape without words of its own.
    pub const fn new(kind: Kind) -> Self {
        Self {
            care: Care::of(&kind),
            sure: Sure::of(&kind),
            kind,
            description: "",
            title: "",
            id: Id::NONE,
            is_secret: false,
        }
    }

    /// An object with these keys and no others.
    pub const fn object(fields: &'static [Field]) -> Self {
        Self::new(Kind::Object(Object {
            fields,
            open: false,
        }))
    }

    /// The same shape; if it is an object, other keys may stand beside its own.
    pub const fn open(self) -> Self {
        match self.kind {
            Kind::Object(Object { fields, .. }) => Self {
                description: self.description,
                title: self.title,
                id: self.id,
                is_secret: self.is_secret,
                // How closely to look depends on it.
                ..Self::new(Kind::Object(Object { fields, open: true }))
            },
            _ => self,
        }
    }

    /// The kind below the layers that hold on the side that is read: `null`, bounds.
    #[inline]
    pub(crate) const fn core(&self) -> &Kind {
        let mut shape = self;
        loop {
            shape = match &shape.kind {
                Kind::Nullable(inner)
                | Kind::Narrow(inner, _)
                | Kind::Sides { input: inner, .. } => inner,
                kind => return kind,
            };
        }
    }

    /// The same, of the type that an edge back leads to. `const` cannot follow one.
    #[inline]
    pub(crate) fn followed(&self) -> &Kind {
        let mut kind = self.core();
        while let Kind::Back(back) = kind {
            kind = (back.shape)().core();
        }
        kind
    }

    /// The same shape, of values that are for the tool alone.
    pub const fn secret(self) -> Self {
        Self {
            is_secret: true,
            ..self
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
            min: Int::signed(min),
            max: Int::unsigned(max),
            is_width: bits >= 32,
            not_zero: false,
            multiple_of: 0,
        }))
    }

    /// Numbers of up to this magnitude.
    pub(crate) const fn number(width: f64) -> Self {
        Self::new(Kind::Number(NumberRange::of_type(width)))
    }

    /// Strings from `min_len` to `max_len` characters.
    pub(crate) const fn string(min_len: u64, max_len: Option<u64>) -> Self {
        Self::new(Kind::String(StringRules {
            min_len,
            max_len,
            pattern: None,
            format: "",
            is_parsed: false,
        }))
    }

    /// Strings of a format of JSON Schema.
    pub(crate) const fn format(format: &'static str) -> Self {
        Self::new(Kind::String(StringRules {
            min_len: 0,
            max_len: None,
            pattern: None,
            format,
            is_parsed: true,
        }))
    }

    /// Strings that a library reads, in words.
    pub(crate) const fn parsed(description: &'static str) -> Self {
        Self::format("").described(description)
    }
}
