//! Functions of a program and the tools that they call.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use toolwright::json::Value;
use toolwright::{ToolDef, Toolset};

use crate::engine::Raised;
use crate::names;

/// A tool as a function.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Signature {
    pub(crate) tool: String,
    pub(crate) function: String,
    /// Required parameters first.
    pub(crate) parameters: Vec<Parameter>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Parameter {
    /// Name in the tool's schema.
    pub(crate) key: String,
    /// Name in Python.
    pub(crate) name: String,
    pub(crate) is_required: bool,
    /// True if `None` is a value of it. Otherwise it stands for an argument that is left out.
    pub(crate) is_nullable: bool,
    /// True if numbers are values of it, and booleans are not. Python's `True` is a number: 1.
    pub(crate) is_number: bool,
}

impl Signature {
    pub(crate) fn of(def: &ToolDef) -> Self {
        let schema = Value::parse(def.input.as_json()).unwrap_or(Value::Null);
        let mut parameters: Vec<Parameter> = Vec::new();
        for (key, property) in properties(&schema) {
            let mut name = names::parameter(key);
            while parameters.iter().any(|other| other.name == name) {
                name.push('_');
            }
            let mut kinds = BTreeSet::new();
            add_kinds(property, &schema, &mut BTreeSet::new(), &mut kinds);
            let is_number = kinds.contains("integer") || kinds.contains("number");
            parameters.push(Parameter {
                key: key.to_string(),
                name,
                is_required: is_required(&schema, key),
                is_nullable: kinds.contains("null"),
                is_number: is_number && !kinds.contains("boolean"),
            });
        }
        parameters.sort_by_key(|parameter| !parameter.is_required);
        Self {
            tool: def.name.to_string(),
            function: names::identifier(&def.name),
            parameters,
        }
    }

    /// Returns the arguments of a call as JSON. Each value is JSON text.
    pub(crate) fn arguments(
        &self,
        positional: &[String],
        named: &[(String, String)],
    ) -> Result<String, Raised> {
        let function = &self.function;
        let wrong = |words: String| Raised::new("TypeError", format!("{function}() {words}"));
        let (takes, given) = (self.parameters.len(), positional.len());
        if given > takes {
            return Err(wrong(format!(
                "takes {takes} positional arguments but {given} were given"
            )));
        }
        let all = || self.parameters.iter();
        // The name in Python precedes that in the schema, which may be another parameter's in Python.
        let find = |name: &str| {
            let by_name = all().find(|parameter| parameter.name == name);
            by_name.or_else(|| all().find(|parameter| parameter.key == name))
        };
        let named = named.iter().map(|(name, value)| (find(name), name, value));
        let positional = all().zip(positional);
        let positional = positional.map(|(it, value)| (Some(it), &it.name, value));
        let mut given: Vec<(&str, &str)> = Vec::new();
        for (parameter, name, value) in positional.chain(named) {
            if value == "null" && parameter.is_some_and(|it| !it.is_required && !it.is_nullable) {
                continue;
            }
            // The tool refuses an unknown name, with near ones.
            let key = parameter.map_or(name, |parameter| &parameter.key);
            if given.iter().any(|(other, _)| other == key) {
                return Err(wrong(format!("got multiple values for argument '{name}'")));
            }
            let value = match &**value {
                "true" if parameter.is_some_and(|it| it.is_number) => "1",
                "false" if parameter.is_some_and(|it| it.is_number) => "0",
                value => value,
            };
            given.push((key, value));
        }
        let members = given.iter().map(|(key, value)| {
            let key = Value::string(*key).to_json();
            format!("{key}:{value}")
        });
        Ok(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
    }
}

/// Adds the types of JSON that the schema admits, as far as can be seen. `seen` are the references on the way.
fn add_kinds<'s>(
    schema: &'s Value<'s>,
    root: &'s Value<'s>,
    seen: &mut BTreeSet<&'s str>,
    kinds: &mut BTreeSet<&'s str>,
) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = reference.strip_prefix('#');
        let target = target.and_then(|pointer| root.pointer(pointer));
        if let Some(target) = target.filter(|_| seen.insert(reference)) {
            add_kinds(target, root, seen, kinds);
        }
    } else if let Some(value) = schema.get("const") {
        kinds.insert(kind(value));
    } else if schema.get("enum").is_some() {
        kinds.extend(items(schema, "enum").iter().map(kind));
    } else if schema.entries().is_empty() {
        kinds.extend(["null", "boolean", "number", "string", "array", "object"]);
    } else {
        kinds.extend(schema.get("type").and_then(Value::as_str));
        kinds.extend(items(schema, "type").iter().filter_map(Value::as_str));
        let ways = ["anyOf", "oneOf"].iter().flat_map(|key| items(schema, key));
        ways.for_each(|way| add_kinds(way, root, seen, kinds));
    }
}

/// Returns the type of a value in JSON.
fn kind<'k>(value: &Value<'_>) -> &'k str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns the list of this key, or nothing.
pub(crate) fn items<'s>(schema: &'s Value<'s>, key: &str) -> &'s [Value<'s>] {
    schema.get(key).map(Value::items).unwrap_or_default()
}

/// Returns the members of the schema's `properties`.
pub(crate) fn properties<'s>(schema: &'s Value<'s>) -> &'s [(Cow<'s, str>, Value<'s>)] {
    let properties = schema.get("properties");
    properties.map(Value::entries).unwrap_or_default()
}

/// Returns true if the member of this key is required.
pub(crate) fn is_required(schema: &Value<'_>, key: &str) -> bool {
    let mut required = items(schema, "required").iter();
    required.any(|required| required.as_str() == Some(key))
}

/// Returns the functions that call these tools, as far as they are asked for.
///
/// # Errors
/// Returns a sentence about the first tool that cannot have its name in Python.
pub(crate) fn functions(
    tools: &Toolset,
    is_asked: impl Fn(&str) -> bool,
) -> Result<Vec<Signature>, String> {
    let mut all: BTreeMap<String, &ToolDef> = BTreeMap::new();
    for def in tools.definitions() {
        let (tool, function) = (&def.name, names::identifier(&def.name));
        if !is_asked(&function) {
            continue;
        }
        if names::is_keyword(&function) {
            return Err(format!(
                "the tool `{tool}` has the name of a Python keyword: rename it"
            ));
        }
        if names::is_builtin(&function) {
            return Err(format!(
                "the tool `{tool}` would hide Python's `{function}`: rename it"
            ));
        }
        if let Some(other) = all.insert(function.clone(), def) {
            let other = &other.name;
            return Err(format!(
                "the tools `{other}` and `{tool}` would both be `{function}` in Python: rename one"
            ));
        }
    }
    Ok(all.into_values().map(Signature::of).collect())
}
