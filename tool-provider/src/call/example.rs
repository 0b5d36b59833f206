//! Calls as a model should make them.

use std::borrow::Cow;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toolwright_schema::read::{Ordered, owned, read};

/// An example of a call: arguments as a model should write them, and a description.
///
/// `#[tool(example({"city": "Oslo"}, "a city"))]` makes it. `Toolset::check` reports one that the tool refuses.
///
/// ```
/// use toolwright::{tool, tools};
///
/// /// Tells the weather.
/// #[tool(example({"city": "Oslo", "days": 2}, "two days"))]
/// fn forecast(city: String, days: u8) -> String {
///     format!("{city}, {days} days: sun")
/// }
///
/// let tools = tools![forecast];
/// let example = &tools.definitions().next().unwrap().examples[0];
/// assert_eq!(example.arguments, r#"{"city":"Oslo","days":2}"#);
/// assert_eq!(example.shows, "two days");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Example {
    /// The arguments, as the text of a JSON object.
    #[serde(serialize_with = "write_json", deserialize_with = "read_json")]
    pub arguments: Cow<'static, str>,
    /// Purpose of the example; empty if there is none.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub shows: Cow<'static, str>,
}

impl Example {
    /// An example of these arguments, which are the text of a JSON object.
    pub fn new(
        arguments: impl Into<Cow<'static, str>>,
        shows: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            arguments: arguments.into(),
            shows: shows.into(),
        }
    }
}

/// Arguments are JSON in JSON, in their order.
fn write_json<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    read(text).unwrap_or(Ordered::Null).serialize(serializer)
}

fn read_json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'static, str>, D::Error> {
    let value = owned(Ordered::deserialize(deserializer)?)
        .ok_or_else(|| D::Error::custom("a number is too large"))?;
    Ok(value.to_json().into())
}
