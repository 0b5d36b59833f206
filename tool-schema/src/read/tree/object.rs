//! Objects and maps.

use std::collections::HashSet;

use toolwright_json::Value;

use super::{Keywords, Reader, all_of, count, number};
use crate::shape::{
    Field, Kind, Map, Object, Presence, Rule, SIGNED_KEY, Shape, StringRules, UNSIGNED_KEY,
};
use crate::text::escaped;

/// Returns true if the keys of an object are those of one pattern and no others.
pub(super) fn is_map(keywords: &Keywords<'_>) -> bool {
    let none = |name: &str| keywords.get(name).is_none();
    keywords
        .get("patternProperties")
        .is_some_and(|patterns| patterns.entries().len() == 1)
        && none("properties")
        && none("required")
        && none("propertyNames")
        && keywords.get("additionalProperties") == Some(&Value::Bool(false))
}

const ANY_KEY: Shape<'_> = Shape::string(0, None);

impl<'a> Reader<'_, 'a> {
    /// What keywords say of objects, if they say anything.
    pub(super) fn object(&mut self, keywords: &Keywords<'_>, at: &str) -> Option<Shape<'a>> {
        let min_len = count(keywords, "minProperties").unwrap_or(0);
        let max_len = count(keywords, "maxProperties");
        let map = |keys: &'a Shape<'a>, values: &'a Shape<'a>| {
            Shape::new(Kind::Map(Map {
                keys,
                values,
                min_len,
                max_len,
            }))
        };
        if is_map(keywords) {
            let patterns = keywords.get("patternProperties").map(Value::entries);
            let (pattern, values) = patterns.and_then(<[_]>::first)?;
            let values_at = format!("patternProperties/{}", escaped(pattern));
            let values = self.part(values, at, &values_at);
            let keys = Shape::new(Kind::String(StringRules {
                min_len: 0,
                max_len: None,
                pattern: self.pattern(pattern),
                format: "",
                is_parsed: false,
            }));
            return Some(map(self.keep(&keys), values));
        }
        let names = keywords
            .get("propertyNames")
            .map(|names| self.names(names, at));
        let has_patterns = keywords.get("patternProperties").is_some();
        let additional = match keywords.get("additionalProperties") {
            // A pattern may declare the key.
            _ if has_patterns => None,
            Some(additional) => Some(self.part(additional, at, "additionalProperties")),
            None => None,
        };
        let additional = additional.filter(|rest| !matches!(rest.kind, Kind::Any));
        let fields = self.fields(keywords, at, additional);
        let mut parts = Vec::new();
        let mut is_counted = min_len == 0 && max_len.is_none();
        match (fields.is_empty(), additional) {
            (true, None) => {}
            (true, Some(values)) if !matches!(values.kind, Kind::Rule(Rule::Never)) => {
                let keys = names.unwrap_or_else(|| self.keep(&ANY_KEY));
                is_counted = true;
                parts.push(map(keys, values));
            }
            (_, additional) => parts.push(self.closed(fields, additional)),
        }
        // A map has said what its keys are.
        let is_map = matches!(
            parts.first(),
            Some(Shape {
                kind: Kind::Map(_),
                ..
            })
        );
        if !is_counted || (names.is_some() && !is_map) {
            let keys = names.unwrap_or_else(|| self.keep(&ANY_KEY));
            parts.push(map(keys, Shape::ANYTHING));
        }
        (!parts.is_empty()).then(|| all_of(self.memory, parts))
    }

    /// What the keys of an object are. Those of a type's map may be integers, of which each has one spelling.
    fn names(&mut self, names: &Value<'_>, at: &str) -> &'a Shape<'a> {
        let pattern = names.get("pattern").and_then(Value::as_str);
        match (self.document.references, pattern) {
            (None, Some(UNSIGNED_KEY)) => self.keep(&number::integers(Some(0))),
            (None, Some(SIGNED_KEY)) => self.keep(&number::integers(None)),
            _ => self.part(names, at, "propertyNames"),
        }
    }

    /// An object with these keys, and others as `additional` says.
    fn closed(&self, mut fields: Vec<Field<'a>>, additional: Option<&'a Shape<'a>>) -> Shape<'a> {
        let open = additional.is_none();
        if let Some(values) = additional
            && !matches!(values.kind, Kind::Rule(Rule::Never))
        {
            let rest = Kind::Map(Map {
                keys: self.keep(&ANY_KEY),
                values,
                min_len: 0,
                max_len: None,
            });
            fields.push(Field {
                flatten: true,
                ..Field::new("", "", self.keep(&Shape::new(rest)))
            });
        }
        let fields = self.memory.list(&fields);
        Shape::new(Kind::Object(Object { fields, open }))
    }

    /// The keys that are declared, and those that must be there.
    fn fields(
        &mut self,
        keywords: &Keywords<'_>,
        at: &str,
        additional: Option<&'a Shape<'a>>,
    ) -> Vec<Field<'a>> {
        let required: Vec<&str> = match keywords.get("required") {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let is_required: HashSet<&str> = required.iter().copied().collect();
        let declared = keywords.get("properties").map_or(&[][..], Value::entries);
        let is_declared: HashSet<&str> = declared.iter().map(|(name, _)| &**name).collect();
        let mut fields = Vec::new();
        for (name, schema) in declared {
            let shape = self.part(schema, at, &format!("properties/{}", escaped(name)));
            fields.push(self.field(name, shape, is_required.contains(&**name)));
        }
        for name in required {
            if !is_declared.contains(name) {
                let shape = additional.unwrap_or(Shape::ANYTHING);
                fields.push(self.field(name, shape, true));
            }
        }
        fields
    }

    fn field(&self, name: &str, shape: &'a Shape<'a>, is_required: bool) -> Field<'a> {
        Field {
            presence: if is_required {
                Presence::Required
            } else {
                Presence::Defaulted
            },
            ..Field::new(self.text(name), "", shape)
        }
    }
}
