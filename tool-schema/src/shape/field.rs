//! The keys of an object.

use super::{Kind, Shape};
use crate::shape::KeyHead;

/// One key of an object, or one parameter of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Field<'s> {
    /// The key that is read.
    pub name: &'s str,
    /// How the key starts where it stands in JSON.
    pub head: KeyHead,
    /// The key that is written.
    pub output_name: &'s str,
    /// Other spellings of the key that are read and never told: one name a thing is enough for a
    /// model.
    pub aliases: &'s [&'s str],
    /// What it is for; empty to use the type's own description.
    pub description: &'s str,
    /// A name for people; empty for none.
    pub title: &'s str,
    /// What stands behind the key.
    pub shape: &'s Shape<'s>,
    /// Whether the key must be there when the type is read. Of a field that is flattened and may be
    /// `null`: whether what it holds must.
    pub presence: Presence,
    /// Whether the key is there when the type is written.
    pub output: OutputPresence,
    /// The type's own keys stand in the place of this one.
    pub flatten: bool,
    /// It should no longer be given.
    pub deprecated: bool,
    /// The default's JSON, where it has one that can be written as JSON.
    pub default: Option<fn() -> Option<String>>,
    /// An example's JSON.
    pub example: Option<fn() -> Option<String>>,
}

/// Whether a key must be there when the type is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It must.
    Required,
    /// It may be missing, which means the same as `null`.
    Optional,
    /// It may be missing, which means its default.
    Defaulted,
    /// It is not read.
    Never,
}

/// Whether a key is there when the type is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputPresence {
    /// It is.
    Always,
    /// It may be left out.
    Sometimes,
    /// It is not written.
    Never,
}

impl Presence {
    /// What a field without a default has to be: an `Option` may be missing, anything else not.
    pub const fn of(shape: &Shape<'_>) -> Self {
        match shape.kind {
            Kind::Nullable(_) => Self::Optional,
            // A newtype is asked for by its own name, and serde lets only an `Option` itself be
            // missing.
            Kind::Narrow(..) if shape.id.hash != 0 => Self::Required,
            Kind::Narrow(base, _) => Self::of(base),
            Kind::Sides { input, .. } => Self::of(input),
            _ => Self::Required,
        }
    }
}

impl<'s> Field<'s> {
    /// A field of this type.
    pub const fn new(name: &'s str, description: &'s str, shape: &'s Shape<'s>) -> Self {
        Self {
            name,
            head: KeyHead::of(name),
            output_name: name,
            aliases: &[],
            description,
            title: "",
            shape,
            presence: Presence::of(shape),
            output: OutputPresence::Always,
            flatten: false,
            deprecated: false,
            default: None,
            example: None,
        }
    }

    /// The same field, which must be there even if it may be `null`.
    pub const fn always(self) -> Self {
        Self {
            presence: Presence::Required,
            ..self
        }
    }
}
