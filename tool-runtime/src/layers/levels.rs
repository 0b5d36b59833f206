use std::borrow::Cow;

use serde_json::Value;

use toolwright_provider::call::{Meta, RISK, Risk};

/// An attribute of tools whose values are steps, from the lowest to the highest: `risk`, from `low` to `critical`.
///
/// ```
/// use toolwright::layers::{Approval, Levels};
///
/// // #[tool(meta(danger = "amber"))]
/// let danger = Levels::new("danger", ["green", "amber", "red"]);
/// let approval = Approval::at_least_of(danger, "amber");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    attribute: Cow<'static, str>,
    steps: Vec<Cow<'static, str>>,
}

impl Levels {
    /// Sets the attribute's name, and its values from the lowest on. Numbers and booleans are compared as text.
    pub fn new<S: Into<Cow<'static, str>>>(
        attribute: impl Into<Cow<'static, str>>,
        steps: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            attribute: attribute.into(),
            steps: steps.into_iter().map(Into::into).collect(),
        }
    }

    /// `risk`: `low`, `medium`, `high`, `critical`.
    pub fn risk() -> Self {
        Self::new(RISK, Risk::ALL.iter().map(|risk| risk.as_str()))
    }

    pub(super) fn attribute(&self) -> &str {
        &self.attribute
    }

    /// Returns the step's index.
    pub(super) fn position(&self, step: &str) -> Option<usize> {
        self.steps.iter().position(|known| **known == *step)
    }

    /// Returns the tool's value and its index. An unknown value counts as the highest, so a misspelled one is not
    /// ignored.
    pub(super) fn of<'a>(&self, attributes: &'a Meta) -> Option<(&'a Value, usize)> {
        let value = attributes.get(&self.attribute)?;
        let step = match value {
            Value::String(text) => self.position(text),
            other => self.position(&other.to_string()),
        };
        Some((value, step.unwrap_or(usize::MAX)))
    }
}
