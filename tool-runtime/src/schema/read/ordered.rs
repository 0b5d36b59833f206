use std::fmt::{self, Write};

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use toolwright_json::write_string;

use crate::schema::decode::{Error, Json, Store};

/// A JSON value whose objects keep their order and whose numbers keep their value, whatever
/// features `serde_json` has in this build: its own values are sorted without one feature, its
/// numbers are maps with another, and without a third its parser misses the last bit of a decimal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ordered {
    Null,
    Bool(bool),
    Unsigned(u128),
    Signed(i128),
    /// A decimal, or an integer of more than 64 bits: no format but JSON's text has those.
    Float(f64),
    String(String),
    Array(Vec<Ordered>),
    Object(Vec<(String, Ordered)>),
}

/// The names under which `serde_json` asks for raw text, and hands out a number's: serde's data
/// model has no word for either, so these names are the protocol.
const RAW_VALUE: &str = "$serde_json::private::RawValue";
const NUMBER: &str = "$serde_json::private::Number";

impl Ordered {
    /// Reads JSON text.
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        let store = Store::new();
        let mut json = Json::new(text, &store);
        let value = Self::any(&mut json)?;
        json.finish()?;
        Ok(value)
    }

    fn any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OrderedVisitor)
    }

    /// Appends its compact text.
    pub(crate) fn write(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = match self {
            Self::Null => out.write_str("null"),
            Self::Bool(value) => write!(out, "{value}"),
            Self::Unsigned(value) => write!(out, "{value}"),
            Self::Signed(value) => write!(out, "{value}"),
            // The shortest digits that mean this number, with a point or an exponent.
            Self::Float(value) => write!(out, "{value:?}"),
            Self::String(value) => {
                write_string(out, value);
                Ok(())
            }
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    item.write(out);
                }
                out.write_char(']')
            }
            Self::Object(entries) => {
                out.push('{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if index > 0 { "," } else { "" });
                    write_string(out, key);
                    out.push(':');
                    value.write(out);
                }
                out.write_char('}')
            }
        };
    }
}

impl Ordered {
    /// An object without keys.
    pub(crate) const fn empty() -> Self {
        Self::Object(Vec::new())
    }

    /// The value under `key` of an object.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(entries) => entries
                .iter()
                .find(|(name, _)| name == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The text, in as few bytes as say it.
    pub(crate) fn to_json(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

#[cfg(feature = "schemars")]
impl Ordered {
    /// Takes a key out of an object.
    pub(crate) fn remove(&mut self, key: &str) {
        if let Self::Object(entries) = self {
            entries.retain(|(name, _)| name != key);
        }
    }

    /// Puts what another array or object has before what this one has.
    pub(crate) fn join(&mut self, other: Self) {
        match (self, other) {
            (Self::Array(items), Self::Array(mut first)) => {
                items.retain(|item| !first.contains(item));
                first.append(items);
                *items = first;
            }
            (Self::Object(entries), Self::Object(mut first)) => {
                entries.retain(|(key, _)| !first.iter().any(|(name, _)| name == key));
                first.append(entries);
                *entries = first;
            }
            (this, other) => *this = other,
        }
    }

    /// Puts an entry before the first of these keys, or else at the end.
    pub(crate) fn insert_before(&mut self, keys: &[&str], key: &str, value: Self) {
        if let Self::Object(entries) = self {
            let at = entries
                .iter()
                .position(|(name, _)| keys.contains(&name.as_str()));
            entries.insert(at.unwrap_or(entries.len()), (key.to_owned(), value));
        }
    }

    /// The same value, in which references to `#/$defs/old` are ones to `#/$defs/new`.
    pub(crate) fn with_references(mut self, renamed: &[(String, String)]) -> Self {
        self.rename_references(renamed);
        self
    }

    fn rename_references(&mut self, renamed: &[(String, String)]) {
        match self {
            Self::Array(items) => items
                .iter_mut()
                .for_each(|item| item.rename_references(renamed)),
            Self::Object(entries) => {
                for (key, value) in entries {
                    match value {
                        Self::String(target) if key == "$ref" => {
                            let name = target.strip_prefix("#/$defs/").unwrap_or_default();
                            if let Some((_, new)) = renamed.iter().find(|(old, _)| old == name) {
                                *target = format!("#/$defs/{new}");
                            }
                        }
                        other => other.rename_references(renamed),
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(feature = "schemars")]
impl From<&serde_json::Value> for Ordered {
    /// The order of keys is that of the alphabet: what the value has depends on how `serde_json`
    /// was built.
    fn from(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(*value),
            serde_json::Value::Number(number) => {
                match (number.as_u128(), number.as_i128(), number.as_f64()) {
                    (Some(value), _, _) => Self::Unsigned(value),
                    (None, Some(value), _) => Self::Signed(value),
                    (None, None, value) => Self::Float(value.unwrap_or(0.0)),
                }
            }
            serde_json::Value::String(text) => Self::String(text.clone()),
            serde_json::Value::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            serde_json::Value::Object(entries) => {
                let mut entries: Vec<_> = entries
                    .iter()
                    .map(|(key, value)| (key.clone(), Self::from(value)))
                    .collect();
                entries.sort_by(|(a, _), (b, _)| a.cmp(b));
                Self::Object(entries)
            }
        }
    }
}

impl Serialize for Ordered {
    // What does not fit is said nearly; see below.
    #[allow(clippy::cast_precision_loss)]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            // Most formats know no 128 bits, and most numbers need none; what needs them is a bound
            // that a float says nearly.
            Self::Unsigned(value) => match u64::try_from(*value) {
                Ok(value) => serializer.serialize_u64(value),
                Err(_) => serializer.serialize_f64(*value as f64),
            },
            Self::Signed(value) => match i64::try_from(*value) {
                Ok(value) => serializer.serialize_i64(value),
                Err(_) => serializer.serialize_f64(*value as f64),
            },
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::String(value) => serializer.serialize_str(value),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Ordered {
    /// As raw text from `serde_json`, and from any other format by its values.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW_VALUE, OrderedVisitor)
    }
}

/// An element; raw text is asked for once, at the root.
struct Any(Ordered);

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ordered::any(deserializer).map(Self)
    }
}

struct OrderedVisitor;

impl<'de> Visitor<'de> for OrderedVisitor {
    type Value = Ordered;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Ordered, D::Error> {
        Ordered::any(deserializer)
    }

    fn visit_unit<E>(self) -> Result<Ordered, E> {
        Ok(Ordered::Null)
    }

    fn visit_none<E>(self) -> Result<Ordered, E> {
        Ok(Ordered::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Ordered, D::Error> {
        Ordered::any(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Ordered, E> {
        Ok(Ordered::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Ordered, E> {
        Ok(Ordered::Unsigned(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Ordered, E> {
        Ok(u128::try_from(value).map_or(Ordered::Signed(value.into()), Ordered::Unsigned))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Ordered, E> {
        Ok(Ordered::Float(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Ordered, E> {
        Ok(Ordered::String(value.to_owned()))
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Ordered, E> {
        Ok(Ordered::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Ordered, A::Error> {
        let mut items = Vec::new();
        while let Some(Any(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Ordered::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered, A::Error> {
        let mut entries: Vec<(String, Ordered)> = Vec::new();
        while let Some((key, Any(value))) = map.next_entry()? {
            entries.push((key, value));
        }
        match entries.as_slice() {
            [(key, Ordered::String(text))] if key == RAW_VALUE || key == NUMBER => {
                Ordered::read(text).map_err(de::Error::custom)
            }
            _ => Ok(Ordered::Object(entries)),
        }
    }
}

/// Whether an object that is silent about other keys declares all of its keys: there are
/// `properties`, and no keyword counts on more than those. `{"type": "object"}` takes any key.
pub(crate) fn declares_all_keys(keywords: &[(String, Ordered)]) -> bool {
    let get = |key: &str| {
        let found = keywords.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    };
    let Some(Ordered::Object(properties)) = get("properties") else {
        return false;
    };
    let is_declared = |name: &Ordered| properties.iter().any(|(key, _)| name.as_str() == Some(key));
    let requires_others =
        matches!(get("required"), Some(Ordered::Array(names)) if !names.iter().all(is_declared));
    let counts_others = matches!(get("minProperties"), Some(Ordered::Unsigned(least)) if *least > properties.len() as u128);
    !requires_others && !counts_others
}
