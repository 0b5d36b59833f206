//! Walks values of any one of some types.

use toolwright_json::Place;

use crate::shape::{
    Alternative, Field, Kind, ListedKeys, Object, Peeled, Rule, Shape, alternatives_of,
};

use super::object::Keys;
use super::{Mode, Stop, Walk, Walked};

/// Forms that a value may have.
pub(super) enum Way<'s> {
    Object(Alternative<'s>),
    /// An object that may be in one way alone.
    Listed(&'s Shape<'s>, ListedKeys<'s>),
    Other(&'s Shape<'s>),
}

/// All forms that a value may have.
#[derive(Clone, Copy)]
pub(super) enum Ways<'s> {
    /// The members of a union.
    Of(&'s [Shape<'s>]),
    /// An object with these fields, into which an enum is flattened.
    Objects(&'s [Alternative<'s>], &'s [Field<'s>]),
}

impl<'s> Ways<'s> {
    /// Returns the address of what they are made of, which lives as long as the program: a name for
    /// the whole.
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
                Way::Listed(shape, _) => {
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
            Kind::Object(object) => match ListedKeys::of(object) {
                Some(keys) => is_one(Way::Listed(member, keys)),
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
    /// Returns true if it says that an object is none with these keys, the first of which is a tag.
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
    /// A value that is of one of some ways: the first that admits it is what serde reads.
    pub(super) fn one_of(&mut self, shape: &Shape<'_>, ways: Ways<'_>) -> Walked {
        let start = self.json.offset();
        let depth = self.json.depth();
        // A type that is an untagged variant of itself never comes to an end.
        if self.unions > 16 {
            return self.mismatch(shape);
        }
        // Of the outermost union nobody asks again, and of those in it only its own members do.
        let memo = (self.tried > 1 && self.mode == Mode::FailFast).then_some((start, ways.id()));
        if let Some(known) = self.known(memo, depth) {
            return known;
        }
        let (unions, mode) = (self.unions, self.mode);
        let noted = self.edits.len();
        self.mode = Mode::FailFast;
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
            (false, Mode::FailFast) => Err(Stop),
            (false, Mode::Collect { .. }) => self.meant(shape, &ways.all(next), start, depth),
        }
    }

    fn way(&mut self, way: &Way<'_>) -> Walked {
        match way {
            Way::Other(shape) => self.value(shape),
            Way::Object(_) | Way::Listed(..) if self.json.peek() != Some(b'{') => Err(Stop),
            Way::Object(way) => self.alternative(way),
            Way::Listed(_, keys) => self.object(Keys::Listed(keys)),
        }
    }

    /// An object that is in one of some ways.
    pub(super) fn alternative(&mut self, way: &Alternative<'_>) -> Walked {
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
}
