//! The keywords of one schema.

use std::borrow::Cow;

use toolwright_json::Value;

use super::{Ordered, Pair};

/// What of a keyword's value is a schema.
#[derive(Clone, Copy)]
pub enum Holds {
    Nothing,
    One,
    List,
    OneOrList,
    /// The values of an object.
    Named,
}

/// Where a keyword stands among those of a schema, the type of the values that it is about (`number`
/// is any number, none is any value), its place among those that can be told in words (0: it cannot),
/// and what of its value is a schema.
type Row = (usize, &'static str, usize, Holds);

/// Behind all that have a place, as they came.
const OTHERS: usize = 32;

/// What is known of JSON Schema. A `match` compares faster than a list is searched.
fn row(keyword: &str) -> Option<Row> {
    Some(match keyword {
        "$ref" => (0, "", 0, Holds::Nothing),
        "anyOf" => (1, "", 0, Holds::List),
        "allOf" => (2, "", 0, Holds::List),
        "type" => (3, "", 0, Holds::Nothing),
        "nullable" => (4, "", 0, Holds::Nothing),
        "enum" => (5, "", 31, Holds::Nothing),
        "items" => (6, "array", 0, Holds::OneOrList),
        "prefixItems" => (7, "array", 0, Holds::List),
        "minItems" => (8, "array", 10, Holds::Nothing),
        "maxItems" => (9, "array", 11, Holds::Nothing),
        "uniqueItems" => (10, "array", 12, Holds::Nothing),
        "minimum" => (11, "number", 5, Holds::Nothing),
        "exclusiveMinimum" => (12, "number", 7, Holds::Nothing),
        "maximum" => (13, "number", 6, Holds::Nothing),
        "exclusiveMaximum" => (14, "number", 8, Holds::Nothing),
        "multipleOf" => (15, "number", 9, Holds::Nothing),
        "not" => (16, "", 24, Holds::One),
        "minLength" => (17, "string", 1, Holds::Nothing),
        "maxLength" => (18, "string", 2, Holds::Nothing),
        "pattern" => (19, "string", 3, Holds::Nothing),
        "format" => (20, "string", 4, Holds::Nothing),
        "propertyNames" => (21, "object", 19, Holds::One),
        "patternProperties" => (22, "object", 20, Holds::Named),
        "description" => (23, "", 0, Holds::Nothing),
        "deprecated" => (24, "", 0, Holds::Nothing),
        "default" => (25, "", 30, Holds::Nothing),
        "examples" => (26, "", 0, Holds::Nothing),
        "properties" => (27, "object", 0, Holds::Named),
        "required" => (28, "object", 0, Holds::Nothing),
        "propertyOrdering" => (29, "", 0, Holds::Nothing),
        "additionalProperties" => (30, "object", 0, Holds::One),
        "$defs" => (31, "", 0, Holds::Nothing),
        "contains" => (OTHERS, "array", 13, Holds::One),
        "minContains" => (OTHERS, "array", 14, Holds::Nothing),
        "maxContains" => (OTHERS, "array", 15, Holds::Nothing),
        "unevaluatedItems" => (OTHERS, "array", 16, Holds::One),
        "minProperties" => (OTHERS, "object", 17, Holds::Nothing),
        "maxProperties" => (OTHERS, "object", 18, Holds::Nothing),
        "unevaluatedProperties" => (OTHERS, "object", 21, Holds::One),
        "dependentRequired" => (OTHERS, "object", 22, Holds::Nothing),
        "dependentSchemas" => (OTHERS, "object", 23, Holds::Named),
        "if" => (OTHERS, "", 25, Holds::One),
        "then" => (OTHERS, "", 26, Holds::One),
        "else" => (OTHERS, "", 27, Holds::One),
        "contentEncoding" => (OTHERS, "string", 28, Holds::Nothing),
        "contentMediaType" => (OTHERS, "string", 29, Holds::Nothing),
        "oneOf" => (OTHERS, "", 0, Holds::List),
        "additionalItems" => (OTHERS, "", 0, Holds::One),
        _ => return None,
    })
}

/// What of a keyword's value is a schema.
pub fn held(keyword: &str) -> Holds {
    row(keyword).map_or(Holds::Nothing, |(.., holds)| holds)
}

/// Whether a keyword says something of values of a type.
pub fn is_about(keyword: &str, name: &str) -> bool {
    let about = row(keyword).map(|(_, about, ..)| about);
    about == Some(name) || name == "integer" && about == Some("number")
}

/// Where a keyword stands among those that can be told in words.
pub fn place_in_words(keyword: &str) -> Option<usize> {
    let place = row(keyword).map(|(_, _, place, _)| place);
    place.filter(|place| *place > 0)
}

/// What is known of JSON Schema; all else is somebody's own.
pub fn is_known(keyword: &str) -> bool {
    row(keyword).is_some()
}

/// Visits the schemas directly inside a schema; definitions are not inside it until they are
/// referred to.
pub fn inside<'s>(schema: &'s Ordered, visit: &mut dyn FnMut(&'s Ordered)) {
    let Ordered::Object(entries) = schema else {
        return;
    };
    for (key, value) in entries {
        match (held(key), value) {
            (Holds::List | Holds::OneOrList, Ordered::Array(members)) => {
                members.iter().for_each(&mut *visit);
            }
            (Holds::Named, Ordered::Object(members)) => {
                members
                    .iter()
                    .map(|(_, member)| member)
                    .for_each(&mut *visit);
            }
            (Holds::One | Holds::OneOrList, member) => visit(member),
            _ => {}
        }
    }
}

/// The keywords of one schema.
#[derive(Debug, Clone, Default)]
pub struct Keywords(pub Vec<Pair>);

impl Keywords {
    pub fn of<const N: usize>(entries: [(&'static str, Ordered); N]) -> Self {
        Self(entries.map(|(key, value)| (key.into(), value)).into())
    }

    pub fn get(&self, key: &str) -> Option<&Ordered> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Ordered> {
        let found = self.0.iter_mut().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub fn take(&mut self, key: &str) -> Option<Ordered> {
        let at = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(at).1)
    }

    pub fn set(&mut self, key: impl Into<Cow<'static, str>>, value: Ordered) {
        let key = key.into();
        match self.get_mut(&key) {
            Some(old) => *old = value,
            None => self.0.push((key, value)),
        }
    }

    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Ordered::as_str)
    }

    /// The elements of an array.
    pub fn list(&self, key: &str) -> Option<&[Ordered]> {
        match self.get(key) {
            Some(Ordered::Array(items)) => Some(items),
            _ => None,
        }
    }

    /// The entries of an object.
    pub fn entries(&self, key: &str) -> Option<&[Pair]> {
        match self.get(key) {
            Some(Ordered::Object(entries)) => Some(entries),
            _ => None,
        }
    }

    /// A number that counts.
    pub fn count(&self, key: &str) -> Option<u128> {
        self.get(key)?.as_u128()
    }

    /// The types that are named.
    pub fn types(&self) -> Vec<&str> {
        match self.get("type") {
            Some(Ordered::String(name)) => vec![name],
            Some(Ordered::Array(names)) => names.iter().filter_map(Ordered::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether a key of an object must be there.
    pub fn requires(&self, name: &str) -> bool {
        names(self.get("required"), name)
    }

    /// Appends `words` to the description, in brackets.
    pub fn tell(&mut self, words: &str) {
        let own = self.text("description").unwrap_or_default();
        let text = with_words(own, words);
        self.set("description", Ordered::string(text));
    }

    /// An object whose keys stay in this order.
    pub fn into_entries(self) -> Ordered {
        Ordered::Object(self.0)
    }

    /// The schema, its keywords in order.
    pub fn into_schema(mut self) -> Ordered {
        let place = |(key, _): &Pair| row(key).map_or(OTHERS, |(place, ..)| place);
        // Most stand in order already.
        if !self.0.is_sorted_by_key(place) {
            self.0.sort_by_cached_key(place);
        }
        Ordered::Object(self.0)
    }
}

/// A description with what a dialect is told in words.
pub(crate) fn with_words(own: &str, words: &str) -> String {
    if own.is_empty() {
        format!("[{words}]")
    } else {
        format!("{own} [{words}]")
    }
}

/// A string.
pub fn text(text: impl Into<Cow<'static, str>>) -> Ordered {
    Ordered::String(text.into())
}

/// The schema of one type alone.
pub fn typed(name: &'static str) -> Ordered {
    Keywords::of([("type", text(name))]).into_schema()
}

/// Whether the value of a keyword (`type`, `required`) is a name, or a list of names that has it.
pub fn names(value: Option<&Ordered>, name: &str) -> bool {
    match value {
        Some(Ordered::Array(names)) => names.iter().any(|known| known.as_str() == Some(name)),
        one => one.and_then(Ordered::as_str) == Some(name),
    }
}

/// The type of a value: of a whole number `integer`, which is one of the numbers too.
pub fn type_of(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        value if value.is_integer() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether a schema admits `null` and nothing else.
pub fn is_null(schema: &Ordered) -> bool {
    schema.get("type").and_then(Ordered::as_str) == Some("null")
}
