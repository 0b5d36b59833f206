use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};
use toolwright_json::Value;

use super::{build, render};
use crate::decode::holds_secret;
use crate::read::{Ordered, owned, read, respelled};
use crate::shape::{Detail, Schema, Shape, Side};

/// A JSON Schema: known when it compiled, or read at run time.
///
/// The text is made at first use and kept. Objects keep their order in both cases, so that the
/// same schema is always the same bytes.
///
/// ```
/// use toolwright::schema::SchemaDoc;
///
/// let schema: SchemaDoc = serde_json::from_str(r#"{"type": "object", "properties": {}}"#).unwrap();
/// assert_eq!(schema.as_json(), r#"{"type":"object","properties":{}}"#);
/// assert_eq!(SchemaDoc::of::<u8>().as_json(), r#"{"type":"integer","minimum":0,"maximum":255}"#);
/// ```
#[derive(Clone)]
pub struct SchemaDoc(DocSource);

#[derive(Clone)]
enum DocSource {
    Shape {
        shape: &'static Shape<'static>,
        side: Side,
        text: OnceLock<Arc<str>>,
    },
    SchemaText(Arc<str>),
}

impl SchemaDoc {
    /// The schema of `T` as input.
    pub fn of<T: Schema + ?Sized>() -> Self {
        Self::from_shape(T::SHAPE, Side::Input)
    }

    /// The schema of `T` as output.
    pub fn of_output<T: Schema + ?Sized>() -> Self {
        Self::from_shape(T::SHAPE, Side::Output)
    }

    /// The schema of a tool without parameters: an object without keys.
    pub fn empty_object() -> Self {
        const EMPTY: &Shape<'_> = &Shape::object(&[]);
        Self::from_shape(EMPTY, Side::Input)
    }

    /// Reads a JSON Schema from its text. The order of its keys is kept.
    ///
    /// # Errors
    /// When the text is not JSON, or its value is neither an object nor a boolean, which are the only forms that a JSON
    /// Schema takes (draft 2020-12, section 4.3).
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        // Serde would read the text twice, and copy each string of it.
        if let Ok(mut value @ (Value::Object(_) | Value::Bool(_))) = Value::parse(text)
            && respelled(&mut value)
        {
            return Ok(Self(DocSource::SchemaText(value.to_json().into())));
        }
        serde_json::from_str(text)
    }

    pub fn from_shape(shape: &'static Shape<'static>, side: Side) -> Self {
        Self(DocSource::Shape {
            shape,
            side,
            text: OnceLock::new(),
        })
    }

    /// The schema as a value, of which equal ones are equal however their numbers are spelled.
    pub fn ordered(&self) -> Ordered {
        match &self.0 {
            DocSource::Shape { shape, side, .. } => build(shape, *side, Detail::Full),
            // It was JSON when it came.
            DocSource::SchemaText(text) => read(text).unwrap_or(Ordered::Bool(true)),
        }
    }

    /// The schema's canonical text: all that holds, in as few bytes as say it.
    pub fn as_json(&self) -> &str {
        match &self.0 {
            DocSource::Shape { shape, side, text } => {
                text.get_or_init(|| render(shape, *side, Detail::Full).into())
            }
            DocSource::SchemaText(text) => text,
        }
    }

    /// The text with `writeOnly` on secrets: for forms, and for documents of an API. It is not sent to providers; see
    /// `Tool::redacted`.
    pub fn to_marked_json(&self) -> Cow<'_, str> {
        match &self.0 {
            DocSource::Shape { shape, side, .. } if holds_secret(shape) => {
                render(shape, *side, Detail::Marked).into()
            }
            _ => self.as_json().into(),
        }
    }

    /// The text for providers: without bounds that only repeat the width of a Rust number. The bounds still apply.
    pub fn to_provider_json(&self) -> Cow<'_, str> {
        match &self.0 {
            DocSource::Shape { shape, side, .. } => render(shape, *side, Detail::Provider).into(),
            DocSource::SchemaText(text) => text.as_ref().into(),
        }
    }

    /// The schema for providers, as a value that keeps its order.
    pub fn to_provider(&self) -> Ordered {
        match &self.0 {
            DocSource::Shape { shape, side, .. } => build(shape, *side, Detail::Provider),
            DocSource::SchemaText(_) => self.ordered(),
        }
    }

    /// The schema as a JSON value.
    pub fn to_value(&self) -> serde_json::Value {
        serde_json::to_value(self.ordered()).unwrap_or(serde_json::Value::Bool(true))
    }

    /// The tree of the input, if the schema was known when the program compiled.
    pub fn input_shape(&self) -> Option<&'static Shape<'static>> {
        match &self.0 {
            DocSource::Shape {
                shape,
                side: Side::Input,
                ..
            } => Some(shape),
            _ => None,
        }
    }

    /// The tree, if the schema was known when the program compiled.
    pub fn shape(&self) -> Option<&'static Shape<'static>> {
        match &self.0 {
            DocSource::Shape { shape, .. } => Some(shape),
            DocSource::SchemaText(_) => None,
        }
    }
}

impl fmt::Debug for SchemaDoc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SchemaDoc({})", self.as_json())
    }
}

impl PartialEq for SchemaDoc {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json() || self.ordered() == other.ordered()
    }
}

impl Eq for SchemaDoc {}

impl Serialize for SchemaDoc {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.ordered().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SchemaDoc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = owned(Ordered::deserialize(deserializer)?)
            .ok_or_else(|| D::Error::custom("a number is too large"))?;
        if !matches!(value, Ordered::Object(_) | Ordered::Bool(_)) {
            return Err(D::Error::custom("a JSON Schema is an object or a boolean"));
        }
        let mut text = String::new();
        value.write(&mut text);
        Ok(Self(DocSource::SchemaText(text.into())))
    }
}

impl TryFrom<&serde_json::Value> for SchemaDoc {
    type Error = serde_json::Error;

    fn try_from(value: &serde_json::Value) -> Result<Self, Self::Error> {
        Self::deserialize(value)
    }
}
