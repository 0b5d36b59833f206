//! Checks that no tree can express, by `jsonschema`.

use std::collections::HashMap;
use std::sync::Arc;

use jsonschema::{PatternOptions, ValidationOptions, Validator, ValidatorMap};
use serde::Deserialize;
use serde_json::{Value, json};

use super::checked::CheckedSchema;
use super::draft::Draft;
use super::plain::Plain;
use super::work;
use toolwright_schema::decode::{Json, Store};
use toolwright_schema::format;
use toolwright_schema::read::tree::{Needs, Oracles};
use toolwright_schema::shape::Oracle;

/// A compiled regular expression may take so many bytes, which bounds what a match costs.
const MOST_PATTERN_BYTES: usize = 256 * 1024;

/// So many steps need not be counted.
const SURELY_FEW: u64 = 1 << 14;

/// A part of a schema, compiled.
struct Part {
    checked: Arc<CheckedSchema>,
    pointer: String,
    validators: Arc<ValidatorMap>,
    /// See [`work::weight`] and [`work::multiplies`].
    weight: u64,
    multiplies: bool,
}

impl Oracle for Part {
    fn ask(&self, text: &str, steps: &mut u64) -> Option<bool> {
        let store = Store::new();
        let Ok(Plain(value)) = Plain::deserialize(&mut Json::new(text, &store)) else {
            // A number that no `f64` holds.
            return Some(false);
        };
        // Each part of the schema is asked about each value once at most.
        let bound = self.weight.saturating_mul(text.len() as u64);
        let cost = if self.multiplies || bound > SURELY_FEW {
            let schema = self.checked.schema.pointer(&self.pointer)?;
            work::steps(&self.checked, schema, &value, *steps)
        } else {
            bound
        };
        *steps = steps.checked_sub(cost)?;
        let validator = self.validators.get(&format!("#{}", self.pointer))?;
        Some(validator.is_valid(&value))
    }
}

/// A pattern, compiled. It takes time linear in the text.
struct Regex(Validator);

impl Oracle for Regex {
    fn ask(&self, text: &str, _: &mut u64) -> Option<bool> {
        let text = serde_json::from_str::<String>(text).ok()?;
        Some(self.0.is_valid(&Value::String(text)))
    }
}

/// Compiles what a schema needs; nothing if it is no valid schema.
pub(super) fn all(checked: &Arc<CheckedSchema>, needs: Needs) -> Option<Oracles> {
    let mut oracles = Oracles {
        schemas: parts(checked, needs.schemas)?,
        ..Oracles::default()
    };
    for pattern in needs.patterns {
        let validator = compile_pattern(checked.draft, &pattern)?;
        oracles.patterns.insert(pattern, Box::new(Regex(validator)));
    }
    Some(oracles)
}

fn parts(
    checked: &Arc<CheckedSchema>,
    pointers: Vec<String>,
) -> Option<HashMap<String, Box<dyn Oracle>>> {
    if pointers.is_empty() {
        return Some(HashMap::new());
    }
    let validators = Arc::new(options(checked.draft).build_map(&checked.schema).ok()?);
    let parts = pointers.into_iter().map(|pointer| {
        let schema = checked.schema.pointer(&pointer)?;
        // Whoever asks finds it.
        validators.get(&format!("#{pointer}"))?;
        let part = Part {
            checked: Arc::clone(checked),
            pointer: pointer.clone(),
            validators: Arc::clone(&validators),
            weight: work::weight(schema),
            multiplies: work::multiplies(schema),
        };
        let part: Box<dyn Oracle> = Box::new(part);
        Some((pointer, part))
    });
    parts.collect()
}

pub(super) fn compile_pattern(draft: Draft, pattern: &str) -> Option<Validator> {
    options(draft).build(&json!({ "pattern": pattern })).ok()
}

/// Returns options of `jsonschema`: nothing is fetched, and patterns match in linear time.
fn options(draft: Draft) -> ValidationOptions<'static> {
    let patterns = PatternOptions::regex()
        .size_limit(MOST_PATTERN_BYTES)
        .dfa_size_limit(MOST_PATTERN_BYTES);
    jsonschema::options()
        .with_draft(draft.library())
        .offline()
        .should_validate_formats(true)
        // It knows them only with tables of 30 crates.
        .with_format("idn-email", |text: &str| format::admits("idn-email", text))
        .with_format("idn-hostname", |text: &str| {
            format::admits("idn-hostname", text)
        })
        .with_pattern_options(patterns)
}
