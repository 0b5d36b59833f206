use std::fmt;

use super::{JsonText, Wire};
use toolwright_schema::text::{LONGEST_SHOWN, Printable, did_you_mean, near};

/// Choice of whether the model calls tools, and which.
///
/// ```
/// use toolwright::{Toolset, Wire, wire::ToolChoice};
///
/// let none = Toolset::default();
/// assert_eq!(Wire::OpenAiChat.tool_choice(&none, &ToolChoice::Auto).unwrap(), r#""auto""#);
/// assert!(Wire::OpenAiChat.tool_choice(&none, &"search".into()).is_err());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides (the default).
    #[default]
    Auto,
    /// At least one call, of whatever tool.
    Required,
    /// No call.
    None,
    /// A call of the tool of this name.
    Specific(String),
}

impl From<&str> for ToolChoice {
    fn from(name: &str) -> Self {
        Self::Specific(name.to_owned())
    }
}

impl fmt::Display for ToolChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("`Auto`"),
            Self::Required => f.write_str("`Required`"),
            Self::None => f.write_str("`None`"),
            Self::Specific(name) => write!(f, "`Specific({name:?})`"),
        }
    }
}

/// Permission for several calls in one response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Parallel {
    /// As the provider does unasked: all let the model make several.
    #[default]
    Allowed,
    /// At most one call.
    Forbidden,
}

/// A choice that no request can be made of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoiceError {
    /// The set has no tool of this name.
    Unknown {
        /// The name.
        name: String,
        /// Names here that may have been meant, best first.
        near: Vec<String>,
    },
    /// A call is required, but the set has no tools.
    NoTools,
    /// The provider has no way to say it.
    Unsupported {
        /// The provider's wire.
        wire: Wire,
        /// The choice.
        choice: ToolChoice,
        /// Permission for several calls.
        parallel: Parallel,
    },
}

impl fmt::Display for ToolChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, near } => {
                let shown = Printable::new(name).one_line().at_most(LONGEST_SHOWN);
                write!(f, "no tool here is named `{shown}`")?;
                let near: Vec<_> = near.iter().map(String::as_str).collect();
                let gap = if near.is_empty() { "" } else { "; " };
                write!(f, "{gap}{}", did_you_mean(&near))
            }
            Self::NoTools => f.write_str("a call is required, and there is no tool"),
            Self::Unsupported {
                wire,
                choice,
                parallel: Parallel::Allowed,
            } => write!(f, "{wire:?} cannot express the tool choice {choice}"),
            Self::Unsupported { wire, choice, .. } => write!(
                f,
                "{wire:?} cannot express the tool choice {choice} with at most one call"
            ),
        }
    }
}

impl std::error::Error for ToolChoiceError {}

impl Wire {
    /// Builds the text of a request from encoded tools, and from the provider's word for a choice or its lack of
    /// one.
    pub(crate) fn request_of<'t>(
        self,
        word: Result<String, ToolChoiceError>,
        choice: &ToolChoice,
        parallel: Parallel,
        is_empty: bool,
        definitions: impl FnOnce() -> JsonText<'t>,
    ) -> Result<JsonText<'static>, ToolChoiceError> {
        let word = match (word, choice, parallel) {
            (Ok(word), ..) => Some(word),
            // Without tools there is no call, and with all of them and no word more the model
            // chooses.
            (Err(ToolChoiceError::Unsupported { .. }), ToolChoice::None, _) => {
                return Ok(JsonText::new("{}"));
            }
            (Err(ToolChoiceError::Unsupported { .. }), ToolChoice::Auto, Parallel::Allowed) => None,
            (Err(error), ..) => return Err(error),
        };
        // Most providers refuse an empty list, or a choice among no tools.
        if is_empty {
            return Ok(JsonText::new("{}"));
        }
        let provider = self.provider();
        let request = provider.request(&definitions(), word.as_deref(), parallel);
        Ok(JsonText::new(request))
    }

    /// Checks a choice against the names of the tools.
    pub(crate) fn check_choice<'n>(
        mut names: impl Iterator<Item = &'n str>,
        choice: &ToolChoice,
    ) -> Result<(), ToolChoiceError> {
        match choice {
            ToolChoice::Specific(name) => {
                let names: Vec<_> = names.collect();
                if names.contains(&name.as_str()) {
                    return Ok(());
                }
                let near = near(name, names);
                Err(ToolChoiceError::Unknown {
                    name: name.clone(),
                    near: near.into_iter().map(str::to_owned).collect(),
                })
            }
            ToolChoice::Required if names.next().is_none() => Err(ToolChoiceError::NoTools),
            _ => Ok(()),
        }
    }

    pub(crate) fn unsupported(self, choice: &ToolChoice, parallel: Parallel) -> ToolChoiceError {
        ToolChoiceError::Unsupported {
            wire: self,
            choice: choice.clone(),
            parallel,
        }
    }
}
