use serde::de::Visitor;
use toolwright_json::{Integer, Number};

use super::expected::Expected;
use super::read::Json;
use super::{Error, Mismatch};
use crate::decode::{Leaf, is_integer};
use crate::shape::NumberRange;

/// The float that is nearest to a number; one that is too large for any float is refused.
pub(super) fn finite(number: Number<'_>) -> Result<f64, Error> {
    let value = number.nearest();
    if value.is_finite() {
        Ok(value)
    } else {
        Err(Error::new(Mismatch::Range))
    }
}

/// The number that `text` is, if it is an integer: as text still if 64 bits do not hold it.
pub(super) fn integer_of(text: &str) -> Result<Number<'_>, Error> {
    Number::of_integer(text).ok_or_else(not_integer)
}

/// The integer that `text`, a JSON number, represents.
pub(super) fn wide_integer_of(text: &str) -> Result<Integer, Error> {
    Integer::of(text).ok_or_else(not_integer)
}

#[cold]
fn not_integer() -> Error {
    Error::new(Mismatch::Type { wanted: INTEGER })
}

/// Hands on an integer that `T` holds. As with `serde_json`, the visitor is given 64 bits: those that
/// people wrote know no others.
pub(super) fn visit<'de, T, V>(number: Number<'_>, visitor: V) -> Result<V::Value, Error>
where
    T: TryFrom<u64> + TryFrom<i64>,
    V: Visitor<'de>,
{
    match number {
        Number::Unsigned(value) if T::try_from(value).is_ok() => visitor.visit_u64(value),
        Number::Signed(value) if T::try_from(value).is_ok() => visitor.visit_i64(value),
        _ => Err(Error::new(Mismatch::Range)),
    }
}

/// Hands on an integer of up to 128 bits that `T` holds.
pub(super) fn visit_wide<'de, T, V>(integer: Integer, visitor: V) -> Result<V::Value, Error>
where
    T: TryFrom<u128> + TryFrom<i128>,
    V: Visitor<'de>,
{
    match integer {
        Integer::Unsigned(value) if T::try_from(value).is_ok() => visitor.visit_u128(value),
        Integer::Signed(value) if T::try_from(value).is_ok() => visitor.visit_i128(value),
        _ => Err(Error::new(Mismatch::Range)),
    }
}

impl<'de> Json<'de> {
    /// Consumes a number and compares it with the expectation.
    #[inline(always)]
    #[allow(clippy::inline_always)] // Integers and floats are read by code of their own.
    pub(super) fn checked_number(&mut self, wanted: &'static str) -> Result<Number<'de>, Error> {
        let number = self.number(wanted)?;
        self.check_leaf(Leaf::Number(number))?;
        Ok(number)
    }

    /// Consumes a number that is an integer, in any of its spellings: as text if 64 bits do not hold it.
    pub(super) fn integer(&mut self) -> Result<Number<'de>, Error> {
        match self.checked_number(INTEGER)? {
            Number::Text(text, _) => integer_of(text),
            number => Ok(number),
        }
    }

    /// Consumes a number of any type: as an integer, if it has to be one.
    pub(super) fn any_number(&mut self) -> Result<Number<'de>, Error> {
        let number = self.checked_number("a JSON value")?;
        match (number, self.expected) {
            (Number::Text(text, _), Expected::Shaped(shape)) if is_integer(shape) => {
                integer_of(text)
            }
            (Number::Unsigned(0), expected) => Ok(self.zero(expected)),
            _ => Ok(number),
        }
    }

    /// The zero that was read. An integer of 64 bits loses its sign, and the type may be a float.
    #[cold]
    fn zero(&self, expected: Expected) -> Number<'de> {
        match expected {
            Expected::Shaped(shape) if is_integer(shape) => Number::Unsigned(0),
            _ if self.has_read(b"-0") => Number::Text("-0.0", -0.0),
            _ => Number::Unsigned(0),
        }
    }

    /// Consumes a number that is an integer of up to 128 bits, in any of its spellings.
    pub(super) fn wide_integer(&mut self) -> Result<Integer, Error> {
        match self.checked_number(INTEGER)? {
            Number::Unsigned(value) => Ok(Integer::Unsigned(value.into())),
            Number::Signed(value) => Ok(Integer::Signed(value.into())),
            Number::Text(text, _) => wide_integer_of(text),
        }
    }

    /// Consumes a number that an `f32` holds: the nearest one, since those above the largest may be rounded down to it.
    pub(super) fn narrow_float(&mut self) -> Result<f32, Error> {
        self.peek();
        let start = self.offset();
        let number = self.checked_number("a number")?;
        match self.slice(start, self.offset()).parse::<f32>() {
            Ok(value) if value.abs() < f32::MAX => Ok(value),
            Ok(value)
                if value.is_finite()
                    && NumberRange::of_type(NumberRange::F32).is_wide_enough(number) =>
            {
                Ok(value)
            }
            _ => Err(Error::new(Mismatch::Range)),
        }
    }

    /// Consumes a number of any type: the float that is nearest to it. One that is too large for any is refused.
    pub(super) fn float(&mut self) -> Result<f64, Error> {
        match self.checked_number("a number")? {
            // An integer of 64 bits has no sign there.
            Number::Unsigned(0) if self.has_read(b"-0") => Ok(-0.0),
            number => finite(number),
        }
    }
}

const INTEGER: &str = "an integer";

#[cfg(test)]
mod tests;
