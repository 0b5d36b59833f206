//! Functions of a program and the tools that they call.

use std::collections::BTreeMap;

use toolwright::json::Value;
use toolwright::{ToolCall, ToolDef, Toolset};

use crate::engine::{Made, Raised};
use crate::names;

/// Name of the function that finds tools.
pub(crate) const FIND_TOOLS: &str = "find_tools";

/// A tool as a function.
#[derive(Debug, Clone)]
pub(crate) struct Signature {
    pub(crate) tool: String,
    pub(crate) function: String,
    /// Required parameters first.
    pub(crate) parameters: Vec<Parameter>,
}

#[derive(Debug, Clone)]
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

    /// Returns the call that the program means.
    fn call(&self, made: &Made, id: &str) -> Result<ToolCall, Raised> {
        let function = &self.function;
        let wrong = |words: String| Raised::new("TypeError", format!("{function}() {words}"));
        if made.positional.len() > self.parameters.len() {
            let (takes, given) = (self.parameters.len(), made.positional.len());
            return Err(wrong(format!(
                "takes {takes} positional arguments but {given} were given"
            )));
        }
        let positional = self.parameters.iter().zip(&made.positional);
        let positional = positional.map(|(parameter, value)| (&*parameter.name, value));
        let named = made.named.iter().map(|(name, value)| (&**name, value));
        let mut given: Vec<(&str, &str)> = Vec::new();
        for (name, value) in positional.chain(named) {
            let is_it = |parameter: &&Parameter| parameter.name == name || parameter.key == name;
            let parameter = self.parameters.iter().find(is_it);
            if value == "null" && parameter.is_some_and(|it| !it.is_required && !it.is_nullable) {
                continue;
            }
            // The tool refuses an unknown name, with near ones.
            let key = parameter.map_or(name, |parameter| &parameter.key);
            if given.iter().any(|(other, _)| *other == key) {
                return Err(wrong(format!("got multiple values for argument '{name}'")));
            }
            given.push((key, value));
        }
        let members = given.iter().map(|(key, value)| {
            let key = Value::string(*key).to_json();
            format!("{key}:{value}")
        });
        let arguments = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
        Ok(ToolCall::new(id, &*self.tool, arguments))
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

/// All functions of a program, by their names.
#[derive(Debug, Default)]
pub(crate) struct Signatures(BTreeMap<String, Signature>);

impl Signatures {
    /// Reads the signatures of the tools.
    ///
    /// # Errors
    /// Returns a sentence about the first tool that cannot have its name in Python.
    pub(crate) fn of(tools: &Toolset) -> Result<Self, String> {
        let mut all = BTreeMap::new();
        for def in tools.definitions() {
            let signature = Signature::of(def);
            let (tool, function) = (&signature.tool, &signature.function);
            if names::is_keyword(function) {
                return Err(format!(
                    "the tool `{tool}` has the name of a Python keyword: rename it"
                ));
            }
            if names::is_builtin(function) {
                return Err(format!(
                    "the tool `{tool}` would hide Python's `{function}`: rename it"
                ));
            }
            if let Some(other) = all.get(function) {
                let Signature { tool: other, .. } = other;
                return Err(format!(
                    "the tools `{other}` and `{tool}` would both be `{function}` in Python: rename one"
                ));
            }
            all.insert(function.clone(), signature);
        }
        Ok(Self(all))
    }

    /// Adds the function that finds others.
    ///
    /// # Errors
    /// Returns a sentence if there is one of that name.
    pub(crate) fn add_search(&mut self) -> Result<(), String> {
        let words = Parameter {
            key: "words".to_owned(),
            name: "words".to_owned(),
            is_required: true,
            is_nullable: false,
        };
        let search = Signature {
            tool: FIND_TOOLS.to_owned(),
            function: FIND_TOOLS.to_owned(),
            parameters: vec![words],
        };
        match self.0.insert(FIND_TOOLS.to_owned(), search) {
            Some(_) => Err(format!(
                "the tools have a `{FIND_TOOLS}` already: rename it"
            )),
            None => Ok(()),
        }
    }

    /// Returns each function with its tool's name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(function, signature)| (&**function, &*signature.tool))
    }

    pub(crate) fn call(&self, made: &Made, id: &str) -> Result<ToolCall, Raised> {
        match self.0.get(&made.function) {
            Some(signature) => signature.call(made, id),
            None => Err(Raised::new(
                "NameError",
                format!("name '{}' is not defined", made.function),
            )),
        }
    }
}
