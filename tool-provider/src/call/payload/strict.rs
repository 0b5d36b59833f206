//! A serializer around another one, which refuses values that would change their meaning: numbers that are not finite
//! (`serde_json` writes `null`), and errors, which a model would read as a success.

use std::cell::Cell;

use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::root::Writer;

/// The JSON of an error inside a value.
pub(super) type Failure = Cell<Option<Vec<u8>>>;

/// A serializer, or the writer of a list's or an object's parts.
pub(super) struct Strict<'f, S> {
    pub(super) inner: S,
    pub(super) failure: &'f Failure,
}

/// A value that is written by a strict serializer.
struct StrictPart<'f, 'v, T: ?Sized> {
    value: &'v T,
    failure: &'f Failure,
}

impl<T: Serialize + ?Sized> Serialize for StrictPart<'_, '_, T> {
    fn serialize<S: Serializer>(&self, inner: S) -> Result<S::Ok, S::Error> {
        let failure = self.failure;
        self.value.serialize(Strict { inner, failure })
    }
}

impl<'f, S> Strict<'f, S> {
    fn part<'v, T: ?Sized>(&self, value: &'v T) -> StrictPart<'f, 'v, T> {
        let failure = self.failure;
        StrictPart { value, failure }
    }
}

/// Returns true for the error of a `Result`. Serde's data model has no other mark of one.
fn is_error(name: &str, index: u32, variant: &str) -> bool {
    index == 1 && name == "Result" && variant == "Err"
}

const NOT_FINITE: &str = "a number is NaN or infinite, which JSON cannot hold";

macro_rules! scalars {
    ($($method:ident($($arg:ident: $ty:ty),*);)*) => {$(
        fn $method(self, $($arg: $ty),*) -> Result<S::Ok, S::Error> {
            self.inner.$method($($arg),*)
        }
    )*};
}

macro_rules! containers {
    ($($method:ident($($arg:ident: $ty:ty),*) -> $container:ident;)*) => {$(
        fn $method(self, $($arg: $ty),*) -> Result<Self::$container, S::Error> {
            let inner = self.inner.$method($($arg),*)?;
            let failure = self.failure;
            Ok(Strict { inner, failure })
        }
    )*};
}

impl<'f, S: Serializer> Serializer for Strict<'f, S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = Strict<'f, S::SerializeSeq>;
    type SerializeTuple = Strict<'f, S::SerializeTuple>;
    type SerializeTupleStruct = Strict<'f, S::SerializeTupleStruct>;
    type SerializeTupleVariant = Strict<'f, S::SerializeTupleVariant>;
    type SerializeMap = Strict<'f, S::SerializeMap>;
    type SerializeStruct = Strict<'f, S::SerializeStruct>;
    type SerializeStructVariant = Strict<'f, S::SerializeStructVariant>;

    fn serialize_f32(self, value: f32) -> Result<S::Ok, S::Error> {
        if value.is_finite() {
            self.inner.serialize_f32(value)
        } else {
            Err(S::Error::custom(NOT_FINITE))
        }
    }

    fn serialize_f64(self, value: f64) -> Result<S::Ok, S::Error> {
        if value.is_finite() {
            self.inner.serialize_f64(value)
        } else {
            Err(S::Error::custom(NOT_FINITE))
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        if is_error(name, index, variant) {
            let mut json = Writer::new(Vec::new());
            let written = self.part(value).serialize(&mut json);
            written.map_err(S::Error::custom)?;
            self.failure.set(Some(json.into_inner()));
            return Err(S::Error::custom("the value holds an error"));
        }
        let part = self.part(value);
        self.inner
            .serialize_newtype_variant(name, index, variant, &part)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let part = self.part(value);
        self.inner.serialize_newtype_struct(name, &part)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        let part = self.part(value);
        self.inner.serialize_some(&part)
    }

    fn collect_str<T: std::fmt::Display + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        self.inner.collect_str(value)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }

    scalars! {
        serialize_bool(value: bool);
        serialize_i8(value: i8);
        serialize_i16(value: i16);
        serialize_i32(value: i32);
        serialize_i64(value: i64);
        serialize_i128(value: i128);
        serialize_u8(value: u8);
        serialize_u16(value: u16);
        serialize_u32(value: u32);
        serialize_u64(value: u64);
        serialize_u128(value: u128);
        serialize_char(value: char);
        serialize_str(value: &str);
        serialize_bytes(value: &[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(name: &'static str);
        serialize_unit_variant(name: &'static str, index: u32, variant: &'static str);
    }

    containers! {
        serialize_seq(len: Option<usize>) -> SerializeSeq;
        serialize_tuple(len: usize) -> SerializeTuple;
        serialize_tuple_struct(name: &'static str, len: usize) -> SerializeTupleStruct;
        serialize_map(len: Option<usize>) -> SerializeMap;
        serialize_struct(name: &'static str, len: usize) -> SerializeStruct;
        serialize_tuple_variant(name: &'static str, index: u32, variant: &'static str, len: usize)
            -> SerializeTupleVariant;
        serialize_struct_variant(name: &'static str, index: u32, variant: &'static str, len: usize)
            -> SerializeStructVariant;
    }
}

macro_rules! parts {
    ($($container:ident { $($method:ident($($key:ident)?);)* })*) => {$(
        impl<S: $container> $container for Strict<'_, S> {
            type Ok = S::Ok;
            type Error = S::Error;

            $(fn $method<T: Serialize + ?Sized>(
                &mut self,
                $($key: &'static str,)?
                value: &T,
            ) -> Result<(), S::Error> {
                let part = self.part(value);
                self.inner.$method($($key,)? &part)
            })*

            fn end(self) -> Result<S::Ok, S::Error> {
                self.inner.end()
            }
        }
    )*};
}

parts! {
    SerializeSeq { serialize_element(); }
    SerializeTuple { serialize_element(); }
    SerializeTupleStruct { serialize_field(); }
    SerializeTupleVariant { serialize_field(); }
    SerializeMap { serialize_key(); serialize_value(); }
    SerializeStruct { serialize_field(key); }
    SerializeStructVariant { serialize_field(key); }
}
