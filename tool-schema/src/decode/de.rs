use std::any::type_name;
use std::sync::LazyLock;

use serde::de::value::{BorrowedStrDeserializer, MapDeserializer};
use serde::de::{Deserializer, Visitor};
use toolwright_json::{Number, Place};

use super::access::{ArrayAccess, Entries, StructAccess, Tagged};
use super::container::Container;
use super::expected::Expected;
use super::number::{finite, visit, visit_wide};
use super::read::Json;
use super::{Error, Mismatch};

/// The name under which `serde_json::value::RawValue` asks for its text, and the key under which
/// it expects it: serde's data model cannot express raw text, so this name is the protocol.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// The key under which `serde_json` expects the text of a number, with its feature `arbitrary_precision`.
const NUMBER: &str = "$serde_json::private::Number";

/// Returns true if `T` is a type of `serde_json` that keeps the digits of a number: with its feature
/// `arbitrary_precision`, which another crate may switch on.
fn keeps_digits<T>() -> bool {
    static FEATURE: LazyLock<bool> = LazyLock::new(|| {
        let number = serde_json::from_str::<serde_json::Number>("0.10");
        number.is_ok_and(|number| number.to_string() == "0.10")
    });
    // `T` may borrow, so that it has no `TypeId`.
    let is = |name| type_name::<T>() == name;
    (is(type_name::<serde_json::Value>()) || is(type_name::<serde_json::Number>())) && *FEATURE
}

/// Hands on a text under a key that `serde_json` knows.
fn visit_text<'de, V: Visitor<'de>>(
    key: &'static str,
    text: &'de str,
    visitor: V,
) -> Result<V::Value, Error> {
    let key = BorrowedStrDeserializer::<Error>::new(key);
    let text = BorrowedStrDeserializer::<Error>::new(text);
    visitor.visit_map(MapDeserializer::new(std::iter::once((key, text))))
}

const VARIANT: &str = "a string, or an object with one key";

impl<'de> Json<'de> {
    fn visit_seq<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let mut elements = ArrayAccess::new(self);
        elements.open()?;
        let value = visitor.visit_seq(&mut elements)?;
        elements.finish()?;
        Ok(value)
    }

    fn visit_map<V: Visitor<'de>>(&mut self, visitor: V, is_map: bool) -> Result<V::Value, Error> {
        let mut entries = Entries::new(self, is_map);
        entries.open()?;
        let value = visitor.visit_map(&mut entries)?;
        entries.finish()?;
        Ok(value)
    }

    /// Consumes `{"tag":` of a variant with content.
    fn open_variant(&mut self, container: &mut Container) -> Result<(&'de str, Expected), Error> {
        if self.peek() != Some(b'{') {
            return Err(self.mismatch(VARIANT));
        }
        self.enter_object()?;
        container.enter(self, false)?;
        match self.next_key(&mut Place::Opened)? {
            Some(tag) => Ok((tag, container.value(self, tag)?)),
            None => Err(Error::new(Mismatch::Type { wanted: VARIANT })),
        }
    }

    /// Consumes the end of a variant with content.
    fn close_variant(&mut self, tag: &str, container: &Container) -> Result<(), Error> {
        match self.next_key(&mut Place::Inside)? {
            None => container.close(self),
            Some(key) if key == tag => Err(Error::duplicate_key(key)),
            Some(key) => Err(Error::unknown_key(key, &[])),
        }
    }
}

macro_rules! integers {
    ($read:ident, $visit:ident => $($method:ident $ty:ty),*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            $visit::<$ty, V>(self.$read()?, visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Json<'de> {
    type Error = Error;

    integers! {
        integer, visit =>
        deserialize_i8 i8, deserialize_i16 i16, deserialize_i32 i32, deserialize_i64 i64,
        deserialize_u8 u8, deserialize_u16 u16, deserialize_u32 u32, deserialize_u64 u64
    }

    integers! {
        wide_integer, visit_wide =>
        deserialize_i128 i128, deserialize_u128 u128
    }

    /// Any value: for `serde_json::Value`, and for serde's buffers.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.peek() {
            Some(b'"') => self.deserialize_str(visitor),
            Some(b'{') => self.visit_map(visitor, false),
            Some(b'[') => self.visit_seq(visitor),
            Some(b't' | b'f') => self.deserialize_bool(visitor),
            Some(b'n') => self.deserialize_unit(visitor),
            _ => match self.any_number()? {
                Number::Unsigned(value) => visitor.visit_u64(value),
                Number::Signed(value) => visitor.visit_i64(value),
                number @ Number::Text(text, _) => {
                    let nearest = finite(number)?;
                    if keeps_digits::<V::Value>() {
                        return visit_text(NUMBER, text, visitor);
                    }
                    visitor.visit_f64(nearest)
                }
            },
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let value = self.boolean()?;
        visitor.visit_bool(value)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let value = self.narrow_float()?;
        visitor.visit_f32(value)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let value = self.float()?;
        visitor.visit_f64(value)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let text = self.text()?;
        let mut chars = text.chars();
        if chars.next().is_none() || chars.next().is_some() {
            let wanted = "a string of one character";
            return Err(Error::new(Mismatch::Type { wanted }));
        }
        visitor.visit_borrowed_str(text)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let text = self.text()?;
        visitor.visit_borrowed_str(text)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let text = self.owned()?;
        visitor.visit_string(text)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.peek() == Some(b'[') {
            return self.visit_seq(visitor);
        }
        let text = self.text()?;
        visitor.visit_borrowed_bytes(text.as_bytes())
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.peek() != Some(b'n') {
            return visitor.visit_some(self);
        }
        self.null()?;
        visitor.visit_none()
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.null()?;
        visitor.visit_unit()
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
            return visit_text(RAW_VALUE, self.skip_checked()?, visitor);
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
        self.visit_map(visitor, true)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let mut fields = StructAccess::new(self, known);
        fields.open()?;
        let value = visitor.visit_map(&mut fields)?;
        fields.finish()?;
        Ok(value)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.peek() == Some(b'"') {
            let tag = BorrowedStrDeserializer::<Error>::new(self.text()?);
            return tag.deserialize_enum(name, variants, visitor);
        }
        let mut container = Container::TYPED;
        let (tag, expected) = self.open_variant(&mut container)?;
        let json = &mut *self;
        let value = visitor.visit_enum(Tagged {
            json,
            tag,
            expected,
        })?;
        self.close_variant(tag, &container)?;
        Ok(value)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    /// A derived `Deserialize` asks for this behind a key that it does not know; elsewhere somebody wants any value.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if let Some(known) = self.asked
            && !known.contains(&self.last_key()?)
        {
            return Err(Error::new(Mismatch::UnknownKey { known }));
        }
        self.skip_checked()?;
        visitor.visit_unit()
    }
}
