//! Looks for a value that one schema admits and another refuses.
//!
//! Values are made near the bounds of both schemas. The walk that checks arguments decides about each, so nothing
//! hangs on how they are made.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind};
use toolwright_json::{Decimal, Integer, Value, quoted};
use toolwright_schema::decode::sample;
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::Parts as _;
use toolwright_schema::shape::{Kind, Rule, Shape};

use crate::tree::{
    Numbers, Part, TYPES, element, is, keys, lengths, listed, names, parts, places, related,
    requires, rest, type_of, value,
};

/// Number of values inside each other, at most.
const DEEPEST: u32 = 6;
/// Number of values that are kept at each place: those that may be refused, and others to build with.
const KEPT: (usize, usize) = (14, 6);
/// Number of places that are looked at, at most.
const STEPS: u32 = 300;
/// Number of alternatives that are looked at, at most.
const MOST_PARTS: usize = 10;
/// Number of values of one alternative, at most.
const MOST: usize = 400;
/// Number of characters and of elements that are made, at most.
const LONGEST: (u64, u64) = (3000, 40);
/// Values of all types.
const ANY: [&str; 12] = [
    "null",
    "true",
    "0",
    "-1",
    "0.5",
    "1e15",
    "\"\"",
    "\"~\"",
    "[]",
    "{}",
    "[null]",
    r#"{"a":null}"#,
];
/// Edges that are followed for one value.
const EDGES: u32 = 4;

/// Returns a value, as JSON, that `from` admits and `by` refuses, if a search finds one.
pub(crate) fn witness<'s>(from: &'s Shape<'s>, by: &'s Shape<'s>) -> Option<String> {
    let mut search = Search { left: STEPS };
    let mut all = search.values(&[from], &[by], DEEPEST);
    all.retain(|value| is(from, value, true) && is(by, value, false));
    all.into_iter().min_by_key(String::len)
}

struct Search {
    /// Number of places that may still be looked at.
    left: u32,
}

impl Search {
    /// Values that have all of the shapes `from`, those first that one of the shapes `by` refuses.
    fn values<'s>(
        &mut self,
        from: &[&'s Shape<'s>],
        by: &[&'s Shape<'s>],
        depth: u32,
    ) -> Vec<String> {
        let is_any = |shape: &&Shape<'_>| matches!(shape.kind, Kind::Any);
        if depth == 0 || self.left == 0 || from.iter().chain(by).all(is_any) {
            return fitting(ANY.map(str::to_owned).into(), from);
        }
        self.left -= 1;
        let mut near = Part::new();
        for shape in by {
            related(shape, EDGES, &mut near);
        }
        let mut found = Vec::new();
        for ty in TYPES {
            for part in parts(from, ty).unwrap_or_default().iter().take(MOST_PARTS) {
                found.extend(self.of_part(part, &near, ty, depth));
            }
        }
        let mut found = fitting(found, from);
        // What is refused stands first; then what is short.
        let is_refused = |value: &str| by.iter().any(|shape| is(shape, value, false));
        let rank = |value: &String| (!is_refused(value), value.len(), value.clone());
        found.sort_by_cached_key(rank);
        let refused = found.partition_point(|value| is_refused(value));
        let others = found.split_off(refused);
        let mut kept = various(found, KEPT.0);
        kept.extend(various(others, KEPT.1));
        kept
    }

    fn of_part<'s>(&mut self, part: &Part<'s>, near: &Part<'s>, ty: u8, depth: u32) -> Vec<String> {
        let both = || part.iter().chain(near).copied();
        let literals: Vec<String> = both()
            .filter_map(|shape| listed(shape, ty))
            .flatten()
            .collect();
        if part.iter().any(|shape| listed(shape, ty).is_some()) {
            return literals;
        }
        let mut all: Vec<String> = ANY
            .iter()
            .filter(|v| type_of(v) == ty)
            .map(|&v| v.to_owned())
            .collect();
        match ty {
            b't' => all.push("false".to_owned()),
            b'0' => all.extend(numbers(both())),
            b'"' => all.extend(strings(both()).iter().map(|text| quoted(text))),
            b'[' => all.extend(self.arrays(part, near, depth)),
            b'{' => all.extend(self.objects(part, near, depth)),
            _ => {}
        }
        all.truncate(MOST);
        all.extend(literals);
        all
    }

    fn arrays<'s>(&mut self, part: &Part<'s>, near: &Part<'s>, depth: u32) -> Vec<String> {
        let count = places(part).max(places(near)).min(8);
        let items = contained(part);
        let mut values: Vec<Vec<String>> = Vec::new();
        for index in 0..=count {
            let by = [element(near, index), contained(near), items.clone()].concat();
            values.push(self.values(&element(part, index), &by, depth - 1));
        }
        // Good values stand last.
        let good = |index: usize, shift: usize| -> Option<&String> {
            let values = values.get(index.min(count))?;
            values.iter().rev().cycle().nth(shift % values.len().max(1))
        };
        let mut lens: BTreeSet<u64> = BTreeSet::from([0, 1, 2, count as u64]);
        for shape in part.iter().chain(near) {
            let (min, max) = lengths(&[shape]);
            lens.extend(around(min));
            lens.extend(max.into_iter().flat_map(around));
        }
        let mut all = Vec::new();
        for len in lens.into_iter().filter(|len| *len <= LONGEST.1) {
            let len = usize::try_from(len).unwrap_or_default();
            for does_differ in [true, false] {
                let shift = |index| if does_differ { index } else { 0 };
                let base: Option<Vec<&String>> = (0..len).map(|i| good(i, shift(i))).collect();
                let Some(base) = base else { continue };
                all.push(array(&base));
                for index in 0..len.min(count + 1) {
                    for value in values.get(index.min(count)).into_iter().flatten() {
                        let mut varied = base.clone();
                        if let Some(place) = varied.get_mut(index) {
                            *place = value;
                        }
                        all.push(array(&varied));
                        all.push(array(&vec![value; len]));
                    }
                }
            }
        }
        all
    }

    fn objects<'s>(&mut self, part: &Part<'s>, near: &Part<'s>, depth: u32) -> Vec<String> {
        let both: Part<'s> = part.iter().chain(near).copied().collect();
        let mut all = keys_to_try(&both);
        if rest(part).is_some() {
            all.extend(["a", "key", "7", "zz"].map(str::to_owned));
        }
        let mut entries: Vec<(String, Vec<String>)> = Vec::new();
        for key in all {
            let Some(own) = value(part, &key) else {
                continue;
            };
            let mut by: Part<'s> = Part::new();
            for shape in near {
                by.extend(value(&[shape], &key).into_iter().flatten());
            }
            let values = self.values(&own, &by, depth - 1);
            if !values.is_empty() {
                entries.push((key, values));
            }
        }
        let named = names(part);
        let is_needed = |key: &str| requires(part, key);
        let good =
            |(key, values): &(String, Vec<String>)| Some((key.clone(), values.last()?.clone()));
        let (needed, more): (Vec<_>, Vec<_>) = entries.iter().partition(|(key, _)| is_needed(key));
        let needed: Vec<Entry> = needed.into_iter().filter_map(good).collect();
        let more: Vec<Entry> = more.into_iter().filter_map(good).collect();
        let of = |keep: &dyn Fn(&str) -> bool, most: usize| -> Vec<Entry> {
            let more = more.iter().filter(|(key, _)| keep(key)).cloned();
            needed.iter().cloned().chain(more.take(most)).collect()
        };
        let mut bases = vec![needed.clone(), of(&|key| named.contains(key), usize::MAX)];
        let mut lens: BTreeSet<u64> = BTreeSet::new();
        for shape in &both {
            let (min, max) = lengths(&[shape]);
            lens.extend(
                around(min)
                    .into_iter()
                    .chain(max.into_iter().flat_map(around)),
            );
        }
        for len in lens.into_iter().filter(|len| *len <= LONGEST.1) {
            let len = usize::try_from(len).unwrap_or_default();
            let mut base = of(&|_| true, len.saturating_sub(needed.len()));
            if let Some((_, value)) = more.iter().find(|(key, _)| key == "zz") {
                let missing = base.len()..len;
                base.extend(missing.map(|at| (format!("k{at}"), value.clone())));
            }
            bases.push(base);
        }
        let mut all = Vec::new();
        for base in &bases {
            all.push(object(base));
        }
        for base in &bases {
            for (key, values) in &entries {
                let others = || base.iter().filter(|(other, _)| other != key).cloned();
                if !is_needed(key) {
                    all.push(object(&others().collect::<Vec<_>>()));
                }
                for value in values {
                    let one = (key.clone(), value.clone());
                    all.push(object(&others().chain([one]).collect::<Vec<_>>()));
                }
            }
        }
        all
    }
}

/// Returns keys that some of the shapes may admit.
fn keys_to_try(both: &Part<'_>) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = names(both).into_iter().map(ToOwned::to_owned).collect();
    all.extend(both.iter().flat_map(|shape| keys_of_patterns(shape)));
    let spellings = keys(both);
    let mut spelled = Part::new();
    for shape in &spellings {
        related(shape, EDGES, &mut spelled);
    }
    all.extend(
        spelled
            .iter()
            .filter_map(|shape| listed(shape, b'"'))
            .flatten()
            .filter_map(|text| Some(Value::parse(&text).ok()?.as_str()?.to_owned())),
    );
    if !spelled.is_empty() {
        all.extend(
            strings(spelled.iter().copied())
                .into_iter()
                .filter(|key| key.len() < 40),
        );
    }
    all
}

type Entry = (String, String);

/// Keeps the values that some shapes may admit, each once.
fn fitting(mut values: Vec<String>, shapes: &[&Shape<'_>]) -> Vec<String> {
    values.sort();
    values.dedup();
    values.retain(|value| !shapes.iter().any(|shape| is(shape, value, false)));
    values
}

/// Keeps some values, of each type in turn.
fn various(values: Vec<String>, most: usize) -> Vec<String> {
    let mut by_type: Vec<(u8, usize)> = TYPES.iter().map(|ty| (*ty, 0)).collect();
    let mut numbered: Vec<(usize, String)> = Vec::new();
    for value in values {
        if let Some((_, count)) = by_type.iter_mut().find(|(ty, _)| *ty == type_of(&value)) {
            numbered.push((*count, value));
            *count += 1;
        }
    }
    numbered.sort_by_key(|(at, _)| *at);
    numbered.truncate(most);
    numbered.into_iter().map(|(_, value)| value).collect()
}

/// Shapes of elements that arrays have to hold.
fn contained<'s>(part: &[&'s Shape<'s>]) -> Part<'s> {
    let items = part.iter().filter_map(|shape| match shape.kind {
        Kind::Rule(Rule::Contains(contains)) => Some(contains.item),
        _ => None,
    });
    items.collect()
}

fn around(count: u64) -> [u64; 3] {
    [count.saturating_sub(1), count, count.saturating_add(1)]
}

fn numbers<'s>(shapes: impl Iterator<Item = &'s Shape<'s>>) -> Vec<String> {
    let mut all = Vec::new();
    let (mut ends, mut factors) = (vec!["0".to_owned()], Vec::new());
    for shape in shapes {
        let numbers = Numbers::of(&[shape]);
        let both = [&numbers.min, &numbers.max];
        ends.extend(both.into_iter().flatten().map(|(at, _)| at.to_string()));
        factors.extend(numbers.multiples.iter().map(ToString::to_string));
    }
    for end in &ends {
        all.push(end.clone());
        if let Some(Integer::Unsigned(_) | Integer::Signed(_)) = Integer::of(end)
            && let Some(whole) = Value::number(&**end).as_i128()
        {
            all.extend((-2..=2).filter_map(|step| Some(whole.checked_add(step)?.to_string())));
        }
        let Ok(near) = end.parse::<f64>() else {
            continue;
        };
        if near.abs() < 1e9 {
            all.extend([-0.5, -0.25, 0.25, 0.5].map(|step| (near + step).to_string()));
            all.extend(
                [
                    near.floor(),
                    near.ceil(),
                    near.floor() - 1.0,
                    near.ceil() + 1.0,
                ]
                .map(|at| at.to_string()),
            );
            for factor in factors
                .iter()
                .filter_map(|factor| factor.parse::<f64>().ok())
            {
                let first = (near / factor).floor() * factor;
                all.extend(
                    (-2..=3).map(|step| (f64::from(step).mul_add(factor, first)).to_string()),
                );
            }
        }
    }
    all.retain(|text| Decimal::of(text).is_some());
    all
}

fn strings<'s>(shapes: impl Iterator<Item = &'s Shape<'s>>) -> Vec<String> {
    let mut lens = BTreeSet::from([0, 1, 2]);
    let mut texts: BTreeSet<String> = BTreeSet::new();
    for shape in shapes {
        let Kind::String(rules) = shape.kind else {
            continue;
        };
        lens.extend(around(rules.min_len));
        lens.extend(rules.max_len.into_iter().flat_map(around));
        if let Some(pattern) = rules.pattern {
            texts.extend(matching(pattern.text));
        }
        texts.extend(sample(rules.format).map(str::to_owned));
    }
    let mut all: Vec<String> = texts.iter().cloned().collect();
    for len in lens.into_iter().filter(|len| *len <= LONGEST.0) {
        let len = usize::try_from(len).unwrap_or_default();
        all.push("a".repeat(len));
        all.push("0".repeat(len));
        for text in &texts {
            let missing = len.saturating_sub(text.chars().count());
            if missing > 0 {
                all.extend(["a", "0", " "].map(|pad| format!("{text}{}", pad.repeat(missing))));
                all.push(format!("{}{text}", "a".repeat(missing)));
            }
        }
    }
    all
}

/// Returns texts that a regular expression may match.
fn matching(pattern: &str) -> Vec<String> {
    let Ok(hir) = regex_syntax::parse(pattern) else {
        return Vec::new();
    };
    let all = (0..8).map(|choice| {
        let mut text = String::new();
        write_match(&hir, choice, &mut text);
        text
    });
    all.filter(|text| text.len() < 200).collect()
}

fn write_match(hir: &Hir, choice: u32, text: &mut String) {
    match hir.kind() {
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.ranges();
            let is_plain = |c: &char| c.is_ascii_graphic();
            let at = choice as usize % ranges.len().max(1);
            let range = ranges.get(at).or(ranges.first());
            text.extend(range.map(|range| {
                ['a', '0']
                    .into_iter()
                    .find(|c| (range.start()..=range.end()).contains(c) && is_plain(c))
                    .unwrap_or(range.start())
            }));
        }
        HirKind::Repetition(repetition) => {
            let more = repetition.max.map_or(choice % 4, |max| {
                (choice % 4).min(max.saturating_sub(repetition.min))
            });
            for _ in 0..(repetition.min + more).min(200) {
                write_match(&repetition.sub, choice, text);
            }
        }
        HirKind::Capture(capture) => write_match(&capture.sub, choice, text),
        HirKind::Concat(parts) => parts
            .iter()
            .for_each(|part| write_match(part, choice, text)),
        HirKind::Alternation(members) => {
            if let Some(member) = members.get(choice as usize % members.len().max(1)) {
                write_match(member, choice, text);
            }
        }
        _ => {}
    }
}

/// Returns keys that the patterns of a schema's text match.
fn keys_of_patterns(shape: &Shape<'_>) -> Vec<String> {
    let Kind::Rule(Rule::Text(text)) = shape.kind else {
        return Vec::new();
    };
    let Ok(keywords) = Value::parse(text.keywords) else {
        return Vec::new();
    };
    let patterns = keywords
        .named(Keyword::PatternProperties)
        .unwrap_or_default();
    let all = patterns
        .iter()
        .flat_map(|(pattern, _)| matching(pattern).into_iter().take(4));
    all.filter(|key| !key.is_empty()).collect()
}

fn array(elements: &[&String]) -> String {
    let elements: Vec<&str> = elements.iter().map(|element| element.as_str()).collect();
    format!("[{}]", elements.join(","))
}

fn object(entries: &[Entry]) -> String {
    let entries: Vec<String> = entries
        .iter()
        .map(|(key, value)| format!("{}:{value}", quoted(key)))
        .collect();
    format!("{{{}}}", entries.join(","))
}
