//! The properties of a schema, on all levels and in all alternatives.

use std::collections::{HashSet, VecDeque};

use toolwright::json::Value;

use super::Bases;
use super::object::is_read_only;
use crate::document::{At, Documents};

/// Most schemas that are looked into.
const MOST_VISITS: usize = 1_000;
/// Keywords whose schemas describe the same value.
const IN_PLACE: [&str; 7] = [
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "then",
    "else",
    "dependentSchemas",
];

/// A property, wherever it stands in a schema.
pub(crate) struct Property<'a, 't> {
    /// The property that holds the object. Empty for the top-level object.
    pub(crate) owner: &'a str,
    pub(crate) name: &'a str,
    pub(crate) at: At<'a, 't>,
    pub(crate) required: bool,
    pub(crate) is_read_only: bool,
}

/// Properties that were found.
#[derive(Default)]
pub(crate) struct Properties<'a, 't> {
    pub(crate) all: Vec<Property<'a, 't>>,
    /// Names of properties that choose a subtype.
    pub(crate) tags: HashSet<&'a str>,
    /// True if properties of the top-level object are missing.
    pub(crate) misses_top: bool,
    /// True if properties of inner objects are missing.
    pub(crate) misses_inner: bool,
}

/// Collects the properties of a schema, those of the top-level object first.
pub(crate) fn properties<'a, 't>(
    documents: &'a Documents<'t>,
    bases: &'a Bases,
    at: &At<'a, 't>,
) -> Properties<'a, 't> {
    let mut found = Properties::default();
    let mut seen = HashSet::new();
    // Objects below keys that the document does not name have no owner.
    let mut waiting = VecDeque::from([(at.clone(), Some(""), false)]);
    while let Some((at, owner, is_part)) = waiting.pop_front() {
        let Ok(target) = documents.follow(at.clone()) else {
            continue;
        };
        if !seen.insert((target.document, target.pointer.clone(), owner, is_part)) {
            continue;
        }
        if seen.len() > MOST_VISITS {
            found.misses_top = owner == Some("");
            found.misses_inner = true;
            break;
        }
        // In OpenAPI 3.1, keywords beside a reference count too.
        if at.value.get("$ref").is_some() {
            visit(&at, owner, documents, bases, &mut found, &mut waiting);
        }
        visit(&target, owner, documents, bases, &mut found, &mut waiting);
        let base = bases.get(target.document, &target.pointer);
        if let Some(base) = base {
            found.tags.insert(&base.tag);
            // A subtype has no subtypes of its base.
            for (_, pointer) in base.subtypes.iter().filter(|_| !is_part) {
                let subtype = documents.at(target.document, pointer.clone());
                if let Some(at) = subtype {
                    waiting.push_front((at, owner, false));
                }
            }
        }
    }
    found
}

/// Schemas, their owners, and whether they are a base as a part of its subtype.
type Waiting<'a, 't> = VecDeque<(At<'a, 't>, Option<&'a str>, bool)>;

fn visit<'a, 't>(
    at: &At<'a, 't>,
    owner: Option<&'a str>,
    documents: &'a Documents<'t>,
    bases: &'a Bases,
    found: &mut Properties<'a, 't>,
    waiting: &mut Waiting<'a, 't>,
) {
    let holder = at;
    let tag = at
        .value
        .get("discriminator")
        .and_then(|it| it.get("propertyName"));
    found.tags.extend(tag.and_then(Value::as_str));
    for part in IN_PLACE.into_iter().filter_map(|key| at.get(key)) {
        match part.value {
            Value::Array(_) => part.items().for_each(|at| {
                let base = documents.follow(at.clone()).ok();
                let base = base.and_then(|at| bases.get(at.document, &at.pointer));
                let is_part = base
                    .is_some_and(|base| Bases::is_subtype(base, holder.document, &holder.pointer));
                waiting.push_front((at, owner, is_part));
            }),
            _ if part.pointer.ends_with("/dependentSchemas") => {
                part.entries()
                    .for_each(|(_, at)| waiting.push_front((at, owner, false)));
            }
            _ => waiting.push_front((part, owner, false)),
        }
    }
    // An array of objects stands for its objects.
    for part in ["items", "prefixItems"]
        .into_iter()
        .filter_map(|key| at.get(key))
    {
        let mut add = |at| match owner {
            Some("") => waiting.push_front((at, owner, false)),
            _ => waiting.push_back((at, owner, false)),
        };
        match part.value {
            Value::Array(_) => part.items().for_each(add),
            _ => add(part),
        }
    }
    for part in ["additionalProperties", "patternProperties"]
        .into_iter()
        .filter_map(|key| at.get(key))
    {
        if part.pointer.ends_with("/patternProperties") {
            part.entries()
                .for_each(|(_, at)| waiting.push_back((at, None, false)));
        } else {
            waiting.push_back((part, None, false));
        }
    }
    let required = at.value.get("required").map_or(&[][..], Value::items);
    let required: HashSet<&str> = required.iter().filter_map(Value::as_str).collect();
    for (name, property) in at.get("properties").iter().flat_map(At::entries) {
        let has_parts = property.value.entries().iter().any(|(key, _)| {
            matches!(
                &**key,
                "$ref" | "properties" | "items" | "additionalProperties"
            ) || IN_PLACE.contains(&&**key)
        });
        if has_parts {
            waiting.push_back((property.clone(), Some(name), false));
        }
        if let Some(owner) = owner {
            found.all.push(Property {
                owner,
                name,
                required: required.contains(name),
                is_read_only: is_read_only(documents, &property),
                at: property,
            });
        }
    }
}
