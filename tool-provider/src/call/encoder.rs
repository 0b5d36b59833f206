use std::borrow::Cow;
use std::error::Error;

use serde_json::json;

use crate::call::{ErrorKind, Outcome, Payload, ToolError, ToolResult, contained};

/// Encoding of a result as the text that the model sees.
///
/// | encoder | a string | another value | an error |
/// | --- | --- | --- | --- |
/// | [`auto`](Self::auto) | as it is | JSON | its lines |
/// | [`json`](Self::json) | a JSON string | JSON | `{"error": …}` |
/// | [`envelope`](Self::envelope) | in an envelope | in an envelope | in an envelope |
/// | [`text`](Self::text) | as it is | JSON | `Error: ` and its lines |
///
/// The envelope is `{"success": …, "result": …, "errors": […]}`;
/// [`envelope_with_attributes`](Self::envelope_with_attributes) adds `"attributes"`. For texts of
/// another form there is [`custom`](Self::custom).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Encoder {
    style: EncodingStyle,
    pictures_after: bool,
    structured_errors: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum EncodingStyle {
    #[default]
    Auto,
    Json,
    Envelope {
        attributes: bool,
    },
    Text,
    Custom(Custom),
}

/// Writes an answer for the model; see [`Encoder::custom`].
pub type Encode = fn(&ToolResult) -> Result<String, Box<dyn Error + Send + Sync>>;

#[derive(Debug, Clone, Copy)]
struct Custom(Encode);

/// Compares the functions' addresses. Two that do the same may or may not be equal.
impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Custom {}

/// Placeholder for the answer of a person who has not answered yet.
const AWAITING: &str = "<awaiting user response>";

impl Encoder {
    const fn of(style: EncodingStyle) -> Self {
        Self {
            style,
            pictures_after: false,
            structured_errors: false,
        }
    }

    /// Sends the pictures of results in a message of the user behind them, for models that take none inside: Gemini 2.5 and
    /// earlier, and models behind `OpenAI`'s chat that see. Other wires put pictures inside all the same.
    #[must_use]
    pub const fn pictures_after(mut self) -> Self {
        self.pictures_after = true;
        self
    }

    /// Sends errors that have data or faults as structured content, too: for MCP, where the tool has no output schema.
    /// Clients check structured content by that schema, that of errors too.
    #[doc(hidden)]
    #[must_use]
    pub const fn __structured_errors(mut self, structured_errors: bool) -> Self {
        self.structured_errors = structured_errors;
        self
    }

    pub(crate) const fn has_structured_errors(self) -> bool {
        self.structured_errors
    }

    /// Returns true if every text is JSON: those of [`json`](Self::json) and of the envelopes.
    pub const fn is_json(self) -> bool {
        matches!(
            self.style,
            EncodingStyle::Json | EncodingStyle::Envelope { .. }
        )
    }

    pub(crate) const fn has_pictures_after(self) -> bool {
        self.pictures_after
    }

    /// Strings as they are, other values as JSON, an error as its lines.
    pub const fn auto() -> Self {
        Self::of(EncodingStyle::Auto)
    }

    /// Everything as JSON.
    pub const fn json() -> Self {
        Self::of(EncodingStyle::Json)
    }

    /// An envelope around every result, with a flag for success.
    pub const fn envelope() -> Self {
        Self::of(EncodingStyle::Envelope { attributes: false })
    }

    /// The envelope with the tool's attributes, which cost tokens and may say more than a model should know.
    pub const fn envelope_with_attributes() -> Self {
        Self::of(EncodingStyle::Envelope { attributes: true })
    }

    /// Strings as they are, other values as JSON, an error after `Error: `.
    pub const fn text() -> Self {
        Self::of(EncodingStyle::Text)
    }

    /// As a function writes it. Where it fails or panics, the model reads a plain `{"error": …}`: the tool's error if
    /// there was one. See `Executor::encoder` for a failure that ends the call with an error of its own.
    ///
    /// ```
    /// use toolwright::{Encoder, Outcome, ToolCall, ToolResult};
    ///
    /// let shout = Encoder::custom(|result| match &result.outcome {
    ///     Ok(outcome) => {
    ///         let value = outcome.payload().ok_or("no value")?;
    ///         Ok(value.to_plain().to_uppercase())
    ///     }
    ///     Err(error) => Ok(format!("NO: {error}")),
    /// });
    /// let call = ToolCall::new("call_1", "weather", "{}");
    /// let result = ToolResult::new(&call, Ok(Outcome::value("sun")));
    /// assert_eq!(result.content(shout), "SUN");
    /// let asks = ToolResult::new(&call, Ok(Outcome::ask("Where?")));
    /// assert!(asks.content(shout).starts_with(r#"{"error":"#));
    /// ```
    pub const fn custom(encode: Encode) -> Self {
        Self::of(EncodingStyle::Custom(Custom(encode)))
    }

    /// The text for the model. A string is borrowed from the result.
    #[inline]
    pub fn encode(self, result: &ToolResult) -> Cow<'_, str> {
        match (&self.style, &result.outcome) {
            (EncodingStyle::Auto | EncodingStyle::Text, Ok(Outcome::Value(value))) => {
                value.to_plain()
            }
            _ => self.encode_any(result),
        }
    }

    fn encode_any(self, result: &ToolResult) -> Cow<'_, str> {
        match (self.style, &result.outcome) {
            (EncodingStyle::Auto | EncodingStyle::Text, Ok(outcome)) => plain(outcome),
            (EncodingStyle::Json, Ok(outcome)) => as_json(outcome),
            (EncodingStyle::Auto, Err(error)) => Cow::Owned(error.to_string()),
            (EncodingStyle::Text, Err(error)) => Cow::Owned(format!("Error: {error}")),
            (EncodingStyle::Json, Err(error)) => Cow::Owned(plain_error(error)),
            (EncodingStyle::Envelope { attributes }, _) => Cow::Owned(envelope(result, attributes)),
            (EncodingStyle::Custom(custom), outcome) => {
                Cow::Owned(custom.write(result).unwrap_or_else(|failed| {
                    let error = outcome.as_ref().err().unwrap_or(&failed);
                    plain_error(error)
                }))
            }
        }
    }
}

impl Encoder {
    /// Encodes the result as JSON, for a provider whose form has a value there. Text that is not JSON becomes a string.
    pub(crate) fn encode_json(self, result: &ToolResult) -> Cow<'_, str> {
        match (self.style, &result.outcome) {
            (EncodingStyle::Json | EncodingStyle::Envelope { .. }, _) => self.encode(result),
            (EncodingStyle::Custom(_), _) => {
                let text = self.encode(result);
                if text.trim_start().starts_with('{')
                    && serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok()
                {
                    return text;
                }
                Cow::Owned(Payload::text(text).to_json().into_owned())
            }
            (EncodingStyle::Auto | EncodingStyle::Text, Ok(outcome))
                if outcome.payload().is_some() =>
            {
                as_json(outcome)
            }
            (EncodingStyle::Auto | EncodingStyle::Text, _) => {
                let text = Payload::text(self.encode(result));
                Cow::Owned(text.to_json().into_owned())
            }
        }
    }
}

impl Custom {
    fn write(self, result: &ToolResult) -> Result<String, ToolError> {
        let words = "the tool ran, but its result cannot be shown";
        match contained(|| self.0(result)) {
            Ok(Ok(text)) => Ok(text),
            Ok(Err(error)) => Err(ToolError::new(ErrorKind::Encoding, words)
                .with_debug(error.to_string())
                .with_source(error)),
            Err(panic) => Err(ToolError::new(ErrorKind::Encoding, words).with_source(panic)),
        }
    }
}

fn plain_error(error: &ToolError) -> String {
    json!({ "error": joined(error.messages()) }).to_string()
}

fn plain(outcome: &Outcome) -> Cow<'_, str> {
    match outcome {
        Outcome::Value(value) | Outcome::ReturnDirect(value) | Outcome::Halt { value, .. } => {
            value.to_plain()
        }
        Outcome::Content(content) => Cow::Owned(content.to_plain()),
        Outcome::AskUser { .. } => Cow::Borrowed(AWAITING),
        Outcome::Open { note, .. } => Cow::Borrowed(note),
    }
}

fn as_json(outcome: &Outcome) -> Cow<'_, str> {
    match outcome {
        Outcome::Content(content) => match serde_json::to_string(content.blocks()) {
            Ok(json) => Cow::Owned(json),
            Err(_) => Cow::Owned(Payload::text(content.to_plain()).to_json().into_owned()),
        },
        Outcome::AskUser { .. } => Cow::Owned(Payload::text(AWAITING).to_json().into_owned()),
        Outcome::Open { note, .. } => Cow::Owned(Payload::text(note).to_json().into_owned()),
        Outcome::Value(value) | Outcome::ReturnDirect(value) | Outcome::Halt { value, .. } => {
            value.to_json()
        }
    }
}

/// The envelope is written by hand, so that its keys have one order in every build.
fn envelope(result: &ToolResult, attributes: bool) -> String {
    let value = match &result.outcome {
        Ok(outcome) => as_json(outcome),
        Err(_) => Cow::Borrowed("null"),
    };
    let errors: serde_json::Value = result.errors().collect();
    let success = result.is_success();
    let mut out = format!(r#"{{"success":{success},"result":{value},"errors":{errors}"#);
    if attributes {
        let attributes = serde_json::to_string(&result.attributes).unwrap_or_else(|_| "{}".into());
        out.push_str(",\"attributes\":");
        out.push_str(&attributes);
    }
    out.push('}');
    out
}

fn joined<'m>(messages: impl Iterator<Item = &'m str>) -> String {
    messages.collect::<Vec<_>>().join("; ")
}
