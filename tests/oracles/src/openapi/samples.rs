//! Values that a schema admits, drawn from its text. What is drawn may still break a rule, and is checked afterwards.

use serde_json::json;

use crate::json::Json;

/// Schemas that may be inside each other for one value.
const MOST_LEVELS: usize = 9;

/// Texts for patterns, of which one may fit.
const TEXTS: [&str; 8] = [
    "a",
    "A1",
    "1",
    "abc-1",
    "2020-01-02",
    "a.b",
    "https://a.b/c",
    "AB",
];

/// Draws values of the schemas of one document.
pub(crate) struct Samples<'s> {
    root: &'s Json,
    state: u64,
}

impl<'s> Samples<'s> {
    pub(crate) fn new(root: &'s Json, seed: u64) -> Self {
        Self {
            root,
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        }
    }

    /// A value of the whole.
    pub(crate) fn draw(&mut self) -> Option<Json> {
        self.value(self.root, 0)
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 33).unwrap_or_default() % end.max(1)
    }

    fn one<'v, T>(&mut self, all: &'v [T]) -> Option<&'v T> {
        let at = self.below(all.len());
        all.get(at)
    }

    fn target(&self, reference: &str) -> Option<&'s Json> {
        let mut parts = reference.strip_prefix('#')?.split('/');
        parts.next();
        parts.try_fold(self.root, |schema, part| {
            let part = part
                .replace("%20", " ")
                .replace("~1", "/")
                .replace("~0", "~");
            match schema {
                Json::Array(items) => items.get(part.parse::<usize>().ok()?),
                schema => schema.get(&part),
            }
        })
    }

    fn value(&mut self, schema: &'s Json, levels: usize) -> Option<Json> {
        if levels > MOST_LEVELS {
            return None;
        }
        if let Json::Leaf(word) = schema {
            return (word != false).then(|| Json::Leaf(json!("any")));
        }
        let mut value = self.alone(schema, levels)?;
        // Parts and alternatives of an object add keys.
        let mut parts: Vec<&Json> = schema
            .get("allOf")
            .map(Json::items)
            .unwrap_or_default()
            .iter()
            .collect();
        for union in ["anyOf", "oneOf"] {
            let members = schema.get(union).map(Json::items).unwrap_or_default();
            parts.extend(self.one(members));
        }
        if schema.get("$ref").is_some() {
            parts.push(self.target(schema.text("$ref"))?);
        }
        let says_type = schema.get("type").is_some()
            || schema.get("enum").is_some()
            || schema.get("properties").is_some();
        for (at, part) in parts.into_iter().enumerate() {
            let other = self.value(part, levels + 1)?;
            match (&mut value, other) {
                (Json::Object(own), Json::Object(others)) => {
                    for (key, value) in others {
                        if !own.iter().any(|(known, _)| *known == key) {
                            own.push((key, value));
                        }
                    }
                }
                (value, other) if at == 0 && !says_type => *value = other,
                _ => {}
            }
        }
        Some(value)
    }

    /// A value by the keywords of one schema alone.
    fn alone(&mut self, schema: &'s Json, levels: usize) -> Option<Json> {
        if let Some(value) = schema.get("const") {
            return Some(value.clone());
        }
        if let Some(values) = schema.get("enum") {
            return self.one(values.items()).cloned();
        }
        let one;
        let kind = match schema.get("type") {
            Some(Json::Array(kinds)) => {
                one = self.one(kinds)?.clone();
                Some(&one)
            }
            kind => kind,
        };
        let kind = match kind {
            Some(Json::Leaf(kind)) => kind.as_str()?.to_owned(),
            _ if schema.get("items").is_some() => "array".to_owned(),
            _ if [
                "anyOf",
                "oneOf",
                "allOf",
                "$ref",
                "properties",
                "additionalProperties",
            ]
            .iter()
            .any(|key| schema.get(key).is_some()) =>
            {
                "object".to_owned()
            }
            _ => "any".to_owned(),
        };
        match &*kind {
            "object" => self.object(schema, levels),
            "array" => self.array(schema, levels),
            "string" => Some(Json::Leaf(self.string(schema).into())),
            "integer" => Some(Json::Leaf(self.integer(schema).into())),
            "number" => {
                let whole = self.integer(schema);
                let is_bounded = [
                    "minimum",
                    "maximum",
                    "multipleOf",
                    "exclusiveMinimum",
                    "exclusiveMaximum",
                ]
                .iter()
                .any(|key| schema.get(key).is_some());
                Some(Json::Leaf(if is_bounded {
                    json!(whole)
                } else {
                    json!(1.5)
                }))
            }
            "boolean" => Some(Json::Leaf((self.below(2) == 0).into())),
            "null" => Some(Json::Leaf(json!(null))),
            _ => Some(Json::Leaf(if self.below(2) == 0 {
                json!("any")
            } else {
                json!(7)
            })),
        }
    }

    fn object(&mut self, schema: &'s Json, levels: usize) -> Option<Json> {
        let mut entries: Vec<(String, Json)> = Vec::new();
        let required = schema.get("required").map(Json::items).unwrap_or_default();
        for (name, member) in schema
            .get("properties")
            .map(Json::entries)
            .unwrap_or_default()
        {
            let is_required = required.contains(&Json::Leaf(name.as_str().into()));
            if !is_required && self.below(levels + 2) > 0 {
                continue;
            }
            match self.value(member, levels + 1) {
                Some(value) => entries.push((name.clone(), value)),
                None if is_required => return None,
                None => {}
            }
        }
        if let Some(values @ Json::Object(_)) = schema.get("additionalProperties") {
            for key in ["x1", "Some key"].iter().take(self.below(3)) {
                if let Some(value) = self.value(values, levels + 1) {
                    entries.push(((*key).to_owned(), value));
                }
            }
        }
        Some(Json::Object(entries))
    }

    fn array(&mut self, schema: &'s Json, levels: usize) -> Option<Json> {
        let places = schema
            .get("prefixItems")
            .map(Json::items)
            .unwrap_or_default();
        let least = count(schema, "minItems").unwrap_or(0);
        let most = count(schema, "maxItems")
            .unwrap_or(least + 2)
            .min(least + 2);
        let len = places
            .len()
            .max(least + self.below(most.saturating_sub(least) + 1));
        let any = &Json::Leaf(serde_json::Value::Bool(true));
        let mut items = Vec::new();
        for at in 0..len.min(20) {
            let item = match (places.get(at), schema.get("items")) {
                (Some(place), _) => self.value(place, levels + 1),
                (None, Some(each)) => self.value(each, levels + 1),
                (None, None) => Some(any.clone()),
            };
            match item {
                Some(item) => items.push(item),
                None if at < least => return None,
                None => break,
            }
        }
        Some(Json::Array(items))
    }

    fn string(&mut self, schema: &Json) -> String {
        let text = match schema.text("format") {
            "date-time" => "2020-01-02T03:04:05Z",
            "date" => "2020-01-02",
            "time" => "03:04:05Z",
            "uuid" => "123e4567-e89b-12d3-a456-426614174000",
            "email" => "a@b.cd",
            "uri" => "https://a.b/c",
            "hostname" => "a.b",
            "ipv4" => "1.2.3.4",
            "ipv6" => "::1",
            "duration" => "P1D",
            _ if schema.get("pattern").is_some() => self.one(&TEXTS).copied().unwrap_or_default(),
            // One that is JSON, too.
            _ => ["a", "42", "null", "\"x\"", "größer", "{}"]
                .get(self.below(6))
                .copied()
                .unwrap_or_default(),
        };
        let mut text = text.to_owned();
        let least = count(schema, "minLength").unwrap_or(0).min(300);
        while text.chars().count() < least {
            text.push('a');
        }
        let most = count(schema, "maxLength").unwrap_or(usize::MAX);
        text.chars().take(most).collect()
    }

    fn integer(&mut self, schema: &Json) -> i64 {
        let bound = |key: &str| match schema.get(key) {
            #[allow(clippy::cast_possible_truncation)] // Bounds of a sample.
            Some(Json::Leaf(value)) => value.as_f64().map(|value| value as i64),
            _ => None,
        };
        let least = bound("minimum")
            .or_else(|| bound("exclusiveMinimum").map(|least| least.saturating_add(1)));
        let most = bound("maximum")
            .or_else(|| bound("exclusiveMaximum").map(|most| most.saturating_sub(1)));
        let step = bound("multipleOf").filter(|step| *step > 0).unwrap_or(1);
        let drawn = i64::try_from(self.below(5)).unwrap_or_default();
        match (least, most) {
            (Some(least), _) => least
                .saturating_add(drawn)
                .div_euclid(step)
                .saturating_add(i64::from(step > 1))
                .saturating_mul(step),
            (None, Some(most)) => most.div_euclid(step).saturating_mul(step),
            (None, None) => drawn.saturating_mul(step),
        }
    }
}

fn count(schema: &Json, key: &str) -> Option<usize> {
    match schema.get(key) {
        Some(Json::Leaf(value)) => value.as_u64().and_then(|count| usize::try_from(count).ok()),
        _ => None,
    }
}
