//! An example value that a shape admits, to show in a fault what was expected.

use toolwright_json::{quoted, write_key};

use crate::decode::walk::admits_value;
use crate::decode::{refusal, written};
use crate::shape::{
    Alternative, Array, Field, Id, Int, IntegerRange, Kind, Map, NumberRange, Shape, StringRules,
    Variant, alternatives, bare,
};

/// More characters than these explain nothing any more.
const MAX_LEN: usize = 160;

/// Number of edges back that are followed one inside the other, at most.
const MAX_EDGES: usize = 8;

/// Number of values that are tried, at most: each edge back may be followed from many places.
const MAX_STEPS: usize = 1000;

/// Returns the JSON of a small value that is read as this shape, if one is found:
/// `{"sku":"text","qty":1}`. Objects have only the keys that must be there.
pub fn example(shape: &Shape<'_>) -> Option<String> {
    let mut search = ExampleSearch {
        inside: Vec::new(),
        edges: MAX_EDGES,
        steps: MAX_STEPS,
    };
    search.value(shape)
}

/// The search for an example.
struct ExampleSearch {
    /// The types that the value is inside, as far as something may come back to them.
    inside: Vec<Id>,
    /// Number of edges back that may still be followed here.
    edges: usize,
    /// Number of values that may still be tried.
    steps: usize,
}

impl ExampleSearch {
    fn value(&mut self, shape: &Shape<'_>) -> Option<String> {
        self.steps = self.steps.checked_sub(1)?;
        let is_named = shape.id != Id::NONE;
        if is_named {
            self.inside.push(shape.id);
        }
        let bare = bare(shape, false);
        let found = match &bare.kind {
            Kind::String(rules) if rules.is_number => {
                number(&bare.numbers).map(|number| quoted(&number))
            }
            Kind::String(rules) => named_sample(rules, bare.description).or_else(|| string(rules)),
            kind => self.kind(kind),
        };
        let found = found.filter(|json| is_short(json));
        if is_named {
            self.inside.pop();
        }
        found.or_else(|| bare.nullable.then(|| "null".into()))
    }

    fn kind(&mut self, kind: &Kind<'_>) -> Option<String> {
        match kind {
            Kind::Null => Some("null".into()),
            Kind::Bool => Some("true".into()),
            Kind::Integer(range) => integer(range).map(|value| value.to_string()),
            Kind::Number(range) => number(range),
            Kind::Enum(variants) => first_name(variants),
            Kind::Array(array) => self.array(array),
            Kind::Tuple(items) => {
                let items: Option<Vec<_>> = items.iter().map(|item| self.value(item)).collect();
                items.map(|items| format!("[{}]", items.join(",")))
            }
            Kind::Object(_) => alternatives(kind, false)
                .iter()
                .find_map(|alternative| self.object(alternative)),
            Kind::Map(map) => self.map(map),
            Kind::Union(union) => union.members.iter().find_map(|member| self.value(member)),
            Kind::Recursive(back) => {
                // A value that contains another value of its type is not minimal.
                if self.edges == 0 || self.inside.contains(&back.id) {
                    return None;
                }
                self.edges -= 1;
                self.inside.push(back.id);
                let found = self.value(back.shape());
                self.inside.pop();
                self.edges += 1;
                found
            }
            _ => None,
        }
    }

    /// Returns an array with the fewest elements, but at least one: an empty array is no help.
    fn array(&mut self, array: &Array<'_>) -> Option<String> {
        let most = array.max_len.unwrap_or(u64::MAX);
        let item = (most > 0).then(|| self.value(array.items)).flatten();
        let count = usize::try_from(array.min_len).ok()?;
        match (count, item) {
            (0, None) => Some("[]".into()),
            // Distinct elements would need an example each.
            (2.., _) if array.unique => None,
            (_, Some(item)) if array.min_len <= most && count <= MAX_LEN => {
                Some(format!("[{}]", vec![item; count.max(1)].join(",")))
            }
            _ => None,
        }
    }

    fn object(&mut self, alternative: &Alternative<'_>) -> Option<String> {
        let mut json = String::from("{");
        for key in alternative.keys.iter().filter(|key| key.required) {
            write_key(&mut json, key.name);
            json.push_str(&self.field(key.field)?);
        }
        json.push('}');
        Some(json)
    }

    /// Returns the author's example, or the default; otherwise a value of the shape.
    fn field(&mut self, field: &Field<'_>) -> Option<String> {
        [field.example, field.public_default()]
            .into_iter()
            .flatten()
            .find_map(|json| {
                let json = written(field.shape, json).filter(|json| is_short(json))?;
                refusal(field.shape, &json).is_none().then_some(json)
            })
            .or_else(|| self.value(field.shape))
    }

    /// Returns a map of at least one entry, if a key is easy to find.
    fn map(&mut self, map: &Map<'_>) -> Option<String> {
        let most = map.max_len.unwrap_or(u64::MAX);
        let key = match bare(map.keys, false).kind {
            Kind::String(rules) => word("key", &rules),
            Kind::Enum(variants) => first_name(variants),
            _ => None,
        };
        if map.min_len <= 1
            && most >= 1
            && let Some(key) = key
            && let Some(value) = self.value(map.values)
        {
            return Some(format!("{{{key}:{value}}}"));
        }
        (map.min_len == 0).then(|| "{}".into())
    }
}

fn is_short(json: &str) -> bool {
    json.len() <= MAX_LEN || json.chars().count() <= MAX_LEN
}

fn first_name(variants: &[Variant<'_>]) -> Option<String> {
    variants.first().map(|variant| quoted(variant.name))
}

/// The integer nearest to 1, but not 0 where there is one above: as a multiple of 5, 0 shows nothing.
fn integer(range: &IntegerRange) -> Option<Int> {
    let IntegerRange { min, max, .. } = *range;
    let step = u128::from(range.multiple_of.max(1));
    let from = |magnitude: u128| magnitude.div_ceil(step).checked_mul(step);

    let lowest = if min.negative {
        1
    } else {
        min.magnitude.max(1)
    };
    let above = from(lowest).map(Int::unsigned);
    let highest = if max.negative {
        max.magnitude
    } else {
        u128::from(range.not_zero)
    };
    let below = from(highest).map(|magnitude| Int {
        negative: magnitude > 0,
        magnitude,
    });
    [above, below]
        .into_iter()
        .flatten()
        .find(|value| (min..=max).contains(value))
}

/// A number near 1, above zero if possible. A candidate from `f64` arithmetic is checked exactly.
fn number(range: &NumberRange<'_>) -> Option<String> {
    let shape = Shape::new(Kind::Number(*range));
    let min = range.min.map(|edge| edge.at);
    let max = range.max.map(|edge| edge.at);
    let mut proposed: Vec<String> = vec!["1".into()];
    if let Some(of) = range.multiple_of {
        proposed.push(of.text.into());
        // Printed with the divisor's number of digits: 3 * 0.1 as an `f64` is not a multiple.
        let digits = of
            .text
            .split_once('.')
            .map_or(0, |(_, digits)| digits.len());
        let targets = [min, max].into_iter().flatten().map(|edge| edge.value);
        for target in targets.chain([1.0]) {
            let near = (target / of.value).round();
            let near = [near, near + 1.0, near - 1.0];
            proposed.extend(near.map(|times| format!("{:.digits$}", times * of.value)));
        }
    }
    for edge in [min, max].into_iter().flatten() {
        proposed.push(edge.text.into());
        proposed.extend([edge.value + 1.0, edge.value - 1.0].map(|value| value.to_string()));
    }
    if let (Some(min), Some(max)) = (min, max) {
        proposed.push(f64::midpoint(min.value, max.value).to_string());
    }
    proposed.push("0".into());
    let rank = |text: &str| {
        let value: f64 = text.parse().unwrap_or(f64::INFINITY);
        (value <= 0.0, (value - 1.0).abs())
    };
    proposed
        .into_iter()
        .filter(|text| admits_value(text, &shape) == Some(true))
        .min_by(|a, b| {
            let (a, b) = (rank(a), rank(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        })
}

/// The text that a type's own words name: of "Time of day, such as `23:59:59`" the time. The type may
/// ask for more than its rules say.
fn named_sample(rules: &StringRules<'_>, description: &str) -> Option<String> {
    let (_, rest) = description.split_once("such as `")?;
    let (sample, _) = rest.split_once('`')?;
    let is_free = rules.pattern.is_none() && rules.format.is_empty();
    (is_free && has_length(rules, sample)).then(|| quoted(sample))
}

fn string(rules: &StringRules<'_>) -> Option<String> {
    if rules.format.is_empty() {
        return word("text", rules);
    }
    let sample = sample(rules.format)?;
    let is_fine = rules.pattern.is_none() && has_length(rules, sample);
    is_fine.then(|| quoted(sample))
}

fn has_length(rules: &StringRules<'_>, text: &str) -> bool {
    let count = text.chars().count() as u64;
    count >= rules.min_len && rules.max_len.is_none_or(|most| count <= most)
}

/// A word, cut or repeated to a permitted length. Patterns are not generated.
fn word(word: &str, rules: &StringRules<'_>) -> Option<String> {
    let len = (word.len() as u64)
        .max(rules.min_len)
        .min(rules.max_len.unwrap_or(u64::MAX));
    let is_free = rules.pattern.is_none() && rules.format.is_empty();
    let len = usize::try_from(len).ok()?;
    if !is_free || (len as u64) < rules.min_len || len > MAX_LEN {
        return None;
    }
    Some(quoted(&word.chars().cycle().take(len).collect::<String>()))
}

/// Returns a string of a format.
pub fn sample(format: &str) -> Option<&'static str> {
    Some(match format {
        "date-time" => "2026-01-31T12:00:00Z",
        "date" => "2026-01-31",
        "time" => "12:00:00Z",
        "duration" => "PT1H",
        "email" | "idn-email" => "name@example.com",
        "hostname" | "idn-hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "iri" | "uri-reference" | "iri-reference" | "uri-template" => {
            "https://example.com/"
        }
        "uuid" => "6fa459ea-ee8a-4ca4-894e-db77e160355e",
        "json-pointer" => "/name/0",
        "relative-json-pointer" => "0",
        "regex" => "^text$",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
