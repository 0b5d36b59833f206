//! Objects that are written in pieces, by `allOf`, as one.

use std::collections::{HashMap, HashSet};

use toolwright::json::Value;

use crate::document::{At, Documents, MAX_DEPTH};

/// The side of a call that a schema describes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Request,
    Answer,
}

impl Side {
    /// Returns the keyword of properties that only the other side has.
    const fn absent(self) -> &'static str {
        match self {
            Self::Request => "readOnly",
            Self::Answer => "writeOnly",
        }
    }
}

/// Most parts of one object.
const MOST_PARTS: usize = 256;
/// Most properties of one object, counted in each part.
const MOST_PROPERTIES: usize = 100_000;

/// A plain object: properties in order, and the names of those that must be there.
pub(crate) struct MergedObject<'a, 't> {
    pub(crate) properties: Vec<(&'a str, At<'a, 't>)>,
    places: HashMap<&'a str, usize>,
    pub(crate) required: HashSet<&'a str>,
    /// Properties that only the other side has.
    pub(crate) absent: HashSet<&'a str>,
    pub(crate) description: Option<&'a str>,
    /// True if it admits keys that are not listed, and says so.
    pub(crate) is_open: bool,
}

/// Returns a schema as one plain object, or `None` if it is anything else, such as a union or a map.
pub(crate) fn merged<'a, 't>(
    documents: &'a Documents<'t>,
    at: &At<'a, 't>,
    side: Side,
) -> Option<MergedObject<'a, 't>> {
    let mut object = MergedObject {
        properties: Vec::new(),
        places: HashMap::new(),
        required: HashSet::new(),
        absent: HashSet::new(),
        description: None,
        is_open: false,
    };
    let mut budget = Budget {
        side,
        parts: MOST_PARTS,
        properties: MOST_PROPERTIES,
        seen: HashSet::new(),
    };
    add(documents, at.clone(), &mut object, &mut budget, 0)?;
    Some(object)
}

/// What one object may still cost.
struct Budget {
    side: Side,
    parts: usize,
    properties: usize,
    /// Targets of references that were added.
    seen: HashSet<(usize, String)>,
}

fn add<'a, 't>(
    documents: &'a Documents<'t>,
    at: At<'a, 't>,
    object: &mut MergedObject<'a, 't>,
    budget: &mut Budget,
    depth: usize,
) -> Option<()> {
    budget.parts = budget.parts.checked_sub(1)?;
    if depth > MAX_DEPTH {
        return None;
    }
    let is_reference = at.value.get("$ref").is_some();
    let at = documents.follow(at).ok()?;
    // Parts that refer to the same parts twice double with each level.
    if is_reference && !budget.seen.insert((at.document, at.pointer.clone())) {
        return Some(());
    }
    let Value::Object(_) = at.value else {
        return None;
    };
    for (key, value) in at.value.entries() {
        match (&**key, value) {
            ("type", Value::String(name)) if name == "object" => {}
            ("properties", Value::Object(_)) | ("required", Value::Array(_) | Value::Bool(_)) => {}
            ("allOf", Value::Array(_)) => {}
            ("additionalProperties" | "nullable", Value::Bool(false)) => {}
            ("additionalProperties", Value::Bool(true)) => object.is_open = true,
            (
                "title" | "description" | "example" | "examples" | "xml" | "externalDocs"
                | "deprecated" | "default" | "discriminator" | "readOnly" | "writeOnly" | "format"
                | "$comment" | "$id" | "$schema",
                _,
            ) => {}
            (key, _) if key.starts_with("x-") => {}
            _ => return None,
        }
    }
    for part in at.get("allOf").iter().flat_map(At::items) {
        add(documents, part, object, budget, depth + 1)?;
    }
    for (name, property) in at.get("properties").iter().flat_map(At::entries) {
        budget.properties = budget.properties.checked_sub(1)?;
        if is_absent(documents, &property, budget.side) {
            object.absent.insert(name);
        }
        let place = *object.places.entry(name).or_insert(object.properties.len());
        match object.properties.get_mut(place) {
            // A part that only describes a property does not replace it.
            Some((_, known)) if says_more(property.value) => *known = property,
            Some(_) => {}
            None => object.properties.push((name, property)),
        }
    }
    let required = at.value.get("required").map_or(&[][..], Value::items);
    object
        .required
        .extend(required.iter().filter_map(Value::as_str));
    object.description = at.text("description").or(object.description);
    Some(())
}

/// Returns true if a schema says which values fit.
fn says_more(schema: &Value<'_>) -> bool {
    const WORDS: [&str; 9] = [
        "type",
        "$ref",
        "enum",
        "const",
        "properties",
        "items",
        "allOf",
        "oneOf",
        "anyOf",
    ];
    WORDS.iter().any(|key| schema.get(key).is_some())
}

/// Returns true if only the other side has a property: its schema says so, or a part of it.
pub(crate) fn is_absent<'a, 't>(documents: &'a Documents<'t>, at: &At<'a, 't>, side: Side) -> bool {
    fn of<'a, 't>(
        documents: &'a Documents<'t>,
        at: &At<'a, 't>,
        keyword: &str,
        left: &mut usize,
    ) -> bool {
        if at.is(keyword) {
            return true;
        }
        let Some(less) = left.checked_sub(1) else {
            return false;
        };
        *left = less;
        if at.value.get("$ref").is_none() && at.value.get("allOf").is_none() {
            return false;
        }
        let Ok(at) = documents.follow(at.clone()) else {
            return false;
        };
        if at.is(keyword) {
            return true;
        }
        let parts = at.get("allOf");
        for part in parts.iter().flat_map(At::items) {
            if *left == 0 {
                return false;
            }
            if of(documents, &part, keyword, left) {
                return true;
            }
        }
        false
    }
    of(documents, at, side.absent(), &mut MOST_PARTS.min(32))
}
