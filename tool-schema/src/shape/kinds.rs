//! Properties of the values of each kind.

use std::fmt;

use super::{Field, Id, Shape};
use crate::shape::{Int, Pattern};

/// The integers from `min` to `max`.
#[derive(Debug, Clone, Copy)]
pub struct IntegerRange {
    /// The smallest.
    pub min: Int,
    /// The largest.
    pub max: Int,
    /// True if `min` is the lower end of a signed type of 32 bits or more. The bound applies and is not published: it
    /// is of no use to a model, and beyond 2^53 programs in JavaScript change it.
    pub min_is_width: bool,
    /// True if `max` is the upper end of a type of 32 bits or more, as `min_is_width`.
    pub max_is_width: bool,
    /// True if zero is left out.
    pub not_zero: bool,
    /// The numbers are multiples of this one; 0 for any.
    pub multiple_of: u64,
}

impl IntegerRange {
    /// All integers, which no type has.
    pub(crate) const UNBOUNDED: Self = Self {
        min: Int::signed(i128::MIN),
        max: Int::unsigned(u128::MAX),
        min_is_width: true,
        max_is_width: true,
        not_zero: false,
        multiple_of: 0,
    };

    /// Returns true if integers of any size are among these.
    pub const fn is_unbounded(&self) -> bool {
        let Self { min, max, .. } = *self;
        min.negative && min.magnitude == i128::MIN.unsigned_abs() && max.magnitude == u128::MAX
    }

    /// The integers from `min` to `max`, if they are all of one of Rust's types.
    pub(crate) fn of_type(min: Int, max: Int) -> Option<Self> {
        let is_wide = max.magnitude >= i32::MAX.unsigned_abs().into();
        let range = Self {
            min,
            max,
            min_is_width: is_wide && min.negative,
            max_is_width: is_wide,
            ..Self::UNBOUNDED
        };
        (range.is_type() && (min.negative || min.is_zero())).then_some(range)
    }

    /// Returns the bounds that are published.
    pub const fn published(&self) -> [Option<Int>; 2] {
        [
            if self.min_is_width {
                None
            } else {
                Some(self.min)
            },
            if self.max_is_width {
                None
            } else {
                Some(self.max)
            },
        ]
    }

    /// Returns true if these are all the integers of one of Rust's types.
    pub(in super::super) const fn is_type(&self) -> bool {
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
pub struct NumberRange<'s> {
    /// The largest magnitude that the type holds.
    pub width: f64,
    /// The smallest.
    pub min: Option<Edge<'s>>,
    /// The largest.
    pub max: Option<Edge<'s>>,
    /// The numbers are multiples of this one.
    pub multiple_of: Option<Literal<'s>>,
}

impl NumberRange<'_> {
    /// The largest `f32`, in its shortest text: written values must be readable.
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

    /// Returns true if every number of the type is admitted.
    pub(crate) const fn is_any(&self) -> bool {
        self.min.is_none() && self.max.is_none() && self.multiple_of.is_none()
    }
}

/// A number and how it was written: `0.1` has no exact value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Literal<'s> {
    /// The value.
    pub value: f64,
    /// The text, as JSON writes it.
    pub text: &'s str,
}

/// The end of a range of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge<'s> {
    /// The number.
    pub at: Literal<'s>,
    /// The number itself is left out.
    pub exclusive: bool,
}

/// Rules for a string.
#[derive(Debug, Clone, Copy)]
pub struct StringRules<'s> {
    /// The fewest characters (Unicode scalar values).
    pub min_len: u64,
    /// The most characters.
    pub max_len: Option<u64>,
    /// A regular expression that must match somewhere.
    pub pattern: Option<Pattern<'s>>,
    /// A format of JSON Schema, such as `date-time`; empty for none.
    pub format: &'s str,
    /// True if a library reads the string: its message about one that it refuses is not for a model.
    pub is_parsed: bool,
    /// True if the library reads a decimal number: `range` and `multiple_of` apply to it.
    pub is_number: bool,
}

impl StringRules<'_> {
    /// Returns true if every string is admitted.
    pub const fn is_any(&self) -> bool {
        // A pattern, as calls of functions take `const` longer.
        let is_free = matches!(
            self,
            Self {
                min_len: 0,
                max_len: None,
                pattern: None,
                ..
            }
        );
        is_free && self.format.is_empty()
    }
}

/// An array of one type of element.
#[derive(Debug, Clone, Copy)]
pub struct Array<'s> {
    /// Shape of each element.
    pub items: &'s Shape<'s>,
    /// The fewest elements.
    pub min_len: u64,
    /// The most elements.
    pub max_len: Option<u64>,
    /// True if no two elements may be equal.
    pub unique: bool,
}

/// An object with the keys that the type declares.
#[derive(Debug, Clone, Copy)]
pub struct Object<'s> {
    /// The keys, in the type's order.
    pub fields: &'s [Field<'s>],
    /// True if other keys are permitted beside them.
    pub open: bool,
    /// True if serde refuses other keys (`deny_unknown_fields`).
    pub denies: bool,
}

/// An object with any keys.
#[derive(Debug, Clone, Copy)]
pub struct Map<'s> {
    /// Shape of the keys; keys are strings in JSON.
    pub keys: &'s Shape<'s>,
    /// Shape of the value behind each key.
    pub values: &'s Shape<'s>,
    /// The fewest entries.
    pub min_len: u64,
    /// The most entries.
    pub max_len: Option<u64>,
}

/// A value of any one of some types.
#[derive(Debug, Clone, Copy)]
pub struct Union<'s> {
    /// The types, in order: where several admit a value, the first is read.
    pub members: &'s [Shape<'s>],
    /// serde reads the value into a buffer before it picks a member (`untagged`, internally
    /// tagged), and the decoder cannot see in.
    pub buffered: bool,
    /// Adjacently tagged: only content that precedes its tag is buffered.
    pub adjacent: bool,
    /// Members without a tag.
    pub untagged: Untagged<'s>,
}

/// The members of a union that serde reads without a tag.
#[derive(Debug, Clone, Copy)]
pub struct Untagged<'s> {
    /// Names of all members, if there are any without a tag. Empty for one that a function of its own reads.
    pub names: &'s [&'s str],
    /// Index of the first member without a tag. All behind it have none.
    pub first: usize,
}

impl<'s> Union<'s> {
    /// A union whose members serde distinguishes by their keys.
    pub const fn of(members: &'s [Shape<'s>]) -> Self {
        Self {
            members,
            buffered: false,
            adjacent: false,
            untagged: Untagged {
                names: &[],
                first: 0,
            },
        }
    }
}

/// An edge back to a type that contains this one.
#[derive(Clone, Copy)]
pub struct RecursiveEdge<'s> {
    /// Identity of the type.
    pub id: Id,
    target: EdgeTarget<'s>,
}

#[derive(Clone, Copy)]
enum EdgeTarget<'s> {
    /// The tree of a type. A function, since a constant cannot contain itself.
    Function(fn() -> &'static Shape<'static>),
    /// A definition of a schema that was read at run time.
    Definition(&'s dyn Definition),
}

/// The target of a recursive reference in a schema that was read at run time.
///
/// A trait object, because a cell that holds a `Shape<'s>` would make `Shape<'s>` invariant.
pub(crate) trait Definition: Send + Sync {
    /// Returns the tree.
    fn shape(&self) -> &Shape<'_>;
}

impl<'s> RecursiveEdge<'s> {
    /// An edge to the tree of a type.
    pub const fn new(id: Id, shape: fn() -> &'static Shape<'static>) -> Self {
        let target = EdgeTarget::Function(shape);
        Self { id, target }
    }

    /// An edge to a definition.
    pub(crate) const fn to(id: Id, definition: &'s dyn Definition) -> Self {
        let target = EdgeTarget::Definition(definition);
        Self { id, target }
    }

    /// Returns the tree that the edge points to.
    pub fn shape(&self) -> &'s Shape<'s> {
        match self.target {
            EdgeTarget::Function(shape) => shape(),
            EdgeTarget::Definition(definition) => definition.shape(),
        }
    }
}

/// Prints the identity alone: the target may be recursive.
impl fmt::Debug for RecursiveEdge<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Back").field(&self.id).finish()
    }
}

/// A type whose schema is known only at run time.
#[derive(Debug, Clone, Copy)]
pub struct Foreign {
    /// The JSON Schema of the input.
    pub input: fn() -> serde_json::Value,
    /// The JSON Schema of the output.
    pub output: fn() -> serde_json::Value,
}

impl Foreign {
    /// One schema for both sides.
    pub const fn of(schema: fn() -> serde_json::Value) -> Self {
        Self {
            input: schema,
            output: schema,
        }
    }
}

/// One string of an enum.
#[derive(Debug, Clone, Copy)]
pub struct Variant<'s> {
    /// The string that is read.
    pub name: &'s str,
    /// The string that is written.
    pub output_name: &'s str,
    /// Other spellings, which are read but never published: a model needs one name only.
    pub aliases: &'s [&'s str],
    /// Meaning of the string; empty for no words.
    pub description: &'s str,
}

impl<'s> Variant<'s> {
    /// A string that is read as it is written.
    pub const fn new(name: &'s str, description: &'s str) -> Self {
        Self {
            name,
            output_name: name,
            aliases: &[],
            description,
        }
    }

    /// Returns true if a string is this one, in any spelling that is read.
    pub(crate) fn is_read_as(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

/// Bounds on a type, from its field or its parameter.
#[derive(Debug, Clone, Copy)]
pub struct Bounds<'s> {
    /// The smallest integer.
    pub min: Option<Int>,
    /// The largest integer.
    pub max: Option<Int>,
    /// The smallest number.
    pub from: Option<Edge<'s>>,
    /// The largest number.
    pub to: Option<Edge<'s>>,
    /// Multiples of this number.
    pub multiple_of: Option<Literal<'s>>,
    /// The fewest characters, elements or entries.
    pub min_len: Option<u64>,
    /// The most characters, elements or entries.
    pub max_len: Option<u64>,
    /// A regular expression that must match somewhere.
    pub pattern: Option<Pattern<'s>>,
    /// A format; empty for none.
    pub format: &'s str,
    /// True if no two elements may be equal.
    pub unique: bool,
}

impl Bounds<'_> {
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
