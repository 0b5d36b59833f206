//! The keys of an object.

use super::{Kind, Shape, Variant};

/// One key of an object, or one parameter of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Field<'s> {
    /// The key that is read.
    pub name: &'s str,
    /// True if JSON escapes the key.
    pub(crate) is_escaped: bool,
    /// The key that is written.
    pub output_name: &'s str,
    /// Other spellings of the key, which are read but never published: a model needs one name only.
    pub aliases: &'s [&'s str],
    /// Description of the field; empty to use the type's own.
    pub description: &'s str,
    /// Name for people; empty for none.
    pub title: &'s str,
    /// Shape of the value behind the key.
    pub shape: &'s Shape<'s>,
    /// Presence of the key when the type is read. For a flattened field that may be `null`: presence of its content.
    pub presence: Presence,
    /// Presence of the key when the type is written.
    pub output: OutputPresence,
    /// True if the type's keys take the place of this one.
    pub flatten: bool,
    /// True if the field should no longer be given.
    pub deprecated: bool,
    /// The default's JSON, where it has one that can be written as JSON.
    pub default: Option<fn() -> Option<String>>,
    /// An example's JSON.
    pub example: Option<fn() -> Option<String>>,
}

/// Returns true if JSON escapes a character of a string.
const fn is_escaped(text: &str) -> bool {
    let mut bytes = text.as_bytes();
    while let [byte, rest @ ..] = bytes {
        if *byte < 0x20 || *byte == b'"' || *byte == b'\\' {
            return true;
        }
        bytes = rest;
    }
    false
}

/// Presence of a key when the type is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// The key must be there.
    Required,
    /// The key may be missing, which means the same as `null`.
    Optional,
    /// The key may be missing, which means its default.
    Defaulted,
    /// The key is not read.
    Never,
}

/// Presence of a key when the type is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputPresence {
    /// The key is always there.
    Always,
    /// The key may be left out.
    Sometimes,
    /// The key is not written.
    Never,
}

impl Presence {
    /// Returns the presence of a field without a default: an `Option` may be missing, anything else not.
    pub const fn of(shape: &Shape<'_>) -> Self {
        match shape.kind {
            Kind::Nullable(_) => Self::Optional,
            // A newtype has another name, and serde permits only an `Option` to be missing.
            Kind::Bounded(..) if shape.id.hash != 0 => Self::Required,
            Kind::Bounded(base, _) => Self::of(base),
            Kind::InOut { input, .. } => Self::of(input),
            _ => Self::Required,
        }
    }
}

impl<'s> Field<'s> {
    /// A field of this type.
    pub const fn new(name: &'s str, description: &'s str, shape: &'s Shape<'s>) -> Self {
        Self {
            name,
            is_escaped: is_escaped(name),
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

    /// Returns true if the key is read.
    #[inline]
    pub const fn is_read(&self) -> bool {
        !matches!(self.presence, Presence::Never)
    }

    /// Returns true if the keys of the type are read in the place of this one.
    #[inline]
    pub(crate) const fn is_flattened(&self) -> bool {
        self.flatten && self.is_read()
    }

    /// Returns true if the key must be there.
    #[inline]
    pub const fn is_required(&self) -> bool {
        matches!(self.presence, Presence::Required)
    }

    /// Returns true if a key is this one, in any spelling that is read.
    #[inline]
    pub(crate) fn is_read_as(&self, key: &str) -> bool {
        self.is_read() && (self.name == key || self.aliases.contains(&key))
    }

    /// Returns the one string that the key may have, if there is only one: the key is a tag.
    #[inline]
    pub(crate) fn tag(&self) -> Option<&'s Variant<'s>> {
        match self.shape.core() {
            Kind::Enum([one]) if !self.flatten => Some(one),
            _ => None,
        }
    }

    /// Makes the field required even if it may be `null`.
    pub const fn always(mut self) -> Self {
        self.presence = Presence::Required;
        self
    }
}
