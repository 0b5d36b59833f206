//! The arguments of a tool: their names, and the schema of all of them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use toolwright::json::Value;

use super::hints::cut;
use crate::body::{BodyFormat, Form};
use crate::document::At;
use crate::operation::Place;
use crate::schema::Schemas;

/// An argument that the model may give.
pub(super) struct Argument<'a, 't> {
    /// The parameter's name in the document. Empty for a whole body.
    pub(super) name: &'a str,
    pub(super) place: Place,
    pub(super) required: bool,
    pub(super) description: Option<&'a str>,
    pub(super) schema: Option<At<'a, 't>>,
    pub(super) at: At<'a, 't>,
}

/// Returns the names of arguments: the parameter's own, with its place if several parameters have the name.
pub(super) fn keys(arguments: &[Argument<'_, '_>]) -> Vec<String> {
    let own = |argument: &Argument<'_, '_>| match argument.name {
        "" => "body".to_owned(),
        name => name.to_owned(),
    };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for argument in arguments {
        *counts.entry(own(argument)).or_default() += 1;
    }
    let mut taken: HashSet<String> = counts
        .iter()
        .filter(|(_, count)| **count == 1)
        .map(|(name, _)| name.clone())
        .collect();
    let mut keys = Vec::new();
    for argument in arguments {
        let name = own(argument);
        if counts.get(&name) == Some(&1) {
            keys.push(name);
            continue;
        }
        let mut key = format!("{name}_{}", argument.place.as_str());
        while !taken.insert(key.clone()) {
            key.push('_');
        }
        keys.push(key);
    }
    keys
}

/// Writes the schema of all arguments.
pub(super) fn root<'a, 't: 'a>(
    schemas: &mut Schemas<'a, 't>,
    arguments: &[Argument<'a, 't>],
    keys: &[String],
    format: Option<&BodyFormat>,
) -> String {
    let (mut properties, mut required) = (Vec::new(), Vec::new());
    for (argument, key) in arguments.iter().zip(keys) {
        let is_body = argument.place == Place::Body && argument.name.is_empty();
        let mut schema = match &argument.schema {
            Some(at) => schemas.of(at, is_body),
            None if argument.place == Place::Body => Value::empty(),
            None => Value::object([("type", Value::from("string"))]),
        };
        let bytes = || {
            let text = ("type", Value::from("string"));
            Value::object([text, ("contentEncoding", Value::from("base64"))])
        };
        let is_file = format.is_some_and(|format| format.is_file(argument.name));
        if argument.place == Place::Body && is_file {
            let is_list = schema.get("items").is_some();
            schema = if is_list {
                Value::object([("type", Value::from("array")), ("items", bytes())])
            } else {
                bytes()
            };
        }
        if is_body {
            match format.map(|format| format.form) {
                Some(Form::Bytes) => schema = bytes(),
                Some(Form::Text) => schema = Value::object([("type", Value::from("string"))]),
                _ => {}
            }
        }
        if let (Some(words), Value::Object(entries)) = (argument.description, &mut schema) {
            let words = words.trim();
            if !words.is_empty() {
                entries.retain(|(key, _)| key != "description");
                entries.push(("description".into(), Value::string(cut(words.to_owned()))));
            }
        }
        if argument.required {
            required.push(Value::string(key.clone()));
        }
        properties.push((Cow::Owned(key.clone()), schema));
    }
    let definitions = schemas.definitions();
    let mut entries = vec![
        ("type", Value::from("object")),
        ("properties", Value::Object(properties)),
    ];
    if !required.is_empty() {
        entries.push(("required", Value::Array(required)));
    }
    entries.push(("additionalProperties", Value::Bool(false)));
    if !definitions.is_empty() {
        entries.push(("$defs", Value::Object(definitions)));
    }
    Value::object(entries).to_json()
}
