//! The parts of a message that headers of HTTP repeat, since 2026-07-28.
//!
//! Source: "Request Metadata" of the protocol's streamable HTTP.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use toolwright_json::{Integer, Value};

/// The key in a parameter's schema that names its header.
const MARK: &str = "x-mcp-header";

/// Around a value that is encoded.
const START: &str = "=?base64?";
const END: &str = "?=";

/// A parameter that is repeated in the header `Mcp-Param-…`.
#[derive(Debug, PartialEq)]
pub(crate) struct Repeated {
    /// In lower case.
    pub(crate) header: String,
    path: Vec<String>,
}

/// The parameters of a tool that are repeated, by its schema.
///
/// # Errors
/// Why a mark in the schema is none.
pub(crate) fn repeated(schema: &str) -> Result<Vec<Repeated>, String> {
    // Nearly no schema has one.
    if !schema.contains(MARK) {
        return Ok(Vec::new());
    }
    let schema = Value::parse(schema).map_err(|error| error.to_string())?;
    let (mut found, mut marks) = (Vec::new(), 0);
    collect(&schema, &mut Vec::new(), &mut found)?;
    count(&schema, &mut marks);
    if marks != found.len() {
        return Err(format!("`{MARK}` stands where no parameter is"));
    }
    for (at, one) in found.iter().enumerate() {
        if found
            .iter()
            .take(at)
            .any(|other| other.header == one.header)
        {
            return Err(format!("two parameters have the header `{}`", one.header));
        }
    }
    Ok(found)
}

fn collect(
    schema: &Value<'_>,
    path: &mut Vec<String>,
    found: &mut Vec<Repeated>,
) -> Result<(), String> {
    let properties = schema.get("properties").map(Value::entries);
    for (name, property) in properties.unwrap_or_default() {
        path.push(name.clone().into_owned());
        if let Some(mark) = property.get(MARK) {
            let header = mark.as_str().filter(|mark| is_token(mark));
            let header = header.ok_or_else(|| format!("`{MARK}` of `{name}` names no header"))?;
            let kind = property.get("type").and_then(Value::as_str);
            if !matches!(kind, Some("string" | "integer" | "boolean")) {
                return Err(format!(
                    "`{name}` with `{MARK}` is not a string, integer or boolean"
                ));
            }
            found.push(Repeated {
                header: format!("mcp-param-{}", header.to_ascii_lowercase()),
                path: path.clone(),
            });
        }
        collect(property, path, found)?;
        path.pop();
    }
    Ok(())
}

/// Counts the marks anywhere in the schema, but for texts and examples.
fn count(schema: &Value<'_>, marks: &mut usize) {
    for (key, value) in schema.entries() {
        match &**key {
            MARK => *marks += 1,
            "default" | "const" | "enum" | "examples" => {}
            // Here names stand in the place of keywords.
            "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => {
                value
                    .entries()
                    .iter()
                    .for_each(|(_, inner)| count(inner, marks));
            }
            _ => {
                count(value, marks);
                value.items().iter().for_each(|inner| count(inner, marks));
            }
        }
    }
}

fn is_token(name: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_token)
}

impl Repeated {
    /// Returns the header's text for these arguments; `None` if they have no such value.
    pub(crate) fn of(&self, arguments: &Value<'_>) -> Option<String> {
        let mut value = arguments;
        for name in &self.path {
            value = value.get(name)?;
        }
        match value {
            Value::String(text) => Some(text.clone().into_owned()),
            Value::Bool(is) => Some(is.to_string()),
            Value::Number(number) => Some(match Integer::of(number) {
                Some(Integer::Unsigned(number)) => number.to_string(),
                Some(Integer::Signed(number)) => number.to_string(),
                _ => number.clone().into_owned(),
            }),
            _ => None,
        }
    }
}

/// A value as a header may have it.
pub(crate) fn encoded(value: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte == b'\t' || (b' '..=b'~').contains(&byte);
    let is_marked = value.starts_with(START) && value.ends_with(END);
    let is_safe = value.bytes().all(is_plain) && value.trim_ascii() == value && !is_marked;
    if is_safe {
        return Cow::Borrowed(value);
    }
    Cow::Owned(format!("{START}{}{END}", STANDARD.encode(value)))
}

/// The value that a header has. `None` if it is encoded wrongly.
pub(crate) fn decoded(header: &str) -> Option<Cow<'_, str>> {
    let inside = header
        .strip_prefix(START)
        .and_then(|rest| rest.strip_suffix(END));
    let Some(inside) = inside else {
        return Some(Cow::Borrowed(header));
    };
    let value = STANDARD.decode(inside).ok()?;
    String::from_utf8(value).ok().map(Cow::Owned)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn values_are_encoded_as_the_protocol_says() {
        let table = [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ];
        for (value, header) in table {
            assert_eq!(encoded(value), header);
            assert_eq!(decoded(header).unwrap(), value);
        }
        assert_eq!(decoded("=?base64?***?="), None);
    }

    #[test]
    fn marks_stand_at_parameters_of_simple_types() {
        let read = |properties: &str| {
            repeated(&format!(r#"{{"type":"object","properties":{properties}}}"#))
        };
        let region = r#"{"type":"string","x-mcp-header":"Region"}"#;
        let found = read(&format!(
            r#"{{"at":{{"type":"object","properties":{{"region":{region}}}}}}}"#
        ));
        let found = found.unwrap();
        let of = |arguments: &str| found[0].of(&Value::parse(arguments).unwrap());
        assert_eq!(found[0].header, "mcp-param-region");
        assert_eq!(of(r#"{"at":{"region":"eu"}}"#).as_deref(), Some("eu"));
        assert_eq!(of(r#"{"at":{"region":null}}"#), None);
        assert_eq!(of("{}"), None);
        for wrong in [
            format!(r#"{{"a":{region},"b":{region}}}"#),
            r#"{"a":{"type":"number","x-mcp-header":"A"}}"#.to_owned(),
            r#"{"a":{"type":"string","x-mcp-header":"A B"}}"#.to_owned(),
            format!(r#"{{"a":{{"type":"array","items":{region}}}}}"#),
        ] {
            assert!(read(&wrong).is_err(), "{wrong}");
        }
        // A property may have this name.
        assert_eq!(
            read(r#"{"x-mcp-header":{"type":"string"}}"#),
            Ok(Vec::new())
        );
    }
}
