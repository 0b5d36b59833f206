use std::fmt::{self, Display};

use toolwright_provider::definitions::Stripped;
use toolwright_schema::read::tree::SchemaError;
use toolwright_schema::text::NameError;

/// Reason why a [`DynTool`](crate::dyn_tool::DynTool) could not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// A part that every tool needs was not given: this one.
    Missing(&'static str),
    /// A provider refuses the name.
    Name(NameError),
    /// The type of the arguments is not one object, so no call could fit.
    NotObject,
    /// Arguments cannot be checked against the schema that was given for them.
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
