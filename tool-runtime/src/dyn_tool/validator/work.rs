//! Estimates the steps of a check before it runs.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::checked::CheckedSchema;
use super::keyword::{get, has_any};
use toolwright_schema::keyword::{COMBINING, Keyword, REFERENCES, UNEVALUATED};

/// Limit on repeated evaluation of a schema's parts to find the evaluated keys: once for each enclosing part.
const MOST_ASKED_AGAIN: u64 = 17;

/// Counts the steps that it takes to check a value against a schema, until they are more than `most`. A
/// step is a look at a keyword, a key or an element, or at 16 bytes of text.
///
/// `jsonschema` has no budget, and one look multiplies another: alternatives for each element, and each
/// key asked of every alternative.
pub(super) fn steps(checked: &CheckedSchema, schema: &Value, value: &Value, most: u64) -> u64 {
    let mut work = Work {
        checked,
        most,
        steps: 0,
        tasks: vec![Task::Look(schema, value)],
        known: HashMap::new(),
        open: Vec::new(),
    };
    work.run();
    work.steps
}

/// The steps of one look at each of a schema's parts.
pub(super) fn weight(schema: &Value) -> u64 {
    match schema {
        Value::Array(items) => 1 + items.iter().map(weight).sum::<u64>(),
        Value::Object(entries) => 2 + entries.values().map(weight).sum::<u64>(),
        _ => 1,
    }
}

/// Returns true if parts of a schema may be evaluated for a value more than once.
pub(super) fn multiplies(schema: &Value) -> bool {
    match schema {
        Value::Array(items) => items.iter().any(multiplies),
        Value::Object(entries) => {
            has_any(entries, &REFERENCES)
                || has_any(entries, &UNEVALUATED)
                || entries.values().any(multiplies)
        }
        _ => false,
    }
}

/// Work left to count, in a list and not on the stack, because values and schemas nest.
enum Task<'s, 'v> {
    /// A schema is asked about a value.
    Look(&'s Value, &'v Value),
    /// A schema's keywords are asked about an entry.
    Entry(&'s Map<String, Value>, &'v str, &'v Value),
    /// They are asked about an element.
    Element(&'s Map<String, Value>, usize, &'v Value),
    /// The parts of a schema are asked which keys they evaluate.
    Evaluate(&'s Map<String, Value>, &'v Value, u64),
    /// The target of a reference was counted, starting at this number of steps.
    Close(Pair, u64),
}

/// The addresses of a reference's target, and of a value.
type Pair = (usize, usize);

struct Work<'s, 'v> {
    checked: &'s CheckedSchema,
    most: u64,
    steps: u64,
    tasks: Vec<Task<'s, 'v>>,
    /// Steps of a reference's target for an array or object.
    known: HashMap<Pair, u64>,
    /// The targets that are being counted.
    open: Vec<usize>,
}

impl<'s, 'v> Work<'s, 'v> {
    /// Counts until nothing is left, or too much.
    fn run(&mut self) {
        while self.steps <= self.most
            && let Some(task) = self.tasks.pop()
        {
            match task {
                Task::Look(schema, value) => self.look(schema, value),
                Task::Entry(keywords, key, value) => self.entry(keywords, key, value),
                Task::Element(keywords, index, value) => self.element(keywords, index, value),
                Task::Evaluate(keywords, value, left) => self.evaluate(keywords, value, left),
                Task::Close(pair, before) => {
                    self.open.pop();
                    self.known.insert(pair, self.steps - before);
                }
            }
        }
    }

    fn spend(&mut self, steps: u64) {
        self.steps = self.steps.saturating_add(steps);
    }

    /// Counts what a schema asks about a value, as if every part of it were asked.
    fn look(&mut self, schema: &'s Value, value: &'v Value) {
        self.spend(1);
        let Value::Object(keywords) = schema else {
            return;
        };
        self.spend(own(keywords, value));
        for target in self.checked.referred(keywords) {
            self.refer(target, value);
        }
        let parts = parts(keywords, value).map(|part| Task::Look(part, value));
        self.tasks.extend(parts);
        match value {
            Value::Object(entries) if has_any(keywords, &OF_ENTRIES) => {
                let entries = entries.iter();
                let entries = entries.map(|(key, value)| Task::Entry(keywords, key, value));
                self.tasks.extend(entries);
            }
            Value::Array(items) if has_any(keywords, &OF_ELEMENTS) => {
                let items = items.iter().enumerate();
                let items = items.map(|(index, value)| Task::Element(keywords, index, value));
                self.tasks.extend(items);
            }
            _ => {}
        }
        let is_container = value.is_object() || value.is_array();
        if is_container && has_any(keywords, &UNEVALUATED) {
            let task = Task::Evaluate(keywords, value, MOST_ASKED_AGAIN);
            self.tasks.push(task);
        }
    }

    /// Counts the target of a reference. Inside itself a target is evaluated once for each value, and the result kept.
    fn refer(&mut self, target: &'s Value, value: &'v Value) {
        let target_at = std::ptr::from_ref(target) as usize;
        let pair = (target_at, std::ptr::from_ref(value) as usize);
        if let Some(steps) = self.known.get(&pair) {
            let is_inside = self.open.contains(&target_at);
            self.spend(if is_inside { 1 } else { *steps });
            return;
        }
        if value.is_object() || value.is_array() {
            self.open.push(target_at);
            self.tasks.push(Task::Close(pair, self.steps));
        }
        self.tasks.push(Task::Look(target, value));
    }

    /// Finds out which keys the parts of a schema evaluate: each part is asked again.
    fn evaluate(&mut self, keywords: &'s Map<String, Value>, value: &'v Value, left: u64) {
        self.spend(1 + size(value));
        let referred = self.checked.referred(keywords);
        for part in referred.chain(parts(keywords, value)) {
            self.tasks.push(Task::Look(part, value));
            if let (Value::Object(keywords), 1..) = (part, left) {
                self.tasks.push(Task::Evaluate(keywords, value, left - 1));
            }
        }
    }

    fn entry(&mut self, keywords: &'s Map<String, Value>, key: &str, value: &'v Value) {
        self.spend(1);
        let named = |keyword| get(keywords, keyword).and_then(Value::as_object);
        let property = named(Keyword::Properties).and_then(|properties| properties.get(key));
        // Any key may match any pattern, and be left over in the end.
        let others = [
            Keyword::AdditionalProperties,
            Keyword::UnevaluatedProperties,
        ];
        let others = others.into_iter();
        let others = others.filter_map(|keyword| get(keywords, keyword));
        let patterns = named(Keyword::PatternProperties)
            .into_iter()
            .flat_map(Map::values);
        let asked = property.into_iter().chain(others).chain(patterns);
        self.tasks
            .extend(asked.map(|schema| Task::Look(schema, value)));
        if let Some(names) = get(keywords, Keyword::PropertyNames) {
            let asked = weight(names) * (1 + key.len() as u64 / 16);
            self.spend(asked);
        }
    }

    fn element(&mut self, keywords: &'s Map<String, Value>, index: usize, value: &'v Value) {
        self.spend(1);
        // Before draft 2020-12 `items` may be the list, and `additionalItems` the rest.
        let (first, rest) = match (
            get(keywords, Keyword::PrefixItems),
            get(keywords, Keyword::Items),
        ) {
            (Some(Value::Array(first)), rest) => (first.as_slice(), rest),
            (_, Some(Value::Array(first))) => {
                (first.as_slice(), get(keywords, Keyword::AdditionalItems))
            }
            (_, rest) => (&[][..], rest),
        };
        let others = [Keyword::Contains, Keyword::UnevaluatedItems];
        let others = others.into_iter();
        let others = others.filter_map(|keyword| get(keywords, keyword));
        let asked = first.get(index).or(rest).into_iter().chain(others);
        self.tasks
            .extend(asked.map(|schema| Task::Look(schema, value)));
    }
}

/// The keywords that are asked about each entry of an object.
const OF_ENTRIES: [Keyword; 5] = [
    Keyword::Properties,
    Keyword::PatternProperties,
    Keyword::AdditionalProperties,
    Keyword::UnevaluatedProperties,
    Keyword::PropertyNames,
];
/// Those that are asked about each element of an array.
const OF_ELEMENTS: [Keyword; 5] = [
    Keyword::Items,
    Keyword::PrefixItems,
    Keyword::AdditionalItems,
    Keyword::UnevaluatedItems,
    Keyword::Contains,
];

/// The schemas that a schema holds for the same value.
fn parts<'s>(
    keywords: &'s Map<String, Value>,
    value: &Value,
) -> impl Iterator<Item = &'s Value> + use<'s> {
    let lists = COMBINING.into_iter();
    let lists = lists.filter_map(|keyword| get(keywords, keyword)?.as_array());
    let single = [Keyword::Not, Keyword::If, Keyword::Then, Keyword::Else].into_iter();
    let single = single.filter_map(|keyword| get(keywords, keyword));
    let dependent = [Keyword::DependentSchemas, Keyword::Dependencies].into_iter();
    let dependent = dependent.filter_map(|keyword| get(keywords, keyword)?.as_object());
    let is_given = |key: &str| value.get(key).is_some();
    let dependent: Vec<&Value> = dependent
        .flatten()
        .filter(|(key, _)| is_given(key))
        .map(|(_, schema)| schema)
        .collect();
    lists.flatten().chain(single).chain(dependent)
}

/// Returns the steps of a schema's own keywords for a value, without its subschemas.
fn own(keywords: &Map<String, Value>, value: &Value) -> u64 {
    let count = |keyword| {
        let list = match get(keywords, keyword) {
            Some(Value::Array(items)) => items.len(),
            Some(Value::Object(entries)) => entries.len(),
            _ => 0,
        };
        list as u64
    };
    let size = size(value);
    let compared = match value {
        Value::Object(_) | Value::Array(_) => {
            let listed = get(keywords, Keyword::Enum).or_else(|| get(keywords, Keyword::Const));
            listed.map_or(0, weight) + count(Keyword::Required) + count(Keyword::DependentRequired)
        }
        // Most lists of strings are looked up.
        _ => count(Keyword::Enum) / 8,
    };
    let patterns = match value {
        Value::Object(_) => size.saturating_mul(count(Keyword::PatternProperties)),
        _ => 0,
    };
    let text = [
        Keyword::Pattern,
        Keyword::Format,
        Keyword::MinLength,
        Keyword::MaxLength,
    ];
    let is_read = value.is_string() && has_any(keywords, &text);
    let read = if is_read { size } else { 0 };
    let unique = if has_any(keywords, &[Keyword::UniqueItems]) && value.is_array() {
        weight(value)
    } else {
        0
    };
    (keywords.len() as u64)
        .saturating_add(compared)
        .saturating_add(patterns)
        .saturating_add(read)
        .saturating_add(unique)
}

/// Returns the number of keys or elements, or of 16-byte blocks of text.
fn size(value: &Value) -> u64 {
    let size = match value {
        Value::Object(entries) => entries.len(),
        Value::Array(items) => items.len(),
        Value::String(text) => text.len() / 16,
        _ => 0,
    };
    size as u64
}
