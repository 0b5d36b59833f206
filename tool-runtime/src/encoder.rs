use std::borrow::Cow;

use serde_json::json;

use crate::{Outcome, Payload, ToolResult};

/// How a result becomes the text that the model sees.
///
/// | encoder | a string | another value | an error |
/// | --- | --- | --- | --- |
/// | [`auto`](Self::auto) | as it is | JSON | its lines |
/// | [`json`](Self::json) | a JSON string | JSON | `{"error": …}` |
/// | [`envelope`](Self::envelope) | in an envelope | in an envelope | in an envelope |
/// | [`text`](Self::text) | as it is | JSON | `Error: ` and its lines |
///
/// The envelope is `{"success": …, "result": …, "errors": […]}`;
/// [`envelope_with_attributes`](Self::envelope_with_attributes) adds `"attributes"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Encoder(Style);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Style {
    #[default]
    Auto,
    Json,
    Envelope {
        attributes: bool,
    },
    Text,
}

/// What stands in for the answer of a person who has not answered yet.
const AWAITING: &str = "<awaiting user response>";

impl Encoder {
    /// Strings as they are, other values as JSON, an error as its lines.
    pub const fn auto() -> Self {
        Self(Style::Auto)
    }

    /// Everything as JSON.
    pub const fn json() -> Self {
        Self(Style::Json)
    }

    /// Everything in an envelope that says whether it succeeded.
    pub const fn envelope() -> Self {
        Self(Style::Envelope { attributes: false })
    }

    /// The envelope with the tool's attributes, which cost tokens and may say more than a model
    /// should know.
    pub const fn envelope_with_attributes() -> Self {
        Self(Style::Envelope { attributes: true })
    }

    /// Strings as they are, other values as JSON, an error after `Error: `.
    pub const fn text() -> Self {
        Self(Style::Text)
    }

    /// The text for the model. A string is borrowed from the result.
    pub fn encode(self, result: &ToolResult) -> Cow<'_, str> {
        match (self.0, &result.outcome) {
            (Style::Auto | Style::Text, Ok(outcome)) => plain(outcome),
            (Style::Json, Ok(outcome)) => as_json(outcome),
            (Style::Auto, Err(error)) => Cow::Owned(error.to_string()),
            (Style::Text, Err(error)) => Cow::Owned(format!("Error: {error}")),
            (Style::Json, Err(error)) => {
                Cow::Owned(json!({ "error": joined(error.messages()) }).to_string())
            }
            (Style::Envelope { attributes }, _) => Cow::Owned(envelope(result, attributes)),
        }
    }
}

impl Encoder {
    /// The same as JSON, for a provider whose form has a value there: what is not JSON already is a
    /// string.
    pub(crate) fn encode_json(self, result: &ToolResult) -> Cow<'_, str> {
        match (self.0, &result.outcome) {
            (Style::Json | Style::Envelope { .. }, _) => self.encode(result),
            (Style::Auto | Style::Text, Ok(outcome)) if outcome.payload().is_some() => {
                as_json(outcome)
            }
            (Style::Auto | Style::Text, _) => {
                let text = Payload::text(self.encode(result));
                Cow::Owned(text.to_json().into_owned())
            }
        }
    }
}

fn plain(outcome: &Outcome) -> Cow<'_, str> {
    match outcome {
        Outcome::Value(value) | Outcome::ReturnDirect(value) | Outcome::Halt { value, .. } => {
            value.to_plain()
        }
        Outcome::Content(content) => Cow::Owned(content.to_plain()),
        Outcome::AskUser { .. } => Cow::Borrowed(AWAITING),
    }
}

fn as_json(outcome: &Outcome) -> Cow<'_, str> {
    match outcome {
        Outcome::Content(content) => match serde_json::to_string(content.blocks()) {
            Ok(json) => Cow::Owned(json),
            Err(_) => Cow::Owned(Payload::text(content.to_plain()).to_json().into_owned()),
        },
        Outcome::AskUser { .. } => Cow::Owned(Payload::text(AWAITING).to_json().into_owned()),
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
