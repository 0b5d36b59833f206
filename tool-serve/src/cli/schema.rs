//! The schema of a tool's arguments, as far as flags need it: resolved references and alternatives.

use crate::json::Json;

/// Maximal number of references and alternatives to follow. A foreign schema may be recursive.
const MAX_DEPTH: usize = 32;

/// Schema of a tool's arguments.
pub(super) struct ToolSchema {
    root: Json,
}

impl ToolSchema {
    pub(super) fn new(root: Json) -> Self {
        Self { root }
    }

    pub(super) fn root(&self) -> &Json {
        &self.root
    }

    /// Returns the alternatives of a schema, with references and choices resolved.
    pub(super) fn alternatives<'s>(&'s self, schema: &'s Json) -> Vec<&'s Json> {
        let mut found = Vec::new();
        self.collect(schema, &mut found, MAX_DEPTH);
        found
    }

    fn collect<'s>(&'s self, schema: &'s Json, found: &mut Vec<&'s Json>, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        if let Some(target) = self.target(schema) {
            return self.collect(target, found, depth);
        }
        let choices = ["anyOf", "oneOf", "allOf"]
            .into_iter()
            .filter_map(|key| schema.get(key));
        let mut is_choice = false;
        for choice in choices.flat_map(Json::items) {
            is_choice = true;
            self.collect(choice, found, depth);
        }
        if !is_choice || schema.get("properties").is_some() {
            found.push(schema);
        }
    }

    /// Resolves a reference.
    fn target(&self, schema: &Json) -> Option<&Json> {
        let pointer = ref_target(schema)?.strip_prefix('#')?;
        let mut at = &self.root;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            at = match at {
                Json::Array(items) => items.get(step.parse::<usize>().ok()?)?,
                _ => at.get(&step)?,
            };
        }
        Some(at)
    }

    /// Returns the first description, of the schema or of its reference's target.
    pub(super) fn description<'s>(&'s self, schema: &'s Json) -> &'s str {
        let own = |schema: &'s Json| schema.get("description").and_then(Json::as_str);
        own(schema)
            .or_else(|| own(self.target(schema)?))
            .unwrap_or_default()
    }

    /// Returns true if the schema admits values of this JSON type.
    pub(super) fn admits(&self, schema: &Json, kind: &str) -> bool {
        self.alternatives(schema)
            .into_iter()
            .any(|alternative| admits(alternative, kind))
    }

    /// Returns true if the schema admits values of other types, null aside.
    pub(super) fn admits_more_than(&self, schema: &Json, kind: &str) -> bool {
        let others = KINDS.into_iter().filter(|other| *other != kind);
        others
            .filter(|other| *other != "null")
            .any(|other| self.admits(schema, other))
    }

    /// Returns the listed strings, or `None` if other strings are admitted too.
    pub(super) fn choices(&self, schema: &Json) -> Option<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        for alternative in self.alternatives(schema) {
            let listed = match (alternative.get("enum"), alternative.get("const")) {
                (Some(all), _) => all.items().iter().collect(),
                (None, Some(one)) => vec![one],
                (None, None) if admits(alternative, "string") => return None,
                (None, None) => continue,
            };
            for word in listed.into_iter().filter_map(Json::as_str) {
                if !found.iter().any(|known| known == word) {
                    found.push(word.to_owned());
                }
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// Returns the keys of an object in order, each with its schema and true if it is required. A key of several
    /// alternatives has a schema with a choice.
    pub(super) fn keys(&self, schema: &Json) -> Vec<(String, Json, bool)> {
        let alternatives = self.alternatives(schema);
        let objects: Vec<_> = alternatives
            .iter()
            .filter(|alternative| alternative.get("properties").is_some())
            .collect();
        let only_objects = objects.len() == alternatives.len();
        let mut keys: Vec<(&String, Vec<Json>)> = Vec::new();
        let properties = objects
            .iter()
            .filter_map(|alternative| alternative.get("properties"));
        for (name, schema) in properties.flat_map(Json::entries) {
            match keys.iter_mut().find(|(known, _)| *known == name) {
                Some((_, schemas)) if schemas.contains(schema) => {}
                Some((_, schemas)) => schemas.push(schema.clone()),
                None => keys.push((name, vec![schema.clone()])),
            }
        }
        let is_everywhere = |name: &str| {
            objects.iter().all(|alternative| {
                let required = alternative
                    .get("required")
                    .map(Json::items)
                    .unwrap_or_default();
                required.iter().any(|key| key.as_str() == Some(name))
            })
        };
        let keys = keys.into_iter().map(|(name, schemas)| {
            let is_required = only_objects && is_everywhere(name);
            let schema = match <[Json; 1]>::try_from(schemas) {
                Ok([one]) => one,
                Err(several) => Json::Object(vec![("anyOf".to_owned(), Json::Array(several))]),
            };
            (name.clone(), schema, is_required)
        });
        keys.collect()
    }
}

/// Returns the text of a schema's reference.
pub(super) fn ref_target(schema: &Json) -> Option<&str> {
    schema.get("$ref")?.as_str()
}

const KINDS: [&str; 7] = [
    "string", "integer", "number", "boolean", "null", "object", "array",
];

/// Returns true if a schema without choices admits values of this type.
fn admits(alternative: &Json, kind: &str) -> bool {
    let is = |name: &str| name == kind || (name == "number" && kind == "integer");
    match alternative.get("type") {
        Some(Json::Text(name)) => return is(name),
        Some(Json::Array(names)) => {
            return names.iter().filter_map(Json::as_str).any(is);
        }
        _ => {}
    }
    match (alternative.get("enum"), alternative.get("const")) {
        (Some(all), _) => all.items().iter().any(|value| kind_of(value) == kind),
        (None, Some(one)) => kind_of(one) == kind,
        (None, None) if alternative.get("properties").is_some() => kind == "object",
        // `false` admits nothing; other schemas without a type admit everything.
        (None, None) => !matches!(alternative, Json::Raw(text) if text == "false"),
    }
}

/// Returns the JSON type of a value.
pub(super) fn kind_of(value: &Json) -> &'static str {
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
