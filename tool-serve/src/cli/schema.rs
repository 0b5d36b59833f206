//! A tool's schema, as far as flags have to know it: what stands behind references and in the ways
//! that a value may be.

use crate::json::Json;

/// How many references and ways are followed; a schema may come from elsewhere, and go in circles.
const DEEPEST: usize = 32;

/// The schema of a tool's arguments.
pub(super) struct Schema {
    root: Json,
}

impl Schema {
    pub(super) fn new(root: Json) -> Self {
        Self { root }
    }

    pub(super) fn root(&self) -> &Json {
        &self.root
    }

    /// The ways in which a value of this schema may be: none of them is a reference or a choice.
    pub(super) fn ways<'s>(&'s self, schema: &'s Json) -> Vec<&'s Json> {
        let mut found = Vec::new();
        self.collect(schema, &mut found, DEEPEST);
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

    /// What a reference refers to.
    fn target(&self, schema: &Json) -> Option<&Json> {
        let pointer = reference(schema)?.strip_prefix('#')?;
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

    /// The first description, of the schema or what it refers to.
    pub(super) fn description<'s>(&'s self, schema: &'s Json) -> &'s str {
        let own = |schema: &'s Json| schema.get("description").and_then(Json::as_str);
        own(schema)
            .or_else(|| own(self.target(schema)?))
            .unwrap_or_default()
    }

    /// Whether a value of this JSON type may be there.
    pub(super) fn admits(&self, schema: &Json, kind: &str) -> bool {
        self.ways(schema).into_iter().any(|way| admits(way, kind))
    }

    /// Whether something other than a value of this type, or null, may be there.
    pub(super) fn admits_more_than(&self, schema: &Json, kind: &str) -> bool {
        let others = KINDS.into_iter().filter(|other| *other != kind);
        others
            .filter(|other| *other != "null")
            .any(|other| self.admits(schema, other))
    }

    /// The strings that are listed one by one; `None` if others are admitted, too.
    pub(super) fn choices(&self, schema: &Json) -> Option<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        for way in self.ways(schema) {
            let listed = match (way.get("enum"), way.get("const")) {
                (Some(all), _) => all.items().iter().collect(),
                (None, Some(one)) => vec![one],
                (None, None) if admits(way, "string") => return None,
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

    /// The keys of an object of this schema, in their order, each with its schema and whether it has
    /// to be there. A key that is there in several ways has a schema that is any of them.
    pub(super) fn keys(&self, schema: &Json) -> Vec<(String, Json, bool)> {
        let ways = self.ways(schema);
        let objects: Vec<_> = ways
            .iter()
            .filter(|way| way.get("properties").is_some())
            .collect();
        let only_objects = objects.len() == ways.len();
        let mut keys: Vec<(&String, Vec<Json>)> = Vec::new();
        let properties = objects.iter().filter_map(|way| way.get("properties"));
        for (name, schema) in properties.flat_map(Json::entries) {
            match keys.iter_mut().find(|(known, _)| *known == name) {
                Some((_, schemas)) if schemas.contains(schema) => {}
                Some((_, schemas)) => schemas.push(schema.clone()),
                None => keys.push((name, vec![schema.clone()])),
            }
        }
        let is_everywhere = |name: &str| {
            objects.iter().all(|way| {
                let required = way.get("required").map(Json::items).unwrap_or_default();
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

/// What a schema refers to, as it says it.
pub(super) fn reference(schema: &Json) -> Option<&str> {
    schema.get("$ref")?.as_str()
}

const KINDS: [&str; 7] = [
    "string", "integer", "number", "boolean", "null", "object", "array",
];

/// Whether a schema without choices admits a value of this type.
fn admits(way: &Json, kind: &str) -> bool {
    let is = |name: &str| name == kind || (name == "number" && kind == "integer");
    match way.get("type") {
        Some(Json::Text(name)) => return is(name),
        Some(Json::Array(names)) => {
            return names.iter().filter_map(Json::as_str).any(is);
        }
        _ => {}
    }
    match (way.get("enum"), way.get("const")) {
        (Some(all), _) => all.items().iter().any(|value| kind_of(value) == kind),
        (None, Some(one)) => kind_of(one) == kind,
        (None, None) if way.get("properties").is_some() => kind == "object",
        // `false` admits nothing, anything else without a type all.
        (None, None) => !matches!(way, Json::Raw(text) if text == "false"),
    }
}

/// The JSON type of a value.
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
