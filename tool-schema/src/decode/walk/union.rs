//! Walks values of any one of some types.

use toolwright_json::Place;

use crate::shape::{
    Alternative, Field, KeyTable, Kind, Object, Rule, Shape, Unwrapped, alternatives_of,
};

use super::object::ObjectKeys;
use super::{Stop, Walk, WalkMode, Walked};

/// Forms that a value may have.
pub(super) enum Candidate<'s> {
    Object(Alternative<'s>),
    /// An object that may be in one way alone.
    Listed(&'s Shape<'s>, KeyTable<'s>),
    Other(&'s Shape<'s>),
}

/// All forms that a value may have.
#[derive(Clone, Copy)]
pub(super) enum Candidates<'s> {
    /// The members of a union.
    Of(&'s [Shape<'s>]),
    /// An object with these fields, into which an enum is flattened.
    Objects(&'s [Alternative<'s>], &'s [Field<'s>]),
}

impl<'s> Candidates<'s> {
    /// Returns the address of the candidates, which live as long as the program: an identity for the whole.
    fn id(self) -> usize {
        match self {
            Self::Of(members) => members.as_ptr().addr(),
            Self::Objects(_, fields) => fields.as_ptr().addr(),
        }
    }

    /// Returns true if one of them is the one, in order, of those whose tag is not another than the text's;
    /// those behind it are not made.
    fn any(
        self,
        next: Option<u8>,
        text: Option<TagEntry<'_>>,
        mut is_one: impl FnMut(Candidate<'s>) -> bool,
    ) -> bool {
        match self {
            Self::Of(members) => any(members, 0, (next, text), &mut is_one),
            Self::Objects(ways, _) => ways
                .iter()
                .cloned()
                .any(|way| is_one(Candidate::Object(way))),
        }
    }

    fn all(self, next: Option<u8>) -> Vec<Candidate<'s>> {
        let mut all = Vec::new();
        self.any(next, None, |way| {
            match way {
                Candidate::Listed(shape, _) => {
                    all.extend(
                        alternatives_of(shape, false)
                            .into_iter()
                            .map(Candidate::Object),
                    );
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
    (next, text): (Option<u8>, Option<TagEntry<'_>>),
    is_one: &mut impl FnMut(Candidate<'s>) -> bool,
) -> bool {
    members.iter().any(|member| {
        let peeled = Unwrapped::of(member);
        match peeled.kind {
            // Its rules for a value of this type are all of its rules.
            Kind::Rule(Rule::When(types, inner)) if next.is_some_and(|next| types.has(next)) => {
                any(std::slice::from_ref(*inner), depth, (next, text), is_one)
            }
            _ if peeled.nullable => is_one(Candidate::Other(member)),
            Kind::Union(union) if depth < 8 => any(union.members, depth + 1, (next, text), is_one),
            Kind::Object(object) if text.is_some_and(|text| text.is_no_tag_of(object)) => false,
            Kind::Object(object) => match KeyTable::of(object) {
                Some(keys) => is_one(Candidate::Listed(member, keys)),
                None => {
                    let ways = alternatives_of(member, false);
                    ways.into_iter().any(|way| is_one(Candidate::Object(way)))
                }
            },
            Kind::Rule(Rule::All(parts)) if next == Some(b'{') => match merged(member, parts) {
                Some(way) => is_one(Candidate::Object(way)),
                None => is_one(Candidate::Other(member)),
            },
            _ => is_one(Candidate::Other(member)),
        }
    })
}

/// The keys of an object that several shapes say; nothing if one of them may be in several ways.
fn merged<'s>(whole: &'s Shape<'s>, parts: &[Shape<'s>]) -> Option<Alternative<'s>> {
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

/// The first entry of an object, if its value is a string.
#[derive(Clone, Copy)]
struct TagEntry<'t> {
    key: &'t str,
    value: &'t str,
}

impl TagEntry<'_> {
    /// Returns true if it excludes an object with these keys, the first of which is a tag.
    fn is_no_tag_of(self, object: &Object<'_>) -> bool {
        match object.fields {
            [field, ..] if !field.flatten && field.is_read_as(self.key) => {
                field.tag().is_some_and(|one| !one.is_read_as(self.value))
            }
            _ => false,
        }
    }
}

impl<'t> Walk<'t> {
    /// A value of one of several candidates: the first that admits it is the one that serde reads.
    pub(super) fn one_of(&mut self, shape: &Shape<'_>, ways: Candidates<'_>) -> Walked {
        let start = self.json.offset();
        let depth = self.json.depth();
        // A type that is an untagged variant of itself never comes to an end.
        if self.unions > 16 {
            return self.mismatch(shape);
        }
        // The outermost union is visited once, and inner unions only by its members.
        let id = ways.id() | usize::from(self.is_exact);
        let memo = (self.tried > 1 && self.mode == WalkMode::FailFast).then_some((start, id));
        if let Some(known) = self.known(memo, depth) {
            return known;
        }
        let (unions, mode) = (self.unions, self.mode);
        let noted = self.edits.len();
        self.mode = WalkMode::FailFast;
        self.tried += 1;
        let entry = self.first_entry().unwrap_or_default();
        self.json.rewind(start, depth);
        let next = self.json.peek();
        let first = |walk: &mut Self| {
            ways.any(next, entry, |way| {
                walk.unions = unions + 1;
                let is_admitted = walk.way(&way).is_ok();
                if !is_admitted {
                    walk.json.rewind(start, depth);
                    walk.edits.truncate(noted);
                }
                // Without a budget there is nothing more to try.
                is_admitted || walk.is_spent()
            })
        };
        let admitted = first(self);
        if admitted && self.edits.len() > noted && !self.is_exact {
            // serde knows integers by their spelling, and reads `1.0` by a later member that takes a float.
            let (end, edits) = (self.json.offset(), self.edits.split_off(noted));
            self.json.rewind(start, depth);
            self.is_exact = true;
            if !first(self) {
                self.json.rewind(end, depth);
                self.edits.extend(edits);
            }
            self.is_exact = false;
        }
        self.tried -= 1;
        (self.unions, self.mode) = (unions, mode);
        if self.is_spent() {
            return Err(Stop);
        }
        self.note(memo, admitted, noted);
        match (admitted, mode) {
            (true, _) => Ok(()),
            (false, WalkMode::FailFast) => Err(Stop),
            (false, WalkMode::Collect { .. }) => self.meant(shape, &ways.all(next), start, depth),
        }
    }

    fn way(&mut self, way: &Candidate<'_>) -> Walked {
        match way {
            Candidate::Other(shape) => self.value(shape),
            Candidate::Object(_) | Candidate::Listed(..) if self.json.peek() != Some(b'{') => {
                Err(Stop)
            }
            Candidate::Object(way) => self.alternative(way),
            Candidate::Listed(_, keys) => self.object(ObjectKeys::Listed(keys)),
        }
    }

    /// An object that is in one of some ways.
    pub(super) fn alternative(&mut self, way: &Alternative<'_>) -> Walked {
        match way.whole {
            Some(shape) => self.value(shape),
            None => self.object(ObjectKeys::Of(way)),
        }
    }

    /// Consumes the beginning of the next object, through its first value.
    fn first_entry(&mut self) -> Result<Option<TagEntry<'t>>, Stop> {
        if self.json.peek() != Some(b'{') {
            return Ok(None);
        }
        self.json.enter_object()?;
        let key = self.json.next_key(&mut Place::Opened)?;
        Ok(match (key, self.json.peek()) {
            (Some(key), Some(b'"')) => {
                let value = self.json.string()?.ok();
                value.map(|value| TagEntry { key, value })
            }
            _ => None,
        })
    }
}
