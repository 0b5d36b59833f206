//! Objects that are written in pieces, by `allOf`, as one.

use std::collections::HashSet;

use toolwright::json::Value;

use crate::document::{At, Documents, MAX_DEPTH};

/// Most parts of one object.
const MOST_PARTS: usize = 256;

/// A plain object: properties in order, and the names of those that must be there.
pub(crate) struct MergedObject<'a, 't> {
    pub(crate) properties: Vec<(&'a str, At<'a, 't>)>,
    pub(crate) required: HashSet<&'a str>,
    pub(crate) description: Option<&'a str>,
    /// True if it admits keys that are not listed, and says so.
    pub(crate) is_open: bool,
}

/// Returns a schema as one plain object, or `None` if it is anything else, such as a union or a map.
pub(crate) fn merged<'a, 't>(
    documents: &'a Documents<'t>,
    at: &At<'a, 't>,
) -> Option<MergedObject<'a, 't>> {
    let mut object = MergedObject {
        properties: Vec::new(),
        required: HashSet::new(),
        description: None,
        is_open: false,
    };
    let mut left = MOST_PARTS;
    add(documents, at.clone(), &mut object, &mut left, 0)?;
    Some(object)
}

fn add<'a, 't>(
    documents: &'a Documents<'t>,
    at: At<'a, 't>,
    object: &mut MergedObject<'a, 't>,
    left: &mut usize,
    depth: usize,
) -> Option<()> {
    // Parts that refer to the same parts twice double with each level.
    *left = left.checked_sub(1)?;
    if depth > MAX_DEPTH {
        return None;
    }
    let at = documents.follow(at).ok()?;
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
        add(documents, part, object, left, depth + 1)?;
    }
    for (name, property) in at.get("properties").iter().flat_map(At::entries) {
        match object
            .properties
            .iter_mut()
            .find(|(known, _)| *known == name)
        {
            Some((_, known)) => *known = property,
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
