//! Numbers, by their decimal texts.

use toolwright_json::{Decimal, Integer, Value};

use super::{Keywords, TreeReader};
use crate::keyword::Keyword;
use crate::read::Parts;
use crate::shape::{Bounds, Edge, Int, IntegerRange, Kind, Literal, NumberRange, Rule, Shape};

/// All integers.
pub(super) const fn any_integer<'a>() -> Shape<'a> {
    Shape::new(Kind::Integer(IntegerRange::UNBOUNDED))
}

/// The integers from a smallest one on, which 128 bits hold.
pub(super) const fn integers<'a>(min: Option<i128>) -> Shape<'a> {
    let range = IntegerRange::UNBOUNDED;
    Shape::new(Kind::Integer(match min {
        Some(min) => IntegerRange {
            min: Int::signed(min),
            ..range
        },
        None => range,
    }))
}

impl<'a> TreeReader<'_, 'a> {
    /// Returns the shape that keywords give to numbers, if they say anything.
    pub(super) fn number(
        &mut self,
        keywords: &Keywords<'_>,
        is_integer: bool,
    ) -> Option<Shape<'a>> {
        let min = self.edge(
            keywords,
            Keyword::Minimum,
            Keyword::ExclusiveMinimum,
            std::cmp::Ordering::Greater,
        );
        let max = self.edge(
            keywords,
            Keyword::Maximum,
            Keyword::ExclusiveMaximum,
            std::cmp::Ordering::Less,
        );
        let multiple_of = self.literal(keywords.keyword(Keyword::MultipleOf));
        if min.is_none() && max.is_none() && multiple_of.is_none() {
            return None;
        }
        if is_integer && let Some(shape) = self.integer(min, max, multiple_of) {
            return Some(shape);
        }
        let range = if is_f32(min, max) {
            NumberRange {
                multiple_of,
                ..NumberRange::of_type(NumberRange::F32)
            }
        } else {
            NumberRange {
                min,
                max,
                multiple_of,
                ..NumberRange::of_type(f64::MAX)
            }
        };
        let number = Shape::new(Kind::Number(range));
        Some(if is_integer {
            // Bounds that integers of 64 bits do not express.
            let parts = [any_integer(), number];
            Shape::new(Kind::Rule(Rule::All(self.memory.list(&parts))))
        } else {
            number
        })
    }

    /// The end of a range: of two the one that admits less.
    fn edge(
        &self,
        keywords: &Keywords<'_>,
        inclusive: Keyword,
        exclusive: Keyword,
        stricter: std::cmp::Ordering,
    ) -> Option<Edge<'a>> {
        let edge = |keyword, exclusive| {
            let at = self.literal(keywords.keyword(keyword))?;
            Some(Edge { at, exclusive })
        };
        let (one, other) = (edge(inclusive, false), edge(exclusive, true));
        match (one, other) {
            (Some(one), Some(other)) => {
                let order = Decimal::of(one.at.text).partial_cmp(&Decimal::of(other.at.text));
                Some(if order == Some(stricter) { one } else { other })
            }
            (one, other) => one.or(other),
        }
    }

    fn literal(&self, value: Option<&Value<'_>>) -> Option<Literal<'a>> {
        let Some(Value::Number(text)) = value else {
            return None;
        };
        Some(Literal {
            value: text.parse().ok()?,
            text: self.text(text),
        })
    }

    /// Returns the range as one of integers, if its ends are integers that 128 bits hold.
    fn integer(
        &self,
        min: Option<Edge<'a>>,
        max: Option<Edge<'a>>,
        multiple_of: Option<Literal<'a>>,
    ) -> Option<Shape<'a>> {
        let factor = multiple_of.map_or(Some(0), |of| {
            let of = of.text.parse::<u64>().ok();
            of.filter(|of| *of > 0)
        })?;
        let bounds = Bounds {
            min: match min {
                Some(edge) => Some(bound(edge, true)?),
                None => None,
            },
            max: match max {
                Some(edge) => Some(bound(edge, false)?),
                None => None,
            },
            multiple_of,
            ..Bounds::NONE
        };
        if let (Some(min), Some(max)) = (bounds.min, bounds.max)
            && let Some(range) = IntegerRange::of_type(min, max)
        {
            return Some(Shape::new(Kind::Integer(IntegerRange {
                multiple_of: factor,
                ..range
            })));
        }
        // Where no bound is, integers of any size follow.
        let any = IntegerRange::UNBOUNDED;
        if bounds.min == Some(any.min) || bounds.max == Some(any.max) {
            return None;
        }
        let integers = self.keep(&any_integer());
        Some(Shape::new(Kind::Bounded(integers, bounds)))
    }
}

/// Returns true if the numbers between two ends are all of an `f32`.
fn is_f32(min: Option<Edge<'_>>, max: Option<Edge<'_>>) -> bool {
    let is_at = |edge: Option<Edge<'_>>, end: f64| {
        let end = format!("{end:e}");
        edge.is_some_and(|edge| !edge.exclusive && Decimal::of(edge.at.text) == Decimal::of(&end))
    };
    is_at(min, -NumberRange::F32) && is_at(max, NumberRange::F32)
}

/// The integer at an end of a range, if it is one that 128 bits hold: of larger ones the decimals decide.
fn bound(edge: Edge<'_>, is_min: bool) -> Option<Int> {
    let value = match Integer::of(edge.at.text)? {
        Integer::Unsigned(value) => Int::unsigned(value),
        Integer::Signed(value) => Int::signed(value),
        Integer::Huge => return None,
    };
    match (edge.exclusive, is_min) {
        (false, _) => Some(value),
        (true, true) => value.next(),
        (true, false) => value.previous(),
    }
}
