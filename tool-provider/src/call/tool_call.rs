use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use toolwright_schema::text::ShortStr;

/// A call that a model asks for: a tool's name and its arguments. Cheap to clone.
///
/// `Debug` prints the length of the arguments and not their text: without the tool it is unknown which of them are
/// secret. See `Tool::redacted`.
///
/// ```
/// use toolwright::{Context, ToolCall, tool, tools};
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let call = ToolCall::new("call_1", "add", r#"{"a": 1, "b": 2}"#);
/// assert_eq!(tools![add].call_blocking(&call, &Context::new()).value(), Some(3.into()));
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of the call, which its answer must carry.
    pub id: ShortStr,
    /// The tool's name, as the model wrote it.
    pub name: ShortStr,
    /// The arguments' text, as the model wrote it: not parsed, so it may not even be JSON.
    pub arguments: Arc<str>,
}

impl ToolCall {
    /// A call by its parts.
    pub fn new(
        id: impl Into<ShortStr>,
        name: impl Into<ShortStr>,
        arguments: impl Into<Arc<str>>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
        }
    }

    /// Returns the call with other arguments.
    pub fn with_arguments(&self, arguments: impl Into<Arc<str>>) -> Self {
        Self {
            arguments: arguments.into(),
            ..self.clone()
        }
    }
}

impl fmt::Debug for ToolCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolCall")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("arguments", &Bytes(&self.arguments))
            .finish()
    }
}

/// A text of which `Debug` shows only the length.
pub struct Bytes<'a>(pub &'a str);

impl<'a> Bytes<'a> {
    /// Several texts.
    pub fn all(texts: &'a [String]) -> Vec<Self> {
        texts.iter().map(|text| Self(text)).collect()
    }
}

impl fmt::Debug for Bytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{} bytes]", self.0.len())
    }
}
