//! Reads messages of a provider, or a server that imitates one. It reads piece by piece, so a piece of
//! the wrong type loses only itself.

use std::borrow::Cow;
use std::fmt;
use toolwright_json::ObjectWriter;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Unexpected, Visitor};
use serde_json::value::RawValue;

/// Reads an object. An array is none, though serde takes one for a struct, field by field.
pub(super) fn object<'t, T: Deserialize<'t>>(json: &'t str) -> serde_json::Result<T> {
    if json.trim_start().starts_with('[') {
        return Err(Error::invalid_type(Unexpected::Seq, &"an object"));
    }
    serde_json::from_str(json)
}

/// The members of an object, in order, as they stand in the text. A key may stand there twice.
#[derive(Debug, Default)]
pub(super) struct Members<'t>(Vec<(Cow<'t, str>, &'t RawValue)>);

impl<'t> Members<'t> {
    pub(super) fn read(json: &'t str) -> serde_json::Result<Self> {
        object(json)
    }

    /// Reads the members of an object; any other value has none.
    pub(super) fn of(json: Option<&'t RawValue>) -> Self {
        let members = json.and_then(|json| Self::read(json.get()).ok());
        members.unwrap_or_default()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &'t RawValue)> {
        self.0.iter().map(|(key, value)| (&**key, *value))
    }

    /// Every value under `key`.
    pub(super) fn all(&self, key: &str) -> impl DoubleEndedIterator<Item = &'t RawValue> {
        let found = self.0.iter().filter(move |(other, _)| other == key);
        found.map(|(_, value)| *value)
    }

    /// The last value under `key`, unless it is `null`.
    pub(super) fn get(&self, key: &str) -> Option<&'t RawValue> {
        let last = self.all(key).next_back();
        last.filter(|value| value.get() != "null")
    }

    /// The string under `key`, or nothing.
    pub(super) fn words(&self, key: &str) -> String {
        let text = self.get(key).and_then(|json| text(json.get()));
        text.unwrap_or_default().into_owned()
    }

    /// True if a value under `key` is this string.
    pub(super) fn says(&self, key: &str, expected: &str) -> bool {
        self.all(key).any(|json| is_string(json, expected))
    }

    /// Returns true if `true` stands under `key`.
    pub(super) fn says_true(&self, key: &str) -> bool {
        self.get(key).is_some_and(|said| said.get() == "true")
    }

    /// The values under these keys; `null` is none.
    ///
    /// # Errors
    /// When one of the keys stands there twice: readers do not agree on which value holds.
    pub(super) fn each<const N: usize>(
        &self,
        keys: [&'static str; N],
    ) -> serde_json::Result<[Option<&'t RawValue>; N]> {
        let mut found = [None; N];
        for (key, found) in keys.into_iter().zip(&mut found) {
            let mut values = self.all(key);
            *found = values.next().filter(|value| value.get() != "null");
            if values.next().is_some() {
                return Err(Error::duplicate_field(key));
            }
        }
        Ok(found)
    }

    /// The value under `key`.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub(super) fn one(&self, key: &'static str) -> serde_json::Result<&'t RawValue> {
        let [value] = self.each([key])?;
        value.ok_or_else(|| Error::missing_field(key))
    }

    /// The object with these values in front, whatever stood under their keys; `None` if there is
    /// none to put in.
    pub(super) fn with(&self, changes: &[(&str, Option<String>)]) -> Option<String> {
        let put = changes
            .iter()
            .filter_map(|(key, json)| Some((*key, json.as_deref()?)));
        let put: Vec<_> = put.collect();
        if put.is_empty() {
            return None;
        }
        let kept = self.iter().map(|(key, value)| (key, value.get()));
        let kept = kept.filter(|(key, _)| put.iter().all(|(other, _)| key != other));
        let all = put.iter().copied().chain(kept);
        let object = all.fold(ObjectWriter::new(), |object, (key, json)| {
            object.json(key, json)
        });
        Some(object.end())
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        // Most objects of a response have fewer.
        let mut members = Vec::with_capacity(8);
        while let Some((Text(key), value)) = map.next_entry()? {
            members.push((key, value));
        }
        Ok(Members(members))
    }
}

/// The string that `json` is. Half of a surrogate pair, which no Rust text holds, is U+FFFD there.
pub(super) fn text(json: &str) -> Option<Cow<'_, str>> {
    let Text(text) = serde_json::from_str(json).ok()?;
    Some(text)
}

/// The string that `json` is, if it holds no such half: an id with one would be another id.
pub(super) fn exact(json: &str) -> Option<Cow<'_, str>> {
    let Exact(text) = serde_json::from_str(json).ok()?;
    Some(text)
}

/// serde borrows into a `Cow` only where a field says so.
#[derive(serde::Deserialize)]
struct Exact<'a>(#[serde(borrow)] Cow<'a, str>);

/// A string as [`text`] reads it.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_bytes<E: Error>(self, bytes: &'de [u8]) -> Result<Text<'de>, E> {
        std::str::from_utf8(bytes).map_or_else(
            |_| self.visit_bytes(bytes),
            |text| Ok(Text(Cow::Borrowed(text))),
        )
    }

    /// `serde_json` hands half of a pair on as it would stand in UTF-8: as three bytes, which U+FFFD is too.
    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Text<'de>, E> {
        let mut bytes = bytes.to_vec();
        for at in 0..bytes.len() {
            if let Some(half @ [0xed, 0xa0..=0xbf, _]) = bytes.get_mut(at..at + 3) {
                half.copy_from_slice("\u{fffd}".as_bytes());
            }
        }
        let text = String::from_utf8(bytes).map_err(E::custom)?;
        Ok(Text(Cow::Owned(text)))
    }
}

/// The string itself, or else the JSON that stands in its place: a name that no tool has, or
/// arguments as Anthropic sends them and `OpenAI` does not.
pub(super) fn text_or_json(raw: Option<&RawValue>) -> Cow<'_, str> {
    let json = raw.map_or("", RawValue::get);
    text(json).unwrap_or(json.into())
}

pub(super) fn is_string(json: &RawValue, expected: &str) -> bool {
    text(json.get()).is_some_and(|text| text == expected)
}

/// True if the text is one whole JSON object.
pub(super) fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && is_json(text)
}

pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The elements of an array.
pub(super) fn array(json: &RawValue) -> serde_json::Result<Vec<&RawValue>> {
    serde_json::from_str(json.get())
}

/// The elements of an array, or none where there is none.
pub(super) fn elements(json: Option<&RawValue>) -> Vec<&RawValue> {
    json.and_then(|json| array(json).ok()).unwrap_or_default()
}
