//! The arguments of a call, as they were written.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::frame::in_one_line;

/// An object without equal keys at any depth, in one line. Two readers of equal keys may read two
/// values, and the server's is not ours.
#[derive(Debug)]
pub(super) struct Arguments(pub(super) Box<RawValue>);

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        if !raw.get().trim_start().starts_with('{') {
            return Err(D::Error::custom("the arguments are no object"));
        }
        serde_json::from_str::<Distinct>(raw.get()).map_err(D::Error::custom)?;
        Ok(Self(in_one_line(&raw)))
    }
}

/// A value of which no object has equal keys.
struct Distinct;

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Distinct {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut keys = HashSet::new();
        while let Some((key, Self)) = map.next_entry::<String, Self>()? {
            if let Some(key) = keys.replace(key) {
                return Err(A::Error::custom(format!("the key `{key}` is given twice")));
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn objects_go_out_as_they_were_written() {
        let read = |text: &str| serde_json::from_str::<Arguments>(text);
        let text = "{\"n\": 1e40, \"m\":\n[18446744073709551616, {\"x\": 0.10}]}";
        let written = read(text).unwrap();
        assert_eq!(written.0.get(), text.replace('\n', " "));
        for bad in [r#"{"a":1,"a":2}"#, r#"{"a":[{"b":1,"b":1}]}"#, "[]", "1"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
