//! Adds the defaults of a run-time schema to arguments that leave keys out.
//!
//! It is a separate walk over admitted arguments: a default changes no verdict. The walk decides which alternative a
//! value is of, so that only its defaults are added.

use std::collections::{HashMap, HashSet};

use super::object::{GivenKeys, ObjectKeys};
use super::{Edit, Walk, WalkMode, WalkOptions, Walked, bytes};
use crate::decode::defaults::RefusedDefault;
use crate::decode::fault::say;
use crate::decode::{Arena, Fault, FaultCode, MAX_DEPTH, Repairs};
use crate::read::tree::FieldDefault;

use super::budget::Budget;

/// Defaults of a tree, by the addresses of their fields.
#[derive(Default)]
pub struct Defaults(HashMap<usize, AddedEntry>);

/// An entry that is added to an object.
struct AddedEntry {
    /// The key as a JSON string, a colon, and the default.
    text: String,
    key_len: usize,
}

impl Defaults {
    /// Returns the defaults of a tree that was read from `schema`. A default of `null` that its schema refuses means no
    /// default; other refused defaults are returned.
    pub(crate) fn of(found: &[FieldDefault<'_>], schema: &str) -> (Self, Vec<RefusedDefault>) {
        let (mut defaults, mut refused) = (Self::default(), Vec::new());
        // One budget for all of them.
        let mut budget = Budget::of(schema);
        for default in found {
            let (field, json) = (default.field, default.json);
            let reading = WalkOptions {
                depth: MAX_DEPTH,
                is_typed: false,
                budget,
            };
            let arena = Arena::new();
            let repairs = Repairs::None;
            let json_text = reading.of(json, 0, &arena);
            let mut walk = Walk::new(json_text, WalkMode::Collect { repairs }, reading);
            let walked = walk.value(field.shape);
            budget = walk.budget;
            let fault = match (walked, walk.found.faults.into_iter().next()) {
                (_, Some((_, fault))) => fault,
                (Ok(()), None) => {
                    let key = say::json_string(field.name);
                    let entry = AddedEntry {
                        text: format!("{key}:{json}"),
                        key_len: key.len(),
                    };
                    defaults.0.insert(std::ptr::from_ref(field).addr(), entry);
                    continue;
                }
                (Err(_), None) => {
                    let words = "it takes too long to check".to_owned();
                    Fault::new(String::new(), FaultCode::TooLarge, words)
                }
            };
            if json != "null" {
                refused.push(RefusedDefault {
                    path: default.at.to_owned(),
                    json: json.to_owned(),
                    fault,
                });
            }
        }
        (defaults, refused)
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Walk<'_> {
    /// Adds the defaults of the keys that an object leaves out. The object ends at `end`.
    pub(super) fn fill(&mut self, keys: ObjectKeys<'_>, given: &GivenKeys, end: usize) -> Walked {
        let Some(defaults) = self.defaults else {
            return Ok(());
        };
        let missing = keys.all().filter(|(index, _)| !given.has(*index));
        for (_, key) in missing {
            let field = std::ptr::from_ref(key.field).addr();
            if let Some(entry) = defaults.0.get(&field) {
                self.spend(1 + bytes(&entry.text))?;
                self.edits.push(Edit::entry(end.saturating_sub(1), field));
            }
        }
        Ok(())
    }
}

/// Returns the text with the entries added. Of equal keys of an object the first counts: several parts of a schema may
/// have a default for one key.
pub(super) fn filled(text: &str, mut edits: Vec<Edit>, defaults: &Defaults) -> String {
    edits.sort_by_key(|edit| edit.range.start);
    let mut out = String::with_capacity(text.len() + 16 * edits.len());
    let (mut at, mut added) = (0, HashSet::new());
    for edit in edits {
        let place = edit.range.start;
        if place > at {
            added.clear();
        }
        out.push_str(text.get(at..place).unwrap_or_default());
        at = edit.range.end;
        let Some(entry) = edit.field.and_then(|field| defaults.0.get(&field)) else {
            out.push_str(&edit.text);
            continue;
        };
        if added.insert(entry.text.get(..entry.key_len)) {
            if !out.trim_ascii_end().ends_with('{') {
                out.push(',');
            }
            out.push_str(&entry.text);
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
