use std::fmt;

use serde_json::value::RawValue;

use super::read::{Members, elements, text};
use toolwright_schema::text::excerpt;

/// A response, an event of a stream or a definition that is not of the provider's form, or the
/// provider's own report of an error.
#[derive(Debug)]
pub struct WireError {
    message: String,
    reported: bool,
    source: Option<serde_json::Error>,
}

/// The error holds so many characters of the provider's words.
const MOST: usize = 1_000;

impl WireError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            // The provider's words may have several lines. An error has one.
            message: excerpt(&message.into(), MOST),
            reported: false,
            source: None,
        }
    }

    pub(super) fn json(what: &str, source: serde_json::Error) -> Self {
        let error = Self::new(format!("{what}: {source}"));
        Self {
            source: Some(source),
            ..error
        }
    }

    /// Returns true if it is the provider's own report: the text could be read.
    pub fn is_reported(&self) -> bool {
        self.reported
    }

    /// Checks the value of a stream's key `error`: `null` reports none.
    ///
    /// # Errors
    /// The reported error.
    pub(super) fn none_reported(error: &RawValue) -> Result<(), Self> {
        match error.get() {
            "null" => Ok(()),
            _ => Err(Self::reported(error)),
        }
    }

    /// Creates the error of a call that only the model's user can answer, and that this library has no answer for.
    pub(super) fn unknown_call(kind: &str) -> Self {
        Self::new(format!(
            "the response has a call of the type `{kind}`, which cannot be answered here"
        ))
    }

    /// Returns the error that a body reports in place of a response. Gemini wraps it in a list.
    pub(super) fn of_body(body: &str) -> Option<Self> {
        let body: &RawValue = serde_json::from_str(body).ok()?;
        let first = elements(Some(body)).first().copied();
        let report = Members::of(Some(first.unwrap_or(body)));
        report.get("error").map(Self::reported)
    }

    /// Creates the error that a provider reports in the middle of a stream: a text, or an object with a message.
    pub(super) fn reported(error: &RawValue) -> Self {
        let report = Members::of(Some(error));
        let message = report.one("message").unwrap_or(error);
        let words = text(message.get()).unwrap_or_else(|| message.get().into());
        Self {
            reported: true,
            ..Self::new(format!("the provider reports an error: {words}"))
        }
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for WireError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
