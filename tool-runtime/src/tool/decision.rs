use std::fmt::{self, Write as _};
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use toolwright_json::Value as Json;
use toolwright_provider::call::Bytes;
#[cfg(feature = "tokio")]
use toolwright_provider::call::{ErrorKind, Outcome, ToolError};
use toolwright_schema::text::Printable;

/// Decision of a person or a policy about a pending call.
///
/// `Debug` prints the length of edited arguments and not their text: without the tool it is unknown which of them are
/// secret.
///
/// As JSON it is `"approve"`, `{"edit": {…}}`, `{"reject": "too costly"}` or `{"answer": …}`. JSON text is read
/// exactly. An edit keeps its text. In an answer, a number with more digits than a [`Value`] holds, and a key that is given
/// twice, are errors that name the place. This works wherever `serde_json` reads the decision itself, alone or in a struct. Values that serde buffers
/// first (`flatten`, `untagged`, `tag`) and a [`Value`] have lost such digits already.
///
/// ```
/// use serde_json::json;
/// use toolwright::call::Decision;
///
/// let decision: Decision = serde_json::from_value(json!({"edit": {"city": "Kyoto"}})).unwrap();
/// assert_eq!(decision, Decision::edit(json!({"city": "Kyoto"})));
/// assert_eq!(serde_json::to_value(Decision::Approve).unwrap(), "approve");
/// ```
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The call runs as it was shown.
    Approve,
    /// The call runs with these arguments: a JSON object. They are decoded and validated like those of a model; wrong
    /// ones are the call's [`InvalidArgs`](toolwright_provider::call::ErrorKind::InvalidArgs) error, which the model reads.
    /// The text is kept byte for byte, up to the decoder. [`edit`](Self::edit) makes one of a value.
    #[serde(deserialize_with = "text", serialize_with = "raw")]
    Edit(Arc<str>),
    /// The call does not run, and the model reads the reason.
    Reject(String),
    /// The call does not run, and this is its result.
    Answer(#[serde(deserialize_with = "exact")] Value),
}

fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    toolwright_json::deserialize_text(deserializer).map(Into::into)
}

/// Writes a text as it is. One that is not JSON is written as a string, which the decoder refuses as well.
fn raw<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(raw) => raw.serialize(serializer),
        Err(_) => serializer.serialize_str(text),
    }
}

impl Decision {
    /// Makes an edit of a value, a JSON object.
    pub fn edit(arguments: impl Into<Value>) -> Self {
        Self::Edit(arguments.into().to_string().into())
    }
}

/// Reads a value that means the same as its text.
fn exact<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let json = Json::deserialize(deserializer)?;
    exact_value(&json, &mut String::new())
        .map_err(|why| D::Error::custom(Printable::new(&why).one_line()))
}

/// Converts the part of a text at a path.
fn exact_value(json: &Json<'_>, path: &mut String) -> Result<Value, String> {
    let end = path.len();
    match json {
        Json::Array(items) => {
            let mut list = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                // Writing to a string cannot fail.
                let _ = write!(path, "[{index}]");
                list.push(exact_value(item, path)?);
                path.truncate(end);
            }
            Ok(list.into())
        }
        Json::Object(entries) => {
            let mut map = Map::with_capacity(entries.len());
            for (key, item) in entries {
                if end > 0 {
                    path.push('.');
                }
                path.push_str(key);
                if map
                    .insert(key.to_string(), exact_value(item, path)?)
                    .is_some()
                {
                    return Err(format!("{path}: given more than once"));
                }
                path.truncate(end);
            }
            Ok(map.into())
        }
        scalar => {
            let value = serde_json::to_value(scalar).map_err(|error| error.to_string())?;
            if Json::parse(&value.to_string()).is_ok_and(|read| read == *scalar) {
                return Ok(value);
            }
            let colon = if end > 0 { ": " } else { "" };
            Err(format!(
                "{path}{colon}the number has more digits than a JSON value holds; write it as a string"
            ))
        }
    }
}

impl fmt::Debug for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Approve => f.write_str("Approve"),
            Self::Edit(arguments) => f.debug_tuple("Edit").field(&Bytes(arguments)).finish(),
            Self::Reject(reason) => f.debug_tuple("Reject").field(reason).finish(),
            Self::Answer(value) => f.debug_tuple("Answer").field(value).finish(),
        }
    }
}

#[cfg(feature = "tokio")]
impl Decision {
    /// Returns the outcome of a call that ends without its tool. `None` for an approval and an edit.
    #[doc(hidden)]
    pub fn without_tool(self) -> Option<Result<Outcome, ToolError>> {
        match self {
            Self::Reject(reason) => Some(Err(Self::rejected(&reason))),
            Self::Answer(answer) => Some(Ok(Outcome::value(answer))),
            Self::Approve | Self::Edit(_) => None,
        }
    }

    /// Makes the error of a rejected call.
    #[doc(hidden)]
    pub fn rejected(reason: &str) -> ToolError {
        let reason = reason.trim();
        let words = if reason.is_empty() {
            "the call was rejected".into()
        } else {
            format!("the call was rejected: {reason}")
        };
        ToolError::new(ErrorKind::Rejected, words)
    }
}
