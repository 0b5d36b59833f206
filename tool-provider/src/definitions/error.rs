//! Tools that a provider would refuse.

use std::fmt;

use toolwright_schema::text::Printable;

/// Tools that a provider would refuse: each one's name and the reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DefinitionsError(Vec<(String, String)>);

impl DefinitionsError {
    /// Each tool's name, and why it would be refused.
    pub fn reasons(&self) -> &[(String, String)] {
        &self.0
    }

    pub(super) fn note(&mut self, tool: &str, why: String) {
        self.0.push((tool.to_owned(), why));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn or<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() {
            Ok(value)
        } else {
            Err(self)
        }
    }
}

impl fmt::Display for DefinitionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (tool, why)) in self.0.iter().enumerate() {
            let gap = if index > 0 { "\n" } else { "" };
            write!(f, "{gap}{}: {why}", Printable::new(tool).one_line())?;
        }
        Ok(())
    }
}

impl std::error::Error for DefinitionsError {}
