use std::fmt::{self, Display};

use crate::text::Printable;

/// Reason why arguments cannot be checked against a run-time schema.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaError {
    /// Kind of the problem.
    pub kind: SchemaErrorKind,
    /// Place in the schema, as a JSON pointer; empty for the whole schema.
    pub at: String,
    /// Message: the problem and an alternative.
    pub message: String,
}

impl SchemaError {
    pub(super) fn new(kind: SchemaErrorKind, at: &str, message: impl Into<String>) -> Self {
        Self {
            kind,
            at: at.to_owned(),
            message: message.into(),
        }
    }
}

/// Ways in which a schema can be unfit to check arguments against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaErrorKind {
    /// The text has more bytes than are taken: 2 MiB, unless `max_schema_bytes` sets another bound.
    TooLarge,
    /// More than 64 arrays and objects are nested.
    TooDeep,
    /// There is more than one subschema for each 64 of these bytes, or there are more than 256 patterns.
    TooMany,
    /// It admits no object, which arguments always are.
    NotObject,
    /// A reference to another document. Nothing is ever fetched.
    RemoteReference,
    /// A schema refers to itself for the same value, so that checking it would never end.
    EndlessReference,
    /// Checking one value takes too many steps, or too many inside each other.
    TooCostly,
}

impl Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The schema's author chose these texts.
        let (at, message) = (Printable::new(&self.at), Printable::new(&self.message));
        if self.at.is_empty() {
            write!(f, "the schema of the parameters: {message}")
        } else {
            write!(f, "the schema of the parameters, at `{at}`: {message}")
        }
    }
}

impl std::error::Error for SchemaError {}

/// Part of a run-time schema that is not checked, or is read by its probable meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaNote {
    /// Place in the schema, as a JSON pointer.
    pub at: String,
    pub message: String,
    /// True if values may pass that the schema refuses.
    pub is_weaker: bool,
}
