//! Numbers, from digit to digit.

use super::Error;
use super::number::Number;
use super::read::Json;
use crate::schema::decode::Leaf;

/// More digits may not fit into a `u64`.
const SAFE_DIGITS: usize = 19;

impl<'de> Json<'de> {
    /// Consumes a number and compares it with what it has to be.
    #[inline(always)]
    #[allow(clippy::inline_always)] // Integers and floats are read by code of their own.
    pub(super) fn watched_number(&mut self, wanted: &'static str) -> Result<Number<'de>, Error> {
        let number = self.number(wanted)?;
        self.see(Leaf::Number(number))?;
        Ok(number)
    }

    /// Consumes a number, which the type knows as what is `wanted`.
    #[inline(always)]
    #[allow(clippy::inline_always)] // See `watched_number`.
    pub(crate) fn number(&mut self, wanted: &'static str) -> Result<Number<'de>, Error> {
        let negative = self.peek() == Some(b'-');
        let start = self.at;
        let digits = start + usize::from(negative);
        self.at = digits;
        let (value, count) = self.digits(0);
        if count == 0 {
            return Err(if negative {
                self.syntax("a digit")
            } else {
                self.mismatch(wanted)
            });
        }
        if count > 1 && self.bytes().get(digits) == Some(&b'0') {
            self.at = digits + 1;
            return Err(self.syntax("no digit after a leading zero"));
        }
        match self.byte() {
            Some(b'.' | b'e' | b'E') => self.decimal(start, value, count),
            _ if count > SAFE_DIGITS => Number::of_integer(self.slice(start, self.at)),
            _ if negative => Ok(self.below_zero(start, value)),
            _ => Ok(Number::Unsigned(value)),
        }
    }

    /// The integer that has been read from `start` on, a minus and the digits of `value`.
    fn below_zero(&self, start: usize, value: u64) -> Number<'de> {
        match 0i64.checked_sub_unsigned(value) {
            _ if value == 0 => Number::Unsigned(0),
            Some(value) => Number::Signed(value),
            None => Number::of_text(self.slice(start, self.at)),
        }
    }

    /// Consumes the rest of a number that starts at `start`, behind a whole part of `count` digits
    /// that make `value`.
    fn decimal(
        &mut self,
        start: usize,
        mut value: u64,
        mut count: usize,
    ) -> Result<Number<'de>, Error> {
        let mut places = 0;
        if self.byte() == Some(b'.') {
            self.at += 1;
            (value, places) = self.digits(value);
            if places == 0 {
                return Err(self.syntax("a digit"));
            }
            count += places;
        }
        let scaled = matches!(self.byte(), Some(b'e' | b'E'));
        if scaled {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            if self.digits(0).1 == 0 {
                return Err(self.syntax("a digit"));
            }
        }
        let text = self.slice(start, self.at);
        if scaled {
            return Ok(Number::of_text(text));
        }
        Ok(Number::of_decimal(text, value, count, places))
    }

    /// Consumes digits: the value that they make behind those of `value`, and their count. Of more
    /// than [`SAFE_DIGITS`] the value says nothing.
    #[inline]
    fn digits(&mut self, mut value: u64) -> (u64, usize) {
        let mut count = 0;
        let Some(rest) = self.bytes().get(self.at..) else {
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
        self.at += count;
        (value, count)
    }

    /// Whether what has been read ends so.
    #[inline]
    pub(super) fn has_read(&self, end: &[u8]) -> bool {
        let read = self.bytes().get(..self.at);
        read.is_some_and(|read| read.ends_with(end))
    }
}
