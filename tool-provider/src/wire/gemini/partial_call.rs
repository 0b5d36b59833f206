//! A call whose arguments come path by path.
//!
//! Source: the types `FunctionCall` and `PartialArg` of js-genai, 2026-11. Only Vertex AI sends them, where a request has
//! `streamFunctionCallArguments`.

use serde_json::value::RawValue;

use super::super::read::{Members, elements};
use super::super::stream::tree::Tree;

/// Arguments that grow, and the part whose call they are of.
#[derive(Debug)]
pub(super) struct PartialCall {
    pub(super) part: Tree,
    arguments: Tree,
}

/// Returns true if more of the part's call follows.
pub(super) fn goes_on(call: &Members<'_>) -> bool {
    call.says_true("willContinue")
}

impl PartialCall {
    pub(super) fn new(part: &RawValue, call: &Members<'_>) -> Self {
        Self {
            part: Tree::of(part),
            arguments: call.get("args").map_or_else(Tree::default, Tree::of),
        }
    }

    /// Takes the next values. One whose path leads nowhere is left out.
    pub(super) fn join(&mut self, call: &Members<'_>) {
        for piece in elements(call.get("partialArgs")) {
            let piece = Members::of(Some(piece));
            let path = piece.words("jsonPath");
            if let (Some(path), Some(value)) = (steps(&path), value(&piece)) {
                put(&mut self.arguments, &path, value);
            }
        }
    }

    /// Returns the part as it would have come whole.
    pub(super) fn end(mut self) -> Tree {
        self.part.open_object();
        let call = self.part.entry("functionCall");
        call.open_object();
        call.remove("willContinue");
        call.remove("partialArgs");
        call.put("args", self.arguments);
        self.part
    }
}

/// Returns the value; `None` if the piece has none.
fn value<'t>(piece: &Members<'t>) -> Option<&'t RawValue> {
    if piece.get("nullValue").is_some() {
        return Some(RawValue::NULL);
    }
    let keys = ["stringValue", "numberValue", "boolValue"];
    keys.into_iter().find_map(|key| piece.get(key))
}

enum Step {
    Key(String),
    Index(usize),
}

/// Reads a path such as `$.a.b[0]['a key']`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(key) = rest.strip_prefix('.') {
            let end = key.find(['.', '[']).unwrap_or(key.len());
            let (key, behind) = key.split_at(end);
            steps.push(Step::Key(
                Some(key).filter(|key| !key.is_empty())?.to_owned(),
            ));
            rest = behind;
            continue;
        }
        let (inner, behind) = match rest.strip_prefix("['") {
            Some(quoted) => quoted.split_once("']")?,
            None => rest.strip_prefix('[')?.split_once(']')?,
        };
        steps.push(match inner.parse() {
            Ok(index) if !rest.starts_with("['") => Step::Index(index),
            Err(_) if !rest.starts_with("['") => return None,
            _ => Step::Key(inner.to_owned()),
        });
        rest = behind;
    }
    (!steps.is_empty()).then_some(steps)
}

/// Puts a value at its path. A string goes on with the string that is there.
fn put(root: &mut Tree, path: &[Step], value: &RawValue) {
    let mut place = root;
    for step in path {
        place = match step {
            Step::Key(key) => place.entry(key),
            Step::Index(index) => match place.item(*index) {
                Some(item) => item,
                None => return,
            },
        };
    }
    match place {
        Tree::Text(text) if value.get().starts_with('"') => text.push(value),
        place => *place = Tree::of(value),
    }
}
