//! Asks read trees: which alternatives a value of a type has, and what holds inside arrays and objects.

use std::borrow::Cow;
use std::collections::BTreeSet;

use toolwright_json::{Decimal, Integer, quoted};
use toolwright_schema::decode::walk::admits_value;
use toolwright_schema::shape::{Field, Int, Kind, Object, Rule, Shape};

/// The types of JSON, each by the first byte of its values: `t` stands for both booleans.
pub(crate) const TYPES: [u8; 6] = *b"nt0\"[{";

/// Shapes that one value has, all of them. Without any, the value is any value.
pub(crate) type Part<'s> = Vec<&'s Shape<'s>>;

/// Number of alternatives that are told apart, at most.
const MOST_PARTS: usize = 64;
/// Number of edges that are followed for one value, at most.
const MOST_EDGES: u32 = 16;
/// Number of integers that are tried one by one, at most.
const MOST_INTEGERS: u128 = 64;

/// Returns true if a shape is known to admit a value, and to refuse it if `verdict` is false.
pub(crate) fn is(shape: &Shape<'_>, value: &str, verdict: bool) -> bool {
    admits_value(value, shape) == Some(verdict)
}

/// Returns the type of a value that is given as JSON.
pub(crate) fn type_of(value: &str) -> u8 {
    match value.bytes().next() {
        Some(b'f') => b't',
        Some(b'-' | b'0'..=b'9') => b'0',
        Some(byte) => byte,
        None => 0,
    }
}

/// Returns alternatives for values of a type that have all of these shapes. Together they admit all such values, and
/// perhaps others. `None` if there are too many.
pub(crate) fn parts<'s>(shapes: &[&'s Shape<'s>], ty: u8) -> Option<Vec<Part<'s>>> {
    let mut all = vec![Part::new()];
    for shape in shapes {
        all = product(&all, &alternatives(shape, ty, MOST_EDGES)?)?;
    }
    Some(all)
}

fn product<'s>(one: &[Part<'s>], other: &[Part<'s>]) -> Option<Vec<Part<'s>>> {
    let both = |a: &Part<'s>| other.iter().map(move |b| [&**a, &**b].concat()).collect();
    let all: Vec<Vec<Part<'s>>> = one.iter().map(|a| both(&a.clone())).collect();
    let all = all.concat();
    (all.len() <= MOST_PARTS).then_some(all)
}

fn alternatives<'s>(shape: &'s Shape<'s>, ty: u8, edges: u32) -> Option<Vec<Part<'s>>> {
    let leaf = |of: u8| Some(if ty == of { vec![vec![shape]] } else { vec![] });
    let each = |members: &'s [Shape<'s>]| -> Option<Vec<Part<'s>>> {
        let all: Option<Vec<_>> = members.iter().map(|m| alternatives(m, ty, edges)).collect();
        Some(all?.concat())
    };
    match shape.kind {
        Kind::Any => Some(vec![vec![]]),
        Kind::Null => leaf(b'n'),
        Kind::Bool => leaf(b't'),
        Kind::Integer(_) | Kind::Number(_) | Kind::Bounded(..) => leaf(b'0'),
        Kind::String(_) | Kind::Enum(_) => leaf(b'"'),
        Kind::Array(_) | Kind::Tuple(_) => leaf(b'['),
        Kind::Object(_) | Kind::Map(_) => leaf(b'{'),
        Kind::Nullable(_) if ty == b'n' => Some(vec![vec![]]),
        Kind::Nullable(inner) => alternatives(inner, ty, edges),
        Kind::Union(union) => each(union.members),
        Kind::Recursive(edge) => alternatives(edge.shape(), ty, edges.checked_sub(1)?),
        Kind::Rule(rule) => match rule {
            Rule::Never => Some(vec![]),
            Rule::Literals(values) if values.iter().any(|value| type_of(value) == ty) => leaf(ty),
            Rule::Literals(_) => Some(vec![]),
            Rule::All(parts) => {
                let parts: Part<'s> = parts.iter().collect();
                self::parts(&parts, ty)
            }
            Rule::OneOf(members) => each(members),
            Rule::When(types, inner) if types.has(ty) => alternatives(inner, ty, edges),
            Rule::When(..) => Some(vec![vec![]]),
            Rule::PrefixItems(_) | Rule::Contains(_) => leaf(b'['),
            Rule::If(rule) => {
                let then = self::parts(&[rule.condition, rule.then], ty)?;
                let otherwise = alternatives(rule.otherwise, ty, edges)?;
                Some([then, otherwise].concat())
            }
            Rule::Not(_) | Rule::Text(_) => leaf(ty),
            _ => None,
        },
        _ => None,
    }
}

/// Adds all shapes inside a shape that are about the same value, in whatever sense.
pub(crate) fn related<'s>(shape: &'s Shape<'s>, edges: u32, all: &mut Part<'s>) {
    let mut each = |shapes: &[&'s Shape<'s>]| shapes.iter().for_each(|s| related(s, edges, all));
    match shape.kind {
        Kind::Nullable(inner) => each(&[inner]),
        Kind::Union(union) => each(&union.members.iter().collect::<Part<'s>>()),
        Kind::Recursive(edge) if edges > 0 => related(edge.shape(), edges - 1, all),
        Kind::Rule(Rule::All(parts) | Rule::OneOf(parts)) => {
            each(&parts.iter().collect::<Part<'s>>());
        }
        Kind::Rule(Rule::When(_, inner)) => each(&[inner]),
        Kind::Rule(Rule::Not(inner)) => {
            each(&[inner]);
            all.push(shape);
        }
        Kind::Rule(Rule::If(rule)) => each(&[rule.condition, rule.then, rule.otherwise]),
        _ => all.push(shape),
    }
}

/// Returns all values of a part, and perhaps others, if they are few.
pub(crate) fn finite(part: &[&Shape<'_>], ty: u8) -> Option<Vec<String>> {
    match ty {
        b'n' => return Some(vec!["null".to_owned()]),
        b't' => return Some(vec!["true".to_owned(), "false".to_owned()]),
        _ => {}
    }
    let listed = part.iter().find_map(|shape| listed(shape, ty));
    listed.or_else(|| (ty == b'0').then(|| Numbers::of(part).few())?)
}

/// Returns the values of a type that a shape lists.
pub(crate) fn listed(shape: &Shape<'_>, ty: u8) -> Option<Vec<String>> {
    let mut all: Vec<String> = match shape.kind {
        Kind::Enum(variants) => variants.iter().map(|one| quoted(one.name)).collect(),
        Kind::Rule(Rule::Literals(values)) => values.iter().map(|&v| v.to_owned()).collect(),
        _ => return None,
    };
    all.retain(|value| type_of(value) == ty);
    Some(all)
}

/// One end of a range of numbers: the number, and whether it is left out.
pub(crate) type End<'s> = Option<(Cow<'s, str>, bool)>;

/// The numbers that have some shapes.
#[derive(Default)]
pub(crate) struct Numbers<'s> {
    pub(crate) min: End<'s>,
    pub(crate) max: End<'s>,
    pub(crate) is_integer: bool,
    pub(crate) multiples: Vec<Cow<'s, str>>,
}

impl<'s> Numbers<'s> {
    pub(crate) fn of(part: &[&'s Shape<'s>]) -> Self {
        let mut all = Self::default();
        for shape in part {
            all.add(shape);
        }
        if all.is_integer {
            all.min = all.min.map(|(at, is_open)| whole(at, is_open, 1));
            all.max = all.max.map(|(at, is_open)| whole(at, is_open, -1));
        }
        all
    }

    fn add(&mut self, shape: &'s Shape<'s>) {
        let int = |int: Int| (Cow::Owned(int.to_string()), false);
        match shape.kind {
            Kind::Integer(range) => {
                self.is_integer = true;
                if !range.is_unbounded() {
                    self.narrow(Some(int(range.min)), Some(int(range.max)));
                }
                if range.multiple_of > 1 {
                    self.multiples.push(range.multiple_of.to_string().into());
                }
            }
            Kind::Number(range) => {
                let end = |end: Option<toolwright_schema::shape::Edge<'s>>| {
                    end.map(|end| (Cow::Borrowed(end.at.text), end.exclusive))
                };
                self.narrow(end(range.min), end(range.max));
                if range.width < f64::MAX {
                    let width = range.width.to_string();
                    let least = format!("-{width}");
                    self.narrow(Some((least.into(), false)), Some((width.into(), false)));
                }
                self.multiples
                    .extend(range.multiple_of.map(|of| of.text.into()));
            }
            Kind::Bounded(base, bounds) => {
                self.add(base);
                self.narrow(bounds.min.map(int), bounds.max.map(int));
                self.multiples
                    .extend(bounds.multiple_of.map(|of| of.text.into()));
            }
            _ => {}
        }
    }

    fn narrow(&mut self, min: End<'s>, max: End<'s>) {
        if min.is_some() && !is_within(&self.min, &min, true) {
            self.min = min;
        }
        if max.is_some() && !is_within(&self.max, &max, false) {
            self.max = max;
        }
    }

    /// Returns true if no number is left.
    pub(crate) fn is_empty(&self) -> bool {
        let (Some((min, min_open)), Some((max, max_open))) = (&self.min, &self.max) else {
            return false;
        };
        match Decimal::of(min).cmp(&Decimal::of(max)) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => *min_open || *max_open,
            std::cmp::Ordering::Greater => true,
        }
    }

    /// Returns true if each of the numbers is one of `others`.
    pub(crate) fn are_among(&self, others: &Self) -> bool {
        let is_multiple = |of: &Cow<'s, str>| {
            let divides = |own: &str| match (Decimal::of(own), Decimal::of(of)) {
                (Some(own), Some(of)) => own.is_multiple_of(&of),
                _ => false,
            };
            self.is_integer && divides("1") || self.multiples.iter().any(|own| divides(own))
        };
        let is_whole = |own: &Cow<'s, str>| Integer::of(own).is_some();
        (self.is_integer || !others.is_integer || self.multiples.iter().any(is_whole))
            && is_within(&self.min, &others.min, true)
            && is_within(&self.max, &others.max, false)
            && others.multiples.iter().all(is_multiple)
    }

    fn few(&self) -> Option<Vec<String>> {
        let integer = |end: &End<'s>| match Integer::of(&end.as_ref()?.0)? {
            Integer::Unsigned(value) => i128::try_from(value).ok(),
            Integer::Signed(value) => Some(value),
            Integer::Huge => None,
        };
        if !self.is_integer {
            return None;
        }
        let (min, max) = (integer(&self.min)?, integer(&self.max)?);
        let is_few = min > max || max.abs_diff(min) < MOST_INTEGERS;
        is_few.then(|| (min..=max).map(|value| value.to_string()).collect())
    }
}

/// Returns the end of a range for integers: the first one that is within.
fn whole(at: Cow<'_, str>, is_open: bool, step: i128) -> (Cow<'_, str>, bool) {
    let value = match Integer::of(&at) {
        Some(Integer::Unsigned(value)) => i128::try_from(value).ok(),
        Some(Integer::Signed(value)) => Some(value),
        _ => None,
    };
    match value.and_then(|value| value.checked_add(if is_open { step } else { 0 })) {
        Some(value) => (value.to_string().into(), false),
        None => (at, is_open),
    }
}

/// Returns true if a range with the end `own` is within one with the end `other`.
fn is_within(own: &End<'_>, other: &End<'_>, is_min: bool) -> bool {
    let Some((other, other_open)) = other else {
        return true;
    };
    let Some((own, own_open)) = own else {
        return false;
    };
    let order = Decimal::of(own).cmp(&Decimal::of(other));
    let order = if is_min { order.reverse() } else { order };
    order.is_lt() || order.is_eq() && (*own_open || !*other_open)
}

/// Returns the fewest and the most characters, elements or entries of a part.
pub(crate) fn lengths(part: &[&Shape<'_>]) -> (u64, Option<u64>) {
    let (mut min, mut max) = (0, None::<u64>);
    for shape in part {
        let (least, most) = match shape.kind {
            Kind::String(rules) => (rules.min_len, rules.max_len),
            Kind::Array(array) => (array.min_len, array.max_len),
            Kind::Tuple(items) => (items.len() as u64, Some(items.len() as u64)),
            Kind::Map(map) => (map.min_len, map.max_len),
            Kind::Rule(Rule::PrefixItems(places)) => (places.min_len, places.max_len),
            Kind::Rule(Rule::Contains(contains)) => (contains.min, None),
            _ => continue,
        };
        min = min.max(least);
        max = max.map_or(most, |max| Some(most.map_or(max, |most| most.min(max))));
    }
    (min, max)
}

/// Returns the number of elements that have shapes of their own.
pub(crate) fn places(part: &[&Shape<'_>]) -> usize {
    let places = part.iter().map(|shape| match shape.kind {
        Kind::Tuple(items) => items.len(),
        Kind::Rule(Rule::PrefixItems(places)) => places.first.len(),
        _ => 0,
    });
    places.max().unwrap_or(0)
}

/// Returns the shapes of an element.
pub(crate) fn element<'s>(part: &[&'s Shape<'s>], index: usize) -> Part<'s> {
    let of = |shape: &&'s Shape<'s>| match shape.kind {
        Kind::Array(array) => Some(array.items),
        Kind::Tuple(items) => items.get(index).copied(),
        Kind::Rule(Rule::PrefixItems(places)) => {
            Some(places.first.get(index).copied().unwrap_or(places.rest))
        }
        _ => None,
    };
    part.iter().filter_map(of).collect()
}

/// Fields of an object, but for the rest.
pub(crate) fn fields(object: Object<'_>) -> impl Iterator<Item = &Field<'_>> {
    object.fields.iter().filter(|field| !field.flatten)
}

/// Returns the names of keys in a part.
pub(crate) fn names<'s>(part: &[&'s Shape<'s>]) -> BTreeSet<&'s str> {
    let mut all = BTreeSet::new();
    for shape in part {
        match shape.kind {
            Kind::Object(object) => all.extend(fields(object).map(|field| field.name)),
            Kind::Map(map) => {
                if let Kind::Enum(keys) = map.keys.kind {
                    all.extend(keys.iter().map(|key| key.name));
                }
            }
            _ => {}
        }
    }
    all
}

/// Returns true if a key must be there.
pub(crate) fn requires(part: &[&Shape<'_>], key: &str) -> bool {
    part.iter().any(|shape| match shape.kind {
        Kind::Object(object) => {
            fields(object).any(|field| field.name == key && field.is_required())
        }
        _ => false,
    })
}

/// Returns the shapes of the value behind a key; `None` if the key may not be there.
pub(crate) fn value<'s>(part: &[&'s Shape<'s>], key: &str) -> Option<Part<'s>> {
    let mut all = Part::new();
    for shape in part {
        match shape.kind {
            Kind::Object(object) => match fields(object).find(|field| field.name == key) {
                Some(field) => all.push(field.shape),
                None => all.extend(rest_of(object)?),
            },
            Kind::Map(map) if is(map.keys, &quoted(key), false) => return None,
            Kind::Map(map) => all.push(map.values),
            _ => {}
        }
    }
    Some(all)
}

/// Returns the shapes of the values behind keys that no name is known of; `None` if there are no such keys.
pub(crate) fn rest<'s>(part: &[&'s Shape<'s>]) -> Option<Part<'s>> {
    let mut all = Part::new();
    for shape in part {
        match shape.kind {
            Kind::Object(object) => all.extend(rest_of(object)?),
            Kind::Map(map) if matches!(map.keys.kind, Kind::Enum(_)) => return None,
            Kind::Map(map) => all.push(map.values),
            _ => {}
        }
    }
    Some(all)
}

/// Returns the shapes of the values behind keys that an object does not name; `None` if it is closed.
fn rest_of(object: Object<'_>) -> Option<Part<'_>> {
    let rest = object.fields.iter().find(|field| field.flatten);
    match rest.map(|field| field.shape.kind) {
        Some(Kind::Map(map)) => Some(std::iter::once(map.values).collect()),
        _ if object.open => Some(Part::new()),
        _ => None,
    }
}

/// Returns the shapes of all keys.
pub(crate) fn keys<'s>(part: &[&'s Shape<'s>]) -> Part<'s> {
    let keys = part.iter().filter_map(|shape| match shape.kind {
        Kind::Map(map) => Some(map.keys),
        _ => None,
    });
    keys.collect()
}
