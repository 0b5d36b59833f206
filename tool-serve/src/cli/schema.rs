//! The schema of a tool's arguments, as far as flags need it: resolved references and alternatives.

use toolwright_json::Value;
use toolwright_schema::keyword::{Keyword, TYPES};
use toolwright_schema::read::keywords::type_of;
use toolwright_schema::read::{Parts, resolve};

/// Maximal number of references and alternatives to follow. A foreign schema may be recursive.
const MAX_DEPTH: usize = 32;

/// Schema of a tool's arguments.
pub(super) struct ToolSchema {
    root: Value<'static>,
}

impl ToolSchema {
    /// Reads the text of a schema.
    pub(super) fn read(text: &str) -> Self {
        let root = Value::parse(text).map_or_else(|_| Value::empty(), Value::into_owned);
        Self { root }
    }

    pub(super) fn root(&self) -> &Value<'static> {
        &self.root
    }

    /// Returns the alternatives of a schema, with references and choices resolved.
    pub(super) fn alternatives<'s>(
        &'s self,
        schema: &'s Value<'static>,
    ) -> Vec<&'s Value<'static>> {
        let mut found = Vec::new();
        self.collect(schema, &mut found, MAX_DEPTH);
        found
    }

    fn collect<'s>(
        &'s self,
        schema: &'s Value<'static>,
        found: &mut Vec<&'s Value<'static>>,
        depth: usize,
    ) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        if let Some(target) = self.target(schema) {
            return self.collect(target, found, depth);
        }
        let mut is_choice = false;
        for choice in schema.combined() {
            is_choice = true;
            self.collect(choice, found, depth);
        }
        if !is_choice || schema.has(Keyword::Properties) {
            found.push(schema);
        }
    }

    /// Resolves a reference.
    fn target(&self, schema: &Value<'static>) -> Option<&Value<'static>> {
        resolve(&self.root, schema.reference()?)
    }

    /// Returns the first description, of the schema or of its reference's target.
    pub(super) fn description<'s>(&'s self, schema: &'s Value<'static>) -> &'s str {
        let own = schema.text(Keyword::Description);
        own.or_else(|| self.target(schema)?.text(Keyword::Description))
            .unwrap_or_default()
    }

    /// Returns true if the schema admits values of this JSON type.
    pub(super) fn admits(&self, schema: &Value<'static>, kind: &str) -> bool {
        self.alternatives(schema)
            .into_iter()
            .any(|alternative| admits(alternative, kind))
    }

    /// Returns true if the schema admits values of other types, null aside.
    pub(super) fn admits_more_than(&self, schema: &Value<'static>, kind: &str) -> bool {
        let others = TYPES.into_iter().filter(|other| *other != kind);
        others
            .filter(|other| *other != "null")
            .any(|other| self.admits(schema, other))
    }

    /// Returns the listed strings, or `None` if other strings are admitted too.
    pub(super) fn choices(&self, schema: &Value<'static>) -> Option<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        for alternative in self.alternatives(schema) {
            let listed = match (
                alternative.keyword(Keyword::Enum),
                alternative.keyword(Keyword::Const),
            ) {
                (Some(all), _) => all.items().iter().collect(),
                (None, Some(one)) => vec![one],
                (None, None) if admits(alternative, "string") => return None,
                (None, None) => continue,
            };
            for word in listed.into_iter().filter_map(Value::as_str) {
                if !found.iter().any(|known| known == word) {
                    found.push(word.to_owned());
                }
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// Returns the keys of an object in order, each with its schema and true if it is required. A key of several
    /// alternatives has a schema with a choice.
    pub(super) fn keys(&self, schema: &Value<'static>) -> Vec<(String, Value<'static>, bool)> {
        let alternatives = self.alternatives(schema);
        let objects: Vec<_> = alternatives
            .iter()
            .filter(|alternative| alternative.has(Keyword::Properties))
            .collect();
        let only_objects = objects.len() == alternatives.len();
        let mut keys: Vec<(&str, Vec<Value<'static>>)> = Vec::new();
        let declared = objects
            .iter()
            .filter_map(|alternative| alternative.declared());
        for (name, schema) in declared.flatten() {
            match keys.iter_mut().find(|(known, _)| *known == name) {
                Some((_, schemas)) if schemas.contains(schema) => {}
                Some((_, schemas)) => schemas.push(schema.clone()),
                None => keys.push((name, vec![schema.clone()])),
            }
        }
        let is_everywhere =
            |name: &str| objects.iter().all(|alternative| alternative.requires(name));
        let keys = keys.into_iter().map(|(name, schemas)| {
            let is_required = only_objects && is_everywhere(name);
            let schema = match <[Value<'static>; 1]>::try_from(schemas) {
                Ok([one]) => one,
                Err(several) => Value::object([(Keyword::AnyOf, Value::Array(several))]),
            };
            (name.to_owned(), schema, is_required)
        });
        keys.collect()
    }
}

/// Returns true if a schema without choices admits values of this type.
fn admits(alternative: &Value<'_>, kind: &str) -> bool {
    let is = |name: &str| name == kind || (name == "number" && kind == "integer");
    if let Some(Value::String(_) | Value::Array(_)) = alternative.keyword(Keyword::Type) {
        return alternative.types().any(is);
    }
    match (
        alternative.keyword(Keyword::Enum),
        alternative.keyword(Keyword::Const),
    ) {
        (Some(all), _) => all.items().iter().any(|value| type_of(value) == kind),
        (None, Some(one)) => type_of(one) == kind,
        (None, None) if alternative.has(Keyword::Properties) => kind == "object",
        // `false` admits nothing; other schemas without a type admit everything.
        (None, None) => !matches!(alternative, Value::Bool(false)),
    }
}
