//! The properties of a schema, on all levels and in all alternatives.

use std::collections::{HashMap, HashSet, VecDeque};

use toolwright::json::Value;

use super::Bases;
use super::object::{Side, is_absent};
use crate::document::{At, Documents};

/// Most schemas that are looked into.
const MOST_VISITS: usize = 1_000;
/// Most properties of all of them.
const MOST_PROPERTIES: usize = 100_000;
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
/// Keywords of the items of an array, which stands for its objects.
const ITEMS: [&str; 4] = ["items", "prefixItems", "contains", "unevaluatedItems"];
/// Keywords of the values of keys that no part names.
const REST: [&str; 3] = [
    "additionalProperties",
    "patternProperties",
    "unevaluatedProperties",
];

/// A property of one part of an object.
pub(crate) struct Property<'a, 't> {
    pub(crate) name: &'a str,
    pub(crate) at: At<'a, 't>,
    pub(crate) required: bool,
    pub(crate) is_read_only: bool,
}

/// The objects at one place of a value: all parts and alternatives, and all items of arrays.
#[derive(Default)]
pub(crate) struct Place<'a, 't> {
    pub(crate) properties: Vec<Property<'a, 't>>,
    /// Names of properties that choose a subtype.
    pub(crate) tags: HashSet<&'a str>,
    /// Places below properties, by their names.
    pub(crate) inner: HashMap<&'a str, usize>,
    /// The place below all other keys.
    pub(crate) rest: Option<usize>,
}

/// The places of a value that may hold objects.
pub(crate) struct Places<'a, 't> {
    /// The first is the value itself.
    pub(crate) all: Vec<Place<'a, 't>>,
    /// True if properties of the value itself are missing.
    pub(crate) misses_top: bool,
    /// True if properties of inner objects are missing.
    pub(crate) misses_inner: bool,
}

/// Collects the properties of a schema by place.
pub(crate) fn places<'a, 't>(
    documents: &'a Documents<'t>,
    bases: &'a Bases,
    at: &At<'a, 't>,
) -> Places<'a, 't> {
    let mut walk = Walk {
        documents,
        bases,
        known: HashMap::new(),
        waiting: VecDeque::new(),
        visits_left: MOST_VISITS,
        properties_left: MOST_PROPERTIES,
    };
    let mut all = Vec::new();
    let (mut is_full, mut is_top) = (false, true);
    // No reference leads to the first place: what holds at the top alone must not hold where its schema is used again below.
    walk.known.insert(Vec::new(), 0);
    walk.waiting.push_back(vec![at.clone()]);
    while let Some(schemas) = walk.waiting.pop_front().filter(|_| !is_full) {
        let mut place = Place::default();
        is_full = walk.fill(&mut place, schemas).is_none();
        is_top = all.is_empty();
        // What is not complete has no rules.
        if !is_full || is_top {
            all.push(place);
        }
    }
    Places {
        misses_top: is_full && is_top,
        misses_inner: is_full,
        all,
    }
}

struct Walk<'a, 't> {
    documents: &'a Documents<'t>,
    bases: &'a Bases,
    /// Places by the schemas that describe them, so that schemas which refer to themselves come to an end.
    known: HashMap<Vec<(usize, String)>, usize>,
    /// The schemas of places that were not filled, in order.
    waiting: VecDeque<Vec<At<'a, 't>>>,
    visits_left: usize,
    properties_left: usize,
}

/// Schemas that one part leads to.
#[derive(Default)]
struct Found<'a, 't> {
    /// Schemas of the same place, and whether they are a base as a part of its subtype.
    parts: Vec<(At<'a, 't>, bool)>,
    inner: HashMap<&'a str, Vec<At<'a, 't>>>,
    rest: Vec<At<'a, 't>>,
}

impl<'a, 't> Found<'a, 't> {
    fn part(&mut self, at: At<'a, 't>) {
        self.parts.push((at, false));
    }
}

/// Calls a function with the schemas of a keyword that has one, an array or a map of them.
fn each<'a, 't>(at: &At<'a, 't>, key: &str, mut add: impl FnMut(At<'a, 't>)) {
    let is_map = matches!(key, "dependentSchemas" | "patternProperties");
    match at.get(key) {
        Some(part) if matches!(part.value, Value::Array(_)) => part.items().for_each(add),
        Some(part) if is_map => part.entries().map(|(_, at)| at).for_each(add),
        Some(part) if matches!(part.value, Value::Object(_)) => add(part),
        _ => {}
    }
}

impl<'a, 't> Walk<'a, 't> {
    /// Returns the place that schemas describe.
    fn place(&mut self, schemas: Vec<At<'a, 't>>) -> usize {
        let mut key: Vec<_> = schemas
            .iter()
            .map(|at| {
                let is_bare = at.value.entries().len() == 1;
                let target = self.documents.follow(at.clone()).ok().filter(|_| is_bare);
                let at = target.unwrap_or_else(|| at.clone());
                (at.document, at.pointer)
            })
            .collect();
        key.sort_unstable();
        key.dedup();
        let next = self.known.len();
        let place = *self.known.entry(key).or_insert(next);
        if place == next {
            self.waiting.push_back(schemas);
        }
        place
    }

    /// Reads the schemas of a place. Returns `None` if there are too many.
    fn fill(&mut self, place: &mut Place<'a, 't>, schemas: Vec<At<'a, 't>>) -> Option<()> {
        let mut found = Found::default();
        for at in schemas {
            found.part(at);
        }
        let mut seen = HashSet::new();
        while let Some((at, is_part)) = found.parts.pop() {
            let Ok(target) = self.documents.follow(at.clone()) else {
                continue;
            };
            // In OpenAPI 3.1, keywords beside a reference count too.
            if at.value.get("$ref").is_some()
                && at.value.entries().len() > 1
                && seen.insert((at.document, at.pointer.clone(), is_part))
            {
                self.part(&at, place, &mut found)?;
            }
            if !seen.insert((target.document, target.pointer.clone(), is_part)) {
                continue;
            }
            self.visits_left = self.visits_left.checked_sub(1)?;
            self.part(&target, place, &mut found)?;
            let Some(base) = self.bases.get(target.document, &target.pointer) else {
                continue;
            };
            place.tags.insert(&base.tag);
            // A subtype has no subtypes of its base.
            for (_, pointer) in base.subtypes.iter().filter(|_| !is_part) {
                if let Some(at) = self.documents.at(target.document, pointer.clone()) {
                    found.part(at);
                }
            }
        }
        for property in &place.properties {
            if let Some(schemas) = found.inner.remove(property.name) {
                place.inner.insert(property.name, self.place(schemas));
            }
        }
        if !found.rest.is_empty() {
            place.rest = Some(self.place(found.rest));
        }
        Some(())
    }

    fn part(
        &mut self,
        at: &At<'a, 't>,
        place: &mut Place<'a, 't>,
        found: &mut Found<'a, 't>,
    ) -> Option<()> {
        let tag = at.value.get("discriminator");
        let tag = tag.and_then(|it| it.get("propertyName"));
        place.tags.extend(tag.and_then(Value::as_str));
        for key in IN_PLACE {
            each(at, key, |part| {
                let base = self.documents.follow(part.clone()).ok();
                let base = base.and_then(|at| self.bases.get(at.document, &at.pointer));
                let is_part = key == "allOf"
                    && base.is_some_and(|base| Bases::is_subtype(base, at.document, &at.pointer));
                found.parts.push((part, is_part));
            });
        }
        for key in ITEMS {
            each(at, key, |part| found.part(part));
        }
        for key in REST {
            each(at, key, |part| found.rest.push(part));
        }
        let required = at.value.get("required").map_or(&[][..], Value::items);
        let required: HashSet<&str> = required.iter().filter_map(Value::as_str).collect();
        for (name, property) in at.get("properties").iter().flat_map(At::entries) {
            self.properties_left = self.properties_left.checked_sub(1)?;
            let has_parts = property.value.entries().iter().any(|(key, _)| {
                let key = &&**key;
                matches!(*key, "$ref" | "properties")
                    || IN_PLACE.contains(key)
                    || ITEMS.contains(key)
                    || REST.contains(key)
            });
            if has_parts {
                found.inner.entry(name).or_default().push(property.clone());
            }
            place.properties.push(Property {
                name,
                required: required.contains(name),
                is_read_only: is_absent(self.documents, &property, Side::Request),
                at: property,
            });
        }
        Some(())
    }
}
