use hashbrown::HashSet;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::read::{ARRAY, Json, OBJECT};
use super::{Error, Problem, Segment, key};

/// The elements of an array.
pub(super) struct Elements<'j, 'de> {
    json: &'j mut Json<'de>,
    index: usize,
    /// Whether the closing bracket has been consumed.
    closed: bool,
}

impl<'j, 'de> Elements<'j, 'de> {
    pub(super) fn new(json: &'j mut Json<'de>) -> Self {
        Self {
            json,
            index: 0,
            closed: false,
        }
    }

    fn more(&mut self) -> Result<bool, Error> {
        if !self.closed {
            self.closed = !self.json.next(ARRAY, self.index == 0)?;
        }
        Ok(!self.closed)
    }

    /// Refuses elements that the type has no place for.
    pub(super) fn finish(mut self, start: usize) -> Result<(), Error> {
        if self.more()? {
            return Err(Error::at(Problem::Length, start));
        }
        Ok(())
    }
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if !self.more()? {
            return Ok(None);
        }
        self.json.peek();
        let start = self.json.offset();
        let index = self.index;
        self.index += 1;
        match seed.deserialize(&mut *self.json) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.located(start).within(Segment::Index(index))),
        }
    }
}

/// The entries of an object.
pub(super) struct Entries<'j, 'de> {
    json: &'j mut Json<'de>,
    first: bool,
    closed: bool,
    key: &'de str,
    seen: Seen<'de>,
}

/// Who looks for equal keys.
pub(super) enum Seen<'de> {
    /// A derived struct does so itself.
    ByType,
    /// Nobody else: a map's last entry would win silently.
    Few(Vec<&'de str>),
    Many(HashSet<&'de str, foldhash::fast::RandomState>),
}

impl<'de> Seen<'de> {
    /// Notes a key; `false` if it was there.
    fn note(&mut self, key: &'de str) -> bool {
        const FEW: usize = 16;
        match self {
            Self::ByType => true,
            Self::Few(keys) if keys.contains(&key) => false,
            Self::Few(keys) if keys.len() < FEW => {
                keys.push(key);
                true
            }
            Self::Few(keys) => {
                let mut many: HashSet<_, _> = keys.drain(..).collect();
                many.insert(key);
                *self = Self::Many(many);
                true
            }
            Self::Many(keys) => keys.insert(key),
        }
    }
}

impl<'j, 'de> Entries<'j, 'de> {
    pub(super) fn new(json: &'j mut Json<'de>, seen: Seen<'de>) -> Self {
        Self {
            json,
            first: true,
            closed: false,
            key: "",
            seen,
        }
    }

    fn more(&mut self) -> Result<bool, Error> {
        if !self.closed {
            self.closed = !self.json.next(OBJECT, self.first)?;
            self.first = false;
        }
        Ok(!self.closed)
    }

    /// Refuses entries that the type did not read.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        if self.more()? {
            let key = self.json.object_key()?;
            return Err(Error::at(
                Problem::UnknownKey(key.to_owned()),
                self.json.offset(),
            ));
        }
        Ok(())
    }
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        if !self.more()? {
            return Ok(None);
        }
        self.json.peek();
        let start = self.json.offset();
        self.key = self.json.object_key()?;
        if !self.seen.note(self.key) {
            return Err(Error::at(Problem::DuplicateKey(self.key.to_owned()), start));
        }
        match key::read(self.key, seed) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(error.located(start)),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let start = self.json.offset();
        match seed.deserialize(&mut *self.json) {
            Ok(value) => Ok(value),
            Err(error) => Err(error.in_entry(self.key, start)),
        }
    }
}

/// An enum: a string for a unit variant, or an object with one key.
pub(super) struct Tagged<'j, 'de> {
    pub(super) json: &'j mut Json<'de>,
    pub(super) tag: &'de str,
    /// Where the tag stands.
    pub(super) at: usize,
}

impl<'j, 'de> EnumAccess<'de> for Tagged<'j, 'de> {
    type Error = Error;
    type Variant = Content<'j, 'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self::Variant), Error> {
        let Self { json, tag, at } = self;
        match key::read(tag, seed) {
            Ok(variant) => Ok((variant, Content { json, tag })),
            Err(error) => Err(error.located(at)),
        }
    }
}

/// What stands behind the tag of a variant.
pub(super) struct Content<'j, 'de> {
    json: &'j mut Json<'de>,
    tag: &'de str,
}

impl<'de> Content<'_, 'de> {
    fn read<T>(self, read: impl FnOnce(&mut Json<'de>) -> Result<T, Error>) -> Result<T, Error> {
        let start = self.json.offset();
        match read(self.json) {
            Ok(value) => Ok(value),
            Err(error) => Err(error.in_entry(self.tag, start)),
        }
    }
}

impl<'de> VariantAccess<'de> for Content<'_, 'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        self.read(|json| json.deserialize_unit(serde::de::IgnoredAny).map(drop))
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
