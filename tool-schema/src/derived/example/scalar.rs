//! Numbers, strings and lengths, against types and bounds.

use super::{Misfit, Place};
use crate::derived::fits::is_above;
use crate::shape::{Bounds, Edge, Int, IntegerRange, NumberRange};
use crate::text::ConstText;

/// What a number says of whole numbers.
enum Whole {
    Is(Int),
    Not,
    /// It has an exponent, or more than 128 bits.
    Unsure,
}

const fn whole(text: &str) -> Whole {
    let (negative, mut rest) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        all => (false, all),
    };
    let (mut magnitude, mut in_fraction) = (0_u128, false);
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match byte {
            b'0' if in_fraction => {}
            b'1'..=b'9' if in_fraction => return Whole::Not,
            b'.' => in_fraction = true,
            b'0'..=b'9' => match magnitude.checked_mul(10) {
                Some(tens) => match tens.checked_add((*byte - b'0') as u128) {
                    Some(sum) => magnitude = sum,
                    None => return Whole::Unsure,
                },
                None => return Whole::Unsure,
            },
            _ => return Whole::Unsure,
        }
    }
    Whole::Is(Int {
        negative: negative && magnitude > 0,
        magnitude,
    })
}

pub(super) const fn integer(
    range: &IntegerRange,
    at: usize,
    text: &str,
    place: Place,
) -> Option<Misfit> {
    let value = match whole(text) {
        Whole::Is(value) => value,
        Whole::Unsure => return None,
        Whole::Not => {
            let mut misfit = Misfit::new(at);
            place.say(&mut misfit.text);
            misfit
                .text
                .push(" takes a whole number, and this is none\nhelp: write it without a fraction");
            return Some(misfit);
        }
    };
    let is_refused = is_above(range.min, value)
        || is_above(value, range.max)
        || range.not_zero && value.is_zero();
    if is_refused {
        let mut misfit = Misfit::new(at);
        place.say(&mut misfit.text);
        misfit.text.push(" takes whole numbers from ");
        push_int(&mut misfit.text, range.min);
        misfit.text.push(" to ");
        push_int(&mut misfit.text, range.max);
        if range.not_zero {
            misfit.text.push(", but not 0");
        }
        misfit
            .text
            .push("\nhelp: write one of these, or take a wider type");
        return Some(misfit);
    }
    None
}

pub(super) const fn number(
    range: &NumberRange<'_>,
    at: usize,
    value: f64,
    place: Place,
) -> Option<Misfit> {
    if value > range.width || value < -range.width {
        let mut misfit = Misfit::new(at);
        place.say(&mut misfit.text);
        misfit
            .text
            .push(" takes no number of this size\nhelp: write a smaller one, or take a wider type");
        return Some(misfit);
    }
    None
}

pub(super) const fn in_range(
    bounds: &Bounds<'_>,
    at: usize,
    text: &str,
    value: f64,
    place: Place,
) -> Option<Misfit> {
    let whole = match whole(text) {
        Whole::Is(value) => Some(value),
        _ => None,
    };
    let is_low = match (bounds.min, whole, bounds.from) {
        (Some(min), Some(whole), _) => is_above(min, whole),
        (_, _, Some(Edge { at, exclusive })) => value < at.value || exclusive && value <= at.value,
        _ => false,
    };
    let is_high = match (bounds.max, whole, bounds.to) {
        (Some(max), Some(whole), _) => is_above(whole, max),
        (_, _, Some(Edge { at, exclusive })) => value > at.value || exclusive && value >= at.value,
        _ => false,
    };
    if is_low || is_high {
        let mut misfit = Misfit::new(at);
        misfit.text.push("this number is ");
        misfit.text.push(if is_low { "below" } else { "above" });
        misfit.text.push(" the `range` of ");
        place.say(&mut misfit.text);
        let (edge, int) = if is_low {
            (bounds.from, bounds.min)
        } else {
            (bounds.to, bounds.max)
        };
        misfit.text.push("\nhelp: write one that is ");
        match (int, edge) {
            (Some(int), _) => {
                push_int(&mut misfit.text, int);
                misfit
                    .text
                    .push(if is_low { " or more" } else { " or less" });
            }
            (None, Some(Edge { at, exclusive })) => {
                misfit.text.push(match (is_low, exclusive) {
                    (true, true) => "above ",
                    (true, false) => "at least ",
                    (false, true) => "below ",
                    (false, false) => "at most ",
                });
                misfit.text.push(at.text);
            }
            _ => misfit.text.push("in it"),
        }
        misfit.text.push(", or widen the range");
        return Some(misfit);
    }
    if let (Some(of), Some(whole)) = (bounds.multiple_of, whole)
        && let Whole::Is(step) = self::whole(of.text)
        && step.magnitude > 0
        && !whole.magnitude.is_multiple_of(step.magnitude)
    {
        let mut misfit = Misfit::new(at);
        place.say(&mut misfit.text);
        misfit.text.push(" takes multiples of ");
        misfit.text.push(of.text);
        misfit.text.push("\nhelp: write one");
        return Some(misfit);
    }
    None
}

pub(super) const fn length_bounds(
    bounds: &Bounds<'_>,
    at: usize,
    len: u64,
    place: Place,
    of: &str,
) -> Option<Misfit> {
    let min = match bounds.min_len {
        Some(min) => min,
        None => 0,
    };
    length(at, len, min, bounds.max_len, place, of)
}

pub(super) const fn length(
    at: usize,
    len: u64,
    min: u64,
    max: Option<u64>,
    place: Place,
    of: &str,
) -> Option<Misfit> {
    let (limit, is_short) = match max {
        _ if len < min => (min, true),
        Some(max) if len > max => (max, false),
        _ => return None,
    };
    let mut misfit = Misfit::new(at);
    place.say(&mut misfit.text);
    misfit.text.push(if is_short {
        " takes at least "
    } else {
        " takes at most "
    });
    push_int(&mut misfit.text, Int::unsigned(limit as u128));
    misfit.text.push(of);
    misfit.text.push(", and this has ");
    push_int(&mut misfit.text, Int::unsigned(len as u128));
    misfit.text.push("\nhelp: ");
    misfit.text.push(if is_short {
        "write a longer one, or lower its `len`"
    } else {
        "write a shorter one, or raise its `len`"
    });
    Some(misfit)
}

/// Number of characters: of bytes that begin one.
pub(super) const fn count(text: &str) -> u64 {
    let (mut count, mut rest) = (0, text.as_bytes());
    while let [byte, tail @ ..] = rest {
        count += (*byte & 0xc0 != 0x80) as u64;
        rest = tail;
    }
    count
}

const fn push_int(text: &mut ConstText, value: Int) {
    if value.negative {
        text.push("-");
    }
    push_digits(text, value.magnitude);
}

const fn push_digits(text: &mut ConstText, value: u128) {
    if value > 9 {
        push_digits(text, value / 10);
    }
    // One digit.
    #[allow(clippy::cast_possible_truncation)]
    text.push_number((value % 10) as usize);
}
