//! Values of any one of some types.

use std::slice;

use toolwright_json::Place;

use crate::decode::fault::say;
use crate::decode::{FaultCode, Segment};
use crate::shape::{
    Alternative, Field, Key, Kind, Object, Peeled, Plain, Rule, Shape, Variant, alternatives_of,
    bare,
};

use super::object::Keys;
use super::{Mode, Secrecy, Stop, Walk, Walked};

/// What a value may be.
pub(super) enum Way<'s> {
    Object(Alternative<'s>),
    /// An object that may be in one way alone.
    Plain(&'s Shape<'s>, Plain<'s>),
    Other(&'s Shape<'s>),
}

/// All that a value may be.
#[derive(Clone, Copy)]
pub(super) enum Ways<'s> {
    /// What the members of a union are.
    Of(&'s [Shape<'s>]),
    /// An object with these fields, into which an enum is flattened.
    Objects(&'s [Alternative<'s>], &'s [Field<'s>]),
}

impl<'s> Ways<'s> {
    /// The address of what they are made of, which lives as long as the program: a name for the whole.
    fn id(self) -> usize {
        match self {
            Self::Of(members) => members.as_ptr().addr(),
            Self::Objects(_, fields) => fields.as_ptr().addr(),
        }
    }

    /// Whether one of them is the one, in order, of those whose tag is not another than the text's;
    /// those behind it are not made.
    fn any(
        self,
        next: Option<u8>,
        text: Option<Entry<'_>>,
        mut is_one: impl FnMut(Way<'s>) -> bool,
    ) -> bool {
        match self {
            Self::Of(members) => any(members, 0, (next, text), &mut is_one),
            Self::Objects(ways, _) => ways.iter().cloned().any(|way| is_one(Way::Object(way))),
        }
    }

    fn all(self, next: Option<u8>) -> Vec<Way<'s>> {
        let mut all = Vec::new();
        self.any(next, None, |way| {
            match way {
                Way::Plain(shape, _) => {
                    all.extend(alternatives_of(shape, false).into_iter().map(Way::Object));
                }
                way => all.push(way),
            }
            false
        });
        all
    }
}

/// The ways of unions inside unions are ways of the outermost.
fn any<'s>(
    members: &'s [Shape<'s>],
    depth: u8,
    (next, text): (Option<u8>, Option<Entry<'_>>),
    is_one: &mut impl FnMut(Way<'s>) -> bool,
) -> bool {
    members.iter().any(|member| {
        let peeled = Peeled::of(member);
        match peeled.kind {
            // What it says of a value of this type is all that it says.
            Kind::Rule(Rule::When(types, inner)) if next.is_some_and(|next| types.has(next)) => {
                any(std::slice::from_ref(*inner), depth, (next, text), is_one)
            }
            _ if peeled.nullable => is_one(Way::Other(member)),
            Kind::Union(union) if depth < 8 => any(union.members, depth + 1, (next, text), is_one),
            Kind::Object(object) if text.is_some_and(|text| text.is_no_tag_of(object)) => false,
            Kind::Object(object) => match Plain::of(object) {
                Some(plain) => is_one(Way::Plain(member, plain)),
                None => {
                    let ways = alternatives_of(member, false);
                    ways.into_iter().any(|way| is_one(Way::Object(way)))
                }
            },
            Kind::Rule(Rule::All(parts)) if next == Some(b'{') => match together(member, parts) {
                Some(way) => is_one(Way::Object(way)),
                None => is_one(Way::Other(member)),
            },
            _ => is_one(Way::Other(member)),
        }
    })
}

/// The keys of an object that several shapes say; nothing if one of them may be in several ways.
fn together<'s>(whole: &'s Shape<'s>, parts: &[Shape<'s>]) -> Option<Alternative<'s>> {
    let mut way = Alternative {
        whole: Some(whole),
        ..Alternative::default()
    };
    for part in parts {
        let part = match &part.kind {
            Kind::Rule(Rule::When(types, inner)) if types.has(b'{') => inner,
            _ => part,
        };
        match alternatives_of(part, false).as_slice() {
            [one] => way.keys.extend(one.keys.iter().copied()),
            [] => {}
            _ => return None,
        }
    }
    (!way.keys.is_empty()).then_some(way)
}

/// The first entry of an object, behind whose key a string stands.
#[derive(Clone, Copy)]
struct Entry<'t> {
    key: &'t str,
    value: &'t str,
}

impl Entry<'_> {
    /// Whether it says that an object is none with these keys, the first of which is a tag.
    fn is_no_tag_of(self, object: &Object<'_>) -> bool {
        match object.fields {
            [field, ..] if !field.flatten && field.is_read_as(self.key) => {
                matches!(field.shape.kind, Kind::Enum([one]) if !one.is_read_as(self.value))
            }
            _ => false,
        }
    }
}

fn is_names(shape: &Shape<'_>) -> bool {
    matches!(bare(shape, false).kind, Kind::Enum(_))
}

/// The one string of a tag.
fn tag_of<'s>(key: &Key<'s>) -> Option<&'s Variant<'s>> {
    match bare(key.field.shape, false).kind {
        Kind::Enum([one]) if key.required => Some(one),
        _ => None,
    }
}

impl<'t> Walk<'t> {
    /// A value that is of one of some ways: the first that admits it is what serde reads.
    pub(super) fn one_of(&mut self, shape: &Shape<'_>, ways: Ways<'_>) -> Walked {
        let start = self.json.offset();
        let depth = self.json.depth();
        // A type that is an untagged variant of itself never comes to an end.
        if self.unions > 16 {
            return self.mismatch(shape);
        }
        // Of the outermost union nobody asks again, and of those in it only its own members do.
        let memo = (self.tried > 1 && self.mode == Mode::Judge).then_some((start, ways.id()));
        if let Some(known) = self.known(memo, depth) {
            return known;
        }
        let (unions, mode) = (self.unions, self.mode);
        let noted = self.edits.len();
        self.mode = Mode::Judge;
        self.tried += 1;
        let entry = self.first_entry().unwrap_or_default();
        self.json.rewind(start, depth);
        let next = self.json.peek();
        let admitted = ways.any(next, entry, |way| {
            self.unions = unions + 1;
            let is_admitted = self.way(&way).is_ok();
            if !is_admitted {
                self.json.rewind(start, depth);
                self.edits.truncate(noted);
            }
            // Without a budget there is nothing more to try.
            is_admitted || self.is_spent()
        });
        self.tried -= 1;
        (self.unions, self.mode) = (unions, mode);
        if self.is_spent() {
            return Err(Stop);
        }
        self.note(memo, admitted, noted);
        match (admitted, mode) {
            (true, _) => Ok(()),
            (false, Mode::Judge) => Err(Stop),
            (false, Mode::Tell { .. }) => self.meant(shape, &ways.all(next), start, depth),
        }
    }

    fn way(&mut self, way: &Way<'_>) -> Walked {
        match way {
            Way::Other(shape) => self.value(shape),
            Way::Object(_) | Way::Plain(..) if self.json.peek() != Some(b'{') => Err(Stop),
            Way::Object(way) => self.alternative(way),
            Way::Plain(_, plain) => self.object(Keys::Plain(plain)),
        }
    }

    /// An object that is in one of some ways.
    fn alternative(&mut self, way: &Alternative<'_>) -> Walked {
        match way.whole {
            Some(shape) => self.value(shape),
            None => self.object(Keys::Of(way)),
        }
    }

    /// Consumes the beginning of the object that stands next, up to behind its first value.
    fn first_entry(&mut self) -> Result<Option<Entry<'t>>, Stop> {
        if self.json.peek() != Some(b'{') {
            return Ok(None);
        }
        self.json.enter_object()?;
        let key = self.json.next_key(&mut Place::Opened)?;
        Ok(match (key, self.json.peek()) {
            (Some(key), Some(b'"')) => {
                let value = self.json.string()?.ok();
                value.map(|value| Entry { key, value })
            }
            _ => None,
        })
    }

    /// Tells what is wrong with a value that is of none of its ways, as the one that was meant.
    fn meant(&mut self, shape: &Shape<'_>, ways: &[Way<'_>], start: usize, depth: u8) -> Walked {
        if let Some(one) = self.lowered_of(ways)? {
            self.unions += 1;
            return self.value(one);
        }
        let next = self.json.peek();
        if next == Some(b'{') {
            let objects: Vec<&Alternative<'_>> = ways
                .iter()
                .filter_map(|way| match way {
                    Way::Object(way) => Some(way),
                    Way::Plain(..) | Way::Other(_) => None,
                })
                .collect();
            if !objects.is_empty() {
                return self.meant_object(&objects, start, depth);
            }
        }
        let mut alike = ways.iter().filter_map(|way| match way {
            Way::Other(shape) if starts(shape, next, 0) => Some(*shape),
            _ => None,
        });
        match (alike.next(), alike.next()) {
            // A string that is no name of the list is free to be something else.
            (Some(one), None) if is_names(one) && self.unquoted(shape)? => Ok(()),
            (Some(one), None) if self.is_no_variant(shape, one, ways)? => Ok(()),
            (Some(one), None) => {
                self.unions += 1;
                self.value(one)
            }
            _ => self.mismatch(shape),
        }
    }

    /// The way of which a strict mode has the form that stands next.
    fn lowered_of<'w>(&mut self, ways: &[Way<'w>]) -> Result<Option<&'w Shape<'w>>, Stop> {
        if !self.json.is_lowered() {
            return Ok(None);
        }
        let (start, depth) = (self.json.offset(), self.json.depth());
        for way in ways {
            if let Way::Other(shape) = way
                && self.json.raised(shape)?.is_some()
            {
                self.json.rewind(start, depth);
                return Ok(Some(shape));
            }
        }
        Ok(None)
    }

    /// Tells a string that is no variant's name, where other variants are objects: with their keys.
    fn is_no_variant(
        &mut self,
        shape: &Shape<'_>,
        one: &Shape<'_>,
        ways: &[Way<'_>],
    ) -> Result<bool, Stop> {
        let objects: Vec<&Alternative<'_>> = ways
            .iter()
            .filter_map(|way| match way {
                Way::Object(way) => Some(way),
                Way::Plain(..) | Way::Other(_) => None,
            })
            .collect();
        let (Kind::Enum(variants), Some(keys)) = (bare(one, false).kind, named(&objects)) else {
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
            let got = (!walk.hides(shape)).then_some(text.as_str());
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
            .filter_map(|way| way.keys.iter().find(|key| key.name == tag).and_then(tag_of))
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
        let is_hidden = self.secrecy == Secrecy::Here;
        let of_tag = |way: &&&Alternative<'_>| {
            let key = way.keys.iter().find(|key| key.name == tag);
            let variant = key.and_then(tag_of);
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
                        _ if is_hidden => {
                            let got = say::kept_back(walk.json.whole(), at);
                            format!("{}, got {got}", say::expected_names(&names))
                        }
                        Some(given) => say::unknown_name("", Some(given), &names),
                        None => {
                            let got = say::shown(walk.json.whole(), at);
                            format!("{}, got {got}", say::expected_names(&names))
                        }
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
            key.and_then(tag_of).is_some()
        })
    };
    let mut tags = first.keys.iter().filter(|key| tag_of(key).is_some());
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

/// Whether values of a shape start with this byte.
fn starts(shape: &Shape<'_>, byte: Option<u8>, depth: u8) -> bool {
    let bare = bare(shape, false);
    match (bare.kind, byte) {
        (_, Some(b'n')) if bare.nullable => true,
        (Kind::Null, Some(b'n'))
        | (Kind::Bool, Some(b't' | b'f'))
        | (Kind::Integer(_) | Kind::Number(_), Some(b'-' | b'0'..=b'9'))
        | (Kind::String(_) | Kind::Enum(_), Some(b'"'))
        | (Kind::Array(_) | Kind::Tuple(_), Some(b'['))
        | (Kind::Object(_) | Kind::Map(_), Some(b'{')) => true,
        (Kind::Union(union), _) if depth < 8 => {
            let mut members = union.members.iter();
            members.any(|member| starts(member, byte, depth + 1))
        }
        (Kind::Back(back), _) if depth < 8 => starts(back.shape(), byte, depth + 1),
        (Kind::Rule(rule), Some(byte)) => starts_by(&rule, byte, depth + 1),
        _ => false,
    }
}

/// Returns true if values that fit a rule may start with this byte.
fn starts_by(rule: &Rule<'_>, byte: u8, depth: u8) -> bool {
    let starts = |shape: &Shape<'_>| depth < 8 && starts(shape, Some(byte), depth);
    match rule {
        Rule::Never => false,
        Rule::Literals(values) => values
            .iter()
            .any(|one| one.as_bytes().first() == Some(&byte)),
        Rule::All(parts) => parts.iter().all(starts),
        Rule::OneOf(members) => members.iter().any(starts),
        Rule::When(types, inner) => !types.has(byte) || starts(inner),
        Rule::Places(_) | Rule::Contains(_) => byte == b'[',
        Rule::Not(_) | Rule::If(_) | Rule::Text(_) => true,
    }
}

/// Whether some value of a shape starts with one of these bytes.
pub(super) fn may_start(shape: &Shape<'_>, bytes: &[u8]) -> bool {
    bytes
        .iter()
        .any(|byte| starts(shape, slice::from_ref(byte).first().copied(), 0))
}
