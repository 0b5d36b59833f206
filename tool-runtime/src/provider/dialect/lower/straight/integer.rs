//! The bounds of integers, which are the bounds that most tools have.

use std::fmt::Write as _;

use super::super::super::keywords::Keywords;
use super::super::super::reject::NoteKind;
use super::super::words::Taken;
use super::Straight;
use crate::schema::read::Ordered;
use crate::schema::shape::{Int, IntegerRange};

/// A keyword and its number, if a provider is told one.
type Bound = (&'static str, Option<Int>);

/// The bounds that a provider is told, in the order in which they are written and told.
fn bounds(range: &IntegerRange) -> [Bound; 3] {
    let is_told = !range.is_width;
    let multiple = Int::unsigned(range.multiple_of.into());
    [
        (
            "minimum",
            (is_told || range.min.is_zero()).then_some(range.min),
        ),
        ("maximum", is_told.then_some(range.max)),
        ("multipleOf", (!multiple.is_zero()).then_some(multiple)),
    ]
}

/// The number as a value, if that keeps its digits: it is one of 64 bits.
fn value(bound: Int) -> Option<Ordered> {
    if bound.negative {
        let value = i64::try_from(bound.magnitude).ok()?;
        return Some(Ordered::Signed(i128::from(-value)));
    }
    let value = u64::try_from(bound.magnitude).ok()?;
    Some(Ordered::Unsigned(value.into()))
}

/// Whether all that is said of the integers are bounds of 64 bits.
pub(super) fn is_plain(range: &IntegerRange) -> bool {
    let mut told = bounds(range).into_iter().filter_map(|(_, bound)| bound);
    !range.not_zero && told.all(|bound| value(bound).is_some())
}

impl Straight {
    /// Writes the bounds that the dialect takes; what it has to be told of the others in words.
    /// `may_leave_out` is whether 0 as the least is told nobody: `Pass::drop_width` says why.
    pub(super) fn integer(&mut self, range: &IntegerRange, may_leave_out: bool) -> Option<String> {
        let mut told = Vec::new();
        for (keyword, bound) in bounds(range) {
            let Some((bound, value)) = bound.and_then(|bound| Some((bound, value(bound)?))) else {
                continue;
            };
            if may_leave_out && keyword == "minimum" && bound.is_zero() && range.is_width {
                self.note(NoteKind::Dropped, keyword, "0");
                continue;
            }
            let taken = self.rules.takes(keyword, &value, &Keywords::default());
            if taken == Taken::Yes {
                self.out.push_str(",\"");
                self.out.push_str(keyword);
                self.out.push_str("\":");
                value.write(&mut self.out);
            } else {
                told.push((taken == Taken::NotThis, keyword, value));
            }
        }
        // What it never takes is told first.
        told.sort_by_key(|(is_conditional, ..)| *is_conditional);
        let mut words: Option<String> = None;
        for (_, keyword, value) in told {
            let value = value.to_json();
            self.note(NoteKind::Demoted, keyword, &value);
            let words = words.get_or_insert_default();
            let gap = if words.is_empty() { "" } else { "; " };
            // Writing to a string cannot fail.
            let _ = write!(words, "{gap}{keyword} {value}");
        }
        words
    }
}
