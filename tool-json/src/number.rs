//! Numbers by their decimal text.
//!
//! Integers are exact up to 128 bits. Going through `f64` would change the last digits of large ones.

use std::borrow::Cow;

use crate::decimal::Decimal;
use crate::scan::{Error, Expected, Scanner};

/// A JSON number by its decimal text.
///
/// `1.0`, `1e2` and `-0` are integers, since JSON does not distinguish integers by spelling, and models write both.
/// Integers never pass through `f64`, so `2^53 + 1` and `u64::MAX` are exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number<'t> {
    /// Integer from 0 to `u64::MAX`.
    Unsigned(u64),
    /// Integer from `i64::MIN` to -1.
    Signed(i64),
    /// Any other number: its text, and the nearest float.
    Text(&'t str, f64),
}

/// Integer of up to 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integer {
    /// Zero or more.
    Unsigned(u128),
    /// Less than zero.
    Signed(i128),
    /// An integer that exceeds 128 bits.
    Huge,
}

impl<'t> Number<'t> {
    /// Returns the number as JSON text.
    pub fn to_text(self) -> Cow<'t, str> {
        match self {
            Self::Unsigned(value) => Cow::Owned(value.to_string()),
            Self::Signed(value) => Cow::Owned(value.to_string()),
            Self::Text(text, _) => Cow::Borrowed(text),
        }
    }

    /// Creates a number from a text that no 64-bit integer can hold.
    #[cold]
    pub fn of_text(text: &'t str) -> Self {
        Self::Text(text, text.parse().unwrap_or(f64::NAN))
    }

    /// Creates a number from a text without an exponent. It has `count` digits, `places` of them after the point.
    /// `value` is their integer if there are few.
    #[inline]
    fn of_decimal(text: &'t str, value: u64, count: usize, places: usize) -> Self {
        /// Integers of this many digits are less than 2^53.
        const MOST_DIGITS: usize = 15;
        const TENS: [f64; MOST_DIGITS + 1] = [
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
        ];
        let Some(ten) = TENS.get(places).filter(|_| count <= MOST_DIGITS) else {
            return Self::of_text(text);
        };
        // A float holds this integer and the power of ten exactly, so the division rounds once.
        #[allow(clippy::cast_precision_loss)]
        let value = value as f64 / ten;
        Self::Text(text, if text.starts_with('-') { -value } else { value })
    }

    /// Returns the nearest float.
    #[inline]
    #[allow(clippy::cast_precision_loss)] // That is what it is for.
    pub fn nearest(self) -> f64 {
        match self {
            Self::Unsigned(value) => value as f64,
            Self::Signed(value) => value as f64,
            Self::Text(_, value) => value,
        }
    }

    /// Parses an integer. Keeps the text if 64 bits cannot hold it.
    pub fn of_integer(text: &'t str) -> Option<Self> {
        let narrow = match Integer::of(text)? {
            Integer::Unsigned(value) => u64::try_from(value).ok().map(Self::Unsigned),
            Integer::Signed(value) => i64::try_from(value).ok().map(Self::Signed),
            Integer::Huge => None,
        };
        Some(narrow.unwrap_or_else(|| Self::of_text(text)))
    }
}

impl Integer {
    /// Parses a JSON number that is an integer in any spelling.
    pub fn of(text: &str) -> Option<Self> {
        Decimal::of(text)?.to_integer()
    }
}

/// More digits may overflow a `u64`.
const SAFE_DIGITS: usize = 19;

impl<'t> Scanner<'t> {
    /// Consumes a number. Fails with [`Expected::Value`] if there is none.
    #[inline(always)]
    #[allow(clippy::inline_always)] // Integers and floats are read by code of their own.
    pub fn number(&mut self) -> Result<Number<'t>, Error> {
        let negative = self.peek() == Some(b'-');
        let start = self.offset();
        let digits = start + usize::from(negative);
        self.set_offset(digits);
        let (value, count) = self.digits(0);
        if count == 0 {
            return Err(self.no_digit(if negative {
                Expected::Digit
            } else {
                Expected::Value
            }));
        }
        if count > 1 && self.bytes().get(digits) == Some(&b'0') {
            return Err(Error::new(Expected::NoDigit, digits + 1));
        }
        match self.byte() {
            Some(b'.' | b'e' | b'E') => self.decimal(start, value, count),
            _ if count > SAFE_DIGITS => Ok(self.long(start)),
            _ if negative => Ok(self.below_zero(start, value)),
            _ => Ok(Number::Unsigned(value)),
        }
    }

    #[cold]
    fn no_digit(&self, expected: Expected) -> Error {
        Error::new(expected, self.offset())
    }

    /// Returns the long integer between `start` and the current position.
    fn long(&self, start: usize) -> Number<'t> {
        let text = self.slice(start, self.offset());
        Number::of_integer(text).unwrap_or_else(|| Number::of_text(text))
    }

    /// Returns the negative integer between `start` and the current position. `value` is its magnitude.
    #[inline]
    fn below_zero(&self, start: usize, value: u64) -> Number<'t> {
        match 0i64.checked_sub_unsigned(value) {
            _ if value == 0 => Number::Unsigned(0),
            Some(value) => Number::Signed(value),
            None => Number::of_text(self.slice(start, self.offset())),
        }
    }

    /// Consumes the rest of a number that began at `start`. Its integer part has `count` digits and the value `value`.
    fn decimal(
        &mut self,
        start: usize,
        mut value: u64,
        mut count: usize,
    ) -> Result<Number<'t>, Error> {
        let mut places = 0;
        if self.byte() == Some(b'.') {
            self.set_offset(self.offset() + 1);
            (value, places) = self.digits(value);
            if places == 0 {
                return Err(self.no_digit(Expected::Digit));
            }
            count += places;
        }
        let scaled = matches!(self.byte(), Some(b'e' | b'E'));
        if scaled {
            self.set_offset(self.offset() + 1);
            if let Some(b'+' | b'-') = self.byte() {
                self.set_offset(self.offset() + 1);
            }
            if self.digits(0).1 == 0 {
                return Err(self.no_digit(Expected::Digit));
            }
        }
        let text = self.slice(start, self.offset());
        if scaled {
            return Ok(Number::of_text(text));
        }
        Ok(Number::of_decimal(text, value, count, places))
    }

    /// Consumes digits. Returns `value` extended by them, and their count. The value is meaningless for more than
    /// [`SAFE_DIGITS`].
    #[inline]
    fn digits(&mut self, mut value: u64) -> (u64, usize) {
        let mut count = 0;
        let Some(rest) = self.bytes().get(self.offset()..) else {
            return (value, count);
        };
        for byte in rest {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value.wrapping_mul(10).wrapping_add(digit.into());
            count += 1;
        }
        self.set_offset(self.offset() + count);
        (value, count)
    }

    /// Returns true if the consumed text ends with these bytes.
    #[inline]
    pub fn has_read(&self, end: &[u8]) -> bool {
        let read = self.bytes().get(..self.offset());
        read.is_some_and(|read| read.ends_with(end))
    }
}

#[cfg(test)]
mod tests {
    use super::Integer;

    #[test]
    fn integers_are_exact_whatever_their_spelling() {
        use Integer::{Huge, Signed, Unsigned};
        let table = [
            ("0", Some(Unsigned(0))),
            ("-0", Some(Unsigned(0))),
            ("-0.0e5", Some(Unsigned(0))),
            ("1.0", Some(Unsigned(1))),
            ("1e2", Some(Unsigned(100))),
            ("1E+2", Some(Unsigned(100))),
            ("120e-1", Some(Unsigned(12))),
            ("1.5", None),
            ("15e-2", None),
            ("1.50e1", Some(Unsigned(15))),
            ("-12.30e1", Some(Signed(-123))),
            ("9007199254740993.0", Some(Unsigned(9_007_199_254_740_993))),
            ("18446744073709551616", Some(Unsigned(1 << 64))),
            (
                "340282366920938463463374607431768211455",
                Some(Unsigned(u128::MAX)),
            ),
            ("340282366920938463463374607431768211456", Some(Huge)),
            (
                "-170141183460469231731687303715884105728",
                Some(Signed(i128::MIN)),
            ),
            ("-170141183460469231731687303715884105729", Some(Huge)),
            ("1e400", Some(Huge)),
            ("1e99999999999999999999", Some(Huge)),
            ("0e99999999999999999999", Some(Unsigned(0))),
            ("1e-99999999999999999999", None),
        ];
        for (text, expected) in table {
            assert_eq!(Integer::of(text), expected, "{text}");
        }
    }
}
