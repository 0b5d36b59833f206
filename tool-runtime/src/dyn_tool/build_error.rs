use std::fmt::{self, Display};

use toolwright_provider::definitions::Stripped;
use toolwright_schema::text::{NameError, Printable};

/// Reason why a [`DynTool`](crate::dyn_tool::DynTool) could not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// A part that every tool needs was not given: this one.
    Missing(&'static str),
    /// A provider refuses the name.
    Name(NameError),
    /// The arguments are typed over what is not one object, so no call could fit.
    NotObject,
    /// Arguments cannot be checked against the schema that was given for them (feature `validate`).
    Schema(SchemaError),
    /// The definition holds characters that a model reads and a person does not see:
    /// [`ToolDef::strip_hidden`](toolwright_provider::call::ToolDef::strip_hidden) found these.
    HiddenText(Stripped),
}

impl Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(part) => write!(f, "the tool's {part} is missing"),
            Self::NotObject => f.write_str(
                "the tool's arguments are typed over what is not one object; take a struct",
            ),
            Self::Name(error) => Display::fmt(error, f),
            Self::Schema(error) => Display::fmt(error, f),
            Self::HiddenText(Stripped { removed, left, .. }) => {
                f.write_str("the tool's definition holds characters that a model reads and a person does not see: ")?;
                match left.first() {
                    Some(place) => write!(f, "in {place} of a schema"),
                    None => write!(
                        f,
                        "{removed} in its words, which `ToolDef::strip_hidden` takes out"
                    ),
                }
            }
        }
    }
}

impl std::error::Error for BuildError {}

/// Reason why arguments cannot be checked against a run-time schema.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaError {
    /// Kind of the problem.
    pub kind: SchemaErrorKind,
    /// Place in the schema, as a JSON pointer; empty for the whole schema.
    pub at: String,
    /// Message: the problem, and what to write instead.
    pub message: String,
}

/// The ways in which a schema can be unfit to check arguments against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemaErrorKind {
    /// The text has more than 256 KiB.
    TooLarge,
    /// More than 64 arrays and objects stand inside each other.
    TooDeep,
    /// There are more than 4,096 subschemas or 256 patterns, or references may lead through more than
    /// 1,024 schemas inside each other.
    TooMany,
    /// `$schema` names none of the drafts 2020-12, 2019-09 and 7.
    UnknownDraft,
    /// It is no schema of its draft.
    Invalid,
    /// It admits no object, which arguments always are.
    NotObject,
    /// A reference leads out of the document. Nothing is ever fetched.
    RemoteReference,
    /// A reference leads to no schema of the document.
    MissingReference,
    /// A schema refers to itself for the same value, so that checking it would never end.
    EndlessReference,
    /// Checking one value takes too many steps, or too many inside each other.
    TooCostly,
    /// A pattern is no regular expression, is too large, or cannot be matched in linear time.
    Pattern,
    /// The default of a key is no value of the key's schema.
    InvalidDefault,
    /// A keyword would not be enforced, although it changes what is admitted.
    UnsupportedKeyword,
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
