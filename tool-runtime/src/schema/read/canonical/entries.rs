//! The keywords of one schema, in canonical form.

use std::borrow::Cow;

use super::super::ordered::{Ordered, Pair, declares_all_keys, insert_before, join};
use super::object;
use crate::schema::shape::{SIGNED_KEY, UNSIGNED_KEY};

/// Keywords in the order in which our own schemas have them; others follow by the alphabet.
const ORDER: [&str; 27] = [
    "$ref",
    "anyOf",
    "allOf",
    "type",
    "enum",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "not",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "propertyNames",
    "description",
    "deprecated",
    "default",
    "examples",
    "properties",
    "required",
];

/// Adds keys to an object, or to each of a union of objects; whether it is one.
fn add_keys(
    schema: &mut Ordered,
    properties: Option<&Ordered>,
    required: Option<&Ordered>,
) -> bool {
    if let Some(Ordered::Array(members)) = schema.get("anyOf") {
        let mut members = members.clone();
        let is_done = members
            .iter_mut()
            .all(|member| add_keys(member, properties, required));
        schema.remove("anyOf");
        insert_before(schema, &[], "anyOf", Ordered::Array(members));
        return is_done;
    }
    if schema.get("type").and_then(Ordered::as_str) != Some("object") {
        return false;
    }
    let Ordered::Object(entries) = schema else {
        return false;
    };
    let mut out = Entries {
        keywords: std::mem::take(entries),
        folded: String::new(),
    };
    for (key, value) in [("properties", properties), ("required", required)] {
        if let Some(value) = value {
            out.set(key, value.clone());
        }
    }
    *schema = out.sorted();
    true
}

/// The keywords of a schema that is being made.
#[derive(Default)]
pub(super) struct Entries {
    pub(super) keywords: Vec<Pair>,
    /// What the strings of an enum mean, for the description.
    pub(super) folded: String,
}

impl Entries {
    pub(super) fn get(&self, key: &str) -> Option<&Ordered> {
        let found = self.keywords.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }

    pub(super) fn set(&mut self, key: impl Into<Cow<'static, str>>, value: Ordered) {
        let key = key.into();
        match self.keywords.iter_mut().find(|(name, _)| *name == key) {
            // A variant's tag stands beside the reference to its content.
            Some((_, old)) if key == "properties" || key == "required" => join(old, value),
            Some((_, old)) => *old = value,
            None => self.keywords.push((key, value)),
        }
    }

    /// Bounds that are said win over those of the format.
    pub(super) fn set_new(&mut self, key: impl Into<Cow<'static, str>>, value: Ordered) {
        let key = key.into();
        if self.get(&key).is_none() {
            self.set(key, value);
        }
    }

    pub(super) fn extend(&mut self, entries: Vec<Pair>) {
        for (key, value) in entries {
            if key == "properties" || key == "required" {
                self.set(key, value);
            } else {
                self.set_new(key, value);
            }
        }
    }

    /// Every provider wants a type beside an enum.
    pub(super) fn type_of_enum(&mut self) {
        let Some(Ordered::Array(values)) = self.get("enum") else {
            return;
        };
        if self.get("type").is_none() && values.iter().all(|value| value.as_str().is_some()) {
            self.set("type", Ordered::string("string"));
        }
    }

    /// Keys beside a union of objects stand in each of them: an object is closed, and has to say
    /// all of its keys itself.
    pub(super) fn distributed(&mut self) {
        let Some(Ordered::Array(members)) = self.get("anyOf") else {
            return;
        };
        let (properties, required) = (self.get("properties"), self.get("required"));
        if properties.is_none() && required.is_none() {
            return;
        }
        let mut members = members.clone();
        let is_done = members
            .iter_mut()
            .all(|member| add_keys(member, properties, required));
        if is_done {
            let moved = [
                "type",
                "properties",
                "required",
                "additionalProperties",
                "unevaluatedProperties",
            ];
            self.keywords
                .retain(|(key, _)| !moved.contains(&key.as_ref()));
            self.set("anyOf", Ordered::Array(members));
        }
    }

    /// A map with integers for keys, as schemars writes it: its keys are read in one spelling each.
    pub(super) fn integer_keys(&mut self) {
        let Some(Ordered::Object(patterns)) = self.get("patternProperties") else {
            return;
        };
        let [(pattern, values)] = patterns.as_slice() else {
            return;
        };
        let keys = match pattern.as_ref() {
            r"^\d+$" => UNSIGNED_KEY,
            r"^-?\d+$" => SIGNED_KEY,
            _ => return,
        };
        if self.get("additionalProperties") != Some(&Ordered::Bool(false)) {
            return;
        }
        let values = values.clone();
        self.keywords.retain(|(key, _)| key != "patternProperties");
        self.set(
            "propertyNames",
            object([("pattern", Ordered::String(keys.into()))]),
        );
        self.set("additionalProperties", values);
    }

    /// Closes an object that declares its keys and is silent about others: that is how it is read.
    /// One that declares none takes any key, unless `closes_bare`.
    pub(super) fn closed(&mut self, closes_bare: bool) {
        let is_object = match self.get("type") {
            Some(Ordered::String(name)) => name == "object",
            Some(Ordered::Array(types)) => types.iter().any(|name| name.as_str() == Some("object")),
            _ => false,
        };
        let others = [
            "$ref",
            "additionalProperties",
            "allOf",
            "anyOf",
            "patternProperties",
            "propertyNames",
            "unevaluatedProperties",
        ];
        let is_bare = self.get("properties").is_none();
        if is_object
            && others.iter().all(|key| self.get(key).is_none())
            && ((is_bare && closes_bare) || declares_all_keys(&self.keywords))
        {
            self.set_new("properties", Ordered::Object(Vec::new()));
            self.set("additionalProperties", Ordered::Bool(false));
        }
    }

    pub(super) fn sorted(mut self) -> Ordered {
        if !self.folded.is_empty() {
            let words = match self.get("description").and_then(Ordered::as_str) {
                Some(own) => format!("{own}\n{}", self.folded),
                None => std::mem::take(&mut self.folded),
            };
            self.set("description", Ordered::string(words));
        }
        if let Some(Ordered::Array(required)) = self.get("required") {
            let mut required = required.clone();
            required.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
            if required.is_empty() {
                self.keywords.retain(|(key, _)| key != "required");
            } else {
                self.set("required", Ordered::Array(required));
            }
        }
        let place = |key: &str| {
            ORDER
                .iter()
                .position(|known| *known == key)
                .unwrap_or(ORDER.len())
        };
        self.keywords
            .sort_by(|(a, _), (b, _)| place(a).cmp(&place(b)).then_with(|| a.cmp(b)));
        Ordered::Object(self.keywords)
    }
}
