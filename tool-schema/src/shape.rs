//! The tree: the JSON of a type's values, in `const`.
//!
//! Everything is `Copy`, so that constant functions can build it and walk it. A compiled type is a
//! `Shape<'static>`. A schema that arrives at run time is read into a `Shape<'s>` in an arena; its
//! published text stays JSON (`read::Ordered`).

mod check_level;
mod children;
mod extern_types;
mod facts;
mod field;
pub(crate) mod fields;
#[cfg(feature = "schemars")]
mod foreign;
mod int;
mod key_table;
mod kinds;
mod layers;
mod narrow;
#[cfg(feature = "schemars")]
mod opaque;
mod pattern;
mod recursion;
mod rule;
mod schema;
mod std_types;
mod view;

pub(crate) use self::check_level::CheckLevel;
pub(crate) use self::children::Role;
pub(crate) use self::facts::JsonType;
pub use self::field::{Field, OutputPresence, Presence};
pub use self::fields::{Alternative, Key, Rest, alternatives, alternatives_of, keys_beside};
#[cfg(feature = "schemars")]
pub use self::foreign::{foreign, input_schema, output_schema};
pub use self::int::Int;
pub use self::int::{SIGNED_KEY, UNSIGNED_KEY};
pub(crate) use self::key_table::KeyTable;
pub(crate) use self::kinds::Definition;
pub use self::kinds::{
    Array, Bounds, Edge, Foreign, IntegerRange, Literal, Map, NumberRange, Object, RecursiveEdge,
    StringRules, Union, Untagged, Variant,
};
pub(crate) use self::narrow::{Narrowed, Unwrapped, bare};
#[cfg(feature = "schemars")]
pub use self::opaque::Opaque;
pub use self::pattern::{Pattern, Regex, pattern_matches};
pub(crate) use self::recursion::targets;
pub use self::rule::{Check, Contains, Evaluated, If, PatternKeys, PrefixItems, Rule, Text, Types};
pub use self::schema::{Refs, Schema};
pub use self::view::{Detail, Side};

use crate::text::{FNV_OFFSET, fnv1a};

/// A type's schema, as a tree that the compiler can read.
///
/// `#[derive(Schema)]` makes it, and so does `#[tool]` for a function's parameters. The text is
/// made from it at first use; what can be decided from the tree is decided when it compiles.
#[derive(Debug, Clone, Copy)]
pub struct Shape<'s> {
    /// Kind of the JSON values.
    pub kind: Kind<'s>,
    /// Description of the type; empty for none. A field's description takes precedence over its type's.
    pub description: &'s str,
    /// Name for people; empty for none.
    pub title: &'s str,
    /// Identity of the type, where a recursive type may come back to it.
    pub id: Id,
    /// Level at which the decoder checks values; set by `Shape::new` alone.
    #[doc(hidden)]
    pub check: CheckLevel,
    /// True if values are for the tool alone: no error, event or log shows them. Providers do not see this.
    pub is_secret: bool,
}

/// Identity of a type: its name, and a hash of its path and of the types that it is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id {
    /// The type's name without its path; empty where nothing comes back to it by name.
    pub name: &'static str,
    /// The hash.
    pub hash: u64,
}

impl Id {
    /// Identity of no type in particular.
    pub const NONE: Self = Self { name: "", hash: 0 };

    /// Returns the identity of the type at `path`, called `name`.
    pub const fn of(path: &'static str, name: &'static str) -> Self {
        Self {
            name,
            hash: fnv1a(FNV_OFFSET, path.as_bytes()),
        }
    }

    /// Returns the identity of this type made with another.
    pub const fn with(self, other: Self) -> Self {
        Self {
            name: self.name,
            hash: fnv1a(self.hash ^ 0x5bd1_e995, &other.hash.to_le_bytes()),
        }
    }
}

/// Kinds of values in JSON.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Kind<'s> {
    /// Any JSON value.
    Any,
    /// `null` alone.
    Null,
    /// `true` or `false`.
    Bool,
    /// An integer, in any spelling that is exact (`1.0`, `1e2`).
    Integer(IntegerRange),
    /// A number that the type can hold.
    Number(NumberRange<'s>),
    /// A string.
    String(StringRules<'s>),
    /// One of some strings: an enum without data.
    Enum(&'s [Variant<'s>]),
    /// An array of one type of element.
    Array(Array<'s>),
    /// An array with a type for each place.
    Tuple(&'s [&'s Shape<'s>]),
    /// An object with the keys that the type declares.
    Object(Object<'s>),
    /// An object with any keys.
    Map(Map<'s>),
    /// The inner type, or `null`.
    Nullable(&'s Shape<'s>),
    /// A value of any one of some types.
    Union(Union<'s>),
    /// The base type, within bounds.
    Bounded(&'s Shape<'s>, Bounds<'s>),
    /// One type when it is read, another when it is written (`#[serde(from = …, into = …)]`).
    InOut {
        /// Shape that is read.
        input: &'s Shape<'s>,
        /// Shape that is written.
        output: &'s Shape<'s>,
    },
    /// A type that contains this one.
    Recursive(RecursiveEdge<'s>),
    /// A type whose schema is known only at run time.
    Foreign(Foreign),
    /// A rule of a schema that was read at run time; no Rust type has one.
    Rule(Rule<'s>),
    /// A type without a schema. The compiler has reported it by now.
    Unknown,
}

impl<'s> Shape<'s> {
    /// Any JSON value.
    pub const ANYTHING: &'s Self = &Self::new(Kind::Any);

    /// A shape without a description or title.
    pub const fn new(kind: Kind<'s>) -> Self {
        Self {
            check: CheckLevel::of(&kind),
            kind,
            description: "",
            title: "",
            id: Id::NONE,
            is_secret: false,
        }
    }

    /// An object with these keys and no others.
    pub const fn object(fields: &'s [Field<'s>]) -> Self {
        Self::new(Kind::Object(Object {
            fields,
            open: false,
            denies: false,
        }))
    }

    /// Lets an object have other keys beside its own; leaves any other shape as it is.
    pub const fn open(self) -> Self {
        match self.kind {
            Kind::Object(object) => Self {
                description: self.description,
                title: self.title,
                id: self.id,
                is_secret: self.is_secret,
                // How closely to look depends on it.
                ..Self::new(Kind::Object(Object {
                    open: true,
                    ..object
                }))
            },
            _ => self,
        }
    }

    /// Marks the values as secret: they are for the tool alone.
    pub const fn secret(mut self) -> Self {
        self.is_secret = true;
        self
    }

    /// Sets the description to that of the type that has the shape.
    pub const fn described(mut self, description: &'s str) -> Self {
        self.description = description;
        self
    }

    /// Integers from `min` to `max`; `bits` is the width of the type that has just these.
    pub(crate) const fn integer(min: i128, max: u128, bits: u32) -> Self {
        Self::new(Kind::Integer(IntegerRange {
            min: Int::signed(min),
            max: Int::unsigned(max),
            min_is_width: bits >= 32 && min < 0,
            max_is_width: bits >= 32,
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
            is_number: false,
        }))
    }

    /// Strings of a format of JSON Schema.
    pub(crate) const fn format(format: &'s str) -> Self {
        Self::new(Kind::String(StringRules {
            min_len: 0,
            max_len: None,
            pattern: None,
            format,
            is_parsed: true,
            is_number: false,
        }))
    }

    /// Strings that a library reads, in words.
    pub(crate) const fn parsed(description: &'s str) -> Self {
        Self::format("").described(description)
    }
}
