//! From flags to the JSON text of a call's arguments.
//!
//! The schema decides how a flag's text is read. The tool decodes the result as any other arguments.

use std::fmt;

use toolwright_json::Value;
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::Parts;

use super::flags::{Flag, FlagKind};
use super::schema::ToolSchema;

/// Values given to one flag, in order.
pub(super) struct FlagValues<'f> {
    pub(super) flag: &'f Flag,
    pub(super) values: Vec<String>,
}

/// Error of flags that cannot be combined to arguments.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FlagError {
    /// `--json` is not a JSON object, so flags cannot be merged into it.
    NoObject,
    /// An entry of a map has no `=`. Holds the flag's name.
    NoEntry(String),
}

impl fmt::Display for FlagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoObject => {
                f.write_str("`--json` is not a JSON object, so no flag can go over it")
            }
            Self::NoEntry(flag) => write!(f, "`--{flag}` takes KEY=VALUE"),
        }
    }
}

/// Returns `base` with the values of the flags merged into it. Without flags, `base` stays byte by byte. The result is
/// not validated.
pub(super) fn to_json(
    schema: &ToolSchema,
    base: Option<String>,
    flags: &[FlagValues<'_>],
) -> Result<String, FlagError> {
    if flags.is_empty() {
        return Ok(base.unwrap_or_else(|| "{}".to_owned()));
    }
    let mut tree = match base {
        Some(text) => match Value::parse(&text) {
            Ok(base @ Value::Object(_)) => base.into_owned(),
            _ => return Err(FlagError::NoObject),
        },
        None => Value::empty(),
    };
    // Flags of parts come after the flag of the whole, and override it.
    for FlagValues { flag, values } in flags {
        put(&mut tree, &flag.path, value(schema, flag, values)?);
    }
    Ok(tree.to_json())
}

fn value(schema: &ToolSchema, flag: &Flag, values: &[String]) -> Result<Value<'static>, FlagError> {
    match flag.kind {
        FlagKind::One | FlagKind::Switch => {
            let text = values.last().map(String::as_str).unwrap_or_default();
            Ok(parse_value(schema, &flag.schema, text))
        }
        FlagKind::Many => {
            let element = |(index, text): (usize, &String)| {
                parse_value(schema, &element(schema, &flag.schema, index), text)
            };
            Ok(Value::Array(
                values.iter().enumerate().map(element).collect(),
            ))
        }
        FlagKind::Entries => {
            let inner = values_of(schema, &flag.schema);
            let entry = |text: &String| {
                let (key, value) = text
                    .split_once('=')
                    .ok_or_else(|| FlagError::NoEntry(flag.long.clone()))?;
                Ok((key.to_owned().into(), parse_value(schema, &inner, value)))
            };
            // Repeated keys are kept, so that the decoder reports them.
            let entries = values.iter().map(entry).collect::<Result<_, _>>()?;
            Ok(Value::Object(entries))
        }
    }
}

/// Returns the schema of a list's element.
fn element(schema: &ToolSchema, list: &Value<'static>, index: usize) -> Value<'static> {
    let alternatives = schema.alternatives(list);
    let mut at = alternatives
        .iter()
        .filter_map(|alternative| alternative.element(index));
    at.next().cloned().unwrap_or_else(Value::empty)
}

/// Returns the schema of a map's values.
fn values_of(schema: &ToolSchema, map: &Value<'static>) -> Value<'static> {
    let alternatives = schema.alternatives(map);
    let mut values = alternatives
        .iter()
        .filter_map(|alternative| alternative.keyword(Keyword::AdditionalProperties));
    values.next().cloned().unwrap_or_else(Value::empty)
}

/// Reads a text by the schema of its value. It is a string if only strings are allowed, and JSON if none are. If both
/// are allowed, it is JSON only if it is of an allowed type and not one of the listed strings.
pub(super) fn parse_value(schema: &ToolSchema, at: &Value<'static>, text: &str) -> Value<'static> {
    let string = || Value::string(text.to_owned());
    let admits_strings = schema.admits(at, "string");
    if admits_strings && !schema.admits_more_than(at, "string") {
        return string();
    }
    let is_listed = schema
        .choices(at)
        .is_some_and(|choices| choices.iter().any(|choice| choice.word == text));
    match Value::parse(text) {
        Ok(json) if !is_listed && (!admits_strings || schema.admits(at, kind_of(&json))) => {
            json.into_owned()
        }
        _ => string(),
    }
}

/// Returns the JSON type of a value.
fn kind_of(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Number(text) if text.contains(['.', 'e', 'E']) => "number",
        Value::Number(_) => "integer",
    }
}

/// Sets the value at this path. Values on the way that are not objects are replaced.
fn put(tree: &mut Value<'static>, path: &[String], value: Value<'static>) {
    let Some((key, rest)) = path.split_first() else {
        *tree = value;
        return;
    };
    if !matches!(tree, Value::Object(_)) {
        *tree = Value::empty();
    }
    let Value::Object(entries) = tree else {
        return;
    };
    match entries.iter_mut().find(|(name, _)| name == key) {
        Some((_, inner)) => put(inner, rest, value),
        None => {
            let mut inner = Value::empty();
            put(&mut inner, rest, value);
            entries.push((key.clone().into(), inner));
        }
    }
}
