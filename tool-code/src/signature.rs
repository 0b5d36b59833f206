//! Functions of a program and the tools that they call.

use std::collections::BTreeMap;

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
}

impl Signature {
    pub(crate) fn of(def: &ToolDef) -> Self {
        let schema = Value::parse(def.input.as_json()).unwrap_or(Value::Null);
        let required = schema.get("required").map(Value::items).unwrap_or_default();
        let mut parameters: Vec<Parameter> = Vec::new();
        for (key, property) in schema
            .get("properties")
            .map(Value::entries)
            .unwrap_or_default()
        {
            let mut name = names::parameter(key);
            while parameters.iter().any(|other| other.name == name) {
                name.push('_');
            }
            parameters.push(Parameter {
                key: key.to_string(),
                name,
                is_required: required
                    .iter()
                    .any(|required| required.as_str() == Some(key)),
                is_nullable: is_nullable(property, &schema),
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
            given.push((key, value));
        }
        let members = given.iter().map(|(key, value)| {
            let key = Value::string(*key).to_json();
            format!("{key}:{value}")
        });
        Ok(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
    }
}

/// Returns true if the schema admits `null`, as far as that can be seen.
fn is_nullable(schema: &Value<'_>, root: &Value<'_>) -> bool {
    let target = |reference: &str| root.pointer(reference.strip_prefix('#')?);
    let of_type = |kind: &Value<'_>| {
        kind.as_str() == Some("null")
            || kind
                .items()
                .iter()
                .any(|kind| kind.as_str() == Some("null"))
    };
    let any = |key: &str| schema.get(key).map(Value::items).unwrap_or_default();
    match schema.get("$ref").and_then(Value::as_str).map(target) {
        // A schema that refers to itself alone says nothing.
        Some(Some(target)) => target.get("$ref").is_none() && is_nullable(target, root),
        Some(None) => false,
        None => {
            schema.entries().is_empty()
                || schema.get("type").is_some_and(of_type)
                || any("enum").contains(&Value::Null)
                || any("anyOf")
                    .iter()
                    .chain(any("oneOf"))
                    .any(|one| is_nullable(one, root))
        }
    }
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
