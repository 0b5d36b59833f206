use serde::de::{DeserializeSeed, Deserializer, Visitor, value};
use serde::forward_to_deserialize_any;
use toolwright_json::Number;

use super::number::{integer_of, visit, visit_wide, wide_integer_of};
use super::{Error, Mismatch};

/// An object's key, as the key type of a map asks for it.
///
/// JSON keys are strings. A map with integer keys reads them as JSON writes integers, so that two
/// spellings of one number cannot be two keys: no plus sign, no leading zero, no fraction.
struct MapKey<'de>(&'de str);

impl<'de> MapKey<'de> {
    /// The key, if it is an integer in its one spelling.
    fn digits(&self) -> Result<&'de str, Error> {
        let digits = self.0.strip_prefix('-').unwrap_or(self.0);
        let canonical = !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && (self.0 == "0" || !digits.starts_with('0'));
        if canonical {
            Ok(self.0)
        } else {
            Err(Error::new(Mismatch::Type {
                wanted: "an integer",
            }))
        }
    }
}

macro_rules! integers {
    ($read:path, $visit:ident => $($method:ident $ty:ty),*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            $visit::<$ty, V>($read(self.digits()?)?, visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for MapKey<'de> {
    type Error = Error;

    integers! {
        integer_of, visit =>
        deserialize_i8 i8, deserialize_i16 i16, deserialize_i32 i32, deserialize_i64 i64,
        deserialize_u8 u8, deserialize_u16 u16, deserialize_u32 u32, deserialize_u64 u64
    }

    integers! {
        wide_integer_of, visit_wide =>
        deserialize_i128 i128, deserialize_u128 u128
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(Error::new(Mismatch::Type {
                wanted: "true or false",
            })),
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

/// The integer that a key is, if it is one in its one spelling.
pub(super) fn integer(key: &str) -> Result<Number<'_>, Error> {
    integer_of(MapKey(key).digits()?)
}

/// Reads a key with `seed`.
#[inline]
pub(super) fn read<'de, K: DeserializeSeed<'de>>(
    key: &'de str,
    seed: K,
) -> Result<K::Value, Error> {
    seed.deserialize(MapKey(key))
}
