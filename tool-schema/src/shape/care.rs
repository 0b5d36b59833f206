//! How closely the decoder has to look at a value: decided where a tree is made, in `const`.

use crate::shape::{Bounds, Kind, Map, Object, Shape, Union};

/// What it takes to know that a text is of a shape, beside reading it as the type that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// Nothing: the type reads no more than the shape admits.
    Typed,
    /// The reader watches bounds and keys as it goes: keys even where the type knows them, since one
    /// that is expected is read faster.
    Watched,
    /// serde reads the value into a buffer, out of the reader's sight, or the value is judged as a
    /// whole: its text is walked first.
    Walked,
}

impl Care {
    /// The care for a kind, of which the parts know theirs.
    pub(crate) const fn of(kind: &Kind<'_>) -> Self {
        match kind {
            Kind::Any | Kind::Null | Kind::Bool | Kind::Enum(_) => Self::Typed,
            // What schemars says of a type is known when the program runs.
            Kind::Foreign(_) => Self::Walked,
            // Opaque to everybody but the type itself.
            Kind::Rule(_) | Kind::Unknown => Self::Typed,
            Kind::Integer(range) => Self::watched_if(range.multiple_of != 0 || !range.is_type()),
            Kind::Number(range) => Self::watched_if(
                range.min.is_some() || range.max.is_some() || range.multiple_of.is_some(),
            ),
            Kind::String(rules) => Self::watched_if(!rules.is_any()),
            Kind::Array(array) if array.unique => Self::Walked,
            Kind::Array(array) if array.min_len > 0 || array.max_len.is_some() => Self::Watched,
            Kind::Array(array) => array.items.care.around(),
            Kind::Tuple(items) => Self::of_shapes(items),
            Kind::Object(object) => Self::of_object(object),
            Kind::Map(map) => Self::of_map(map),
            Kind::Nullable(inner) | Kind::Sides { input: inner, .. } => inner.care,
            Kind::Union(union) => Self::of_union(union),
            Kind::Narrow(inner, bounds) => match inner.care {
                Self::Walked => Self::Walked,
                _ if bounds.unique => Self::Walked,
                inner if bounds.is_none() => inner,
                _ => Self::Watched,
            },
            // What it leads to is not there yet.
            Kind::Back(_) => Self::Watched,
        }
    }

    const fn watched_if(watched: bool) -> Self {
        if watched { Self::Watched } else { Self::Typed }
    }

    /// The care for what holds a value of this care.
    const fn around(self) -> Self {
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

    const fn of_shapes(mut shapes: &[&Shape<'_>]) -> Self {
        let mut care = Self::Typed;
        while let [first, rest @ ..] = shapes {
            care = care.or(first.care.around());
            shapes = rest;
        }
        care
    }

    const fn of_object(object: &Object<'_>) -> Self {
        // A key that is expected is read in less time than one that is not.
        let mut care = Self::Watched;
        let mut fields = object.fields;
        while let [field, rest @ ..] = fields {
            care = care.or(if field.flatten {
                Self::Walked
            } else {
                field.shape.care.around()
            });
            fields = rest;
        }
        care
    }

    const fn of_map(map: &Map<'_>) -> Self {
        if map.min_len > 0 || map.max_len.is_some() {
            return Self::Watched;
        }
        map.keys.care.around().or(map.values.care.around())
    }

    /// Where serde does not buffer, the key of an object tells which member it is.
    const fn of_union(union: &Union<'_>) -> Self {
        if union.buffered {
            return Self::Walked;
        }
        let mut care = Self::Typed;
        let mut members = union.members;
        while let [member, rest @ ..] = members {
            care = care.or(match &member.kind {
                Kind::Enum(_) => Self::Typed,
                Kind::Object(Object {
                    fields: [field],
                    open: false,
                }) => field.shape.care.around(),
                _ => Self::Walked,
            });
            members = rest;
        }
        care
    }
}

impl Bounds<'_> {
    /// Whether nothing is bounded.
    const fn is_none(&self) -> bool {
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
    /// The same shape, of a type that reads more than the shape admits.
    pub const fn watched(self) -> Self {
        Self {
            care: self.care.or(Care::Watched),
            ..self
        }
    }

    /// The same shape, of a type that sees to its bounds itself, if its parts do.
    pub(crate) const fn seen_to(self) -> Self {
        let care = match &self.kind {
            Kind::Array(array) => array.items.care.around(),
            _ => Care::Typed,
        };
        Self { care, ..self }
    }
}
