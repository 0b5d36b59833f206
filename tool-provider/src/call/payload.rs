mod json;
mod root;
mod strict;

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use self::json::JsonScalar;
use self::root::{RootValue, Scalar};
use crate::call::{ErrorKind, ToolError};

/// A tool's value, as the text that it will be sent as: written once, when the tool returns.
///
/// A string stays a string and is written as JSON only where an encoder asks for that.
///
/// ```
/// use toolwright::call::Payload;
///
/// assert_eq!(Payload::new("sun").as_text(), Some("sun"));
/// assert_eq!(Payload::new("sun").to_json(), r#""sun""#);
/// assert_eq!(Payload::new([1, 2]).to_json(), "[1,2]");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload(Repr);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Repr {
    Text(String),
    Json(JsonScalar),
    /// A value that is not there yet, such as a stream. The runtime knows its type.
    Later(LaterPayload),
    /// JSON that was cut to a limit, so it may not fit the tool's output schema.
    Cut(String),
    /// Value in an error's place: it goes to the model, though the tool is `return_direct`.
    Handled(Box<Payload>),
    /// Message of the error that the value's own `Serialize` returned.
    Unencodable(String),
    /// Text of an error inside the value.
    Failed(String),
}

/// A value that is not there yet. Equal to itself alone.
#[derive(Clone)]
struct LaterPayload(Arc<dyn Any + Send + Sync>);

impl PartialEq for LaterPayload {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for LaterPayload {}

impl fmt::Debug for LaterPayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Later(..)")
    }
}

impl Repr {
    /// Raw JSON (`serde_json::value::RawValue`) is written past the serializer that would have seen
    /// that it is a string.
    fn of_json(json: String) -> Self {
        let text = json.starts_with('"').then(|| serde_json::from_str(&json));
        match text {
            Some(Ok(text)) => Self::Text(text),
            _ => Self::Json(JsonScalar::Long(json)),
        }
    }

    /// A string is the words of the error, and any other JSON but `null` is as well.
    #[cold]
    fn failed(json: Vec<u8>) -> Self {
        match String::from_utf8(json).map(Self::of_json) {
            Ok(Self::Text(words)) => Self::Failed(words),
            Ok(Self::Json(json)) if json != JsonScalar::NULL => {
                Self::Failed(json.as_str().to_owned())
            }
            _ => Self::Failed(String::new()),
        }
    }
}

impl Payload {
    /// Writes `value` as JSON.
    ///
    /// A value that cannot be written makes the call an [`Encoding`](ErrorKind::Encoding) error: one whose `Serialize`
    /// fails, or that holds a float that is NaN or infinite. A value that holds an `Err` makes it a
    /// [`Failed`](ErrorKind::Failed) error with the text of the first one, unless it is flattened or stands beside an internal
    /// tag. Serde shows only names, so a variant `Err(…)` in the second place of your own enum `Result` counts too,
    /// unless the enum is renamed (`#[serde(rename = "…")]`).
    pub fn new(value: impl Serialize) -> Self {
        Self::written(&|root| value.serialize(root), false)
    }

    /// Writes a tool's return value: `()` as the text `done`, since a model reads `null` as a failure.
    pub(crate) fn returned<T: Serialize>(value: T) -> Self {
        // A JSON value that is null has a size.
        let is_unit = size_of::<T>() == 0;
        Self::written(&|root| value.serialize(root), is_unit)
    }

    /// Creates a payload from the output of `write`. Only this call is compiled for each type.
    fn written(
        write: &dyn Fn(&mut RootValue) -> serde_json::Result<()>,
        unit_is_done: bool,
    ) -> Self {
        let mut root = RootValue::default();
        let written = write(&mut root);
        Self(match (written, root.plain) {
            (Ok(()), Some(Scalar::Signed(value))) => Repr::Json(JsonScalar::signed(value)),
            (Ok(()), Some(Scalar::Unsigned(value))) => Repr::Json(JsonScalar::unsigned(value)),
            (Ok(()), Some(Scalar::Text(text))) => Repr::Text(text),
            (Ok(()), Some(Scalar::Json(json))) => Repr::Json(json),
            (Ok(()), Some(Scalar::Unit)) if unit_is_done => Repr::Text("done".to_owned()),
            (Ok(()), Some(Scalar::Unit)) => Repr::Json(JsonScalar::NULL),
            (Ok(()), None) => {
                let json = root.json.map(root::Writer::into_inner).unwrap_or_default();
                match String::from_utf8(json) {
                    Ok(json) => Repr::of_json(json),
                    Err(error) => Repr::Unencodable(error.to_string()),
                }
            }
            (Err(error), _) => match root.failure.take() {
                Some(json) => Repr::failed(json),
                None => Repr::Unencodable(error.to_string()),
            },
        })
    }

    /// A string, untouched.
    pub fn text(text: impl Into<String>) -> Self {
        Self(Repr::Text(text.into()))
    }

    /// Converts the bytes of a file or a program: to a string if they are text, and else to a note of their
    /// number. A model can do nothing with other bytes.
    ///
    /// ```
    /// use toolwright::call::Payload;
    ///
    /// assert_eq!(Payload::from_bytes(b"sun".to_vec()), Payload::text("sun"));
    /// let picture = Payload::from_bytes(vec![0x89, b'P', b'N', b'G']);
    /// assert_eq!(picture.as_text(), Some("[binary, 4 bytes: cannot be shown as text]"));
    /// ```
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::text(text),
            Err(error) => {
                let length = error.as_bytes().len();
                Self::text(format!("[binary, {length} bytes: cannot be shown as text]"))
            }
        }
    }

    /// A value that is JSON text already.
    #[doc(hidden)]
    pub fn json(json: String) -> Self {
        Self(Repr::of_json(json))
    }

    /// JSON that was cut to a limit.
    #[doc(hidden)]
    pub fn __cut(json: String) -> Self {
        Self(Repr::Cut(json))
    }

    /// Returns true for JSON that was cut to a limit.
    #[doc(hidden)]
    pub fn __is_cut(&self) -> bool {
        matches!(self.0, Repr::Cut(_))
    }

    /// A value that is not ready: the caller knows its type, and reads it.
    #[doc(hidden)]
    pub fn later(value: Arc<dyn Any + Send + Sync>) -> Self {
        Self(Repr::Later(LaterPayload(value)))
    }

    #[inline]
    /// Returns the value that is not there yet, if it is of this type.
    #[doc(hidden)]
    pub fn as_later<T: 'static>(&self) -> Option<&T> {
        match &self.0 {
            Repr::Later(LaterPayload(value)) => value.downcast_ref(),
            _ => None,
        }
    }

    /// Marks the value as one in an error's place. A layer sees it as any value; an answer that leaves the
    /// runtime is [`without_error_mark`](Self::unmarked).
    #[doc(hidden)]
    pub fn __handled(self) -> Self {
        Self(Repr::Handled(Box::new(self)))
    }

    /// Returns true if the value replaces an error.
    #[doc(hidden)]
    pub fn __is_handled(&self) -> bool {
        matches!(self.0, Repr::Handled(_))
    }

    /// The value alone.
    pub fn without_error_mark(self) -> Self {
        match self.0 {
            Repr::Handled(value) => value.without_error_mark(),
            other => Self(other),
        }
    }

    /// The string, if the value is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.0 {
            Repr::Text(text) => Some(text),
            Repr::Handled(value) => value.as_text(),
            _ => None,
        }
    }

    /// The value as JSON text.
    pub fn to_json(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Text(text) => {
                let mut out = String::with_capacity(text.len() + 2);
                toolwright_json::write_string(&mut out, text);
                Cow::Owned(out)
            }
            Repr::Json(json) => Cow::Borrowed(json.as_str()),
            Repr::Cut(json) => Cow::Borrowed(json),
            Repr::Handled(value) => value.to_json(),
            Repr::Later(_) | Repr::Unencodable(_) | Repr::Failed(_) => Cow::Borrowed("null"),
        }
    }

    /// The string itself, or else the value as JSON text.
    #[inline]
    pub fn to_plain(&self) -> Cow<'_, str> {
        Cow::Borrowed(match &self.0 {
            Repr::Text(text) | Repr::Cut(text) => text,
            Repr::Json(json) => json.as_str(),
            Repr::Handled(value) => return value.to_plain(),
            Repr::Later(_) | Repr::Unencodable(_) | Repr::Failed(_) => "null",
        })
    }

    /// The value as a JSON value.
    pub fn to_value(&self) -> serde_json::Value {
        match &self.0 {
            Repr::Text(text) => serde_json::Value::String(text.clone()),
            Repr::Json(json) => serde_json::from_str(json.as_str()).unwrap_or_default(),
            Repr::Cut(json) => serde_json::from_str(json).unwrap_or_default(),
            Repr::Handled(value) => value.to_value(),
            Repr::Later(_) | Repr::Unencodable(_) | Repr::Failed(_) => serde_json::Value::Null,
        }
    }

    /// Returns true if the payload is text or JSON.
    #[inline]
    pub fn is_written(&self) -> bool {
        matches!(self.0, Repr::Text(_) | Repr::Json(_) | Repr::Cut(_))
    }

    pub fn check(&self) -> Result<(), ToolError> {
        match (self.failure(), &self.0) {
            (Some(error), _) => Err(error),
            (None, Repr::Later(_)) => Err(ToolError::new(
                ErrorKind::InvalidReturn,
                "the tool answered with a stream inside of something else",
            )),
            (None, Repr::Handled(value)) => value.check(),
            (None, _) => Ok(()),
        }
    }

    /// Returns the call's error if the value could not be written.
    #[inline]
    pub(super) fn failure(&self) -> Option<ToolError> {
        match &self.0 {
            Repr::Unencodable(why) => Some(
                ToolError::new(
                    ErrorKind::Encoding,
                    "the tool ran, but its result cannot be written as JSON",
                )
                .with_debug(why.clone()),
            ),
            Repr::Failed(words) => Some(ToolError::failed(words.clone())),
            _ => None,
        }
    }
}
