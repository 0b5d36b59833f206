//! Reading what a provider, or a server that imitates one, has sent: piece by piece, so that a
//! piece of the wrong type spoils nothing but itself.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Unexpected, Visitor};
use serde_json::value::RawValue;

use super::Usage;
use super::write::{Object, quoted};
use crate::text::ShortStr;
use crate::tool::ToolCall;

/// Reads an object. An array is none, though serde takes one for a struct, field by field.
pub(super) fn object<'a, T: Deserialize<'a>>(json: &'a str) -> serde_json::Result<T> {
    if json.trim_start().starts_with('[') {
        return Err(Error::invalid_type(Unexpected::Seq, &"an object"));
    }
    serde_json::from_str(json)
}

/// A call of a response, as far as it can be read.
#[derive(Default)]
pub(super) struct RawCall<'a> {
    pub(super) id: Option<&'a RawValue>,
    pub(super) name: Option<&'a RawValue>,
    pub(super) arguments: Option<&'a RawValue>,
}

impl<'a> RawCall<'a> {
    /// The calls of a response, in order.
    pub(super) fn read(calls: impl Iterator<Item = RawCall<'a>>) -> Vec<ToolCall> {
        let calls: Vec<_> = calls.collect();
        let calls = ids(&calls).into_iter().zip(&calls);
        calls.map(|(id, call)| call.under(id)).collect()
    }

    /// The call, under the id that it is answered by.
    pub(super) fn under(&self, id: ShortStr) -> ToolCall {
        ToolCall {
            id,
            name: self.name().into(),
            arguments: self.arguments().into(),
        }
    }

    pub(super) fn name(&self) -> Cow<'a, str> {
        text_or_json(self.name)
    }

    pub(super) fn arguments(&self) -> Cow<'a, str> {
        text_or_json(self.arguments)
    }

    /// Whether the call has the id that it is answered by.
    pub(super) fn is_under(&self, id: &str) -> bool {
        self.given_id().is_some_and(|given| given == id)
    }

    pub(super) fn given_id(&self) -> Option<Cow<'a, str>> {
        exact(self.id?.get()).filter(|id| !id.is_empty())
    }
}

/// The string itself, or else the JSON that stands in its place: a name that no tool has, or
/// arguments as Anthropic sends them and `OpenAI` does not.
fn text_or_json(raw: Option<&RawValue>) -> Cow<'_, str> {
    let json = raw.map_or("", RawValue::get);
    text(json).unwrap_or(json.into())
}

/// The string that `json` is. Half of a surrogate pair, which no Rust text holds, is U+FFFD there.
pub(super) fn text(json: &str) -> Option<Cow<'_, str>> {
    let Text(text) = serde_json::from_str(json).ok()?;
    Some(text)
}

/// The same, of a string that holds no such half: an id with one would be another id.
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

/// The calls' ids: the provider's where it gave one that no call before has, and else one made from the call's place.
pub(super) fn ids(calls: &[RawCall<'_>]) -> Vec<ShortStr> {
    let given: Vec<_> = calls.iter().map(RawCall::given_id).collect();
    with_made(&given)
}

/// The ids that are given, and made ones, which are nobody else's, for the calls that have none, or one that a call
/// before has.
pub(super) fn with_made(given: &[Option<Cow<'_, str>>]) -> Vec<ShortStr> {
    if let [Some(only)] = given {
        return vec![only.as_ref().into()];
    }
    let all: HashSet<&str> = given.iter().flatten().map(|id| &**id).collect();
    let mut left = all.clone();
    let made = given.iter().enumerate().map(|(index, id)| {
        if let Some(id) = id.as_deref().filter(|id| left.remove(id)) {
            return id.into();
        }
        let mut made = format!("call_{index}");
        while all.contains(&*made) {
            made.push('_');
        }
        made.into()
    });
    made.collect()
}

/// The entries of an object, in order, as they stand in the text.
pub(super) struct Entries<'a>(pub(super) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
        let mut entries = Vec::new();
        while let Some((Text(key), value)) = map.next_entry()? {
            entries.push((key, value));
        }
        Ok(Entries(entries))
    }
}

/// The object, with the id that its call is answered under. Without one of its own a provider
/// would not find the call that an answer belongs to. What is no object becomes one.
pub(super) fn with_id(object: &RawValue, call: &RawCall<'_>, id: &str) -> String {
    if call.is_under(id) {
        return object.get().to_owned();
    }
    with(object.get(), "id", &quoted(id))
}

/// The object with `json` under `key`, whatever stood there. What is no object becomes one.
pub(super) fn with(object_text: &str, key: &str, json: &str) -> String {
    let entries = object(object_text).map(|Entries(entries)| entries);
    let entries = entries.unwrap_or_default();
    let rest = entries.iter().filter(|(other, _)| other != key);
    rest.fold(Object::new().json(key, json), |object, (key, value)| {
        object.json(key, value.get())
    })
    .end()
}

/// What has to stand for arguments that are no object, where a provider takes nothing else: the
/// object that the string holds, or what was sent under a key that says that it was none. `None` if
/// they are one.
///
/// The key is the one of Anthropic's documentation, "Fine-grained tool streaming", 2026-08.
pub(super) fn mended(arguments: Option<&RawValue>) -> Option<String> {
    let json = arguments.map_or("", RawValue::get);
    if json.starts_with('{') {
        return None;
    }
    Some(as_object(&text_or_json(arguments)))
}

/// Arguments as an object: see [`mended`].
pub(super) fn as_object(arguments: &str) -> String {
    if arguments.trim().is_empty() || arguments == "null" {
        return "{}".into();
    }
    if is_object(arguments) {
        return arguments.to_owned();
    }
    let kept = quoted(arguments);
    Object::new().json("INVALID_JSON", &kept).end()
}

/// What stands under `key`, unless it is `null`; the last, where it stands there twice.
pub(super) fn member<'a>(json: &'a str, key: &str) -> Option<&'a RawValue> {
    let Entries(entries) = object(json).ok()?;
    let mut found = entries.into_iter().rev().filter(|(other, _)| other == key);
    let (_, value) = found.next()?;
    (value.get() != "null").then_some(value)
}

/// The string that stands there, or nothing.
pub(super) fn words(json: Option<&RawValue>) -> String {
    let text = json.and_then(|json| text(json.get()));
    text.unwrap_or_default().into_owned()
}

/// The words of these elements, which stand under `text`: of those whose `type` is this one.
pub(super) fn words_of<'a>(elements: impl IntoIterator<Item = &'a RawValue>, kind: &str) -> String {
    let of_kind = |element: &&RawValue| {
        member(element.get(), "type").is_some_and(|found| is_string(found, kind))
    };
    let found = elements.into_iter().filter(of_kind);
    found
        .map(|element| words(member(element.get(), "text")))
        .collect()
}

/// What a provider counted, where it did: the sums of what stands under these keys.
pub(super) fn usage(counts: Option<&RawValue>, input: &[&str], output: &[&str]) -> Option<Usage> {
    let Entries(entries) = object(counts?.get()).ok()?;
    let sum = |keys: &[&str]| {
        let found = entries.iter().filter(|(key, _)| keys.contains(&&**key));
        let counts = found.filter_map(|(_, count)| count.get().parse::<u64>().ok());
        counts.reduce(u64::saturating_add)
    };
    let (input, output) = (sum(input), sum(output));
    (input.is_some() || output.is_some()).then(|| Usage {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
    })
}

/// A call in which a key stands twice wants an answer, too: an object of this `type`.
pub(super) fn is_unreadable_call(element: &RawValue, kind: &str) -> bool {
    let entries = object(element.get()).map(|Entries(entries)| entries);
    let mut entries = entries.unwrap_or_default().into_iter();
    entries.any(|(key, value)| key == "type" && is_string(value, kind))
}

/// Whether the element is an object with this key, be it twice.
pub(super) fn has_key(element: &RawValue, expected: &str) -> bool {
    let entries = object(element.get()).map(|Entries(entries)| entries);
    let mut entries = entries.unwrap_or_default().into_iter();
    entries.any(|(key, _)| key == expected)
}

pub(super) fn is_string(json: &RawValue, expected: &str) -> bool {
    text(json.get()).is_some_and(|text| text == expected)
}

/// Whether the text is one whole JSON object.
pub(super) fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The elements of an array, or none where there is none.
pub(super) fn elements(array: Option<&RawValue>) -> Vec<&RawValue> {
    array
        .and_then(|array| serde_json::from_str(array.get()).ok())
        .unwrap_or_default()
}
