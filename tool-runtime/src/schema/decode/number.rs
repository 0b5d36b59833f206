use std::borrow::Cow;

use serde::de::Visitor;

use super::read::Json;
use super::watch::Watch;
use super::{Error, Problem};
use crate::schema::decode::is_integer;
use crate::schema::shape::NumberRange;

/// A JSON number, judged by its decimal text.
///
/// `1.0`, `1e2` and `-0` are integers: JSON does not tell an integer from a decimal by its
/// spelling, and models write both. Nothing goes through `f64` on the way, so `2^53 + 1` and
/// `u64::MAX` stay what they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number<'t> {
    /// Zero or more, up to `u64::MAX`.
    Unsigned(u64),
    /// Below zero, down to `i64::MIN`.
    Signed(i64),
    /// Any other number, by its text, and the float that is nearest to it.
    Text(&'t str, f64),
}

/// An integer of up to 128 bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Integer {
    Unsigned(u128),
    Signed(i128),
    /// An integer, but larger than any of Rust's.
    Huge,
}

impl<'t> Number<'t> {
    /// The number as JSON writes it.
    pub(crate) fn to_text(self) -> Cow<'t, str> {
        match self {
            Self::Unsigned(value) => Cow::Owned(value.to_string()),
            Self::Signed(value) => Cow::Owned(value.to_string()),
            Self::Text(text, _) => Cow::Borrowed(text),
        }
    }

    /// The number that a text is which is none of 64 bits.
    #[cold]
    pub(crate) fn of_text(text: &'t str) -> Self {
        Self::Text(text, text.parse().unwrap_or(f64::NAN))
    }

    /// The number that a text without an exponent is: `count` digits, of which `places` stand behind
    /// the point, and which make `value` where they are few.
    #[inline]
    pub(super) fn of_decimal(text: &'t str, value: u64, count: usize, places: usize) -> Self {
        /// Fewer than 2^53 in any case.
        const MOST_DIGITS: usize = 15;
        const TENS: [f64; MOST_DIGITS + 1] = [
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
        ];
        let Some(ten) = TENS.get(places).filter(|_| count <= MOST_DIGITS) else {
            return Self::of_text(text);
        };
        // A float holds such an integer, as it holds the power of ten: this rounds once.
        #[allow(clippy::cast_precision_loss)]
        let value = value as f64 / ten;
        Self::Text(text, if text.starts_with('-') { -value } else { value })
    }

    /// The float that is nearest to the number.
    #[inline]
    #[allow(clippy::cast_precision_loss)] // That is what it is for.
    pub(crate) fn nearest(self) -> f64 {
        match self {
            Self::Unsigned(value) => value as f64,
            Self::Signed(value) => value as f64,
            Self::Text(_, value) => value,
        }
    }

    /// The same; a number that is too large for any float is refused.
    pub(super) fn finite(self) -> Result<f64, Error> {
        let value = self.nearest();
        if value.is_finite() {
            Ok(value)
        } else {
            Err(Error::new(Problem::Range))
        }
    }

    /// The number that `text` is, if it is an integer: as text still if 64 bits do not hold it.
    pub(super) fn of_integer(text: &'t str) -> Result<Self, Error> {
        let narrow = match Integer::of(text)? {
            Integer::Unsigned(value) => u64::try_from(value).ok().map(Self::Unsigned),
            Integer::Signed(value) => i64::try_from(value).ok().map(Self::Signed),
            Integer::Huge => None,
        };
        Ok(narrow.unwrap_or_else(|| Self::of_text(text)))
    }

    /// Hands on an integer that `T` holds. As with `serde_json`, the visitor is given 64 bits:
    /// those that people wrote know no others.
    pub(super) fn visit<'de, T, V>(self, visitor: V) -> Result<V::Value, Error>
    where
        T: TryFrom<u64> + TryFrom<i64>,
        V: Visitor<'de>,
    {
        match self {
            Self::Unsigned(value) if T::try_from(value).is_ok() => visitor.visit_u64(value),
            Self::Signed(value) if T::try_from(value).is_ok() => visitor.visit_i64(value),
            _ => Err(Error::new(Problem::Range)),
        }
    }
}

impl Integer {
    /// The integer that `text`, a JSON number, stands for.
    pub(crate) fn of(text: &str) -> Result<Self, Error> {
        exact_integer(text).ok_or_else(|| Error::new(Problem::Type { wanted: INTEGER }))
    }

    /// Hands on an integer that `T` holds.
    pub(super) fn visit<'de, T, V>(self, visitor: V) -> Result<V::Value, Error>
    where
        T: TryFrom<u128> + TryFrom<i128>,
        V: Visitor<'de>,
    {
        match self {
            Self::Unsigned(value) if T::try_from(value).is_ok() => visitor.visit_u128(value),
            Self::Signed(value) if T::try_from(value).is_ok() => visitor.visit_i128(value),
            _ => Err(Error::new(Problem::Range)),
        }
    }
}

impl<'de> Json<'de> {
    /// Consumes a number that is an integer, in any of its spellings: as text if 64 bits do not
    /// hold it.
    pub(super) fn integer(&mut self) -> Result<Number<'de>, Error> {
        match self.watched_number(INTEGER)? {
            Number::Text(text, _) => Number::of_integer(text),
            number => Ok(number),
        }
    }

    /// Consumes a number of any type: as an integer, if it has to be one.
    pub(super) fn any_number(&mut self) -> Result<Number<'de>, Error> {
        let number = self.watched_number("a JSON value")?;
        match (number, self.watch) {
            (Number::Text(text, _), Watch::Shaped(shape)) if is_integer(shape) => {
                Number::of_integer(text)
            }
            (Number::Unsigned(0), watch) => Ok(self.zero(watch)),
            _ => Ok(number),
        }
    }

    /// The zero that was read. An integer of 64 bits has no sign there, and a float may be asked for.
    #[cold]
    fn zero(&self, watch: Watch) -> Number<'de> {
        match watch {
            Watch::Shaped(shape) if is_integer(shape) => Number::Unsigned(0),
            _ if self.has_read(b"-0") => Number::Text("-0", -0.0),
            _ => Number::Unsigned(0),
        }
    }

    /// The same for an integer of up to 128 bits.
    pub(super) fn wide_integer(&mut self) -> Result<Integer, Error> {
        match self.watched_number(INTEGER)? {
            Number::Unsigned(value) => Ok(Integer::Unsigned(value.into())),
            Number::Signed(value) => Ok(Integer::Signed(value.into())),
            Number::Text(text, _) => Integer::of(text),
        }
    }

    /// Consumes a number that an `f32` holds: the nearest one, since those above the largest may be
    /// rounded down to it.
    pub(super) fn narrow_float(&mut self) -> Result<f32, Error> {
        self.peek();
        let start = self.offset();
        let number = self.watched_number("a number")?;
        match self.slice(start, self.offset()).parse::<f32>() {
            Ok(value) if value.abs() < f32::MAX => Ok(value),
            Ok(value)
                if value.is_finite()
                    && NumberRange::of_type(NumberRange::F32).is_wide_enough(number) =>
            {
                Ok(value)
            }
            _ => Err(Error::new(Problem::Range)),
        }
    }

    /// Consumes a number of any type: the float that is nearest to it. One that is too large for any
    /// is refused.
    pub(super) fn float(&mut self) -> Result<f64, Error> {
        match self.watched_number("a number")? {
            // An integer of 64 bits has no sign there.
            Number::Unsigned(0) if self.has_read(b"-0") => Ok(-0.0),
            number => number.finite(),
        }
    }
}

const INTEGER: &str = "an integer";

/// The integer that a number's text stands for, if it is one.
fn exact_integer(text: &str) -> Option<Integer> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, saturating_exponent(exponent)),
        None => (digits, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));

    let significant = || whole.bytes().chain(fraction.bytes());
    let count = whole.len() + fraction.len();
    let trailing = significant()
        .rev()
        .take_while(|&digit| digit == b'0')
        .count();
    if trailing == count {
        return Some(Integer::Unsigned(0));
    }
    // The value is its first `count - trailing` digits times ten to the power of `scale`.
    let scale = exponent
        .saturating_sub(as_i64(fraction.len()))
        .saturating_add(as_i64(trailing));
    if scale < 0 {
        return None;
    }
    let mut value = 0u128;
    let zeros = std::iter::repeat_n(b'0', usize::try_from(scale.min(64)).unwrap_or(64));
    for digit in significant().take(count - trailing).chain(zeros) {
        let next = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(u128::from(digit - b'0')));
        match next {
            Some(next) => value = next,
            None => return Some(Integer::Huge),
        }
    }
    Some(if negative {
        match 0i128.checked_sub_unsigned(value) {
            Some(value) => Integer::Signed(value),
            None => Integer::Huge,
        }
    } else {
        Integer::Unsigned(value)
    })
}

fn saturating_exponent(text: &str) -> i64 {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    // Far beyond any text's length, and far from overflow when lengths are added.
    let value = digits
        .parse::<i64>()
        .unwrap_or(i64::MAX / 4)
        .min(i64::MAX / 4);
    if negative { -value } else { value }
}

fn as_i64(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::{Integer, exact_integer};
    use crate::schema::decode::Json;
    use crate::schema::decode::Store;

    fn float(text: &str) -> f64 {
        Json::new(text, &Store::new())
            .float()
            .unwrap_or(f64::INFINITY)
    }

    #[test]
    fn floats_are_those_of_the_standard_library() {
        let table = [
            "0",
            "-0",
            "0.0",
            "-0.0",
            "1",
            "-1",
            "0.1",
            "0.3",
            "2.5",
            "1e3",
            "1.5E-7",
            "59.31",
            "123456789012345",
            "1234567890123456",
            "9007199254740993",
            "0.00000000000001",
            "-99999999999.999",
            "12345678.9012345",
            "1e400",
            "4.9e-324",
        ];
        for text in table {
            assert_eq!(
                text.parse().map(f64::to_bits),
                Ok(float(text).to_bits()),
                "{text}"
            );
        }
        for value in 0..100_000_u64 {
            let digits = value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16;
            let text = format!("{}.{}", digits % 100_000, digits / 100_000 % 100_000_000);
            assert_eq!(
                text.parse().map(f64::to_bits),
                Ok(float(&text).to_bits()),
                "{text}"
            );
        }
    }

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
            assert_eq!(exact_integer(text), expected, "{text}");
        }
    }
}
