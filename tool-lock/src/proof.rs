//! Proves that all values of one schema are values of another.
//!
//! The relation is asked for each type of JSON and each alternative of the first schema by itself. Where an alternative
//! has few values, the walk that checks arguments decides about each. All else is compared rule by rule, and
//! what is not understood is not proven.

use bumpalo::Bump;
use toolwright_json::quoted;
use toolwright_schema::shape::{Contains, Field, If, Kind, Map, Object, Rule, Shape, StringRules};

use crate::tree::{
    Numbers, Part, TYPES, element, fields, finite, is, keys, lengths, names, parts, places,
    requires, rest, value,
};

/// No value has this shape.
const NEVER: &Shape<'_> = &Shape::new(Kind::Rule(Rule::Never));
/// Number of comparisons, at most.
const STEPS: u32 = 20_000;
/// Number of comparisons inside each other, at most.
const DEEPEST: u32 = 200;
/// Number of elements that are compared one by one, at most.
const MOST_PLACES: usize = 64;
/// Number of values of a tag, at most.
const MOST_TAGS: usize = 24;

/// A comparison further out: the shapes on both sides, and how many values were around theirs.
struct Trail {
    from: Vec<usize>,
    by: usize,
    is_strict: bool,
    depth: u32,
}

pub(crate) struct Proof<'s> {
    memory: &'s Bump,
    /// False if keys that an object does not name are nobody's, so that a new one breaks nothing.
    is_strict: bool,
    steps: u32,
    nesting: u32,
    /// Number of values around this one.
    depth: u32,
    trail: Vec<Trail>,
}

/// Returns true if it is proven that all values of `from` are values of `by`.
pub(crate) fn is_proven<'s>(from: &'s Shape<'s>, by: &'s Shape<'s>, is_strict: bool) -> bool {
    let memory = Bump::new();
    let mut proof = Proof {
        memory: &memory,
        is_strict,
        steps: STEPS,
        nesting: 0,
        depth: 0,
        trail: Vec::new(),
    };
    proof.all(&[from], by)
}

impl<'s> Proof<'s> {
    /// Proves that all values of these shapes are values of `by`.
    fn all(&mut self, from: &[&'s Shape<'s>], by: &'s Shape<'s>) -> bool {
        if matches!(by.kind, Kind::Any) {
            return true;
        }
        let from: Part<'s> = from.iter().map(|shape| followed(shape)).collect();
        let by = followed(by);
        let address = |shape: &Shape<'_>| std::ptr::from_ref(shape).addr();
        let trail = Trail {
            from: from.iter().map(|shape| address(shape)).collect(),
            by: address(by),
            is_strict: self.is_strict,
            depth: self.depth,
        };
        let is_same = |one: &&Trail| {
            one.by == trail.by && one.from == trail.from && one.is_strict == trail.is_strict
        };
        if let Some(known) = self.trail.iter().find(is_same) {
            // Values are finite, so this is an induction over their depth.
            return known.depth < self.depth;
        }
        self.trail.push(trail);
        let is_proven = TYPES.iter().all(|ty| self.of_type(&from, *ty, by));
        self.trail.pop();
        is_proven
    }

    /// Proves it for the values of one type.
    fn of_type(&mut self, from: &[&'s Shape<'s>], ty: u8, by: &'s Shape<'s>) -> bool {
        let parts = parts(from, ty);
        parts.is_some_and(|parts| parts.iter().all(|part| self.part(part, ty, by)))
    }

    /// Proves it for values inside the present one.
    fn inside(&mut self, from: &[&'s Shape<'s>], by: &'s Shape<'s>) -> bool {
        self.depth += 1;
        let is_proven = self.all(from, by);
        self.depth -= 1;
        is_proven
    }

    fn part(&mut self, part: &Part<'s>, ty: u8, by: &'s Shape<'s>) -> bool {
        if self.steps == 0 || self.nesting == DEEPEST {
            return false;
        }
        self.steps -= 1;
        self.nesting += 1;
        let is_proven = self.part_here(part, ty, by);
        self.nesting -= 1;
        is_proven
    }

    fn part_here(&mut self, part: &Part<'s>, ty: u8, by: &'s Shape<'s>) -> bool {
        if let Some(values) = finite(part, ty) {
            let is_one = |value: &str| !part.iter().any(|shape| is(shape, value, false));
            return values
                .iter()
                .all(|value| !is_one(value) || is(by, value, true));
        }
        if self.is_empty(part, ty) {
            return true;
        }
        match by.kind {
            Kind::Any => true,
            Kind::Integer(_) | Kind::Number(_) | Kind::Bounded(..) => {
                ty == b'0' && Numbers::of(part).are_among(&Numbers::of(&[by]))
            }
            Kind::String(rules) => ty == b'"' && string(part, rules),
            Kind::Array(_) | Kind::Tuple(_) | Kind::Rule(Rule::PrefixItems(_)) => {
                ty == b'[' && self.array(part, by)
            }
            Kind::Object(object) => ty == b'{' && self.object(part, object, by),
            Kind::Map(map) => ty == b'{' && self.map(part, map),
            Kind::Nullable(inner) => self.part(part, ty, inner),
            Kind::Recursive(edge) => self.part(part, ty, edge.shape()),
            Kind::Union(union) => self.any(part, ty, union.members, by),
            Kind::Rule(rule) => self.rule(part, ty, rule, by),
            _ => false,
        }
    }

    fn rule(&mut self, part: &Part<'s>, ty: u8, rule: Rule<'s>, by: &'s Shape<'s>) -> bool {
        match rule {
            Rule::All(parts) => parts.iter().all(|by| self.part(part, ty, by)),
            Rule::OneOf(members) => {
                let is_one = |proof: &mut Self, at: usize, one: &'s Shape<'s>| {
                    let mut others = members.iter().enumerate().filter(|(other, _)| *other != at);
                    proof.part(part, ty, one)
                        && others.all(|(_, other)| proof.is_apart(part, ty, other))
                };
                let mut all = members.iter().enumerate();
                all.any(|(at, one)| is_one(self, at, one)) || self.is_split(part, ty, by)
            }
            Rule::When(types, inner) => !types.has(ty) || self.part(part, ty, inner),
            Rule::Not(inner) => self.is_apart(part, ty, inner),
            Rule::If(If {
                condition,
                then,
                otherwise,
            }) => {
                (self.is_apart(part, ty, condition) || self.part(part, ty, then))
                    && (self.part(part, ty, otherwise) || self.part(part, ty, condition))
            }
            Rule::Contains(contains) => ty == b'[' && self.contains(part, contains),
            Rule::Text(text) => part.iter().any(|shape| match shape.kind {
                Kind::Rule(Rule::Text(own)) => {
                    // What a reference leads to may be another.
                    own.keywords == text.keywords
                        && !text.keywords.contains("Ref\"")
                        && !text.keywords.contains("$ref")
                }
                _ => false,
            }),
            _ => false,
        }
    }

    fn any(
        &mut self,
        part: &Part<'s>,
        ty: u8,
        members: &'s [Shape<'s>],
        by: &'s Shape<'s>,
    ) -> bool {
        members.iter().any(|one| self.part(part, ty, one)) || self.is_split(part, ty, by)
    }

    /// Splits objects by a key with few values, such as a tag that tells alternatives apart.
    fn is_split(&mut self, part: &Part<'s>, ty: u8, by: &'s Shape<'s>) -> bool {
        if ty != b'{' {
            return false;
        }
        let names = names(part).into_iter().filter(|name| requires(part, name));
        let tags = |name: &'s str| -> Option<(&'s str, Vec<String>)> {
            let shapes = value(part, name)?;
            let mut all = Vec::new();
            for ty in TYPES {
                for part in parts(&shapes, ty)? {
                    let mut values = finite(&part, ty)?;
                    values.retain(|value| shapes.iter().all(|shape| is(shape, value, true)));
                    all.extend(values);
                }
            }
            all.sort();
            all.dedup();
            (2..=MOST_TAGS).contains(&all.len()).then_some((name, all))
        };
        let Some((name, values)) = names.into_iter().find_map(tags) else {
            return false;
        };
        values.iter().all(|value| {
            let literal: &'s [&'s str] = self.memory.alloc([&*self.memory.alloc_str(value)]);
            let literal = self
                .memory
                .alloc(Shape::new(Kind::Rule(Rule::Literals(literal))));
            let field = self.memory.alloc([Field::new(name, "", literal).always()]);
            let object = self.memory.alloc(Shape::object(field).open());
            let mut part = part.clone();
            part.push(object);
            self.part(&part, ty, by)
        })
    }

    fn array(&mut self, part: &Part<'s>, by: &'s Shape<'s>) -> bool {
        let by = &[by];
        let ((min, max), (least, most)) = (lengths(part), lengths(by));
        let is_short = |most: u64| max.is_some_and(|max| max <= most);
        let is_unique =
            |shape: &&Shape<'_>| matches!(shape.kind, Kind::Array(array) if array.unique);
        if min < least
            || !most.is_none_or(is_short)
            || by.iter().any(is_unique) && !part.iter().any(is_unique) && !is_short(1)
        {
            return false;
        }
        self.elements(
            part,
            |proof, index, own| {
                let by = element(by, index);
                by.iter().all(|by| proof.inside(own, by))
            },
            places(by),
        )
    }

    /// Returns true if something holds for each element that may be there.
    fn elements(
        &mut self,
        part: &Part<'s>,
        mut holds: impl FnMut(&mut Self, usize, &[&'s Shape<'s>]) -> bool,
        others: usize,
    ) -> bool {
        let (count, most) = (
            places(part).max(others),
            lengths(part).1.unwrap_or(u64::MAX),
        );
        count <= MOST_PLACES
            && (0..=count)
                .all(|index| index as u64 >= most || holds(self, index, &element(part, index)))
    }

    fn contains(&mut self, part: &Part<'s>, by: Contains<'s>) -> bool {
        if by.max.is_some() {
            return false;
        }
        if by.min == 0 {
            return true;
        }
        let own = part.iter().filter_map(|shape| match shape.kind {
            Kind::Rule(Rule::Contains(own)) if own.min >= by.min => Some(own.item),
            _ => None,
        });
        let own: Part<'s> = own.collect();
        own.iter().any(|item| self.inside(&[item], by.item))
            || lengths(part).0 >= by.min
                && self.elements(part, |proof, _, own| proof.inside(own, by.item), 0)
    }

    fn object(&mut self, part: &Part<'s>, object: Object<'s>, by: &'s Shape<'s>) -> bool {
        if !fields(object).all(|field| !field.is_required() || requires(part, field.name)) {
            return false;
        }
        let (own, by) = (names(part), &[by]);
        let is_nobodys = !self.is_strict && has_nobodys_keys(part);
        let all: Vec<&'s str> = own
            .iter()
            .copied()
            .chain(fields(object).map(|field| field.name))
            .collect();
        let are_admitted = all.iter().all(|key| {
            let Some(shapes) = value(part, key) else {
                return true;
            };
            match value(by, key) {
                Some(by) => {
                    is_nobodys && !own.contains(key) || by.iter().all(|by| self.inside(&shapes, by))
                }
                None => self.inside(&shapes, NEVER),
            }
        });
        are_admitted
            && match (rest(part), rest(by)) {
                (None, _) => true,
                (Some(shapes), Some(by)) => by.iter().all(|by| self.inside(&shapes, by)),
                (Some(shapes), None) => self.inside(&shapes, NEVER),
            }
    }

    fn map(&mut self, part: &Part<'s>, map: Map<'s>) -> bool {
        let (min, max) = entries(part);
        if min < map.min_len
            || map
                .max_len
                .is_some_and(|most| max.is_none_or(|max| max > most))
        {
            return false;
        }
        let are_admitted = names(part).iter().all(|key| match value(part, key) {
            Some(shapes) if is(map.keys, &quoted(key), true) => self.inside(&shapes, map.values),
            Some(shapes) => self.inside(&shapes, NEVER),
            None => true,
        });
        are_admitted
            && rest(part).is_none_or(|shapes| {
                self.of_type(&keys(part), b'"', map.keys) && self.inside(&shapes, map.values)
                    || self.inside(&shapes, NEVER)
            })
    }

    /// Returns true if it is proven that no value has all of these shapes.
    fn is_empty(&mut self, part: &Part<'s>, ty: u8) -> bool {
        let is_over = |(min, max): (u64, Option<u64>)| max.is_some_and(|max| min > max);
        match ty {
            b'0' => Numbers::of(part).is_empty(),
            b'"' => is_over(lengths(part)),
            b'[' => {
                let (min, max) = lengths(part);
                let count = (places(part) + 1).min(MOST_PLACES);
                is_over((min, max))
                    || (0..count).any(|index| {
                        (index as u64) < min && self.inside(&element(part, index), NEVER)
                    })
            }
            b'{' => {
                is_over(entries(part))
                    || names(part).into_iter().any(|key| {
                        requires(part, key)
                            && value(part, key).is_none_or(|shapes| self.inside(&shapes, NEVER))
                    })
            }
            _ => false,
        }
    }

    /// Returns true if it is proven that no value of a part has a shape.
    fn is_apart(&mut self, part: &Part<'s>, ty: u8, shape: &'s Shape<'s>) -> bool {
        let Some(others) = parts(&[shape], ty) else {
            return false;
        };
        // What is nobody's key may be one that tells values apart.
        let was_strict = std::mem::replace(&mut self.is_strict, true);
        let is_apart = others.iter().all(|other| self.are_apart(part, other, ty));
        self.is_strict = was_strict;
        is_apart
    }

    fn are_apart(&mut self, one: &Part<'s>, other: &Part<'s>, ty: u8) -> bool {
        if self.steps == 0 || self.nesting == DEEPEST {
            return false;
        }
        self.steps -= 1;
        self.nesting += 1;
        let are_apart = self.are_apart_here(one, other, ty);
        self.nesting -= 1;
        are_apart
    }

    fn are_apart_here(&mut self, one: &Part<'s>, other: &Part<'s>, ty: u8) -> bool {
        let both: Part<'s> = one.iter().chain(other).copied().collect();
        if let Some(values) = finite(&both, ty) {
            let is_refused = |value: &String| both.iter().any(|shape| is(shape, value, false));
            return values.iter().all(is_refused);
        }
        let mut refuses = |own: &Part<'s>, other: &Part<'s>| {
            own.iter().any(|shape| match shape.kind {
                Kind::Rule(Rule::Not(inner)) => self.part(other, ty, inner),
                _ => false,
            })
        };
        refuses(one, other) || refuses(other, one) || self.is_empty(&both, ty)
    }
}

/// Returns the shape that edges lead to.
fn followed<'s>(mut shape: &'s Shape<'s>) -> &'s Shape<'s> {
    for _ in 0..16 {
        match shape.kind {
            Kind::Recursive(edge) => shape = edge.shape(),
            _ => break,
        }
    }
    shape
}

/// Returns true if an object that is open without saying so has names: other keys are nobody's.
fn has_nobodys_keys(part: &Part<'_>) -> bool {
    let is_named = |shape: &&Shape<'_>| match shape.kind {
        Kind::Object(object) => object.open && !object.fields.is_empty(),
        _ => false,
    };
    !part.is_empty() && part.iter().all(is_named)
}

/// Returns the fewest and the most entries of objects.
fn entries(part: &Part<'_>) -> (u64, Option<u64>) {
    let (min, max) = lengths(part);
    let keys = names(part);
    let required = keys.iter().filter(|name| requires(part, name)).count() as u64;
    let listed = rest(part).is_none().then_some(keys.len() as u64);
    let max = match (max, listed) {
        (Some(max), Some(listed)) => Some(max.min(listed)),
        (max, listed) => max.or(listed),
    };
    (min.max(required), max)
}

fn string(part: &Part<'_>, by: StringRules<'_>) -> bool {
    let (min, max) = lengths(part);
    let has = |holds: &dyn Fn(StringRules<'_>) -> bool| {
        part.iter()
            .any(|shape| matches!(shape.kind, Kind::String(own) if holds(own)))
    };
    min >= by.min_len
        && by
            .max_len
            .is_none_or(|most| max.is_some_and(|max| max <= most))
        && by
            .pattern
            .is_none_or(|by| has(&|own| own.pattern.is_some_and(|own| own.text == by.text)))
        && (by.format.is_empty() || has(&|own| own.format == by.format))
}
