//! Objects and maps.

use std::collections::HashSet;

use toolwright_json::Value;

use super::{FieldDefault, Keywords, TreeReader, all_of, count, number};
use crate::keyword::Keyword;
use crate::read::{Parts, refs};
use crate::shape::{
    Field, Kind, Map, Object, Presence, Rule, SIGNED_KEY, Shape, StringRules, UNSIGNED_KEY,
};
use crate::text::escaped;

/// Returns true if the keys of an object are those of one pattern and no others.
fn is_map(keywords: &Keywords<'_>) -> bool {
    let patterns = keywords.named(Keyword::PatternProperties);
    let others = [
        Keyword::Properties,
        Keyword::Required,
        Keyword::PropertyNames,
    ];
    patterns.is_some_and(|patterns| patterns.len() == 1)
        && !keywords.has_any(&others)
        && keywords.is_closed()
}

const ANY_KEY: Shape<'_> = Shape::string(0, None);

/// Maximum number of references between a key and its default.
const MOST_REFERENCES: usize = 8;

/// A field, with the JSON of its default and the pointer to it.
type Declared<'a> = (Field<'a>, Option<(&'a str, &'a str)>);

impl<'a> TreeReader<'_, 'a> {
    /// Returns the shape that keywords give to objects, if they say anything.
    pub(super) fn object(&mut self, keywords: &Keywords<'_>, at: &str) -> Option<Shape<'a>> {
        let min_len = count(keywords, Keyword::MinProperties).unwrap_or(0);
        let max_len = count(keywords, Keyword::MaxProperties);
        let map = |keys: &'a Shape<'a>, values: &'a Shape<'a>| {
            Shape::new(Kind::Map(Map {
                keys,
                values,
                min_len,
                max_len,
            }))
        };
        if is_map(keywords) {
            let (pattern, values) = keywords.named(Keyword::PatternProperties)?.first()?;
            let values = self.named(values, at, Keyword::PatternProperties, pattern);
            let keys = Shape::new(Kind::String(StringRules {
                min_len: 0,
                max_len: None,
                pattern: self.pattern(pattern),
                format: "",
                is_parsed: false,
                is_number: false,
            }));
            return Some(map(self.keep(&keys), values));
        }
        let names = keywords
            .keyword(Keyword::PropertyNames)
            .map(|names| self.names(names, at));
        let has_patterns = keywords.has(Keyword::PatternProperties);
        let additional = match keywords.keyword(Keyword::AdditionalProperties) {
            // A pattern may declare the key.
            _ if has_patterns => None,
            Some(additional) => Some(self.part(additional, at, Keyword::AdditionalProperties)),
            None => None,
        };
        let is_exact = self.document.is_exact;
        let additional = additional.filter(|rest| is_exact || !matches!(rest.kind, Kind::Any));
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
        // The shape of keys is set already.
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
        if let Some(keys) = self.pattern_keys(keywords, at) {
            // The patterns say nothing of other values.
            if parts.is_empty() {
                parts.push(Self::of_type("object"));
            }
            parts.push(keys);
        }
        (!parts.is_empty()).then(|| all_of(self.memory, parts))
    }

    /// Returns the shape of an object's keys. Those of a type's map may be integers, of which each has one spelling.
    fn names(&mut self, names: &Value<'_>, at: &str) -> &'a Shape<'a> {
        let pattern = names.text(Keyword::Pattern);
        match (self.document.references, pattern) {
            (None, Some(UNSIGNED_KEY)) => self.keep(&number::integers(Some(0))),
            (None, Some(SIGNED_KEY)) => self.keep(&number::integers(None)),
            _ => self.part(names, at, Keyword::PropertyNames),
        }
    }

    /// An object with these keys; `additional` is the rule for others.
    fn closed(
        &mut self,
        declared: Vec<Declared<'a>>,
        additional: Option<&'a Shape<'a>>,
    ) -> Shape<'a> {
        let open = additional.is_none();
        let (mut fields, defaults): (Vec<_>, Vec<_>) = declared.into_iter().unzip();
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
        for (field, default) in fields.iter().zip(defaults) {
            self.defaults
                .extend(default.map(|(json, at)| FieldDefault { field, json, at }));
        }
        Shape::new(Kind::Object(Object {
            fields,
            open,
            denies: false,
        }))
    }

    /// The keys that are declared, and those that must be there.
    fn fields(
        &mut self,
        keywords: &Keywords<'_>,
        at: &str,
        additional: Option<&'a Shape<'a>>,
    ) -> Vec<Declared<'a>> {
        let required: Vec<&str> = keywords.required().collect();
        let is_required: HashSet<&str> = required.iter().copied().collect();
        let declared = keywords.declared().unwrap_or_default();
        let is_declared: HashSet<&str> = declared.iter().map(|(name, _)| &**name).collect();
        let mut fields = Vec::new();
        for (name, schema) in declared {
            let shape = self.named(schema, at, Keyword::Properties, name);
            let is_required = is_required.contains(&**name);
            let default = if is_required {
                None
            } else {
                self.default(schema, format!("{at}/properties/{}", escaped(name)))
            };
            fields.push((self.field(name, shape, is_required), default));
        }
        for name in required {
            if !is_declared.contains(name) {
                let shape = additional.unwrap_or(Shape::ANYTHING);
                fields.push((self.field(name, shape, true), None));
            }
        }
        fields
    }

    /// Returns the default of a key with this schema, and its pointer.
    fn default(&self, schema: &Value<'_>, at: String) -> Option<(&'a str, &'a str)> {
        // Types have their own defaults.
        let references = self.document.references?;
        let (mut schema, mut at) = (schema, at);
        for _ in 0..MOST_REFERENCES {
            if let Some(default) = schema.keyword(Keyword::Default) {
                let at = format!("{at}/default");
                return Some((self.text(&default.to_json()), self.text(&at)));
            }
            at.clone_from(references.get(&at)?.first()?);
            schema = refs::at(self.document.schema, &at)?;
        }
        None
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
