//! Conversion of values to and from serde's data model.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::Value;

/// Names under which `serde_json` exchanges raw text and exact numbers. Serde's data model has neither, so these names
/// are the protocol.
const RAW_VALUE: &str = "$serde_json::private::RawValue";
const NUMBER: &str = "$serde_json::private::Number";

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            // Most formats have no 128-bit integers, and few numbers need them. A float approximates the others.
            Self::Number(text) => match (text.parse(), text.parse(), text.parse()) {
                (Ok(value), _, _) => serializer.serialize_u64(value),
                (_, Ok(value), _) => serializer.serialize_i64(value),
                (_, _, float) => serializer.serialize_f64(float.unwrap_or(f64::NAN)),
            },
            Self::String(value) => serializer.serialize_str(value),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(entries) => {
                serializer.collect_map(entries.iter().map(|(key, value)| (key, value)))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value<'static> {
    /// Reads raw text from `serde_json`, and single values from any other format.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW_VALUE, ValueVisitor)
    }
}

/// Element of a value. Raw text is requested only at the root.
struct Any(Value<'static>);

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor).map(Self)
    }
}

/// Reads a value as JSON text: byte for byte from `serde_json`, and a value's text from any other format.
///
/// # Errors
/// Those of the format.
pub fn deserialize_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    deserializer.deserialize_newtype_struct(RAW_VALUE, TextVisitor)
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, other: D) -> Result<String, D::Error> {
        other
            .deserialize_any(ValueVisitor)
            .map(|value| value.to_string())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<String, A::Error> {
        match map.next_entry::<String, String>()? {
            Some((key, text)) if key == RAW_VALUE => Ok(text),
            _ => Err(de::Error::custom("no JSON text")),
        }
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value<'static>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(value.to_owned().into())
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Any(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries: Vec<(Cow<'static, str>, Value<'static>)> = Vec::new();
        while let Some((key, Any(value))) = map.next_entry::<String, _>()? {
            entries.push((Cow::Owned(key), value));
        }
        match entries.as_slice() {
            [(key, Value::String(text))] if key == RAW_VALUE || key == NUMBER => {
                let value = Value::parse(text).map_err(de::Error::custom)?;
                Ok(value.into_owned())
            }
            _ => Ok(Value::Object(entries)),
        }
    }
}
