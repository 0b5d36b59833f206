//! Discriminators without a union: a base whose subtypes refer to it by `allOf`.

use std::cell::Cell;
use std::collections::HashMap;

use toolwright::json::Value;

use super::object::Side;
use crate::document::{Documents, MOST_KEY, step};

/// Most subtypes of one base.
const MOST_SUBTYPES: usize = 256;

/// Returns the only value that a subtype's own schema, or a part of it, admits for the tag.
pub(super) fn constant<'v>(schema: &'v Value<'_>, tag: &str) -> Option<&'v str> {
    let parts = schema.get("allOf").map_or(&[][..], Value::items);
    std::iter::once(schema).chain(parts).find_map(|part| {
        let tag = part.get("properties")?.get(tag)?;
        match (tag.get("const"), tag.get("enum").map(Value::items)) {
            (Some(only), _) | (None, Some([only])) => only.as_str(),
            _ => None,
        }
    })
}

fn pointer(name: &str) -> String {
    format!("/components/schemas/{}", step(name))
}

/// Returns the subtypes that a discriminator's `mapping` names.
pub(super) fn mapped(schema: &Value<'_>) -> Vec<(String, String)> {
    let mapping = schema.get("discriminator").and_then(|it| it.get("mapping"));
    let mut subtypes = Vec::new();
    for (value, target) in mapping.map_or(&[][..], Value::entries) {
        let Some(target) = target.as_str().filter(|target| target.len() <= MOST_KEY) else {
            continue;
        };
        let target = match target.strip_prefix('#') {
            Some(pointer) => crate::text::unescape(pointer),
            None => pointer(target),
        };
        subtypes.push((value.clone().into_owned(), target));
    }
    subtypes
}

/// A base, and the subtypes that a value of it may have.
pub(crate) struct Base {
    /// The property that names the subtype.
    pub(crate) tag: String,
    /// Values of the tag, with the pointers of the subtypes, in the document's order.
    pub(crate) subtypes: Vec<(String, String)>,
    /// Bytes that its union has at least on each side, as far as it was written. Writing one that is too long is slow.
    bytes: [Cell<usize>; 2],
}

impl Base {
    pub(super) fn bytes(&self, side: Side) -> &Cell<usize> {
        let [request, answer] = &self.bytes;
        match side {
            Side::Request => request,
            Side::Answer => answer,
        }
    }
}

/// The bases of the first document, by their pointers.
#[derive(Default)]
pub(crate) struct Bases(HashMap<String, Base>);

impl Bases {
    pub(crate) fn new(documents: &Documents<'_>) -> Self {
        let mut bases = HashMap::new();
        let Some(root) = documents.root() else {
            return Self(bases);
        };
        let Some(schemas) = root
            .get("components")
            .and_then(|components| components.get("schemas"))
        else {
            return Self(bases);
        };
        let all = schemas.value.entries().iter();
        let all = || all.clone().filter(|(name, _)| name.len() <= MOST_KEY);
        let is_base = |schema: &Value<'_>| {
            let discriminator = schema
                .get("discriminator")
                .and_then(|it| it.get("propertyName"));
            let has_union = schema.get("oneOf").is_some() || schema.get("anyOf").is_some();
            discriminator
                .and_then(Value::as_str)
                .filter(|_| !has_union)
                .map(str::to_owned)
        };
        // Subtypes that name a base directly, by the base's pointer.
        let mut children: HashMap<String, Vec<&str>> = HashMap::new();
        let mut has_base = false;
        for (name, schema) in all() {
            has_base |= is_base(schema).is_some();
            for part in schema.get("allOf").map_or(&[][..], Value::items) {
                let Some(reference) = part.get("$ref").and_then(Value::as_str) else {
                    continue;
                };
                if let Some(base) = reference.strip_prefix('#') {
                    children
                        .entry(crate::text::unescape(base))
                        .or_default()
                        .push(name);
                }
            }
        }
        if !has_base {
            return Self(bases);
        }
        for (name, schema) in all() {
            let Some(tag) = is_base(schema) else { continue };
            let mut subtypes = mapped(schema);
            let mut waiting = vec![pointer(name)];
            let mut is_too_long = false;
            let mut seen = std::collections::HashSet::new();
            while let Some(parent) = waiting.pop() {
                // A base of more has no union.
                is_too_long |= subtypes.len() > MOST_SUBTYPES;
                if is_too_long {
                    break;
                }
                for child in children.get(&parent).map_or(&[][..], |all| all) {
                    let place = pointer(child);
                    if !seen.insert(place.clone()) {
                        continue;
                    }
                    if !subtypes.iter().any(|(_, known)| *known == place) {
                        let schema = schemas.value.get(child);
                        let named =
                            schema.and_then(|schema| schema.get("x-ms-discriminator-value"));
                        let named = named.and_then(Value::as_str);
                        let own = schema.and_then(|schema| constant(schema, &tag));
                        let value = own.or(named).unwrap_or(child);
                        subtypes.push((value.to_owned(), place.clone()));
                    }
                    waiting.push(place);
                }
            }
            subtypes.retain(|(_, target)| documents.at(0, target.clone()).is_some());
            if !is_too_long && !subtypes.is_empty() && subtypes.len() <= MOST_SUBTYPES {
                bases.insert(
                    pointer(name),
                    Base {
                        tag,
                        subtypes,
                        bytes: Default::default(),
                    },
                );
            }
        }
        Self(bases)
    }

    /// Returns true if a schema is a subtype of the base, whose properties it takes as they are.
    pub(crate) fn is_subtype(base: &Base, document: usize, pointer: &str) -> bool {
        document == 0 && base.subtypes.iter().any(|(_, known)| known == pointer)
    }

    /// Returns the base at a pointer of a document.
    pub(crate) fn get(&self, document: usize, pointer: &str) -> Option<&Base> {
        if document == 0 {
            self.0.get(pointer)
        } else {
            None
        }
    }
}
