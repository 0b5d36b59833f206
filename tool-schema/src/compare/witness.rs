//! Looks for a value that one schema admits and another refuses, at run time.

use std::cell::Cell;

use serde_json::Value;

use super::json::{Parts, alike, equal};
use super::number::Num;
use super::relation::{Answer, Question, literal};
use super::rules::{Rules, Types, resolved, target};
use crate::format;

/// Number of values that are kept at each place, at most.
const KEPT: usize = 10;
/// Number of values that are inside each other, at most.
const DEEPEST: usize = 6;
/// Number of places that are looked at, at most.
const STEPS: u32 = 400;
/// Values of all types.
const ANY_VALUES: [&str; 12] = [
    "{}",
    "[]",
    "null",
    "true",
    "0",
    "-1",
    "0.5",
    "1e30",
    "\"\"",
    "\"~\"",
    "[null]",
    "{\"a\":null}",
];
/// Length of a string that is made, at most.
const LONGEST: u64 = 2000;
/// Number of elements that are made, at most.
const MOST: u64 = 40;

impl Question<'_> {
    /// Returns a value that `from` admits and `by` refuses, as JSON text, if a search finds one.
    pub fn witness(&self) -> Option<String> {
        let search = Search {
            question: *self,
            left: Cell::new(STEPS),
        };
        let values = search.values(self.from, self.by, 0);
        values.into_iter().find(|value| {
            admits(self.from, self.from, value, 0) == Some(true)
                && admits(self.by, self.by, value, 0) == Some(false)
        })
    }
}

struct Search<'t> {
    question: Question<'t>,
    /// Number of places that may still be looked at.
    left: Cell<u32>,
}

impl<'t> Search<'t> {
    /// Values that `from` may admit, those first that `by` refuses.
    fn values(&self, from: &'t [u8], by: &'t [u8], depth: usize) -> Vec<String> {
        if depth > DEEPEST || self.left.get() == 0 {
            return Vec::new();
        }
        self.left.set(self.left.get() - 1);
        let mut found = Vec::new();
        let (mut own, mut other) = (Vec::new(), Vec::new());
        flatten(self.question.from, from, &mut own, 0);
        flatten(self.question.by, by, &mut other, 0);
        for a in &own {
            if a.is_anything() && depth > 0 {
                found.extend(ANY_VALUES.map(str::to_owned));
                continue;
            }
            for b in &other {
                self.of_rules(a, b, depth, &mut found);
            }
        }
        found.sort();
        found.dedup();
        found.retain(|value| admits(self.question.from, from, value, 0) != Some(false));
        // What is refused stands first; then what is short, of each type.
        found.sort_by_cached_key(|value| {
            let rank = match admits(self.question.by, by, value, 0) {
                Some(false) => 0,
                None => 1,
                Some(true) => 2,
            };
            (rank, value.len())
        });
        let refused = found
            .iter()
            .take_while(|value| admits(self.question.by, by, value, 0) == Some(false));
        let refused = refused.count();
        // Some that are admitted are needed to build others with.
        let mut kept: Vec<String> = found.drain(..refused.min(KEPT)).collect();
        kept.extend(found.drain(refused.saturating_sub(kept.len())..).take(KEPT));
        kept
    }

    fn of_rules(&self, a: &Rules<'t>, b: &Rules<'t>, depth: usize, found: &mut Vec<String>) {
        for rules in [a, b] {
            let mut values = rules.values.unwrap_or(Parts::of_one(&[]));
            while let Some((value, rest)) = values.element() {
                found.push(text(value));
                values = rest;
            }
        }
        if a.values.is_some() {
            return;
        }
        for word in ["null", "true", "false"] {
            found.push(word.to_owned());
        }
        if !a.types.and(Types::NUMBER).is_none() {
            numbers(a, b, found);
        }
        if a.types.has(Types::STRING) {
            strings(a, b, found);
        }
        if a.types.has(Types::ARRAY) {
            self.arrays(a, b, depth, found);
        }
        if a.types.has(Types::OBJECT) {
            self.objects(a, b, depth, found);
        }
    }

    fn arrays(&self, a: &Rules<'t>, b: &Rules<'t>, depth: usize, found: &mut Vec<String>) {
        let places = super::json::count(a.places).max(super::json::count(b.places));
        let values: Vec<Vec<String>> = (0..=places.min(MOST))
            .map(|index| self.values(a.place(index), b.place(index), depth + 1))
            .collect();
        let value = |index: u64, choice: usize| -> Option<&String> {
            let place = usize::try_from(index.min(places)).ok()?;
            let values = values.get(place)?;
            values.get(choice.checked_rem(values.len())?)
        };
        // Admitted elements stand last.
        let sane = |index: u64, shift: u64| -> Option<&String> {
            let shift = usize::try_from(shift).ok()?;
            let place = usize::try_from(index.min(places)).ok()?;
            let values = values.get(place)?;
            values.get(values.len().checked_sub(1 + shift % values.len().max(1))?)
        };
        let around = |count: u64| [count.saturating_sub(1), count, count.saturating_add(1)];
        let mut lens: Vec<u64> = [
            a.count.min,
            a.count.max,
            b.count.min,
            b.count.max,
            1,
            places,
        ]
        .into_iter()
        .flat_map(around)
        .filter(|len| *len <= MOST)
        .collect();
        lens.sort_unstable();
        lens.dedup();
        for len in lens {
            let like = |differ: bool| -> Option<Vec<&String>> {
                (0..len)
                    .map(|index| sane(index, if differ { index } else { 0 }))
                    .collect()
            };
            for elements in [like(true), like(false)].into_iter().flatten() {
                found.push(array(&elements));
                for at in 0..len.min(places + 1) {
                    for choice in 0..KEPT {
                        let mut elements = elements.clone();
                        if let (Some(place), Some(value)) = (
                            index_of(at).and_then(|at| elements.get_mut(at)),
                            value(at, choice),
                        ) {
                            *place = value;
                            found.push(array(&elements));
                        }
                    }
                }
            }
        }
    }

    fn objects(&self, a: &Rules<'t>, b: &Rules<'t>, depth: usize, found: &mut Vec<String>) {
        let mut named: Vec<(String, Vec<String>)> = Vec::new();
        let mut add = |key: &'t [u8]| {
            let name = text(key);
            if named.iter().any(|(known, _)| *known == name) {
                return;
            }
            let from = a.property(key).unwrap_or(a.rest());
            let by = b.property(key).unwrap_or(b.rest());
            named.push((name, self.values(from, by, depth + 1)));
        };
        for list in [a.properties, b.properties] {
            let mut properties = Parts::of(list);
            while let Some((key, _, rest)) = properties.member() {
                add(key);
                properties = rest;
            }
        }
        for list in [a.required, b.required] {
            let mut required = Parts::of(list);
            while let Some((name, rest)) = required.element() {
                if let [b'"', key @ .., b'"'] = name {
                    add(key);
                }
                required = rest;
            }
        }
        let others = ["a", "key", "10", "other_key"];
        if !a.is_closed() {
            for key in others {
                add(key.as_bytes());
            }
        }
        let sane =
            |(key, values): &(String, Vec<String>)| Some((key.clone(), values.last()?.clone()));
        let is_needed = |key: &str| a.requires(key.as_bytes());
        let needed: Vec<(String, String)> = named
            .iter()
            .filter(|(key, _)| is_needed(key))
            .filter_map(sane)
            .collect();
        let is_other = |key: &str| a.property(key.as_bytes()).is_none() && !is_needed(key);
        let all: Vec<(String, String)> = named
            .iter()
            .filter(|(key, _)| !is_other(key))
            .filter_map(sane)
            .collect();
        let mut bases = vec![needed.clone(), all.clone()];
        // As many keys as are wanted.
        let lens = [a.entries.min, a.entries.max, b.entries.min, b.entries.max];
        for len in lens
            .into_iter()
            .flat_map(|len| [len.saturating_sub(1), len, len.saturating_add(1)])
        {
            let Some(len) = index_of(len).filter(|len| *len >= needed.len()) else {
                continue;
            };
            let mut base = needed.clone();
            let more = named
                .iter()
                .filter(|(key, _)| !is_needed(key))
                .filter_map(sane);
            base.extend(more.take(len - base.len()));
            if !a.is_closed() {
                let value = self.values(a.rest(), b.rest(), depth + 1).pop();
                while let (true, Some(value)) = (base.len() < len, &value) {
                    base.push((format!("k{}", base.len()), value.clone()));
                }
            }
            bases.push(base);
        }
        for base in &bases {
            found.push(object(base));
            for (key, _) in base {
                if !is_needed(key) {
                    let rest: Vec<_> = base
                        .iter()
                        .filter(|(name, _)| name != key)
                        .cloned()
                        .collect();
                    found.push(object(&rest));
                }
            }
            for (key, values) in &named {
                for value in values {
                    let mut one = base.clone();
                    match one.iter_mut().find(|(name, _)| name == key) {
                        Some((_, place)) => place.clone_from(value),
                        None => one.push((key.clone(), value.clone())),
                    }
                    found.push(object(&one));
                }
            }
        }
    }
}

/// The schemas that a schema joins, each by itself.
fn flatten<'t>(root: &'t [u8], schema: &'t [u8], into: &mut Vec<Rules<'t>>, depth: usize) {
    let Some(schema) = resolved(root, schema).filter(|_| depth < 8 && into.len() < 24) else {
        return;
    };
    let rules = Rules::of(schema);
    for list in [rules.any_of, rules.one_of, rules.all_of] {
        let mut parts = Parts::of(list);
        while let Some((part, rest)) = parts.element() {
            flatten(root, part, into, depth + 1);
            parts = rest;
        }
    }
    if let Some(part) = target(root, rules.reference) {
        flatten(root, part, into, depth + 1);
    }
    if rules.has_own() || into.is_empty() || rules.is_anything() {
        into.push(rules);
    }
}

/// A number of parts, if that many are made.
fn index_of(count: u64) -> Option<usize> {
    usize::try_from(count).ok().filter(|_| count <= MOST)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn array(elements: &[&String]) -> String {
    let elements: Vec<&str> = elements.iter().map(|one| one.as_str()).collect();
    format!("[{}]", elements.join(","))
}

fn object(members: &[(String, String)]) -> String {
    let members: Vec<_> = members
        .iter()
        .map(|(key, value)| format!("\"{key}\":{value}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

fn numbers(a: &Rules<'_>, b: &Rules<'_>, found: &mut Vec<String>) {
    let mut centers = vec![Num::whole(0)];
    for rules in [a, b] {
        for end in [rules.min, rules.max].into_iter().flatten() {
            centers.extend(Num::of(end.text));
        }
    }
    let steps = [a.multiple_of, b.multiple_of];
    let steps: Vec<Num> = steps.into_iter().filter_map(Num::of).collect();
    for center in &centers {
        found.push(center.to_string());
        for near in [center.floor(), center.ceil()] {
            found.push(near.to_string());
            for up in [true, false] {
                if let Some(next) = near.next(up) {
                    found.push(next.to_string());
                    if let Some(value) = next
                        .to_string()
                        .parse::<f64>()
                        .ok()
                        .filter(|value| value.abs() < 1e15)
                    {
                        let half = if up { value - 0.5 } else { value + 0.5 };
                        found.push(format!("{half:?}"));
                    }
                }
            }
        }
        // The nearest multiples.
        let value = center.to_string().parse::<f64>().unwrap_or_default();
        for step in &steps {
            let step: f64 = step.to_string().parse().unwrap_or_default();
            if step > 0.0 && value.abs() < 1e15 {
                for index in -2..=7 {
                    let near = ((value / step).round() + f64::from(index)) * step;
                    found.push(plain(near));
                }
            }
        }
    }
    found.push("1e30".into());
    found.push("-1e30".into());
    found.push("0.25".into());
}

/// A number without an exponent or the noise of binary fractions.
fn plain(number: f64) -> String {
    let rounded = (number * 1e6).round() / 1e6;
    if rounded.fract() == 0.0 {
        format!("{rounded:.0}")
    } else {
        format!("{rounded}")
    }
}

fn strings(a: &Rules<'_>, b: &Rules<'_>, found: &mut Vec<String>) {
    const SAMPLES: [&str; 30] = [
        "",
        "a",
        "A",
        "0",
        "5",
        "-",
        " ",
        "~",
        "ab",
        "abc",
        "ABC",
        "Ab1",
        "12",
        "123",
        "a-b",
        "a_b",
        "a b",
        "aa",
        "aaa",
        "x1",
        "A1",
        "AB12",
        "2024-01-31",
        "12:00:00Z",
        "2024-01-31T12:00:00Z",
        "a@b.example",
        "https://a.example/",
        "P1D",
        "00000000-0000-4000-8000-000000000000",
        "127.0.0.1",
    ];
    found.extend(SAMPLES.iter().map(|text| format!("\"{text}\"")));
    let lens = [a.len.min, a.len.max, b.len.min, b.len.max];
    for len in lens
        .into_iter()
        .flat_map(|len| [len.saturating_sub(1), len, len.saturating_add(1)])
    {
        if len <= LONGEST
            && let Ok(len) = usize::try_from(len)
        {
            for letter in ["a", "A", "1", "é"] {
                found.push(format!("\"{}\"", letter.repeat(len)));
            }
        }
    }
}

/// Returns true if a schema admits a value; `None` if it is not known.
pub(super) fn admits(root: &[u8], schema: &[u8], value: &str, depth: usize) -> Option<bool> {
    if depth > 64 {
        return None;
    }
    let rules = Rules::of(resolved(root, schema)?);
    if rules.types.is_none() {
        return Some(false);
    }
    let value = value.as_bytes();
    let inside = |schema: &[u8], value: &[u8]| {
        admits(root, schema, std::str::from_utf8(value).ok()?, depth + 1)
    };
    let mut all = All(Some(true));
    if !rules.reference.is_empty() {
        all.and(target(root, rules.reference).and_then(|part| inside(part, value)));
    }
    let mut parts = Parts::of(rules.all_of);
    while let Some((part, rest)) = parts.element() {
        all.and(inside(part, value));
        parts = rest;
    }
    if !rules.any_of.is_empty() {
        let answers = answers(rules.any_of, |part| inside(part, value));
        all.and(if answers.contains(&Some(true)) {
            Some(true)
        } else if answers.contains(&None) {
            None
        } else {
            Some(false)
        });
    }
    if !rules.one_of.is_empty() {
        let answers = answers(rules.one_of, |part| inside(part, value));
        all.and(
            match answers
                .iter()
                .filter(|answer| **answer == Some(true))
                .count()
            {
                2.. => Some(false),
                _ if answers.contains(&None) => None,
                count => Some(count == 1),
            },
        );
    }
    if rules.has_others || rules.is_unclear {
        all.and(None);
    }
    let is_text = matches!(value, [b'"', ..]);
    // The patterns and formats are known here, and so are the parts.
    let mut own = rules;
    own.has_others = false;
    own.is_unclear = false;
    if is_text && !(rules.pattern.is_empty() && rules.format.is_empty()) {
        let decoded: Option<String> = serde_json::from_slice(value).ok();
        let said = |text: &[u8]| serde_json::from_slice::<String>(text).ok();
        if !rules.pattern.is_empty() {
            all.and(
                said(rules.pattern)
                    .zip(decoded.clone())
                    .and_then(|(pattern, text)| {
                        regex::Regex::new(&pattern)
                            .ok()
                            .map(|regex| regex.is_match(&text))
                    }),
            );
        }
        if !rules.format.is_empty() {
            all.and(
                said(rules.format)
                    .zip(decoded)
                    .map(|(name, text)| format::admits(&name, &text)),
            );
        }
        own.pattern = &[];
        own.format = &[];
    }
    if matches!(value, [b'[' | b'{', ..]) {
        all.and(listed(&rules, value));
        if !rules.types.has(Types::of_value(value)) {
            return Some(false);
        }
        let parts = if matches!(value, [b'[', ..]) {
            elements(&rules, value, inside)
        } else {
            members(&rules, value, inside)
        };
        all.and(parts);
    } else {
        all.and(match literal(&own, value) {
            Answer::Yes => Some(true),
            Answer::No => Some(false),
            Answer::Unknown => None,
        });
    }
    all.0
}

/// Whether all of several things hold: one that does not decides.
struct All(Option<bool>);

impl All {
    fn and(&mut self, other: Option<bool>) {
        self.0 = match (self.0, other) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
    }
}

fn answers<'t>(list: &'t [u8], ask: impl Fn(&'t [u8]) -> Option<bool>) -> Vec<Option<bool>> {
    let mut parts = Parts::of(list);
    let mut answers = Vec::new();
    while let Some((part, rest)) = parts.element() {
        answers.push(ask(part));
        parts = rest;
    }
    answers
}

/// Whether a value is among those that are listed.
fn listed(rules: &Rules<'_>, value: &[u8]) -> Option<bool> {
    let Some(mut values) = rules.values else {
        return Some(true);
    };
    let parsed: Value = serde_json::from_slice(value).ok()?;
    while let Some((one, rest)) = values.element() {
        if alike(one, value) || serde_json::from_slice::<Value>(one).ok()? == parsed {
            return Some(true);
        }
        values = rest;
    }
    Some(false)
}

fn elements(
    rules: &Rules<'_>,
    value: &[u8],
    inside: impl Fn(&[u8], &[u8]) -> Option<bool>,
) -> Option<bool> {
    let mut all = All(Some(true));
    let mut seen: Vec<&[u8]> = Vec::new();
    let mut elements = Parts::of(value);
    while let Some((element, rest)) = elements.element() {
        all.and(inside(rules.place(seen.len() as u64), element));
        all.and(Some(
            !rules.is_unique || !seen.iter().any(|one| equal(one, element)),
        ));
        seen.push(element);
        elements = rest;
    }
    let len = seen.len() as u64;
    all.and(Some(len >= rules.count.min && len <= rules.count.max));
    all.0
}

fn members(
    rules: &Rules<'_>,
    value: &[u8],
    inside: impl Fn(&[u8], &[u8]) -> Option<bool>,
) -> Option<bool> {
    let mut all = All(Some(true));
    let mut len = 0;
    let mut members = Parts::of(value);
    let mut keys: Vec<&[u8]> = Vec::new();
    while let Some((key, value, rest)) = members.member() {
        all.and(inside(rules.property(key).unwrap_or(rules.rest()), value));
        if !rules.names.is_empty() {
            let mut quoted = vec![b'"'];
            quoted.extend(key);
            quoted.push(b'"');
            all.and(inside(rules.names, &quoted));
        }
        keys.push(key);
        len += 1;
        members = rest;
    }
    let mut required = Parts::of(rules.required);
    while let Some((name, rest)) = required.element() {
        if let [b'"', key @ .., b'"'] = name {
            all.and(Some(keys.contains(&key)));
        }
        required = rest;
    }
    all.and(Some(len >= rules.entries.min && len <= rules.entries.max));
    all.0
}
