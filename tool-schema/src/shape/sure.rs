//! Values without parts that a shape surely admits, told by a comparison or two: decided where a tree
//! is made, in `const`, since it is what most values of most calls are.

use crate::shape::{Bounds, Edge, Int, IntegerRange, Kind, NumberRange, StringRules};

/// Some of the values that a shape admits. Of others it takes a closer look to know.
#[derive(Debug, Clone, Copy)]
pub enum Sure {
    /// None.
    Nothing,
    /// The integers from `min` to `max`.
    Integers {
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// The numbers between these two, as far as floats tell them apart from these.
    Numbers {
        /// Smaller than all.
        above: f64,
        /// Larger than all.
        below: f64,
    },
    /// The strings of at least `min` and at most `max` bytes.
    Strings {
        /// The fewest.
        min: u64,
        /// The most.
        max: u64,
    },
}

impl Sure {
    /// What is sure of a kind, of which the parts know theirs.
    pub(crate) const fn of(kind: &Kind<'_>) -> Self {
        match kind {
            Kind::Integer(range) => Self::integers(range),
            Kind::Number(range) => Self::numbers(range),
            Kind::String(rules) => Self::strings(rules),
            Kind::Nullable(inner) | Kind::Sides { input: inner, .. } => inner.sure,
            Kind::Narrow(inner, bounds) => inner.sure.within(bounds),
            _ => Self::Nothing,
        }
    }

    const fn integers(range: &IntegerRange) -> Self {
        if range.multiple_of != 0 || range.not_zero {
            return Self::Nothing;
        }
        Self::from_to(signed(range.min), signed(range.max))
    }

    /// The integers of 64 bits that stand between.
    #[allow(clippy::cast_possible_truncation)] // Both have been compared with what fits.
    const fn from_to(min: i128, max: i128) -> Self {
        const LEAST: i128 = i64::MIN as i128;
        const MOST: i128 = i64::MAX as i128;
        if min > MOST || max < LEAST {
            return Self::Nothing;
        }
        Self::Integers {
            min: if min > LEAST { min as i64 } else { i64::MIN },
            max: if max < MOST { max as i64 } else { i64::MAX },
        }
    }

    const fn numbers(range: &NumberRange<'_>) -> Self {
        if range.multiple_of.is_some() {
            return Self::Nothing;
        }
        Self::Numbers {
            above: -range.width,
            below: range.width,
        }
        .between(range.min, range.max)
    }

    const fn strings(rules: &StringRules<'_>) -> Self {
        if rules.pattern.is_some() || !rules.format.is_empty() {
            return Self::Nothing;
        }
        Self::Strings {
            min: 0,
            max: u64::MAX,
        }
        .long(rules.min_len, rules.max_len)
    }

    /// What is sure within bounds, too.
    const fn within(self, bounds: &Bounds<'_>) -> Self {
        if bounds.multiple_of.is_some()
            || bounds.pattern.is_some()
            || !bounds.format.is_empty()
            || bounds.unique
        {
            return Self::Nothing;
        }
        match self {
            Self::Nothing => Self::Nothing,
            Self::Integers { min, max } => Self::from_to(
                match bounds.min {
                    Some(bound) if signed(bound) > min as i128 => signed(bound),
                    _ => min as i128,
                },
                match bounds.max {
                    Some(bound) if signed(bound) < max as i128 => signed(bound),
                    _ => max as i128,
                },
            ),
            Self::Numbers { .. } => self.between(bounds.from, bounds.to),
            Self::Strings { .. } => {
                let min = match bounds.min_len {
                    Some(min) => min,
                    None => 0,
                };
                self.long(min, bounds.max_len)
            }
        }
    }

    /// The numbers between two edges, which themselves take a closer look.
    const fn between(self, from: Option<Edge<'_>>, to: Option<Edge<'_>>) -> Self {
        let Self::Numbers { above, below } = self else {
            return self;
        };
        Self::Numbers {
            above: match from {
                Some(edge) if edge.at.value > above => edge.at.value,
                _ => above,
            },
            below: match to {
                Some(edge) if edge.at.value < below => edge.at.value,
                _ => below,
            },
        }
    }

    /// The strings of so many characters, each of which is one byte at least, and four at most.
    const fn long(self, min_len: u64, max_len: Option<u64>) -> Self {
        let Self::Strings { min, max } = self else {
            return self;
        };
        let fewest = match min_len {
            0 => 0,
            more => (more - 1).saturating_mul(4).saturating_add(1),
        };
        Self::Strings {
            min: if fewest > min { fewest } else { min },
            max: match max_len {
                Some(most) if most < max => most,
                _ => max,
            },
        }
    }
}

/// The integer, or the `i128` that is nearest to it.
const fn signed(int: Int) -> i128 {
    match (int.negative, int.magnitude) {
        (false, value) if value <= i128::MAX.unsigned_abs() => value.cast_signed(),
        (false, _) => i128::MAX,
        (true, value) => 0i128.saturating_sub_unsigned(value),
    }
}
