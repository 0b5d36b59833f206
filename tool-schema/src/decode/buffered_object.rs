//! Checks values that serde reads into a buffer.
//!
//! Behind a buffer the text is gone: a struct ignores unknown keys, and an integer is known by its digits alone. So the
//! value is checked by its shape, whatever the type requests. If its first byte or its tag determines the member of a
//! union, the variant is known without a second pass.

use toolwright_json::Place;

use super::Error;
use super::expected::Expected;
use super::read::{Json, ReadMode};
use crate::shape::{Field, JsonType, Kind, Object, Shape, Union, Unwrapped, Variant};

impl<'de> Json<'de> {
    /// Returns the expectation of a value that serde buffers, if the reader can check it in one pass: a value without
    /// parts, an array, or an object whose keys are all known. For a union it is the one member that may admit the
    /// value, found by looking no further than the first entry of an object.
    pub(super) fn member(&mut self, mut shape: &'static Shape<'static>) -> Option<Expected> {
        let next = self.peek()?;
        let mut is_tagged = false;
        // A type that is an untagged variant of itself never comes to an end.
        for _ in 0..8 {
            shape = match &shape.kind {
                Kind::Object(object) if next == b'{' => {
                    BufferedKeys::of(object)?;
                    self.mode = if is_tagged {
                        ReadMode::Tagged
                    } else {
                        ReadMode::Buffered
                    };
                    return Some(Expected::Shaped(shape));
                }
                Kind::Union(union) => match self.tagged_member(union, next) {
                    Some(member) => {
                        is_tagged = true;
                        member
                    }
                    None => member_of(union, next)?,
                },
                kind if kind.is_scalar() || shape.core().is_leaf() => {
                    return Some(Expected::Shaped(shape));
                }
                _ => match unbounded(shape, next) {
                    Some(inner) => inner,
                    None if next == b'[' && has_elements(shape) => {
                        self.mode = ReadMode::Buffered;
                        return Some(Expected::Shaped(shape));
                    }
                    None => return None,
                },
            };
        }
        None
    }

    /// Returns the member of a union of objects whose tag is the first entry.
    fn tagged_member(
        &mut self,
        union: &'static Union<'static>,
        next: u8,
    ) -> Option<&'static Shape<'static>> {
        let [first, ..] = union.members else {
            return None;
        };
        let (tag, _) = tag_of(first).filter(|_| next == b'{')?;
        let (start, depth) = (self.offset(), self.depth());
        let given = self.first_value(tag);
        self.rewind(start, depth);
        let given = given?;
        let mut found = None;
        for member in union.members {
            let (field, variant) = tag_of(member)?;
            if variant.is_read_as(given)
                && field.is_read_as(tag.name)
                && found.replace(member).is_some()
            {
                return None;
            }
        }
        found
    }

    /// Consumes the opening bracket and the first entry of an object, if it is one of this key and a string
    /// without escapes.
    fn first_value(&mut self, field: &Field<'_>) -> Option<&'de str> {
        self.enter_object().ok()?;
        self.peek();
        if !self.take_key(&mut Place::Opened, field) || self.peek() != Some(b'"') {
            return None;
        }
        self.plain()
    }
}

/// Returns the shape inside layers without rules for a value with this first byte, or behind an edge back.
fn unbounded(shape: &'static Shape<'static>, next: u8) -> Option<&'static Shape<'static>> {
    let says_more = shape.kind.bounds().is_some() || shape.kind.adds_null() && next == b'n';
    shape.layer_or_target().filter(|_| !says_more)
}

/// The keys of an object that has no others: its own, and those of a struct that is flattened into it behind
/// them. So serde reads the content of an internally tagged variant.
///
/// The walk's [`KeyTable`](crate::shape::ListedKeys) know more of flattened structs. Here they would
/// cost a tagged value 5 % of its instructions (`decode-tagged` of `benches/gate.sh`).
#[derive(Clone, Copy)]
struct BufferedKeys {
    own: &'static [Field<'static>],
    flattened: &'static [Field<'static>],
}

impl BufferedKeys {
    /// Returns the keys of an object; nothing if there are others, or too many to be noted in a word.
    fn of(object: &Object<'static>) -> Option<Self> {
        let listed = match object.fields {
            [own @ .., last] if last.flatten => match &last.shape.kind {
                Kind::Object(inner) if last.is_required() && !inner.open => Self {
                    own,
                    flattened: inner.fields,
                },
                _ => return None,
            },
            own => Self {
                own,
                flattened: &[],
            },
        };
        let is_listed = !object.open
            && listed.own.len() + listed.flattened.len() <= 64
            && listed.all().all(|field| !field.flatten);
        is_listed.then_some(listed)
    }

    fn all(self) -> impl Iterator<Item = &'static Field<'static>> {
        self.own.iter().chain(self.flattened)
    }

    fn get(self, index: usize) -> Option<&'static Field<'static>> {
        match index.checked_sub(self.own.len()) {
            None => self.own.get(index),
            Some(index) => self.flattened.get(index),
        }
    }

    /// Returns the field of this name, looked for from `next` on first.
    fn find(self, key: &str, next: usize) -> Option<(usize, &'static Field<'static>)> {
        if let Some(field) = self.get(next)
            && field.is_read_as(key)
        {
            return Some((next, field));
        }
        self.all()
            .enumerate()
            .find(|(_, field)| field.is_read_as(key))
    }
}

/// Returns true if a shape is an array whose elements need not be compared.
fn has_elements(shape: &Shape<'_>) -> bool {
    let peeled = Unwrapped::of(shape);
    matches!(peeled.kind, Kind::Array(array) if !array.unique && !peeled.unique)
}

/// Returns the member of a union that alone may admit a value that starts with this byte.
fn member_of(union: &'static Union<'static>, next: u8) -> Option<&'static Shape<'static>> {
    let given = JsonType::of_byte(next)?;
    let mut found = None;
    for member in union.members {
        if member.may_be(given)? && found.replace(member).is_some() {
            return None;
        }
    }
    found
}

/// Returns the first key of an object and the string behind it, if the object is known by them.
fn tag_of(
    member: &'static Shape<'static>,
) -> Option<(&'static Field<'static>, &'static Variant<'static>)> {
    let field = member.kind.as_object()?.fields.first()?;
    Some((field, field.tag()?))
}

/// The keys of a buffered object, as they come.
pub(super) struct BufferedObject {
    keys: BufferedKeys,
    /// Keys mostly come in the type's order.
    next: usize,
    /// A bit for each key that has come.
    given: u64,
    /// The expected value behind the last key, until it is read.
    value: Option<Expected>,
    /// The first key is a tag, which has been looked at.
    is_tagged: bool,
}

impl BufferedObject {
    pub(super) fn of(object: &Object<'static>, is_tagged: bool) -> Option<Self> {
        Some(Self {
            keys: BufferedKeys::of(object)?,
            next: 0,
            given: 0,
            value: None,
            is_tagged,
        })
    }

    /// Consumes the next `"key":`, if another one follows.
    pub(super) fn next<'de>(
        &mut self,
        json: &mut Json<'de>,
        place: &mut Place,
    ) -> Result<Option<&'de str>, Error> {
        if let Some(field) = self.keys.get(self.next)
            && json.take_key(place, field)
        {
            self.note(self.next, field)?;
            return Ok(Some(field.name));
        }
        if json.take_end(place) {
            return Ok(None);
        }
        let Some(key) = json.next_key(place)? else {
            return Ok(None);
        };
        self.find(key)?;
        Ok(Some(key))
    }

    #[inline(never)]
    fn find(&mut self, key: &str) -> Result<(), Error> {
        match self.keys.find(key, self.next) {
            Some((index, field)) => self.note(index, field),
            None => Err(Error::unknown_key(key, &[])),
        }
    }

    /// Notes a key, which may come once, in whichever spelling.
    #[inline]
    fn note(&mut self, index: usize, field: &Field<'static>) -> Result<(), Error> {
        let bit = 1 << index;
        if self.given & bit != 0 {
            return Err(Error::duplicate_key(field.name));
        }
        self.given |= bit;
        self.next = index + 1;
        self.value = Some(if index == 0 && self.is_tagged {
            Expected::Checked
        } else {
            Expected::Shaped(field.shape)
        });
        Ok(())
    }

    /// Returns the expectation of the value behind a key.
    #[inline]
    pub(super) fn value(&mut self, json: &mut Json<'_>, key: &str) -> Result<Expected, Error> {
        json.mode = ReadMode::Buffered;
        if self.value.is_none() {
            self.find(key)?;
        }
        Ok(self.value.take().unwrap_or(Expected::ANY))
    }

    /// Returns true if no key is missing.
    pub(super) fn is_whole(&self) -> bool {
        let mut keys = self.keys.all().enumerate();
        keys.all(|(index, field)| self.given & 1 << index != 0 || !field.is_required())
    }
}
