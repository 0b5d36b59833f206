use std::fmt;

use toolwright_schema::text::{NameError, Printable};

/// More than one tool of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictError(pub(super) Vec<String>);

impl ConflictError {
    /// Returns the names that more than one tool has, or had before, each once, in order of appearance.
    pub fn names(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for ConflictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = QuotedNames(&self.0);
        write!(
            f,
            "more than one tool is, or was, named {names}; rename one, or give its toolset a prefix"
        )
    }
}

impl std::error::Error for ConflictError {}

/// Stored definitions that do not fit the tools.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AttachError {
    pub(super) missing: Vec<String>,
    pub(super) repeated: Vec<String>,
    pub(super) hidden: Vec<String>,
}

impl AttachError {
    /// Returns the names that no tool here has, in order.
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Returns the names that more than one definition has, each once, in order.
    pub fn repeated(&self) -> &[String] {
        &self.repeated
    }

    /// Returns the names of definitions with invisible characters, in order.
    /// [`ToolDef::strip_hidden`](toolwright_provider::call::ToolDef::strip_hidden) removes them.
    pub fn hidden(&self) -> &[String] {
        &self.hidden
    }
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wrong = [
            ("no tool here is named", &self.missing),
            ("more than one definition is named", &self.repeated),
            (
                "characters that nobody sees stand in the definition of",
                &self.hidden,
            ),
        ];
        let mut gap = "";
        for (what, names) in wrong.iter().filter(|(_, names)| !names.is_empty()) {
            write!(f, "{gap}{what} {}", QuotedNames(names))?;
            gap = "; ";
        }
        Ok(())
    }
}

impl std::error::Error for AttachError {}

/// Reason why a tool could not be renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RenameError {
    /// The set has no tool of this name.
    Missing(String),
    /// Another tool has the new name.
    Conflict(ConflictError),
    /// A provider refuses the new name.
    Name(NameError),
}

impl fmt::Display for RenameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(
                f,
                "no tool here is named {}",
                QuotedNames(std::slice::from_ref(name))
            ),
            Self::Conflict(conflicts) => conflicts.fmt(f),
            Self::Name(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RenameError {}

/// `` `a`, `b` ``
struct QuotedNames<'a>(&'a [String]);

impl fmt::Display for QuotedNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            let gap = if index == 0 { "" } else { ", " };
            write!(f, "{gap}`{}`", Printable::new(name).one_line())?;
        }
        Ok(())
    }
}
