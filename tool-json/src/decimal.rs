//! Numbers by their exact decimal value.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};

use crate::number::Integer;

/// The exact value of a JSON number, borrowed from its text: `-12.30e+1` is -123.
///
/// Nothing goes through `f64`, so any number of digits counts, and `0.3` is a multiple of `0.1`.
/// Exponents are exact up to 10^37; beyond that they are all as large.
#[derive(Debug, Clone, Copy)]
pub struct Decimal<'t> {
    /// Zero is not.
    negative: bool,
    /// The digits before the point and those behind it, read as one integer that neither starts
    /// nor ends with a zero; of zero both are empty.
    whole: &'t str,
    fraction: &'t str,
    /// The power of ten that this integer is multiplied by; 0 for zero.
    exponent: i128,
}

/// Far beyond every exponent that somebody means, and far from overflow when lengths are added.
const HUGE: i128 = 10_i128.pow(37);

impl<'t> Decimal<'t> {
    /// The value of `text`, if it is a JSON number and nothing else.
    pub fn of(text: &'t str) -> Option<Self> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent_of(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) if is_digits(fraction) => (whole, fraction),
            Some(_) => return None,
            None => (mantissa, ""),
        };
        let leading_zero = whole.len() > 1 && whole.starts_with('0');
        if !is_digits(whole) || leading_zero {
            return None;
        }
        Some(Self::normal(negative, whole, fraction, exponent))
    }

    /// Drops the zeros at both ends.
    fn normal(negative: bool, whole: &'t str, fraction: &'t str, exponent: i128) -> Self {
        let mut whole = whole.trim_start_matches('0');
        let kept = fraction.trim_end_matches('0');
        let mut exponent = exponent - length(kept);
        let mut fraction = kept;
        if fraction.is_empty() {
            let kept = whole.trim_end_matches('0');
            exponent += length(whole) - length(kept);
            whole = kept;
        }
        if whole.is_empty() {
            fraction = fraction.trim_start_matches('0');
        }
        if whole.is_empty() && fraction.is_empty() {
            return Self {
                negative: false,
                whole,
                fraction,
                exponent: 0,
            };
        }
        Self {
            negative,
            whole,
            fraction,
            exponent,
        }
    }

    /// Whether it is zero, whatever its sign.
    fn is_zero(&self) -> bool {
        self.len() == 0
    }

    /// How many digits count.
    fn len(&self) -> usize {
        self.whole.len() + self.fraction.len()
    }

    /// The digits that count, as ASCII.
    fn digits(&self) -> impl Iterator<Item = u8> {
        self.whole.bytes().chain(self.fraction.bytes())
    }

    /// Whether the value is `of` times a whole number. Of zero, only zero is a multiple.
    ///
    /// Linear in this number's digits; where `of` has more than 37 digits, in the product of both
    /// lengths.
    pub fn is_multiple_of(&self, of: &Decimal<'_>) -> bool {
        if self.is_zero() {
            return true;
        }
        // The last digit is not zero, so no multiple of ten makes it one of a coarser grid.
        if of.is_zero() || self.exponent < of.exponent {
            return false;
        }
        // What is left to ask: whether `of`'s digits divide these, with this many zeros behind
        // them. Only factors of 2 and 5 come with a zero, and a divisor has fewer than four of
        // them a digit: more zeros change nothing.
        let enough = length_of(of.len()) * 4;
        let zeros = usize::try_from((self.exponent - of.exponent).min(enough)).unwrap_or(0);
        let digits = self.digits().chain(std::iter::repeat_n(b'0', zeros));
        match small(of) {
            Some(divisor) => divides(divisor, digits),
            None => divides_slowly(&of.digits().collect::<Vec<u8>>(), digits),
        }
    }

    /// The integer that this is, if it is one.
    pub fn to_integer(&self) -> Option<Integer> {
        if self.is_zero() {
            return Some(Integer::Unsigned(0));
        }
        // The last digit is not zero.
        let zeros = usize::try_from(self.exponent.min(64)).ok()?;
        let mut digits = self.digits().chain(std::iter::repeat_n(b'0', zeros));
        let value = digits.try_fold(0u128, |value, digit| {
            value.checked_mul(10)?.checked_add(value_of(digit).into())
        });
        Some(match value {
            Some(value) if self.negative => {
                let value = 0i128.checked_sub_unsigned(value);
                value.map_or(Integer::Huge, Integer::Signed)
            }
            Some(value) => Integer::Unsigned(value),
            None => Integer::Huge,
        })
    }

    /// Appends a text that equal numbers have in common and others have not.
    pub fn write_key(&self, out: &mut String) {
        if self.is_zero() {
            out.push('0');
            return;
        }
        if self.negative {
            out.push('-');
        }
        out.push_str(self.whole);
        out.push_str(self.fraction);
        // Writing to a string does not fail.
        let _ = write!(out, "e{}", self.exponent);
    }

    /// The order of the values without their signs.
    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        // Where the first digit stands decides, unless a number has none.
        let top = |number: &Self| {
            let place = number.exponent + length_of(number.len());
            (!number.is_zero()).then_some(place)
        };
        // Without zeros at the end, the longer of two numbers that start alike is the larger.
        top(self)
            .cmp(&top(other))
            .then_with(|| self.digits().cmp(other.digits()))
    }
}

impl Ord for Decimal<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Decimal<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Decimal<'_> {}

impl Hash for Decimal<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.negative, self.exponent).hash(state);
        self.digits().for_each(|digit| digit.hash(state));
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What stands behind the `e`, at most [`HUGE`] either way.
fn exponent_of(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if !is_digits(digits) {
        return None;
    }
    // Digits alone fail to parse only where they are too many.
    let value = digits.parse().unwrap_or(HUGE).min(HUGE);
    Some(if negative { -value } else { value })
}

fn length(text: &str) -> i128 {
    length_of(text.len())
}

fn length_of(length: usize) -> i128 {
    i128::try_from(length).unwrap_or(HUGE)
}

/// The digits of a divisor as an integer, if ten times it fits into 128 bits.
fn small(of: &Decimal<'_>) -> Option<u128> {
    let divisor = of.digits().try_fold(0u128, |value, digit| {
        value
            .checked_mul(10)?
            .checked_add(u128::from(value_of(digit)))
    })?;
    divisor.checked_mul(10).map(|_| divisor)
}

/// Long division: only the remainder is kept.
fn divides(divisor: u128, digits: impl Iterator<Item = u8>) -> bool {
    let remainder = digits.fold(0, |remainder: u128, digit| {
        // The remainder is less than the divisor, ten times which fits.
        (remainder * 10 + u128::from(value_of(digit))) % divisor
    });
    remainder == 0
}

/// The same, digit by digit, for a divisor of any length.
fn divides_slowly(divisor: &[u8], digits: impl Iterator<Item = u8>) -> bool {
    // As long as the divisor and one digit more.
    let divisor: Vec<u8> = std::iter::once(b'0')
        .chain(divisor.iter().copied())
        .collect();
    let mut remainder = vec![b'0'; divisor.len()];
    for digit in digits {
        // Below the divisor, it starts with a zero, which comes round to the end.
        remainder.rotate_left(1);
        if let Some(last) = remainder.last_mut() {
            *last = digit;
        }
        while remainder >= divisor {
            subtract(&mut remainder, &divisor);
        }
    }
    remainder.iter().all(|digit| *digit == b'0')
}

/// Takes a number from one that is not less, both ASCII digits of one length.
fn subtract(from: &mut [u8], number: &[u8]) {
    let mut borrow = 0;
    for (digit, take) in from.iter_mut().zip(number).rev() {
        let take = value_of(*take) + borrow;
        let value = value_of(*digit);
        borrow = u8::from(value < take);
        *digit = b'0' + (value + 10 * borrow - take);
    }
}

fn value_of(digit: u8) -> u8 {
    digit - b'0'
}

#[cfg(test)]
mod tests;
