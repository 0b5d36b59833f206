use serde::de::value::{BorrowedStrDeserializer, MapDeserializer};
use serde::de::{Deserializer, Visitor};

use super::access::{Elements, Entries, Seen, Tagged};
use super::number::{Integer, Number, exact_integer};
use super::read::{ARRAY, Json, OBJECT, Str};
use super::{Error, Problem};

/// The name under which `serde_json::value::RawValue` asks for its text, and the key under which
/// it expects it: serde's data model has no word for raw text, so this name is the protocol.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

impl<'de> Json<'de> {
    /// Reads a number that must be an integer, in any of its spellings.
    fn integer(&mut self) -> Result<Number<'de>, Error> {
        match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.mismatch()),
        }
    }

    fn visit_integer<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        match self.integer()? {
            Number::Unsigned(value) => visitor.visit_u64(value),
            Number::Signed(value) => visitor.visit_i64(value),
            Number::Text(text) => match exact_integer(text) {
                Some(Integer::Unsigned(value)) => match u64::try_from(value) {
                    Ok(value) => visitor.visit_u64(value),
                    Err(_) => Err(Error::new(Problem::Range)),
                },
                Some(Integer::Signed(value)) => match i64::try_from(value) {
                    Ok(value) => visitor.visit_i64(value),
                    Err(_) => Err(Error::new(Problem::Range)),
                },
                Some(Integer::Huge) => Err(Error::new(Problem::Range)),
                None => Err(Error::new(Problem::Type)),
            },
        }
    }

    fn visit_wide_integer<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        match self.integer()? {
            Number::Unsigned(value) => visitor.visit_u128(value.into()),
            Number::Signed(value) => visitor.visit_i128(value.into()),
            Number::Text(text) => match exact_integer(text) {
                Some(Integer::Unsigned(value)) => visitor.visit_u128(value),
                Some(Integer::Signed(value)) => visitor.visit_i128(value),
                Some(Integer::Huge) => Err(Error::new(Problem::Range)),
                None => Err(Error::new(Problem::Type)),
            },
        }
    }

    /// Reads a number as the nearest `F`; one that is too large for any is refused.
    fn float<F: std::str::FromStr>(&mut self, finite: fn(&F) -> bool) -> Result<F, Error> {
        let start = match self.peek() {
            Some(b'-' | b'0'..=b'9') => self.offset(),
            _ => return Err(self.mismatch()),
        };
        match self.number_text()?.parse().ok().filter(finite) {
            Some(value) => Ok(value),
            None => Err(Error::at(Problem::Range, start)),
        }
    }

    fn visit_seq<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        self.peek();
        let start = self.offset();
        if !self.open(ARRAY)? {
            return Err(self.mismatch());
        }
        let mut elements = Elements::new(self);
        let value = visitor.visit_seq(&mut elements)?;
        elements.finish(start)?;
        Ok(value)
    }

    fn visit_map<V: Visitor<'de>>(
        &mut self,
        visitor: V,
        seen: Seen<'de>,
    ) -> Result<V::Value, Error> {
        if !self.open(OBJECT)? {
            return Err(self.mismatch());
        }
        let mut entries = Entries::new(self, seen);
        let value = visitor.visit_map(&mut entries)?;
        entries.finish()?;
        Ok(value)
    }

    fn text(&mut self) -> Result<&'de str, Error> {
        match self.peek() {
            Some(b'"') => self.borrowed(),
            _ => Err(self.mismatch()),
        }
    }
}

macro_rules! integers {
    ($($method:ident => $visit:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.$visit(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Json<'de> {
    type Error = Error;

    integers! {
        deserialize_i8 => visit_integer
        deserialize_i16 => visit_integer
        deserialize_i32 => visit_integer
        deserialize_i64 => visit_integer
        deserialize_u8 => visit_integer
        deserialize_u16 => visit_integer
        deserialize_u32 => visit_integer
        deserialize_u64 => visit_integer
        deserialize_i128 => visit_wide_integer
        deserialize_u128 => visit_wide_integer
    }

    /// Whatever stands here: for `serde_json::Value`, and for what serde buffers.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek() {
            Some(b'"') => {
                let text = self.borrowed()?;
                visitor.visit_borrowed_str(text)
            }
            Some(b'-' | b'0'..=b'9') => {
                let start = self.offset();
                match self.number()? {
                    Number::Unsigned(value) => visitor.visit_u64(value),
                    Number::Signed(value) => visitor.visit_i64(value),
                    Number::Text(text) => {
                        match text.parse::<f64>().ok().filter(|f| f.is_finite()) {
                            Some(value) => visitor.visit_f64(value),
                            None => Err(Error::at(Problem::Range, start)),
                        }
                    }
                }
            }
            Some(b'{') => self.visit_map(visitor, Seen::Few(Vec::new())),
            Some(b'[') => self.visit_seq(visitor),
            Some(b't' | b'f') => self.deserialize_bool(visitor),
            Some(b'n') => self.deserialize_unit(visitor),
            _ => Err(self.mismatch()),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek() {
            Some(b't') => {
                self.word("true")?;
                visitor.visit_bool(true)
            }
            Some(b'f') => {
                self.word("false")?;
                visitor.visit_bool(false)
            }
            _ => Err(self.mismatch()),
        }
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let value = self.float(|value: &f32| value.is_finite())?;
        visitor.visit_f32(value)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let value = self.float(|value: &f64| value.is_finite())?;
        visitor.visit_f64(value)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let text = self.text()?;
        visitor.visit_borrowed_str(text)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let text = self.text()?;
        visitor.visit_borrowed_str(text)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek() {
            Some(b'"') => match self.string()? {
                Str::Plain(text) => visitor.visit_borrowed_str(text),
                Str::Unescaped(text) => visitor.visit_string(text),
            },
            _ => Err(self.mismatch()),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek() {
            Some(b'"') => {
                let text = self.borrowed()?;
                visitor.visit_borrowed_bytes(text.as_bytes())
            }
            _ => self.visit_seq(visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek() {
            Some(b'n') => {
                self.word("null")?;
                visitor.visit_none()
            }
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek() {
            Some(b'n') => {
                self.word("null")?;
                visitor.visit_unit()
            }
            _ => Err(self.mismatch()),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name == RAW_VALUE {
            let raw = BorrowedStrDeserializer::<Error>::new(self.skip()?);
            let key = BorrowedStrDeserializer::<Error>::new(RAW_VALUE);
            return visitor.visit_map(MapDeserializer::new(std::iter::once((key, raw))));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.visit_seq(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.visit_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.visit_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.visit_map(visitor, Seen::Few(Vec::new()))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.visit_map(visitor, Seen::ByType)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.peek() {
            Some(b'"') => {
                let start = self.offset();
                let tag = BorrowedStrDeserializer::<Error>::new(self.borrowed()?);
                match tag.deserialize_enum(name, variants, visitor) {
                    Ok(value) => Ok(value),
                    Err(error) => Err(error.located(start)),
                }
            }
            Some(b'{') => {
                let start = self.offset();
                self.open(OBJECT)?;
                if !self.next(OBJECT, true)? {
                    return Err(Error::at(Problem::Type, start));
                }
                self.peek();
                let at = self.offset();
                let tag = self.object_key()?;
                let value = visitor.visit_enum(Tagged {
                    json: &mut *self,
                    tag,
                    at,
                })?;
                if self.next(OBJECT, false)? {
                    let key = self.object_key()?;
                    return Err(Error::at(Problem::UnknownKey(key.to_owned()), start));
                }
                Ok(value)
            }
            _ => Err(self.mismatch()),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    /// A derived `Deserialize` asks for this where it does not know the key.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::new(Problem::UnknownKey(self.key.to_owned())))
    }
}
