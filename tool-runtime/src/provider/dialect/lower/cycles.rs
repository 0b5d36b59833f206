//! Types that contain themselves through keys that must be there.

use std::collections::HashMap;

use super::super::canonical::Canonical;
use super::super::canonical::refs::comes_back;
use super::super::keywords::inside;
use super::super::plan::Path;
use crate::schema::read::Ordered;

/// Where a type is first referred to that contains itself where no key on the way may be missing: no
/// value would end.
pub(super) fn required(canonical: &Canonical) -> Option<String> {
    let root = ("#".to_owned(), &canonical.root);
    let defs = canonical.defs.iter();
    let defs = defs.map(|(name, body)| (format!("#/$defs/{name}"), body));
    let all: Vec<(String, &Ordered)> = [root].into_iter().chain(defs).collect();
    let edges: HashMap<&str, Vec<&str>> = all
        .iter()
        .map(|(reference, body)| (reference.as_str(), needed(body)))
        .collect();
    let endless: Vec<&str> = edges
        .keys()
        .copied()
        .filter(|reference| comes_back(reference, &edges))
        .collect();
    if endless.is_empty() {
        return None;
    }
    let path = first_reference(&canonical.root, &endless, &Path::default());
    Some(path.unwrap_or_else(|| "/".to_owned()))
}

/// The references that every value of a schema may have to follow.
fn needed(schema: &Ordered) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        found.extend(schema.get("$ref").and_then(Ordered::as_str));
        let is_required = |name: &str| match schema.get("required") {
            Some(Ordered::Array(names)) => names.iter().any(|known| known.as_str() == Some(name)),
            _ => false,
        };
        let mut optional = Vec::new();
        if let Some(Ordered::Object(keys)) = schema.get("properties") {
            let may_miss = keys.iter().filter(|(name, _)| !is_required(name));
            optional.extend(may_miss.map(|(_, member)| std::ptr::from_ref(member)));
        }
        inside(schema, &mut |member| {
            if !optional.contains(&std::ptr::from_ref(member)) {
                open.push(member);
            }
        });
    }
    found
}

/// Where such a type is first referred to.
fn first_reference(schema: &Ordered, endless: &[&str], path: &Path) -> Option<String> {
    let target = schema.get("$ref").and_then(Ordered::as_str);
    if target.is_some_and(|target| endless.contains(&target)) {
        return Some(path.at());
    }
    let Ordered::Object(entries) = schema else {
        return None;
    };
    let below = |part: &str, member: &Ordered| {
        let mut path = path.clone();
        path.enter(part);
        first_reference(member, endless, &path)
    };
    for (key, value) in entries {
        let found = match (key.as_ref(), value) {
            ("properties", Ordered::Object(members)) => members
                .iter()
                .find_map(|(name, member)| below(&Path::escaped(name), member)),
            ("anyOf" | "allOf", Ordered::Array(members)) => members
                .iter()
                .enumerate()
                .find_map(|(index, member)| below(&format!("?{index}"), member)),
            ("prefixItems", Ordered::Array(members)) => members
                .iter()
                .enumerate()
                .find_map(|(index, member)| below(&format!("_{index}"), member)),
            ("items" | "additionalProperties", member) => below("*", member),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}
