//! The shapes that a shape is made of: a walk over a tree asks here, and matches no kinds.

use crate::shape::{Field, Kind, Shape};

/// A shape directly inside another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Child<'s> {
    pub(crate) role: Role<'s>,
    pub(crate) shape: &'s Shape<'s>,
}

/// The part that a shape plays in the one around it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Role<'s> {
    /// The shape inside a layer: beside `null`, within bounds, or as it is read.
    Layer,
    /// The shape that is written, where that is another than the one that is read.
    Output,
    /// The value of a key.
    Field(&'s Field<'s>),
    /// Each element of an array.
    Item,
    /// The element of a tuple at an index.
    Place(usize),
    /// Each key of a map.
    Key,
    /// Each value of a map.
    Value,
    /// The member of a union at an index.
    Member(usize),
}

impl Role<'_> {
    /// Returns true if values of the child are read.
    pub(crate) const fn is_read(&self) -> bool {
        match self {
            Self::Output => false,
            Self::Field(field) => field.is_read(),
            _ => true,
        }
    }
}

impl<'s> Kind<'s> {
    /// Returns the child at an index, in the order of declaration. A recursive reference has no child, and
    /// the parts of a rule are known to those who apply it.
    pub(crate) const fn child(&self, index: usize) -> Option<Child<'s>> {
        let (role, shape): (_, &'s Shape<'s>) = match (self, index) {
            (Kind::Nullable(inner) | Kind::Bounded(inner, _), 0) => (Role::Layer, inner),
            (Kind::InOut { input, .. }, 0) => (Role::Layer, input),
            (Kind::InOut { output, .. }, 1) => (Role::Output, output),
            (Kind::Array(array), 0) => (Role::Item, array.items),
            (Kind::Map(map), 0) => (Role::Key, map.keys),
            (Kind::Map(map), 1) => (Role::Value, map.values),
            (Kind::Tuple(items), _) => match items.split_at_checked(index) {
                Some((_, [item, ..])) => (Role::Place(index), item),
                _ => return None,
            },
            (Kind::Object(object), _) => match object.fields.split_at_checked(index) {
                Some((_, [field, ..])) => (Role::Field(field), field.shape),
                _ => return None,
            },
            (Kind::Union(union), _) => match union.members.split_at_checked(index) {
                Some((_, [member, ..])) => (Role::Member(index), member),
                _ => return None,
            },
            // All kinds are listed, so that a new one must declare its children.
            (
                Kind::Nullable(_)
                | Kind::Bounded(..)
                | Kind::InOut { .. }
                | Kind::Array(_)
                | Kind::Map(_)
                | Kind::Any
                | Kind::Null
                | Kind::Bool
                | Kind::Integer(_)
                | Kind::Number(_)
                | Kind::String(_)
                | Kind::Enum(_)
                | Kind::Recursive(_)
                | Kind::Foreign(_)
                | Kind::Rule(_)
                | Kind::Unknown,
                _,
            ) => return None,
        };
        Some(Child { role, shape })
    }

    /// Returns the children, in the order of declaration.
    pub(crate) fn children(&self) -> impl Iterator<Item = Child<'s>> {
        (0..).map_while(|index| self.child(index))
    }
}
