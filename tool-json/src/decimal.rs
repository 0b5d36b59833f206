//! Exact decimal arithmetic on the text of numbers, for bounds and multiples.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};

use crate::number::Integer;

/// Exact value of a JSON number, borrowed from its text: `-12.30e+1` is -123.
///
/// It never uses `f64`, so all digits count, and `0.3` is a multiple of `0.1`. Exponents are exact up to 10^37; larger
/// ones count as equal.
#[derive(Debug, Clone, Copy)]
pub struct Decimal<'t> {
    /// Sign; false for zero.
    negative: bool,
    /// Digits before the point and after it, as one integer without leading and trailing zeros. Both are empty for
    /// zero.
    whole: &'t str,
    fraction: &'t str,
    /// Power of ten that the integer is multiplied by; 0 for zero.
    exponent: i128,
}

/// Orders two texts: numbers by their value, before all others.
pub fn by_value(one: &str, other: &str) -> Ordering {
    match (Decimal::of(one), Decimal::of(other)) {
        (Some(a), Some(b)) => a.cmp(&b).then_with(|| one.cmp(other)),
        (None, None) => one.cmp(other),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

/// Limit of exponents: larger than any real one, and small enough that adding lengths does not overflow.
const HUGE: i128 = 10_i128.pow(37);

impl<'t> Decimal<'t> {
    /// Parses `text`, if it is a JSON number and nothing else.
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

    /// Removes leading and trailing zeros.
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

    /// Returns true for zero of either sign.
    fn is_zero(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of significant digits.
    fn len(&self) -> usize {
        self.whole.len() + self.fraction.len()
    }

    /// Returns the significant digits, as ASCII.
    fn digits(&self) -> impl Iterator<Item = u8> {
        self.whole.bytes().chain(self.fraction.bytes())
    }

    /// Returns true if the value is `of` times an integer. Only zero is a multiple of zero.
    ///
    /// Linear in the digits of this number. If `of` has more than 37 digits, it is linear in the product of both
    /// lengths.
    pub fn is_multiple_of(&self, of: &Decimal<'_>) -> bool {
        if self.is_zero() {
            return true;
        }
        // The last digit is not zero, so this is not a multiple of a coarser power of ten.
        if of.is_zero() || self.exponent < of.exponent {
            return false;
        }
        // It remains to check if the digits of `of` divide these digits, followed by that many zeros. A zero adds only
        // the factors 2 and 5, and a divisor has fewer than four of them per digit. So more zeros than that change
        // nothing.
        let enough = length_of(of.len()) * 4;
        let zeros = usize::try_from((self.exponent - of.exponent).min(enough)).unwrap_or(0);
        let digits = self.digits().chain(std::iter::repeat_n(b'0', zeros));
        match small(of) {
            Some(divisor) => divides(divisor, digits),
            None => divides_slowly(&of.digits().collect::<Vec<u8>>(), digits),
        }
    }

    /// Returns the value as an integer, if it is one.
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

    /// Appends a text that is the same for equal numbers only.
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
        // Writing to a string cannot fail.
        let _ = write!(out, "e{}", self.exponent);
    }

    /// Compares the absolute values.
    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        // The position of the first digit decides, unless a number has none.
        let top = |number: &Self| {
            let place = number.exponent + length_of(number.len());
            (!number.is_zero()).then_some(place)
        };
        // Without trailing zeros, the longer of two numbers with a common prefix is larger.
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

/// Parses the digits of an exponent, limited to [`HUGE`] in either direction.
fn exponent_of(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if !is_digits(digits) {
        return None;
    }
    // Digits fail to parse only if there are too many.
    let value = digits.parse().unwrap_or(HUGE).min(HUGE);
    Some(if negative { -value } else { value })
}

fn length(text: &str) -> i128 {
    length_of(text.len())
}

fn length_of(length: usize) -> i128 {
    i128::try_from(length).unwrap_or(HUGE)
}

/// Returns the digits of a divisor as an integer, if ten times the divisor fits into 128 bits.
fn small(of: &Decimal<'_>) -> Option<u128> {
    let divisor = of.digits().try_fold(0u128, |value, digit| {
        value
            .checked_mul(10)?
            .checked_add(u128::from(value_of(digit)))
    })?;
    divisor.checked_mul(10).map(|_| divisor)
}

/// Divides by long division, and keeps only the remainder.
fn divides(divisor: u128, digits: impl Iterator<Item = u8>) -> bool {
    let remainder = digits.fold(0, |remainder: u128, digit| {
        // The remainder is less than the divisor, and ten times the divisor fits.
        (remainder * 10 + u128::from(value_of(digit))) % divisor
    });
    remainder == 0
}

/// Divides digit by digit, for a divisor of any length.
fn divides_slowly(divisor: &[u8], digits: impl Iterator<Item = u8>) -> bool {
    // One digit longer than the divisor.
    let divisor: Vec<u8> = std::iter::once(b'0')
        .chain(divisor.iter().copied())
        .collect();
    let mut remainder = vec![b'0'; divisor.len()];
    for digit in digits {
        // The remainder is below the divisor, so its first digit is zero, and rotates to the end.
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

/// Subtracts a number from one that is not less. Both are ASCII digits of the same length.
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
