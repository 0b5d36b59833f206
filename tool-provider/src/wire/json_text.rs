//! JSON texts that go into a request.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

/// The text of a JSON value, for a request's body.
///
/// It reads as a `str` and displays as its text. Serialized with `serde_json`, it is the value itself and
/// not a string, so it can be a field of a struct:
///
/// ```
/// use serde::Serialize;
/// use toolwright::wire::JsonText;
/// use toolwright::{Wire, tool, tools};
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// #[derive(Serialize)]
/// struct Body<'a> {
///     model: &'a str,
///     tools: JsonText<'a>,
/// }
///
/// let tools = tools![add];
/// let body = Body { model: "gpt-5", tools: Wire::OpenAiChat.definitions(&tools) };
/// assert!(serde_json::to_string(&body).unwrap().contains(r#""name":"add""#));
///
/// let body = format!(r#"{{"model":"gpt-5","tools":{}}}"#, Wire::OpenAiChat.definitions(&tools));
/// assert!(body.contains(r#""name":"add""#));
/// ```
///
/// In `json!` it becomes a [`serde_json::Value`], which sorts the keys of objects unless the feature `preserve_order` of
/// `serde_json` is on. The model then reads the properties in another order than the function's parameters.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct JsonText<'t>(Cow<'t, str>);

impl<'t> JsonText<'t> {
    /// Wraps a text that is JSON.
    pub(crate) fn new(text: impl Into<Cow<'t, str>>) -> Self {
        Self(text.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text, which is copied if it is lent.
    pub fn into_string(self) -> String {
        self.0.into_owned()
    }
}

impl Deref for JsonText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for JsonText<'_> {
    fn as_ref(&self) -> &str {
        self
    }
}

impl fmt::Display for JsonText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for JsonText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl PartialEq<str> for JsonText<'_> {
    fn eq(&self, text: &str) -> bool {
        **self == *text
    }
}

impl PartialEq<&str> for JsonText<'_> {
    fn eq(&self, text: &&str) -> bool {
        **self == **text
    }
}

impl PartialEq<String> for JsonText<'_> {
    fn eq(&self, text: &String) -> bool {
        **self == **text
    }
}

impl PartialEq<JsonText<'_>> for String {
    fn eq(&self, text: &JsonText<'_>) -> bool {
        **self == **text
    }
}

impl PartialEq<JsonText<'_>> for &str {
    fn eq(&self, text: &JsonText<'_>) -> bool {
        **self == **text
    }
}

impl<'t> From<JsonText<'t>> for Cow<'t, str> {
    fn from(text: JsonText<'t>) -> Self {
        text.0
    }
}

impl From<JsonText<'_>> for String {
    fn from(text: JsonText<'_>) -> Self {
        text.into_string()
    }
}

impl Serialize for JsonText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value: &RawValue = serde_json::from_str(self).map_err(S::Error::custom)?;
        value.serialize(serializer)
    }
}
