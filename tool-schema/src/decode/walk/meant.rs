//! A value that is of none of some ways, judged as the one that was meant.

use toolwright_json::Place;

use crate::decode::fault::say;
use crate::decode::{FaultCode, Segment};
use crate::shape::{Alternative, JsonType, Key, Kind, Rule, Shape, Variant};

use super::union::Candidate;
use super::{Stop, Walk, Walked};

impl<'t> Walk<'t> {
    /// Reports the faults of a value that fits no alternative, by the likeliest one.
    pub(super) fn meant(
        &mut self,
        shape: &Shape<'_>,
        ways: &[Candidate<'_>],
        start: usize,
        depth: u8,
    ) -> Walked {
        let next = self.json.peek();
        if next == Some(b'{') {
            let objects: Vec<&Alternative<'_>> = ways
                .iter()
                .filter_map(|way| match way {
                    Candidate::Object(way) => Some(way),
                    Candidate::Listed(..) | Candidate::Other(_) => None,
                })
                .collect();
            if !objects.is_empty() {
                return self.meant_object(&objects, start, depth);
            }
        }
        let mut alike = ways.iter().filter_map(|way| match way {
            Candidate::Other(shape) if next.is_some_and(|next| starts(shape, next, 0)) => {
                Some(*shape)
            }
            _ => None,
        });
        match (alike.next(), alike.next()) {
            // A string that is not a name of the list is free to be something else.
            (Some(one), None) if is_names(one) && self.unquoted(shape)? => Ok(()),
            (Some(one), None) if self.is_no_variant(one, ways)? => Ok(()),
            (Some(one), None) => {
                self.unions += 1;
                self.value(one)
            }
            _ => self.mismatch(shape),
        }
    }

    /// Reports a string that is not a variant's name, if other variants are objects: with their keys.
    fn is_no_variant(&mut self, one: &Shape<'_>, ways: &[Candidate<'_>]) -> Result<bool, Stop> {
        let objects: Vec<&Alternative<'_>> = ways
            .iter()
            .filter_map(|way| match way {
                Candidate::Object(way) => Some(way),
                Candidate::Listed(..) | Candidate::Other(_) => None,
            })
            .collect();
        let (Kind::Enum(variants), Some(keys)) = (one.only_core(), named(&objects)) else {
            return Ok(false);
        };
        if objects.is_empty() {
            return Ok(false);
        }
        let start = self.json.offset();
        let text = match self.json.string()? {
            Ok(text) => text.to_owned(),
            Err(text) => text,
        };
        let names: Vec<&str> = variants.iter().map(|variant| variant.name).collect();
        self.fault(start, FaultCode::WrongType, |walk| {
            let got = (!walk.hides()).then_some(text.as_str());
            say::unknown_variant(got, &names, &keys)
        })?;
        Ok(true)
    }

    fn meant_object(&mut self, objects: &[&Alternative<'_>], start: usize, depth: u8) -> Walked {
        let keys = self.keys()?;
        self.json.rewind(start, depth);
        if let Some(tag) = tag(objects) {
            return self.tagged(objects, tag, &keys, start, depth);
        }
        if let Some(named) = named(objects) {
            let Some((first, _)) = keys.first() else {
                self.skip()?;
                return self.fault(start, FaultCode::MissingArgument, |_| {
                    format!("missing a key, {}", say::expected_names(&named))
                });
            };
            let meant = objects
                .iter()
                .find(|way| way.keys.first().is_some_and(|key| key.is_read_as(first)));
            if let Some(way) = meant {
                return self.alternative(way);
            }
            self.skip()?;
            let is_root = self.path.is_empty();
            let (segment, key) = (self.key(first), self.known_key(first));
            return self.inside(segment, |walk| {
                walk.fault(start, FaultCode::UnknownArgument, |_| {
                    say::unknown_key(key, &named, is_root)
                })
            });
        }
        // The one that most keys speak for, and that most speak for.
        let score = |way: &Alternative<'_>| {
            let known = keys
                .iter()
                .filter(|(name, _)| way.keys.iter().any(|key| key.is_read_as(name)))
                .count();
            let missing = way
                .keys
                .iter()
                .filter(|key| key.required && !keys.iter().any(|(name, _)| key.is_read_as(name)));
            (2 * known).cast_signed() - missing.count().cast_signed()
        };
        let mut best = None;
        for way in objects {
            let score = score(way);
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, way));
            }
        }
        match best {
            Some((_, way)) => self.alternative(way),
            None => Err(Stop),
        }
    }

    /// The keys of the object that stands next, each with the offset of its value.
    fn keys(&mut self) -> Result<Vec<(&'t str, usize)>, Stop> {
        self.json.enter_object()?;
        let mut place = Place::Opened;
        let mut keys = Vec::new();
        while let Some(key) = self.json.next_key(&mut place)? {
            self.json.peek();
            keys.push((key, self.json.offset()));
            self.json.skip()?;
        }
        Ok(keys)
    }

    /// An object whose tag says which way it is.
    fn tagged(
        &mut self,
        objects: &[&Alternative<'_>],
        tag: &str,
        keys: &[(&'t str, usize)],
        start: usize,
        depth: u8,
    ) -> Walked {
        let tags: Vec<&Variant<'_>> = objects
            .iter()
            .filter_map(|way| {
                way.keys
                    .iter()
                    .find(|key| key.name == tag)
                    .and_then(Key::tag)
            })
            .collect();
        let mut names: Vec<&str> = Vec::new();
        for tag in &tags {
            if !names.contains(&tag.name) {
                names.push(tag.name);
            }
        }
        let inside = || Segment::Key(tag.to_owned());
        let Some((_, at)) = keys.iter().find(|(key, _)| *key == tag) else {
            self.skip()?;
            let end = self.json.offset();
            return self.inside(inside, |walk| {
                walk.fault(end, FaultCode::MissingArgument, |_| {
                    format!("missing, {}", say::expected_names(&names))
                })
            });
        };
        self.json.rewind(*at, depth.saturating_sub(1));
        let given = match self.json.peek() {
            Some(b'"') => Some(match self.json.string()? {
                Ok(text) => text.to_owned(),
                Err(text) => text,
            }),
            _ => None,
        };
        self.json.rewind(start, depth);
        let of_tag = |way: &&&Alternative<'_>| {
            let key = way.keys.iter().find(|key| key.name == tag);
            let variant = key.and_then(Key::tag);
            variant.is_some_and(|variant| {
                given
                    .as_deref()
                    .is_some_and(|given| variant.is_read_as(given))
            })
        };
        let meant: Vec<&Alternative<'_>> = objects.iter().filter(of_tag).copied().collect();
        match meant.as_slice() {
            [] => {
                self.skip()?;
                let at = *at;
                self.inside(inside, |walk| {
                    walk.fault(at, FaultCode::WrongType, |walk| match &given {
                        Some(given) if !walk.hides() => say::unknown_name("", Some(given), &names),
                        _ => format!("{}, got {}", say::expected_names(&names), walk.got(at)),
                    })
                })
            }
            [one] => self.alternative(one),
            // A tag inside a tag.
            many => {
                let rest: Vec<Alternative<'_>> = many.iter().map(|way| without(way, tag)).collect();
                let rest: Vec<&Alternative<'_>> = rest.iter().collect();
                match self::tag(&rest) {
                    Some(inner) => self.tagged(many, inner, keys, start, depth),
                    None => match many {
                        [one, ..] => self.alternative(one),
                        [] => Err(Stop),
                    },
                }
            }
        }
    }
}

fn without<'s>(way: &Alternative<'s>, tag: &str) -> Alternative<'s> {
    let mut way = way.clone();
    way.keys.retain(|key| key.name != tag);
    way
}

/// The key that says of each object which it is.
fn tag<'s>(objects: &[&Alternative<'s>]) -> Option<&'s str> {
    let (first, rest) = objects.split_first()?;
    let in_all = |name: &str| {
        rest.iter().all(|way| {
            let key = way.keys.iter().find(|key| key.name == name);
            key.and_then(Key::tag).is_some()
        })
    };
    let mut tags = first.keys.iter().filter(|key| key.tag().is_some());
    tags.find(|key| in_all(key.name)).map(|key| key.name)
}

/// The names of objects with one key each, which is their name.
fn named<'s>(objects: &[&Alternative<'s>]) -> Option<Vec<&'s str>> {
    let name = |way: &&Alternative<'s>| match way.keys.as_slice() {
        [one] if one.required && way.rest.is_none() => Some(one.name),
        _ => None,
    };
    let names: Vec<_> = objects.iter().map(name).collect::<Option<_>>()?;
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    (sorted.len() == names.len()).then_some(names)
}

fn is_names(shape: &Shape<'_>) -> bool {
    matches!(shape.only_core(), Kind::Enum(_))
}

/// Returns true if values of a shape start with this byte.
fn starts(shape: &Shape<'_>, byte: u8, depth: u8) -> bool {
    let Some(given) = JsonType::of_byte(byte) else {
        return false;
    };
    if let Some(known) = shape.may_be(given) {
        return known;
    }
    match shape.core() {
        Kind::Union(union) if depth < 8 => {
            let mut members = union.members.iter();
            members.any(|member| starts(member, byte, depth + 1))
        }
        Kind::Recursive(back) if depth < 8 => starts(back.shape(), byte, depth + 1),
        Kind::Rule(rule) => starts_by(rule, byte, depth + 1),
        _ => false,
    }
}

/// Returns true if values that fit a rule may start with this byte.
fn starts_by(rule: &Rule<'_>, byte: u8, depth: u8) -> bool {
    let starts = |shape: &Shape<'_>| depth < 8 && starts(shape, byte, depth);
    match rule {
        Rule::Never => false,
        Rule::Literals(values) => values
            .iter()
            .any(|one| one.as_bytes().first() == Some(&byte)),
        Rule::All(parts) => parts.iter().all(starts),
        Rule::OneOf(members) => members.iter().any(starts),
        Rule::When(types, inner) => !types.has(byte) || starts(inner),
        Rule::PrefixItems(_) | Rule::Contains(_) => byte == b'[',
        Rule::Not(_) | Rule::If(_) | Rule::Text(_) => true,
    }
}

/// Returns true if some value of a shape starts with one of these bytes.
pub(super) fn may_start(shape: &Shape<'_>, bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| starts(shape, *byte, 0))
}
