//! Checks at compile time that serde can read a tool's arguments, all of them. serde reads no integer of 128 bits from its buffers,
//! which hold the values of untagged and internally tagged enums and of flattened fields. Their keys are strings, so it
//! reads no map there whose keys are other values. A result is written without a buffer.

use crate::shape::{CheckLevel, Field, Id, Int, Kind, Refs, Role, Shape};
use crate::text::ConstText;

impl Shape<'static> {
    /// Refuses an argument type with content that serde cannot read. The targets are those of its edges.
    ///
    /// # Panics
    ///
    /// At the caller's place, with the edit to make.
    #[doc(hidden)]
    #[track_caller]
    pub const fn can_be_read(&self, refs: &Refs) {
        let walk = BufferWalk { root: self, refs };
        let Some(unread) = walk.find(self, ShapePlace::ROOT) else {
            return;
        };
        let mut text = ConstText::new();
        text.push("serde cannot read ");
        if !unread.key.is_empty() {
            text.push("`");
            text.push(unread.key);
            text.push("`, ");
        }
        text.push(unread.what);
        if unread.is_buffered {
            if !unread.key.is_empty() {
                text.push(",");
            }
            text.push(" inside a tagged, untagged or flattened type");
        }
        text.push("\nhelp: ");
        text.push(unread.help);
        if unread.is_buffered {
            text.push(", or remove `tag`, `untagged` or `flatten`");
        }
        panic!("{}", text.as_str());
    }
}

/// Content that serde cannot read.
struct Unread<'s> {
    /// The nearest key around it.
    key: &'s str,
    what: &'static str,
    help: &'static str,
    /// serde could read it outside of a buffer.
    is_buffered: bool,
}

impl<'s> Unread<'s> {
    const fn new(key: &'s str, what: &'static str, help: &'static str) -> Self {
        Self {
            key,
            what,
            help,
            is_buffered: true,
        }
    }
}

/// Position of a shape.
#[derive(Clone, Copy)]
struct ShapePlace<'s> {
    /// The nearest key.
    key: &'s str,
    /// serde buffers the value.
    is_buffered: bool,
    /// An edge led here.
    is_followed: bool,
}

impl ShapePlace<'_> {
    const ROOT: Self = Self {
        key: "",
        is_buffered: false,
        is_followed: false,
    };
}

struct BufferWalk<'w> {
    root: &'w Shape<'static>,
    refs: &'w Refs,
}

impl BufferWalk<'_> {
    #[track_caller]
    const fn find(
        &self,
        shape: &Shape<'static>,
        place: ShapePlace<'static>,
    ) -> Option<Unread<'static>> {
        // Around a buffer there is something to check.
        let is_plain = matches!(shape.check, CheckLevel::Typed) && !place.is_buffered;
        if is_plain || is_read_by_its_author(shape) {
            return None;
        }
        match &shape.kind {
            Kind::Integer(range) if place.is_buffered => {
                return wide(range.min, range.max, place.key);
            }
            Kind::Map(map) => {
                let what = "a map whose keys are not strings";
                let unread = Unread::new(place.key, what, "take `String` keys");
                match map.keys.core() {
                    Kind::Integer(_) | Kind::Bool if place.is_buffered => return Some(unread),
                    keys if !keys.may_be_key() => {
                        return Some(Unread {
                            help: "take `String` keys, or a list of entries",
                            is_buffered: false,
                            ..unread
                        });
                    }
                    _ => {}
                }
            }
            // The target is checked at its definition, except for being buffered.
            Kind::Recursive(back) if place.is_buffered && !place.is_followed => {
                let place = ShapePlace {
                    is_followed: true,
                    ..place
                };
                return match self.of_type(self.root, back.id, place) {
                    None => self.of_types(self.refs, back.id, place),
                    found => found,
                };
            }
            _ => {}
        }
        let is_buffered = match &shape.kind {
            Kind::Union(union) => {
                union.untagged_fits(shape.id.name);
                union.buffered && !union.adjacent
            }
            _ => false,
        };
        let mut index = 0;
        while let Some(child) = shape.kind.child(index) {
            index += 1;
            if !child.role.is_read() {
                continue;
            }
            let mut place = place;
            place.is_buffered |= is_buffered;
            if let Role::Field(field) = child.role
                && !field.name.is_empty()
            {
                // A tag's sibling has no name. It is buffered if the union is.
                place.is_buffered |= field.flatten;
                if field.flatten {
                    whole_or_absent(field);
                } else {
                    place.key = field.name;
                }
            }
            let found = self.find(child.shape, place);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Checks the type of an identity, anywhere in a tree.
    #[track_caller]
    const fn of_type(
        &self,
        shape: &Shape<'static>,
        id: Id,
        place: ShapePlace<'static>,
    ) -> Option<Unread<'static>> {
        if shape.id.hash == id.hash {
            return self.find(shape, place);
        }
        let mut index = 0;
        while let Some(child) = shape.kind.child(index) {
            index += 1;
            let found = self.of_type(child.shape, id, place);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    #[track_caller]
    const fn of_types(
        &self,
        refs: &Refs,
        id: Id,
        place: ShapePlace<'static>,
    ) -> Option<Unread<'static>> {
        let mut targets = refs.targets;
        while let [target, rest @ ..] = targets {
            targets = rest;
            let found = self.of_type(target, id, place);
            if found.is_some() {
                return found;
            }
        }
        let mut of = refs.of;
        while let [refs, rest @ ..] = of {
            of = rest;
            let found = self.of_types(refs, id, place);
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// Refuses an optional flattened type that needs one of several keys: serde ignores the others without it.
#[track_caller]
const fn whole_or_absent(field: &Field<'_>) {
    if field.is_required() || !field.shape.is_nullable() {
        return;
    }
    let Some([needed, other]) = needed_key(field.shape.core()) else {
        return;
    };
    let mut text = ConstText::new();
    text.push_all(&[
        "serde drops `",
        other,
        "` where `",
        needed,
        "` is missing, since the flattened `",
        field.name,
        "` is optional\nhelp: make its keys optional instead, or remove `flatten`",
    ]);
    panic!("{}", text.as_str());
}

/// Returns a key that the type needs, and another of its keys.
const fn needed_key<'s>(kind: &Kind<'s>) -> Option<[&'s str; 2]> {
    let (mut needed, mut other, mut index) = (None, None, 0);
    while let Some(child) = kind.child(index) {
        index += 1;
        match child.role {
            Role::Member(_) => {
                let found = needed_key(child.shape.core());
                if found.is_some() {
                    return found;
                }
            }
            Role::Field(field) if field.is_flattened() => {
                let found = needed_key(field.shape.core());
                if found.is_some() {
                    return found;
                }
            }
            Role::Field(field) if field.is_required() && needed.is_none() => {
                needed = Some(field.name);
            }
            Role::Field(field) if field.is_read() => other = Some(field.name),
            _ => {}
        }
    }
    match (needed, other) {
        (Some(needed), Some(other)) => Some([needed, other]),
        _ => None,
    }
}

/// Returns an integer of 128 bits.
const fn wide(min: Int, max: Int, key: &'static str) -> Option<Unread<'static>> {
    if max.magnitude == u128::MAX {
        let help = "take `u64` or `String`";
        Some(Unread::new(key, "a `u128`", help))
    } else if min.magnitude == i128::MIN.unsigned_abs() {
        let help = "take `i64` or `String`";
        Some(Unread::new(key, "an `i128`", help))
    } else {
        None
    }
}

/// Returns true if a custom function reads a leaf (`#[schema(as = u128)]`), and may read it from anything.
const fn is_read_by_its_author(shape: &Shape<'_>) -> bool {
    matches!(
        (&shape.kind, shape.check),
        (Kind::Bounded(inner, bounds), CheckLevel::Watched)
            if bounds.is_none() && matches!(inner.check, CheckLevel::Typed)
    )
}
