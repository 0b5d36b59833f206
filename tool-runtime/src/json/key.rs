use serde::de::{DeserializeSeed, Deserializer, Visitor, value};
use serde::forward_to_deserialize_any;

use super::number::{Integer, exact_integer};
use super::{Error, Problem};

/// An object's key, as the key type of a map asks for it.
///
/// JSON keys are strings. A map with integer keys reads them as JSON writes integers, so that two
/// spellings of one number cannot be two keys: no plus sign, no leading zero, no fraction.
pub(super) struct Key<'de>(pub(super) &'de str);

impl<'de> Key<'de> {
    fn integer(&self) -> Result<Integer, Error> {
        let digits = self.0.strip_prefix('-').unwrap_or(self.0);
        let canonical = !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && (digits == self.0 || digits != "0")
            && (digits == "0" || !digits.starts_with('0'));
        match exact_integer(self.0).filter(|_| canonical) {
            Some(integer) => Ok(integer),
            None => Err(Error::new(Problem::Type)),
        }
    }
}

macro_rules! integer_key {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.integer()? {
                Integer::Unsigned(value) => match u64::try_from(value) {
                    Ok(value) => visitor.visit_u64(value),
                    Err(_) => visitor.visit_u128(value),
                },
                Integer::Signed(value) => match i64::try_from(value) {
                    Ok(value) => visitor.visit_i64(value),
                    Err(_) => visitor.visit_i128(value),
                },
                Integer::Huge => Err(Error::new(Problem::Range)),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Key<'de> {
    type Error = Error;

    integer_key! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(Error::new(Problem::Type)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let key: value::BorrowedStrDeserializer<'de, Error> =
            value::BorrowedStrDeserializer::new(self.0);
        key.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}

/// Reads a key with `seed`.
#[inline]
pub(super) fn read<'de, K: DeserializeSeed<'de>>(
    key: &'de str,
    seed: K,
) -> Result<K::Value, Error> {
    seed.deserialize(Key(key))
}
