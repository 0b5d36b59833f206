//! The fingerprint of a compiled type's schema, made in `const`.
//!
//! Each list with a lock makes one for each of its tools whenever it is compiled. A call takes `const` as long as ten operators,
//! so words are mixed in place.

use crate::shape::{
    Bounds, Edge, Field, Int, IntegerRange, Kind, Literal, OutputPresence, Pattern, Presence,
    Shape, StringRules,
};

/// FNV-1a over words of eight bytes.
#[derive(Debug, Clone, Copy)]
pub struct Fingerprint(u64);

/// The sum with a word more.
macro_rules! mixed {
    ($sum:expr, $word:expr) => {{
        // The lower half of the product is what wraps.
        #[allow(clippy::cast_possible_truncation)]
        let sum = (($sum ^ $word) as u128 * 0x0100_0000_01b3) as u64;
        sum ^ (sum >> 29)
    }};
}

/// A word of four bytes.
macro_rules! word {
    ($a:ident, $b:ident, $c:ident, $d:ident) => {
        (*$a as u64) << 24 | (*$b as u64) << 16 | (*$c as u64) << 8 | *$d as u64
    };
}

// What is not there adds nothing. Each part has a mark of its own, so no two trees add the same.
impl Fingerprint {
    /// Of nothing.
    pub const NEW: Self = Self(0xcbf2_9ce4_8422_2325);

    /// Returns the number.
    pub const fn value(self) -> u64 {
        // The product moves upward alone.
        self.0 ^ (self.0 >> 32)
    }

    /// Adds a number.
    #[must_use]
    pub const fn number(self, value: u64) -> Self {
        Self(mixed!(self.0, value))
    }

    /// Adds a tree: all that its schema says on one of serde's sides, and no words.
    #[must_use]
    pub const fn tree(self, shape: &Shape<'_>, output: bool) -> Self {
        match &shape.kind {
            Kind::Any => self.number(1),
            Kind::Null => self.number(2),
            Kind::Bool => self.number(3),
            Kind::Integer(range) => self.integers(range),
            Kind::Number(range) => self
                .number(5)
                .number(range.width.to_bits())
                .edge(7, range.min)
                .edge(9, range.max)
                .literal(11, range.multiple_of),
            Kind::String(rules) => self.strings(rules),
            Kind::Enum(variants) => {
                let mut sum = self.number(7);
                let mut variants = *variants;
                while let [variant, rest @ ..] = variants {
                    let name = if output {
                        variant.output_name
                    } else {
                        variant.name
                    };
                    sum = sum.text(14, name);
                    variants = rest;
                }
                sum
            }
            Kind::Array(array) => self
                .number(8 + ((array.unique as u64) << 8))
                .count(38, array.min_len)
                .limit(39, array.max_len)
                .tree(array.items, output),
            Kind::Tuple(items) => {
                let mut sum = self.number(9).number(items.len() as u64);
                let mut items = *items;
                while let [item, rest @ ..] = items {
                    sum = sum.tree(item, output);
                    items = rest;
                }
                sum
            }
            Kind::Object(object) => {
                let mut sum = self.object(object.open, object.fields.len());
                let mut fields = object.fields;
                while let [field, rest @ ..] = fields {
                    fields = rest;
                    sum = sum.field(field, output);
                }
                sum
            }
            Kind::Map(map) => self
                .number(11)
                .count(38, map.min_len)
                .limit(39, map.max_len)
                .tree(map.keys, output)
                .tree(map.values, output),
            Kind::Nullable(inner) => Self(mixed!(self.0, 12)).tree(inner, output),
            Kind::Union(union) => {
                let mut sum = self.number(13).number(union.members.len() as u64);
                let mut members = union.members;
                while let [member, rest @ ..] = members {
                    sum = sum.tree(member, output);
                    members = rest;
                }
                sum
            }
            Kind::Bounded(inner, bounds) => self.bounds(bounds).tree(inner, output),
            Kind::InOut {
                input,
                output: written,
            } => self
                .number(15)
                .tree(if output { written } else { input }, output),
            Kind::Recursive(back) => self.text(15, back.id.name).number(back.id.hash),
            Kind::Foreign(_) => self.number(17),
            Kind::Rule(_) => self.number(18),
            Kind::Unknown => self.number(19),
        }
    }

    /// Adds an object of which the keys come next.
    #[must_use]
    pub const fn object(self, open: bool, keys: usize) -> Self {
        self.number(10 + ((open as u64) << 8) + ((keys as u64) << 32))
    }

    /// Adds a key that is read.
    #[must_use]
    pub const fn key(self, name: &str, presence: Presence, shape: &Shape<'_>) -> Self {
        // A key that may be missing may be missing, whatever that means.
        let mark = match presence {
            Presence::Required => REQUIRED,
            Presence::Optional | Presence::Defaulted => OPTIONAL,
            Presence::Never => NEVER,
        };
        self.text(mark, name).tree(shape, false)
    }

    const fn field(self, field: &Field<'_>, output: bool) -> Self {
        let (name, mark) = if output {
            let mark = match field.output {
                OutputPresence::Always => REQUIRED,
                OutputPresence::Sometimes => OPTIONAL,
                OutputPresence::Never => NEVER,
            };
            (field.output_name, mark)
        } else {
            // A key that may be missing may be missing, whatever that means.
            let mark = match field.presence {
                Presence::Required => REQUIRED,
                Presence::Optional | Presence::Defaulted => OPTIONAL,
                Presence::Never => NEVER,
            };
            (field.name, mark)
        };
        self.text(mark + field.flatten as u64 * FLATTENED, name)
            .tree(field.shape, output)
    }

    /// Adds a text and where it ends; `mark` says what it is, in five bits.
    const fn text(self, mark: u64, text: &str) -> Self {
        let mut bytes = text.as_bytes();
        let mut sum = self.0;
        while let [a, b, c, d, e, f, g, h, rest @ ..] = bytes {
            sum = mixed!(sum, word!(a, b, c, d) << 32 | word!(e, f, g, h));
            bytes = rest;
        }
        // The last word has up to seven bytes, their number, and the mark.
        let mut last = mark << 59;
        if let [a, b, c, d, rest @ ..] = bytes {
            last |= 4 << 56 | word!(a, b, c, d) << 24;
            bytes = rest;
        }
        last += match bytes {
            [] => 0,
            [a] => 1 << 56 | *a as u64,
            [a, b] => 2 << 56 | (*a as u64) << 8 | *b as u64,
            [a, b, c, ..] => 3 << 56 | (*a as u64) << 16 | (*b as u64) << 8 | *c as u64,
        };
        Self(mixed!(sum, last))
    }

    /// Adds strings. Most have no rules.
    const fn strings(self, rules: &StringRules<'_>) -> Self {
        let sum = mixed!(self.0, 6);
        match rules {
            StringRules {
                min_len: 0,
                max_len: None,
                pattern: None,
                format,
                ..
            } if matches!(format.as_bytes(), []) => Self(sum),
            _ => Self(sum)
                .count(38, rules.min_len)
                .limit(39, rules.max_len)
                .pattern(12, rules.pattern)
                .format(13, rules.format),
        }
    }

    /// Adds integers. Those beyond 64 bits have their upper halves.
    #[allow(clippy::cast_possible_truncation)] // Both halves are added.
    const fn integers(self, range: &IntegerRange) -> Self {
        let IntegerRange { min, max, .. } = range;
        let (low, high) = (min.magnitude >> 64, max.magnitude >> 64);
        let is_wide = low != 0 || high != 0;
        let flags = ((range.not_zero as u64) << 8)
            + ((min.negative as u64) << 9)
            + ((max.negative as u64) << 10)
            + ((is_wide as u64) << 11);
        let mut sum = mixed!(self.0, 4 + flags);
        sum = mixed!(sum, min.magnitude as u64);
        sum = mixed!(sum, max.magnitude as u64);
        if is_wide {
            sum = mixed!(sum, low as u64);
            sum = mixed!(sum, high as u64);
        }
        if range.multiple_of != 0 {
            sum = mixed!(sum, 32 << 32);
            sum = mixed!(sum, range.multiple_of);
        }
        Self(sum)
    }

    const fn bounds(self, bounds: &Bounds<'_>) -> Self {
        let sum = Self(mixed!(self.0, 14 + ((bounds.unique as u64) << 8)));
        // Mostly there are those of integers alone.
        let sum = match bounds {
            Bounds {
                from: None,
                to: None,
                multiple_of: None,
                min_len: None,
                max_len: None,
                pattern: None,
                format,
                ..
            } if matches!(format.as_bytes(), []) => sum,
            _ => sum
                .edge(7, bounds.from)
                .edge(9, bounds.to)
                .literal(11, bounds.multiple_of)
                .limit(38, bounds.min_len)
                .limit(39, bounds.max_len)
                .pattern(12, bounds.pattern)
                .format(13, bounds.format),
        };
        sum.int(43, bounds.min).int(44, bounds.max)
    }

    #[allow(clippy::cast_possible_truncation)] // Both halves are added.
    const fn int(self, mark: u64, int: Option<Int>) -> Self {
        match int {
            Some(int) => {
                let mut sum = mixed!(self.0, (mark << 32) + int.negative as u64);
                sum = mixed!(sum, int.magnitude as u64);
                Self(mixed!(sum, (int.magnitude >> 64) as u64))
            }
            None => self,
        }
    }

    const fn count(self, mark: u64, count: u64) -> Self {
        if count == 0 {
            return self;
        }
        self.number(mark << 32).number(count)
    }

    const fn limit(self, mark: u64, limit: Option<u64>) -> Self {
        match limit {
            Some(limit) => self.number(mark << 32).number(limit),
            None => self,
        }
    }

    const fn literal(self, mark: u64, literal: Option<Literal<'_>>) -> Self {
        match literal {
            Some(literal) => self.text(mark, literal.text),
            None => self,
        }
    }

    const fn edge(self, mark: u64, edge: Option<Edge<'_>>) -> Self {
        match edge {
            Some(edge) => self.text(mark + edge.exclusive as u64, edge.at.text),
            None => self,
        }
    }

    const fn pattern(self, mark: u64, pattern: Option<Pattern<'_>>) -> Self {
        match pattern {
            Some(pattern) => self.text(mark, pattern.text),
            None => self,
        }
    }

    const fn format(self, mark: u64, format: &str) -> Self {
        if format.is_empty() {
            return self;
        }
        self.text(mark, format)
    }
}

/// Marks of keys: of one that must be there, of one that may be missing, and of one that is never there. Of one whose type's keys
/// stand in its place the mark is higher by [`FLATTENED`].
const REQUIRED: u64 = 1;
const OPTIONAL: u64 = 2;
const NEVER: u64 = 3;
const FLATTENED: u64 = 3;
