//! From flags to the text of a call's arguments.

use std::fmt;

use toolwright_json::Value;
use toolwright_runtime::__private::{Keyword, Parts};

use super::flags::{Flag, Takes};
use super::schema::Schema;
use crate::json::Json;

/// What was given to one flag, in order.
pub(super) struct Given<'f> {
    pub(super) flag: &'f Flag,
    pub(super) values: Vec<String>,
}

/// Why flags make no arguments.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// What the flags are to be put over is no JSON object.
    NoObject,
    /// An entry of a map without `=`; the flag's name.
    NoEntry(String),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoObject => f.write_str("`--json` is no JSON object, so no flag can go over it"),
            Self::NoEntry(flag) => write!(f, "`--{flag}` takes KEY=VALUE"),
        }
    }
}

/// The arguments' text: `base` as it is where no flag is given, else with what the flags say in its
/// place. Whether it fits is for the tool to say.
pub(super) fn text(
    schema: &Schema,
    base: Option<String>,
    given: &[Given<'_>],
) -> Result<String, Unusable> {
    if given.is_empty() {
        return Ok(base.unwrap_or_else(|| "{}".to_owned()));
    }
    let mut tree = match base {
        Some(text) => Json::read_flat(&text)
            .filter(|base| matches!(base, Json::Object(_)))
            .ok_or(Unusable::NoObject)?,
        None => Json::Object(Vec::new()),
    };
    // Flags of parts stand behind the flag of the whole, and are put over it.
    for Given { flag, values } in given {
        put(&mut tree, &flag.path, value(schema, flag, values)?);
    }
    Ok(tree.to_text())
}

fn value(schema: &Schema, flag: &Flag, values: &[String]) -> Result<Json, Unusable> {
    match flag.takes {
        Takes::One | Takes::Switch => {
            let text = values.last().map(String::as_str).unwrap_or_default();
            Ok(read(schema, &flag.schema, text))
        }
        Takes::Many => {
            let element = |(index, text): (usize, &String)| {
                read(schema, &element(schema, &flag.schema, index), text)
            };
            Ok(Json::Array(
                values.iter().enumerate().map(element).collect(),
            ))
        }
        Takes::Entries => {
            let inner = values_of(schema, &flag.schema);
            let entry = |text: &String| {
                let (key, value) = text
                    .split_once('=')
                    .ok_or_else(|| Unusable::NoEntry(flag.long.clone()))?;
                Ok((key.to_owned(), read(schema, &inner, value)))
            };
            // Every entry stays, so that a key that is given twice is told.
            let entries = values.iter().map(entry).collect::<Result<_, _>>()?;
            Ok(Json::Object(entries))
        }
    }
}

/// The schema of an element of a list.
fn element(schema: &Schema, list: &Value<'static>, index: usize) -> Value<'static> {
    let ways = schema.ways(list);
    let mut at = ways.iter().filter_map(|way| way.element(index));
    at.next().cloned().unwrap_or_else(Value::empty)
}

/// The schema of a map's values.
fn values_of(schema: &Schema, map: &Value<'static>) -> Value<'static> {
    let ways = schema.ways(map);
    let mut values = ways
        .iter()
        .filter_map(|way| way.keyword(Keyword::AdditionalProperties));
    values.next().cloned().unwrap_or_else(Value::empty)
}

/// What a text means where a value of this schema belongs: a string where strings alone belong, JSON
/// where none does. Where both may stand, a listed word is itself, JSON of a type that belongs there
/// is that, and all else a string.
pub(super) fn read(schema: &Schema, at: &Value<'static>, text: &str) -> Json {
    let string = || Json::Text(text.to_owned());
    let admits_strings = schema.admits(at, "string");
    if admits_strings && !schema.admits_more_than(at, "string") {
        return string();
    }
    let is_listed = schema
        .choices(at)
        .is_some_and(|words| words.iter().any(|word| word == text));
    let Some(json) = Json::read_flat(text).filter(|_| !is_listed) else {
        return string();
    };
    if !admits_strings || schema.admits(at, kind_of(&json)) {
        Json::Raw(text.trim().to_owned())
    } else {
        string()
    }
}

/// The JSON type of a value.
fn kind_of(value: &Json) -> &'static str {
    match value {
        Json::Text(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
        Json::Raw(text) => match text.as_bytes().first() {
            Some(b'n') => "null",
            Some(b't' | b'f') => "boolean",
            Some(b'"') => "string",
            Some(b'[') => "array",
            Some(b'{') => "object",
            _ if text.contains(['.', 'e', 'E']) => "number",
            _ => "integer",
        },
    }
}

/// Puts a value where the keys lead. What stands in the way and is no object makes room.
fn put(tree: &mut Json, path: &[String], value: Json) {
    let Some((key, rest)) = path.split_first() else {
        *tree = value;
        return;
    };
    let object = match tree {
        Json::Raw(text) => Json::read_flat(text),
        _ => None,
    };
    if let Some(object) = object {
        *tree = object;
    }
    if !matches!(tree, Json::Object(_)) {
        *tree = Json::Object(Vec::new());
    }
    let Json::Object(entries) = tree else {
        return;
    };
    match entries.iter_mut().find(|(name, _)| name == key) {
        Some((_, inner)) => put(inner, rest, value),
        None => {
            let mut inner = Json::Object(Vec::new());
            put(&mut inner, rest, value);
            entries.push((key.clone(), inner));
        }
    }
}
