use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use toolwright_json::Place;

use super::container::Container;
use super::expected::Expected;
use super::read::Json;
use super::seen_keys::SeenKeys;
use super::{Error, Mismatch, Segment, key};

/// Reads the next value, with these expectations of its parts.
#[inline]
fn read<'de, T: DeserializeSeed<'de>>(
    json: &mut Json<'de>,
    expected: Expected,
    seed: T,
) -> Result<T::Value, Error> {
    let mut elsewhere = None;
    seed.deserialize(json.enter_value(expected, &mut elsewhere)?)
}

/// The elements of an array.
pub(super) struct ArrayAccess<'j, 'de> {
    json: &'j mut Json<'de>,
    place: Place,
    index: usize,
    container: Container,
}

impl<'j, 'de> ArrayAccess<'j, 'de> {
    /// Starts before the opening bracket.
    #[inline]
    pub(super) fn new(json: &'j mut Json<'de>) -> Self {
        Self {
            json,
            place: Place::Opened,
            index: 0,
            container: Container::TYPED,
        }
    }

    /// Consumes the opening bracket.
    pub(super) fn open(&mut self) -> Result<(), Error> {
        self.json.enter_array()?;
        self.container.enter(self.json, true)
    }

    /// Refuses elements that the type has no place for.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        if self.json.next_element(&mut self.place)? {
            return Err(Error::new(Mismatch::Length));
        }
        self.container.close(self.json)
    }
}

impl<'de> SeqAccess<'de> for ArrayAccess<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if !self.json.next_element(&mut self.place)? {
            return Ok(None);
        }
        self.json.asked = None;
        let start = self.json.offset();
        let index = self.index;
        self.index += 1;
        let expected = self.container.element(self.json);
        match expected.and_then(|expected| read(self.json, expected, seed)) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.inside(Segment::Index(index), start)),
        }
    }
}

/// The entries of an object that is read as a struct. The struct itself looks for equal keys.
pub(super) struct StructAccess<'j, 'de> {
    json: &'j mut Json<'de>,
    place: Place,
    key: &'de str,
    /// Expectation of the value behind it.
    value: Expected,
    known: &'static [&'static str],
    container: Container,
    /// Keys so far that the struct does not know, if the schema admits any.
    others: Option<Box<SeenKeys<'de>>>,
}

impl<'j, 'de> StructAccess<'j, 'de> {
    /// Starts before the opening bracket.
    #[inline]
    pub(super) fn new(json: &'j mut Json<'de>, known: &'static [&'static str]) -> Self {
        Self {
            json,
            place: Place::Opened,
            key: "",
            value: Expected::Typed,
            known,
            container: Container::TYPED,
            others: None,
        }
    }

    /// Consumes the opening bracket.
    pub(super) fn open(&mut self) -> Result<(), Error> {
        self.json.enter_object()?;
        self.container.enter(self.json, false)
    }

    /// The next key, of an object of which more is known than its type asks for.
    fn shaped_key(&mut self) -> Result<Option<&'de str>, Error> {
        let Some(key) = self.json.next_key(&mut self.place)? else {
            return Ok(None);
        };
        if self.container.is_open() && !self.known.contains(&key) {
            self.once(key)?;
        }
        self.value = self.container.value(self.json, key)?;
        Ok(Some(key))
    }

    /// Goes to the next key, or to the end: then the place is [`Place::Closed`].
    fn next(&mut self) -> Result<(), Error> {
        match self.container.expected_key(self.json, &mut self.place) {
            Some((key, value)) => {
                (self.key, self.value) = (key, value);
                Ok(())
            }
            None if self.json.take_end(&mut self.place) => Ok(()),
            None => self.next_of_any(),
        }
    }

    /// Goes to the next key, whichever it is.
    #[inline(never)]
    fn next_of_any(&mut self) -> Result<(), Error> {
        let key = if self.container.is_typed() {
            let key = self.json.next_key(&mut self.place)?;
            self.json.asked = key.and(Some(self.known));
            key
        } else {
            self.shaped_key()?
        };
        self.key = key.unwrap_or_default();
        Ok(())
    }

    fn once(&mut self, key: &'de str) -> Result<(), Error> {
        let others = self.others.get_or_insert_with(|| Box::new(SeenKeys::NONE));
        if others.note(key) {
            Ok(())
        } else {
            Err(Error::duplicate_key(key))
        }
    }

    /// Refuses entries that the type did not read.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        if self.place != Place::Closed
            && let Some(key) = self.json.next_key(&mut self.place)?
        {
            return Err(Error::unknown_key(key, self.known));
        }
        self.container.close(self.json)
    }
}

impl<'de> MapAccess<'de> for StructAccess<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        self.next()?;
        if self.place == Place::Closed {
            return Ok(None);
        }
        key::read(self.key, seed).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let start = self.json.offset();
        match read(self.json, self.value, seed) {
            Ok(value) => Ok(value),
            Err(error) => Err(error.inside_key(self.key, start)),
        }
    }
}

/// The entries of an object that is read as a map, or as whatever it is.
pub(super) struct Entries<'j, 'de> {
    json: &'j mut Json<'de>,
    place: Place,
    key: &'de str,
    seen: SeenKeys<'de>,
    is_map: bool,
    container: Container,
}

impl<'j, 'de> Entries<'j, 'de> {
    /// Starts before the opening bracket. Without `is_map` it may be a struct without a name: the content of a variant
    /// whose tag is a key beside it.
    #[inline]
    pub(super) fn new(json: &'j mut Json<'de>, is_map: bool) -> Self {
        Self {
            json,
            place: Place::Opened,
            key: "",
            seen: SeenKeys::NONE,
            is_map,
            container: Container::TYPED,
        }
    }

    /// Consumes the opening bracket.
    pub(super) fn open(&mut self) -> Result<(), Error> {
        self.json.enter_object()?;
        self.container.enter(self.json, false)
    }

    fn next(&mut self) -> Result<Option<&'de str>, Error> {
        if let Some(member) = self.container.member() {
            let key = member.next(self.json, &mut self.place)?;
            self.key = key.unwrap_or_default();
            return Ok(key);
        }
        self.next_of_any()
    }

    #[inline(never)]
    fn next_of_any(&mut self) -> Result<Option<&'de str>, Error> {
        let Some(key) = self.json.next_key(&mut self.place)? else {
            return Ok(None);
        };
        if !self.seen.note(key) {
            return Err(Error::duplicate_key(key));
        }
        self.key = key;
        Ok(Some(key))
    }

    /// Refuses entries that the type did not read.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        match self.next()? {
            Some(key) => Err(Error::unknown_key(key, &[])),
            None => self.container.close(self.json),
        }
    }
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some(key) = self.next()? else {
            return Ok(None);
        };
        match key::read(key, seed) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(error.in_name(key)),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let key = self.key;
        if !self.is_map && self.container.is_typed() {
            self.json.asked = Some(&[]);
        }
        let start = self.json.offset();
        let expected = self.container.value(self.json, key);
        match expected.and_then(|expected| read(self.json, expected, seed)) {
            Ok(value) => Ok(value),
            Err(error) => Err(error.inside_key(key, start)),
        }
    }
}

/// A variant with content: an object with one key.
pub(super) struct Tagged<'j, 'de> {
    pub(super) json: &'j mut Json<'de>,
    pub(super) tag: &'de str,
    pub(super) expected: Expected,
}

impl<'de> EnumAccess<'de> for Tagged<'_, 'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let variant = key::read(self.tag, seed)?;
        Ok((variant, self))
    }
}

impl<'de> Tagged<'_, 'de> {
    fn read<T>(self, read: impl FnOnce(&mut Json<'de>) -> Result<T, Error>) -> Result<T, Error> {
        let start = self.json.offset();
        let mut elsewhere = None;
        let json = self.json.enter_value(self.expected, &mut elsewhere);
        match json.and_then(read) {
            Ok(value) => Ok(value),
            Err(error) => Err(error.inside_key(self.tag, start)),
        }
    }
}

impl<'de> VariantAccess<'de> for Tagged<'_, 'de> {
    type Error = Error;

    /// A variant without content is a string, and nothing else: no schema says `{"a": null}`.
    fn unit_variant(self) -> Result<(), Error> {
        Err(Error::new(Mismatch::Type { wanted: "a string" }))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        self.read(|json| seed.deserialize(json))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        self.read(|json| json.deserialize_tuple(len, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.read(|json| json.deserialize_struct("", fields, visitor))
    }
}
