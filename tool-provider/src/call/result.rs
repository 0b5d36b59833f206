use std::borrow::Cow;
use std::time::Duration;

use crate::call::{Encoder, Meta, Outcome, ToolCall, ToolError};
use toolwright_schema::decode::Repair;
use toolwright_schema::text::ShortStr;

/// An answered call.
///
/// ```
/// use toolwright::{Context, Encoder, ToolCall, tool, tools};
///
/// /// Weather of a city.
/// #[tool]
/// fn weather(city: &str) -> Result<&'static str, String> {
///     if city == "Oslo" { Ok("sun") } else { Err(format!("no city is called {city}")) }
/// }
///
/// let tools = tools![weather];
/// let call = |arguments| tools.call_blocking(&ToolCall::new("1", "weather", arguments), &Context::new());
///
/// let good = call(r#"{"city": "Oslo"}"#);
/// assert!(good.is_success());
/// assert_eq!(good.content(Encoder::auto()), "sun");
///
/// let bad = call(r#"{"city": "Atlantis"}"#);
/// assert_eq!(bad.errors().collect::<Vec<_>>(), ["no city is called Atlantis"]);
/// assert_eq!(bad.content(Encoder::json()), r#"{"error":"no city is called Atlantis"}"#);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolResult {
    /// The provider's id of the call.
    pub id: ShortStr,
    /// The tool's name, as the model called it.
    pub name: ShortStr,
    /// Outcome of the call.
    pub outcome: Result<Outcome, ToolError>,
    /// Repairs of the arguments before they were read, in order; empty if there were none.
    pub repairs: Box<[Repair]>,
    /// The tool's own attributes, for the host; they never reach the model unasked.
    pub attributes: Meta,
    /// Duration of the call. Zero for a result that was made by hand, and for a call that an executor refused before it began.
    pub duration: Duration,
}

impl ToolResult {
    /// The answer to `call`. A value that cannot be written as JSON makes it an
    /// [`Encoding`](crate::call::ErrorKind::Encoding) error.
    pub fn new(call: &ToolCall, outcome: Result<Outcome, ToolError>) -> Self {
        Self {
            id: call.id.clone(),
            name: call.name.clone(),
            outcome: if is_written(&outcome) {
                outcome
            } else {
                checked(outcome)
            },
            repairs: Box::default(),
            attributes: Meta::default(),
            duration: Duration::ZERO,
        }
    }

    /// The answer to `call` by an outcome that is written already, without repairs.
    // Each call makes its result once: a function of its own would move it once more.
    #[allow(clippy::inline_always)]
    #[doc(hidden)]
    #[inline(always)]
    pub fn of_written(
        call: &ToolCall,
        outcome: Result<Outcome, ToolError>,
        attributes: Meta,
    ) -> Self {
        Self {
            id: call.id.clone(),
            name: call.name.clone(),
            outcome,
            repairs: Box::default(),
            attributes,
            duration: Duration::ZERO,
        }
    }

    /// Returns true if the call stays open: this is not its final result.
    pub fn is_open(&self) -> bool {
        matches!(self.outcome, Ok(Outcome::Open { .. }))
    }

    /// Returns true if the tool ran and did not fail.
    pub fn is_success(&self) -> bool {
        self.outcome.is_ok()
    }

    /// The value, if there is one: none after a failure, a question, or blocks of content.
    pub fn value(&self) -> Option<serde_json::Value> {
        Some(self.outcome.as_ref().ok()?.payload()?.to_value())
    }

    /// Returns the error messages for the model, in order; empty after a success.
    pub fn errors(&self) -> impl Iterator<Item = &str> {
        self.outcome
            .as_ref()
            .err()
            .into_iter()
            .flat_map(ToolError::messages)
    }

    /// The text for the model, as `encoder` writes it.
    #[inline]
    pub fn content(&self, encoder: Encoder) -> Cow<'_, str> {
        encoder.encode(self)
    }
}

/// Returns true if the outcome is a plain value and written: most are.
#[inline]
pub fn is_written(outcome: &Result<Outcome, ToolError>) -> bool {
    matches!(outcome, Ok(Outcome::Value(value)) if value.is_written())
}

/// Returns the outcome, or the error of a value that cannot be written as JSON.
#[inline(never)]
fn checked(outcome: Result<Outcome, ToolError>) -> Result<Outcome, ToolError> {
    if let Ok(outcome) = &outcome
        && let Some(payload) = outcome.payload()
    {
        payload.check()?;
    }
    outcome
}
