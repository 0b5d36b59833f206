//! Resolves each `$ref`, and finds those that come back to themselves.

use std::collections::HashMap;

use toolwright_json::Value;

use super::canonical::{DefinitionNames, ReadError};
use super::{Ordered, Parts};
use crate::text::{percent_decoded, portable_name, unescaped};

/// More different targets than a schema of a person's or a program's has.
const MOST_TARGETS: usize = 1000;

/// Returns the targets that are referred to inside a schema, in order.
fn references(schema: &Ordered) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        found.extend(schema.reference());
        let from = open.len();
        schema.inside(&mut |member| open.push(member));
        // The first is read next.
        if let Some(members) = open.get_mut(from..) {
            members.reverse();
        }
    }
    found
}

/// Returns true if a schema refers to anything.
pub fn refers(schema: &Ordered) -> bool {
    let mut refers = schema.reference().is_some();
    schema.inside(&mut |member| refers = refers || self::refers(member));
    refers
}

/// The part of a document that a reference points to.
pub fn resolve<'s, 't>(root: &'s Value<'t>, target: &str) -> Option<&'s Value<'t>> {
    let pointer = target.strip_prefix('#')?;
    match percent_decoded(pointer) {
        Some(pointer) => at(root, &pointer),
        None => at(root, pointer),
    }
}

/// The part of a document at a JSON pointer.
pub(crate) fn at<'v, 't>(root: &'v Value<'t>, pointer: &str) -> Option<&'v Value<'t>> {
    let Some(rest) = pointer.strip_prefix('/') else {
        return pointer.is_empty().then_some(root);
    };
    rest.split('/').try_fold(root, |value, part| {
        let key = unescaped(part);
        match value {
            Value::Array(items) => items.get(key.parse::<usize>().ok()?),
            value => value.get(&key),
        }
    })
}

/// The targets of back references, in the order in which they are found. Others on the way back are inlined.
pub(crate) fn heads(root: &Ordered) -> Vec<&str> {
    let (mut heads, mut seen) = (Vec::new(), vec!["#"]);
    let mut open = vec![("#", references(root).into_iter())];
    while let Some((_, rest)) = open.last_mut() {
        let Some(target) = rest.next() else {
            open.pop();
            continue;
        };
        if open.iter().any(|(known, _)| *known == target) {
            if !heads.contains(&target) {
                heads.push(target);
            }
        } else if !seen.contains(&target)
            && let Some(body) = resolve(root, target)
        {
            seen.push(target);
            open.push((target, references(body).into_iter()));
        }
    }
    heads
}

/// The recursive targets, each with its new name: `None` for the root, which is `#`.
pub fn recursive(root: &Ordered) -> Result<DefinitionNames, ReadError> {
    let mut targets: Vec<&str> = references(root);
    targets.sort_unstable();
    targets.dedup();
    let mut edges: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut open = targets;
    let mut order = Vec::new();
    while let Some(target) = open.pop() {
        if edges.contains_key(target) {
            continue;
        }
        let body = resolve(root, target);
        let body = body.ok_or_else(|| ReadError::Unresolved(target.to_owned()))?;
        let mut inner = references(body);
        inner.sort_unstable();
        inner.dedup();
        open.extend(&inner);
        edges.insert(target, inner);
        order.push(target);
        if order.len() > MOST_TARGETS {
            let what = format_args!("more than {MOST_TARGETS} definitions");
            return Err(ReadError::too_large("/", what));
        }
    }
    order.sort_unstable();
    let mut names = DefinitionNames::new();
    for target in order {
        if comes_back(target, &edges) {
            let name = match target {
                "#" => None,
                target => Some(free_name(target, &names)),
            };
            names.insert(target.to_owned(), name);
        }
    }
    Ok(names)
}

/// Returns true if a target can reach itself.
#[allow(clippy::implicit_hasher)] // The maps of one read.
pub fn comes_back(target: &str, edges: &HashMap<&str, Vec<&str>>) -> bool {
    let next = |from: &str| edges.get(from).cloned().unwrap_or_default();
    let mut open = next(target);
    let mut seen = Vec::new();
    while let Some(at) = open.pop() {
        if at == target {
            return true;
        }
        if !seen.contains(&at) {
            seen.push(at);
            open.extend(next(at));
        }
    }
    false
}

/// Returns a name for a target's definition.
fn free_name(target: &str, names: &DefinitionNames) -> String {
    let last = target.rsplit('/').next().unwrap_or_default();
    definition_name(last, |name| {
        names.values().flatten().any(|known| known == name)
    })
}

/// Returns a name for a definition: portable, so that it needs no escape in a reference, with the first number that makes it new.
pub fn definition_name(own: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let stem = portable_name(own);
    let numbered = (2_u32..).map(|number| format!("{stem}{number}"));
    let mut names = std::iter::once(stem.to_string()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}
