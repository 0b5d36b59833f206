//! The parts of an array or object that is being read, with the expectation of each.

use toolwright_json::Place;

use super::buffered_object::BufferedObject;
use super::expected::{Expected, admits_key, refused};
use super::read::{Json, ReadMode};
use super::{Error, Mismatch, Segment};
use crate::decode::admits_count;
use crate::shape::{Field, Kind, Map, Object, Shape, Union};

/// The parts of an array or object that is being read.
pub(super) struct Container {
    parts: ContainerParts,
    /// Bounds on how many there are.
    of: Option<&'static Shape<'static>>,
    count: usize,
}

enum ContainerParts {
    /// All parts have one expectation.
    Alike(Expected),
    PrefixItems(&'static [&'static Shape<'static>]),
    Keys(KeyCursor),
    /// The keys of an object that serde buffers.
    Buffered(BufferedObject),
    /// The elements of an array that serde buffers.
    BufferedItems(&'static Shape<'static>),
    Entries(&'static Map<'static>),
    Variants(&'static Union<'static>),
}

impl ContainerParts {
    #[inline]
    fn of_object(object: &'static Object<'static>) -> Self {
        Self::Keys(KeyCursor {
            fields: object.fields,
            open: object.open,
            next: 0,
            in_turn: 0,
            required: 0,
        })
    }

    fn of_buffered(
        shape: &'static Shape<'static>,
        is_array: bool,
        mode: ReadMode,
    ) -> Result<Self, Error> {
        match (shape.core(), is_array) {
            (Kind::Object(object), false) => BufferedObject::of(object, mode == ReadMode::Tagged)
                .map(Self::Buffered)
                .ok_or_else(refused),
            (Kind::Array(array), true) => Ok(Self::BufferedItems(array.items)),
            _ => Err(refused()),
        }
    }

    #[inline(never)]
    fn of(shape: &'static Shape<'static>, is_array: bool, mode: ReadMode) -> Result<Self, Error> {
        if matches!(mode, ReadMode::Buffered | ReadMode::Tagged) {
            return Self::of_buffered(shape, is_array, mode);
        }
        Ok(match (shape.followed(), is_array) {
            (kind, _) if kind.is_opaque() => Self::Alike(Expected::Typed),
            (Kind::Array(array), true) => Self::Alike(Expected::of(array.items)),
            (Kind::Tuple(items), true) => Self::PrefixItems(items),
            (Kind::Object(object), false) => Self::of_object(object),
            (Kind::Map(map), false) => Self::Entries(map),
            (Kind::Union(union), false) => Self::Variants(union),
            _ => return Err(refused()),
        })
    }
}

/// The keys of an object, as they come.
struct KeyCursor {
    fields: &'static [Field<'static>],
    open: bool,
    /// Keys mostly come in the type's order.
    next: usize,
    /// Number of keys seen in order, from the first.
    in_turn: usize,
    /// Required keys seen out of order.
    required: usize,
}

impl KeyCursor {
    #[inline]
    fn note(&mut self, index: usize, field: &Field<'_>) {
        self.next = index + 1;
        if index == self.in_turn {
            self.in_turn += 1;
        } else {
            self.required += usize::from(field.is_required());
        }
    }

    /// Returns true if no key is missing.
    #[inline]
    fn are_whole(&self) -> bool {
        self.in_turn == self.fields.len() || self.have_required()
    }

    #[inline(never)]
    fn have_required(&self) -> bool {
        let others = self.fields.iter().skip(self.in_turn);
        self.required >= others.filter(|field| field.is_required()).count()
    }
}

impl Container {
    /// The parts of a value whose type is all that is known.
    pub(super) const TYPED: Self = Self {
        parts: ContainerParts::Alike(Expected::Typed),
        of: None,
        count: 0,
    };

    /// Sets the expectations of the parts of the value that has been opened.
    #[inline]
    pub(super) fn enter(&mut self, json: &Json<'_>, is_array: bool) -> Result<(), Error> {
        match json.expected {
            Expected::Shaped(shape) => {
                self.of = Some(shape);
                match &shape.kind {
                    Kind::Object(object) if !is_array && !json.is_buffered() => {
                        self.parts = ContainerParts::of_object(object);
                    }
                    _ => self.parts = ContainerParts::of(shape, is_array, json.mode)?,
                }
            }
            alike => self.parts = ContainerParts::Alike(alike),
        }
        Ok(())
    }

    /// Consumes the most likely next key, if it is next, and returns the expectation of its value.
    #[inline]
    pub(super) fn expected_key(
        &mut self,
        json: &mut Json<'_>,
        place: &mut Place,
    ) -> Option<(&'static str, Expected)> {
        let ContainerParts::Keys(keys) = &mut self.parts else {
            return None;
        };
        let field = keys.fields.get(keys.next)?;
        if keys.open || !json.take_key(place, field) {
            return None;
        }
        keys.note(keys.next, field);
        Some((field.name, Expected::of(field.shape)))
    }

    /// Returns the keys of an object that serde buffers, if it is one.
    #[inline]
    pub(super) fn member(&mut self) -> Option<&mut BufferedObject> {
        match &mut self.parts {
            ContainerParts::Buffered(member) => Some(member),
            _ => None,
        }
    }

    /// Returns true if the type's own list of keys is all that is known.
    #[inline]
    pub(super) fn is_typed(&self) -> bool {
        matches!(self.parts, ContainerParts::Alike(Expected::Typed))
    }

    /// Returns true if unknown keys are permitted.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        matches!(
            self.parts,
            ContainerParts::Keys(KeyCursor { open: true, .. })
        )
    }

    /// Returns the expectation of the next element.
    #[inline]
    pub(super) fn element(&mut self, json: &mut Json<'_>) -> Result<Expected, Error> {
        let index = self.count;
        self.count += 1;
        match &self.parts {
            ContainerParts::Alike(expected) => Ok(*expected),
            ContainerParts::BufferedItems(shape) => {
                json.mode = ReadMode::Buffered;
                Ok(Expected::Shaped(shape))
            }
            ContainerParts::PrefixItems(items) => match items.get(index) {
                Some(item) => Ok(Expected::of(item)),
                None => Err(Error::new(Mismatch::Length)),
            },
            _ => Err(refused()),
        }
    }

    /// Returns the expectation of the value behind a key.
    #[inline]
    pub(super) fn value(&mut self, json: &mut Json<'_>, key: &str) -> Result<Expected, Error> {
        self.count += 1;
        match &mut self.parts {
            ContainerParts::Alike(expected) => Ok(*expected),
            ContainerParts::Buffered(member) => member.value(json, key),
            _ => self.shaped_value(key),
        }
    }

    fn shaped_value(&mut self, key: &str) -> Result<Expected, Error> {
        match &mut self.parts {
            ContainerParts::Keys(keys) => match position(keys.fields, key, keys.next) {
                Some((index, field)) => {
                    keys.note(index, field);
                    Ok(Expected::of(field.shape))
                }
                None if keys.open => Ok(Expected::ANY),
                None => Err(Error::unknown_key(key, &[])),
            },
            ContainerParts::Entries(map) => {
                if admits_key(map.keys, key) {
                    Ok(Expected::of(map.values))
                } else {
                    Err(refused().inside(Segment::Name(key.to_owned()), 0))
                }
            }
            ContainerParts::Variants(union) if self.count == 1 => {
                variant(union, key).map(Expected::of)
            }
            _ => Err(refused()),
        }
    }

    /// Refuses a value of which something is missing at its end.
    #[inline]
    pub(super) fn close(&self, json: &mut Json<'_>) -> Result<(), Error> {
        match (&self.parts, self.of) {
            (_, None) => Ok(()),
            (ContainerParts::Keys(keys), _) if keys.are_whole() => Ok(()),
            (_, Some(shape)) => self.close_shaped(json, shape),
        }
    }

    #[inline(never)]
    fn close_shaped(&self, json: &mut Json<'_>, shape: &Shape<'_>) -> Result<(), Error> {
        // The container around it sets the mode again, if it is buffered, too.
        if json.is_buffered() {
            json.mode = ReadMode::Plain;
        }
        let is_whole = match &self.parts {
            ContainerParts::Keys(keys) => keys.are_whole(),
            ContainerParts::Buffered(member) => member.is_whole(),
            ContainerParts::Variants(_) => self.count == 1,
            _ => admits_count(shape, self.count),
        };
        if is_whole { Ok(()) } else { Err(refused()) }
    }
}

/// The field of this name, looked for from `next` on first.
pub fn position<'f>(
    fields: &'f [Field<'f>],
    key: &str,
    next: usize,
) -> Option<(usize, &'f Field<'f>)> {
    if let Some(field) = fields.get(next)
        && field.is_read_as(key)
    {
        return Some((next, field));
    }
    let (before, after) = fields.split_at_checked(next).unwrap_or((fields, &[]));
    let find = |fields: &'f [Field<'f>]| {
        let mut fields = fields.iter().enumerate();
        fields.find(|(_, field)| field.is_read_as(key))
    };
    find(after)
        .map(|(at, field)| (at + before.len(), field))
        .or_else(|| find(before))
}

/// Returns the shape behind the key that names a variant.
fn variant(union: &'static Union<'static>, key: &str) -> Result<&'static Shape<'static>, Error> {
    let mut found = union
        .members
        .iter()
        .filter_map(|member| member.kind.as_object()?.fields.first());
    match found.find(|field| field.is_read_as(key)) {
        Some(field) => Ok(field.shape),
        None => Err(Error::unknown_key(key, &[])),
    }
}
