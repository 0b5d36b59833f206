//! The schema of a tool's arguments, as far as flags need it: resolved references and alternatives.

use toolwright_json::Value;
use toolwright_runtime::__private::{Keyword, Parts, TYPES, resolve, type_of};

/// Maximal number of references and alternatives to follow. A foreign schema may be recursive.
const MAX_DEPTH: usize = 32;

/// The schema of a tool's arguments.
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

    /// The ways in which a value of this schema may be: none of them is a reference or a choice.
    pub(super) fn ways<'s>(&'s self, schema: &'s Value<'static>) -> Vec<&'s Value<'static>> {
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

    /// What a reference refers to.
    fn target(&self, schema: &Value<'static>) -> Option<&Value<'static>> {
        resolve(&self.root, schema.reference()?)
    }

    /// The first description, of the schema or what it refers to.
    pub(super) fn description<'s>(&'s self, schema: &'s Value<'static>) -> &'s str {
        let own = schema.text(Keyword::Description);
        own.or_else(|| self.target(schema)?.text(Keyword::Description))
            .unwrap_or_default()
    }

    /// Returns whether the schema admits a value of this JSON type.
    pub(super) fn admits(&self, schema: &Value<'static>, kind: &str) -> bool {
        self.ways(schema).into_iter().any(|way| admits(way, kind))
    }

    /// Returns whether the schema admits a value of another type than this one and null.
    pub(super) fn admits_more_than(&self, schema: &Value<'static>, kind: &str) -> bool {
        let others = TYPES.into_iter().filter(|other| *other != kind);
        others
            .filter(|other| *other != "null")
            .any(|other| self.admits(schema, other))
    }

    /// The strings that are listed one by one; `None` if others are admitted, too.
    pub(super) fn choices(&self, schema: &Value<'static>) -> Option<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        for way in self.ways(schema) {
            let listed = match (way.keyword(Keyword::Enum), way.keyword(Keyword::Const)) {
                (Some(all), _) => all.items().iter().collect(),
                (None, Some(one)) => vec![one],
                (None, None) if admits(way, "string") => return None,
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

    /// The keys of an object of this schema, in their order, each with its schema and whether it has
    /// to be there. A key that is there in several ways has a schema that is any of them.
    pub(super) fn keys(&self, schema: &Value<'static>) -> Vec<(String, Value<'static>, bool)> {
        let ways = self.ways(schema);
        let objects: Vec<_> = ways
            .iter()
            .filter(|way| way.has(Keyword::Properties))
            .collect();
        let only_objects = objects.len() == ways.len();
        let mut keys: Vec<(&str, Vec<Value<'static>>)> = Vec::new();
        let declared = objects.iter().filter_map(|way| way.declared());
        for (name, schema) in declared.flatten() {
            match keys.iter_mut().find(|(known, _)| *known == name) {
                Some((_, schemas)) if schemas.contains(schema) => {}
                Some((_, schemas)) => schemas.push(schema.clone()),
                None => keys.push((name, vec![schema.clone()])),
            }
        }
        let is_everywhere = |name: &str| objects.iter().all(|way| way.requires(name));
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

/// Whether a schema without choices admits a value of this type.
fn admits(way: &Value<'_>, kind: &str) -> bool {
    let is = |name: &str| name == kind || (name == "number" && kind == "integer");
    if let Some(Value::String(_) | Value::Array(_)) = way.keyword(Keyword::Type) {
        return way.types().any(is);
    }
    match (way.keyword(Keyword::Enum), way.keyword(Keyword::Const)) {
        (Some(all), _) => all.items().iter().any(|value| type_of(value) == kind),
        (None, Some(one)) => type_of(one) == kind,
        (None, None) if way.has(Keyword::Properties) => kind == "object",
        // `false` admits nothing, anything else without a type all.
        (None, None) => !matches!(way, Value::Bool(false)),
    }
}
