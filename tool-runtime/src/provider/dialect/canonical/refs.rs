//! What a `$ref` leads to, and which ones come back to themselves.

use std::collections::HashMap;

use super::super::keywords::inside;
use super::super::reject::{Reject, RejectCode};
use crate::schema::read::Ordered;

/// More different targets than a schema of a person's or a program's has.
const MOST_TARGETS: usize = 1000;

/// The targets that are referred to inside a schema, in order.
pub(in super::super) fn references(schema: &Ordered) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        if let Some(target) = schema.get("$ref").and_then(Ordered::as_str) {
            found.push(target);
        }
        let from = open.len();
        inside(schema, &mut |member| open.push(member));
        // The first is read next.
        if let Some(members) = open.get_mut(from..) {
            members.reverse();
        }
    }
    found
}

/// The part of the document that a reference leads to.
pub(super) fn resolve<'s>(root: &'s Ordered, target: &str) -> Option<&'s Ordered> {
    let pointer = target.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(root);
    }
    let mut at = root;
    for part in pointer.strip_prefix('/')?.split('/') {
        let part = percent_decoded(part).replace("~1", "/").replace("~0", "~");
        at = match at {
            Ordered::Array(items) => items.get(part.parse::<usize>().ok()?)?,
            other => other.get(&part)?,
        };
    }
    Some(at)
}

fn percent_decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let [first, tail @ ..] = rest {
        let decoded = match (first, tail) {
            (b'%', [a, b, ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                let byte = digit(a).zip(digit(b)).map(|(a, b)| a * 16 + b);
                byte.and_then(|byte| u8::try_from(byte).ok())
            }
            _ => None,
        };
        match decoded {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The targets that come back to themselves, each with the name that it has from now on: none for
/// the root, which is `#`.
pub(super) fn recursive(root: &Ordered) -> Result<HashMap<String, Option<String>>, Reject> {
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
        let body = resolve(root, target).ok_or_else(|| {
            let reject = Reject::new(RejectCode::UnresolvedRef, "/");
            Reject {
                help: format!("{target:?} leads nowhere; {}", reject.help),
                ..reject
            }
        })?;
        let mut inner = references(body);
        inner.sort_unstable();
        inner.dedup();
        open.extend(&inner);
        edges.insert(target, inner);
        order.push(target);
        if order.len() > MOST_TARGETS {
            let what = format!("more than {MOST_TARGETS} definitions");
            return Err(Reject::too_large("/", what));
        }
    }
    order.sort_unstable();
    let mut names: HashMap<String, Option<String>> = HashMap::new();
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

/// Whether edges lead from a target back to it.
pub(in super::super) fn comes_back(target: &str, edges: &HashMap<&str, Vec<&str>>) -> bool {
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

/// The last part of a target, in characters that need no escape in a reference.
fn free_name(target: &str, names: &HashMap<String, Option<String>>) -> String {
    let last = target.rsplit('/').next().unwrap_or_default();
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.');
    let stem: String = last
        .chars()
        .map(|char| if plain(char) { char } else { '_' })
        .collect();
    let is_taken = |name: &String| names.values().flatten().any(|known| known == name);
    let mut name = stem.clone();
    let mut next = 2;
    while is_taken(&name) {
        name = format!("{stem}_{next}");
        next += 1;
    }
    name
}
