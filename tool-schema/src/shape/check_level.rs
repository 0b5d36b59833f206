//! The level at which the decoder checks a value: decided where a tree is made, in `const`.

use crate::shape::children::{Child, Role};
use crate::shape::{Bounds, Kind, Object, Shape, Union};

/// The checks that decoding needs beyond a type's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckLevel {
    /// Nothing: the type reads no more than the shape admits.
    Typed,
    /// The reader watches bounds and keys as it goes: keys even where the type knows them, since one
    /// that is expected is read faster.
    Watched,
    /// serde reads the value into a buffer, out of the reader's sight, or the value is judged as a
    /// whole: its text is walked first.
    Walked,
}

impl CheckLevel {
    /// Returns the level for a kind, of which the parts know theirs.
    pub(crate) const fn of(kind: &Kind<'_>) -> Self {
        let mut level = Self::of_kind_alone(kind);
        let mut index = 0;
        // No level is higher.
        while !matches!(level, Self::Walked)
            && let Some(child) = kind.child(index)
        {
            level = level.or(Self::around(&child));
            index += 1;
        }
        level
    }

    const fn of_kind_alone(kind: &Kind<'_>) -> Self {
        match kind {
            // schemars' schema of a type is known at run time.
            Kind::Foreign(_) | Kind::Union(Union { buffered: true, .. }) => Self::Walked,
            // An expected key is read faster than others. The target of an edge is not available yet.
            Kind::Object(_) | Kind::Recursive(_) => Self::Watched,
            kind if kind.is_unique() => Self::Walked,
            kind if kind.is_bounded() => Self::Watched,
            // serde cannot read it, which a walk finds.
            Kind::Map(map) if !map.keys.core().may_be_key() => Self::Watched,
            // A rule is opaque to everybody but the type itself.
            _ => Self::Typed,
        }
    }

    /// Returns the level for the container of a child.
    const fn around(child: &Child<'_>) -> Self {
        let own = child.shape.check;
        match child.role {
            Role::Layer => own,
            Role::Output => Self::Typed,
            Role::Field(field) if field.flatten => Self::Walked,
            Role::Member(_) => Self::of_member(&child.shape.kind),
            _ => own.without_walk(),
        }
    }

    /// Returns the level for a member. If serde does not buffer, the key of an object determines its member.
    const fn of_member(member: &Kind<'_>) -> Self {
        match member {
            Kind::Enum(_) => Self::Typed,
            Kind::Object(Object {
                fields: [field],
                open: false,
                ..
            }) => field.shape.check.without_walk(),
            _ => Self::Walked,
        }
    }

    /// A part is walked separately, so its container must lead the reader there.
    const fn without_walk(self) -> Self {
        match self {
            Self::Typed => Self::Typed,
            Self::Watched | Self::Walked => Self::Watched,
        }
    }

    const fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Walked, _) | (_, Self::Walked) => Self::Walked,
            (Self::Watched, _) | (_, Self::Watched) => Self::Watched,
            _ => Self::Typed,
        }
    }
}

impl Bounds<'_> {
    /// Returns true if nothing is bounded.
    pub(crate) const fn is_none(&self) -> bool {
        self.min.is_none()
            && self.max.is_none()
            && self.from.is_none()
            && self.to.is_none()
            && self.multiple_of.is_none()
            && self.min_len.is_none()
            && self.max_len.is_none()
            && self.pattern.is_none()
            && self.format.is_empty()
            && !self.unique
    }
}

impl Shape<'_> {
    /// Raises the level to `Watched` at least, for a type whose `Deserialize` accepts more than its schema
    /// admits: byte strings, which also read text, or integer names of enums.
    pub const fn watched(mut self) -> Self {
        self.check = self.check.or(CheckLevel::Watched);
        self
    }

    /// Lowers the level for a type that checks its bounds itself: to the level of its items, or to `Typed`.
    pub(crate) const fn self_checked(self) -> Self {
        let check = match self.kind.child(0) {
            Some(Child {
                role: Role::Item,
                shape,
            }) => shape.check.without_walk(),
            _ => CheckLevel::Typed,
        };
        Self { check, ..self }
    }
}
