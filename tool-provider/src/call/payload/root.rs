//! A serializer that keeps strings and JSON scalars as they are, and writes all other values by `serde_json`.

use serde::ser::{Serialize, Serializer};

use super::json::JsonScalar;
use super::strict::{Failure, Strict};

/// Serializer that writes JSON into a buffer.
pub(super) type Writer = serde_json::Serializer<Vec<u8>>;

/// The root value; empty at first.
#[derive(Default)]
pub(super) struct RootValue {
    /// Set when the value is a string, an integer, a boolean or nothing.
    pub(super) plain: Option<Scalar>,
    /// Set when it is anything else.
    pub(super) json: Option<Writer>,
    /// Set if the value contains an error.
    pub(super) failure: Failure,
}

/// A value without parts. The digits of an integer are written at their final place: moving the integer is cheaper than
/// moving digits.
pub(super) enum Scalar {
    Text(String),
    Json(JsonScalar),
    Unsigned(u64),
    Signed(i64),
    /// `null`, of `()` or of a JSON value.
    Unit,
}

impl RootValue {
    /// Room for a small value is made at once, so that one is written with one allocation.
    fn json(&mut self) -> Strict<'_, &mut Writer> {
        let room = Vec::with_capacity(128);
        let inner = self.json.insert(Writer::new(room));
        let failure = &self.failure;
        Strict { inner, failure }
    }
}

macro_rules! forward {
    ($($method:ident($($arg:ident: $ty:ty),*) -> $ok:ident;)*) => {$(
        fn $method(self, $($arg: $ty),*) -> Result<Self::$ok, Self::Error> {
            self.json().$method($($arg),*)
        }
    )*};
}

macro_rules! integers {
    ($($method:ident($value:ident: $ty:ty) => $plain:expr;)*) => {$(
        fn $method(self, $value: $ty) -> Result<(), Self::Error> {
            self.plain = Some($plain);
            Ok(())
        }
    )*};
}

impl<'j> Serializer for &'j mut RootValue {
    type Ok = ();
    type Error = serde_json::Error;
    type SerializeSeq = Strict<'j, <&'j mut Writer as Serializer>::SerializeSeq>;
    type SerializeTuple = Strict<'j, <&'j mut Writer as Serializer>::SerializeTuple>;
    type SerializeTupleStruct = Strict<'j, <&'j mut Writer as Serializer>::SerializeTupleStruct>;
    type SerializeTupleVariant = Strict<'j, <&'j mut Writer as Serializer>::SerializeTupleVariant>;
    type SerializeMap = Strict<'j, <&'j mut Writer as Serializer>::SerializeMap>;
    type SerializeStruct = Strict<'j, <&'j mut Writer as Serializer>::SerializeStruct>;
    type SerializeStructVariant =
        Strict<'j, <&'j mut Writer as Serializer>::SerializeStructVariant>;

    fn serialize_str(self, value: &str) -> Result<(), Self::Error> {
        self.plain = Some(Scalar::Text(value.to_owned()));
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Self::Error> {
        self.plain = Some(Scalar::Text(value.to_string()));
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Self::Error> {
        self.serialize_str(variant)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Self::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Self::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Self::Error> {
        self.json()
            .serialize_newtype_variant(name, index, variant, value)
    }

    fn serialize_none(self) -> Result<(), Self::Error> {
        self.plain = Some(Scalar::Json(JsonScalar::NULL));
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Self::Error> {
        self.serialize_none()
    }

    fn serialize_unit(self) -> Result<(), Self::Error> {
        self.plain = Some(Scalar::Unit);
        Ok(())
    }

    fn serialize_bool(self, value: bool) -> Result<(), Self::Error> {
        self.plain = Some(Scalar::Json(JsonScalar::bool(value)));
        Ok(())
    }

    integers! {
        serialize_i8(value: i8) => Scalar::Signed(value.into());
        serialize_i16(value: i16) => Scalar::Signed(value.into());
        serialize_i32(value: i32) => Scalar::Signed(value.into());
        serialize_i64(value: i64) => Scalar::Signed(value);
        serialize_i128(value: i128) => Scalar::Json(JsonScalar::digits(value));
        serialize_u8(value: u8) => Scalar::Unsigned(value.into());
        serialize_u16(value: u16) => Scalar::Unsigned(value.into());
        serialize_u32(value: u32) => Scalar::Unsigned(value.into());
        serialize_u64(value: u64) => Scalar::Unsigned(value);
        serialize_u128(value: u128) => Scalar::Json(JsonScalar::digits(value));
    }

    forward! {
        serialize_f32(value: f32) -> Ok;
        serialize_f64(value: f64) -> Ok;
        serialize_bytes(value: &[u8]) -> Ok;
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
