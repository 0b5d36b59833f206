//! Schemas that join no others: their types, and what is in arrays and objects.

use super::values::{all_listed, counts, each_value, name_fits, numbers, strings};
use super::{Answer, At, Question, differs, unclear};
use crate::compare::finding::{Change, Findings, Step};
use crate::compare::json::{Parts, count, equal, get};
use crate::compare::rules::{ANYTHING, Counts, Rules, Types, resolved};

impl<'t> Question<'t> {
    /// Two schemas that join no others.
    pub(super) const fn plain(
        &self,
        a: &Rules<'t>,
        b: &Rules<'t>,
        at: At<'_, 't>,
        found: &mut Findings<'t>,
    ) -> Answer {
        // Others on this side leave values out, so what is found may not be so.
        let is_sure = !a.has_others;
        let mut answer = Answer::Yes;
        let other = match b.lacks_other(a) {
            Some(key) => Some(key),
            // One says what another is about: `contains` and `minContains`.
            None if b.has_others => a.lacks_other(b),
            None => None,
        };
        if let Some(key) = other {
            answer = unclear(found, at, key, Answer::Unknown);
        }
        if let Some(values) = a.values {
            return answer.and(each_value(a, values, b, at, found, is_sure));
        }
        let gone = a.types.without(b.types);
        if !gone.is_none() {
            let (old, new) = (get(a.text, b"type"), get(b.text, b"type"));
            answer = answer.and(differs(
                found,
                at,
                Change::Type,
                or_empty(old),
                or_empty(new),
                is_sure,
            ));
        }
        let both = a.types.and(b.types);
        if let Some(mut values) = b.values {
            // A short range may be listed.
            let is_sure = is_sure && (a.min.is_none() || a.max.is_none());
            answer = answer.and(all_listed(both, &mut values, at, found, is_sure));
            return answer;
        }
        if !both.and(Types::NUMBER).is_none() {
            answer = answer.and(numbers(a, b, both, at, found, is_sure));
        }
        if both.has(Types::STRING) {
            answer = answer.and(strings(a, b, at, found, is_sure));
        }
        if both.has(Types::ARRAY) {
            answer = answer.and(self.arrays(a, b, at, found, is_sure));
        }
        if both.has(Types::OBJECT) {
            answer = answer.and(self.objects(a, b, at, found, is_sure));
        }
        if !is_sure && answer.is_no() {
            return Answer::Unknown;
        }
        answer
    }

    const fn arrays(
        &self,
        a: &Rules<'t>,
        b: &Rules<'t>,
        at: At<'_, 't>,
        found: &mut Findings<'t>,
        is_sure: bool,
    ) -> Answer {
        let (own, other) = (count(a.places), count(b.places));
        let mut most = a.count.max;
        if matches!(a.items, [b'f', ..]) && own < most {
            most = own;
        }
        let mut answer = counts(
            Counts {
                min: a.count.min,
                max: most,
            },
            b.count,
            at,
            found,
            is_sure,
        );
        if b.is_unique && !a.is_unique && most > 1 {
            answer = answer.and(differs(found, at, Change::Unique, &[], &[], is_sure));
        }
        let places = if own > other { own } else { other };
        let mut index = 0;
        while index < places && index < most {
            let inside = at.then(Step::At(index));
            answer = answer.and(self.schemas(a.place(index), b.place(index), inside, found));
            index += 1;
        }
        if most > places {
            let inside = at.then(Step::Each);
            answer = answer.and(self.schemas(a.place(places), b.place(places), inside, found));
        }
        answer
    }

    const fn objects(
        &self,
        a: &Rules<'t>,
        b: &Rules<'t>,
        at: At<'_, 't>,
        found: &mut Findings<'t>,
        is_sure: bool,
    ) -> Answer {
        let mut answer = Answer::Yes;
        // What has to be there.
        let mut required = Parts::of(b.required);
        while let Some((name, rest)) = required.element() {
            required = rest;
            let [b'"', key @ .., b'"'] = name else {
                continue;
            };
            let name = self.old_name(key, at);
            let is_lost = self.is_output && a.is_closed() && a.property(name).is_none();
            if !a.requires(name) && !is_lost {
                answer = answer.and(differs(found, at, Change::Required, key, &[], is_sure));
            }
        }
        // Values that have a name.
        let mut properties = Parts::of(a.properties);
        while let Some((key, from, rest)) = properties.member() {
            properties = rest;
            let name = self.new_name(key, at);
            let inside = at.then(Step::Key(key));
            answer = answer.and(match b.property(name) {
                Some(by) => self.schemas(from, by, inside, found),
                // A reader leaves alone what it does not know.
                None if self.is_output => Answer::Yes,
                None if b.is_closed() => match from {
                    [b'f', ..] => Answer::Yes,
                    _ => differs(found, at, Change::Removed, key, &[], is_sure),
                },
                None => self.schemas(from, b.rest(), inside, found),
            });
            if !b.names.is_empty() {
                answer = answer.and(unclear(
                    found,
                    at,
                    b"propertyNames",
                    name_fits(b.names, name),
                ));
            }
        }
        let mut properties = Parts::of(b.properties);
        while let Some((key, by, rest)) = properties.member() {
            properties = rest;
            if a.property(self.old_name(key, at)).is_some() {
                continue;
            }
            if self.is_output {
                if a.is_closed() && !matches!(by, [b'f', ..]) {
                    answer = answer.and(differs(found, at, Change::Lost, key, &[], is_sure));
                }
            } else if !a.is_closed() && !a.additional.is_empty() {
                // Where nothing is said of other keys, they are nobody's.
                let inside = at.then(Step::Key(key));
                answer = answer.and(self.schemas(a.rest(), by, inside, found));
            }
        }
        // Values that have none.
        if !a.is_closed() && !self.is_output {
            if b.is_closed() {
                answer = answer.and(differs(found, at, Change::Closed, &[], &[], is_sure));
            } else {
                let inside = at.then(Step::Value);
                answer = answer.and(self.schemas(a.rest(), b.rest(), inside, found));
            }
            if !b.names.is_empty() {
                answer = answer.and(self.names(a, b, at, found));
            }
        }
        let (min, max) = (count(a.required), count(a.properties));
        let own = Counts {
            min: if min > a.entries.min {
                min
            } else {
                a.entries.min
            },
            max: if a.is_closed() && max < a.entries.max {
                max
            } else {
                a.entries.max
            },
        };
        answer.and(counts(own, b.entries, at, found, is_sure))
    }

    /// Compares the schemas of keys, which are strings.
    const fn names(
        &self,
        a: &Rules<'t>,
        b: &Rules<'t>,
        at: At<'_, 't>,
        found: &mut Findings<'t>,
    ) -> Answer {
        let at = at.then(Step::Name);
        let from = match a.names {
            [] => ANYTHING,
            names => names,
        };
        let (Some(from), Some(by)) = (resolved(self.from, from), resolved(self.by, b.names)) else {
            return unclear(found, at, b"propertyNames", Answer::Unknown);
        };
        let mut from = Rules::of(from);
        from.is_part = true;
        from.types = from.types.and(Types::STRING);
        self.rules(&from, &Rules::of(by), at, found)
    }

    /// The name of a key in `from`, for its name in `by`.
    const fn old_name(&self, key: &'t [u8], at: At<'_, 't>) -> &'t [u8] {
        let mut renamed = if at.place.is_root() {
            self.renamed
        } else {
            &[]
        };
        while let [(from, by), rest @ ..] = renamed {
            if equal(by.as_bytes(), key) && self.has_key(from) {
                return from.as_bytes();
            }
            renamed = rest;
        }
        key
    }

    /// The name of a key in `by`, for its name in `from`.
    const fn new_name(&self, key: &'t [u8], at: At<'_, 't>) -> &'t [u8] {
        let mut renamed = if at.place.is_root() {
            self.renamed
        } else {
            &[]
        };
        while let [(from, by), rest @ ..] = renamed {
            if equal(from.as_bytes(), key) {
                return by.as_bytes();
            }
            renamed = rest;
        }
        key
    }

    /// Returns true if `from` names a key. A name of long ago is in no newer schema.
    const fn has_key(&self, key: &str) -> bool {
        match get(self.from, b"properties") {
            Some(properties) => get(properties, key.as_bytes()).is_some(),
            None => false,
        }
    }
}

const fn or_empty(text: Option<&[u8]>) -> &[u8] {
    match text {
        Some(text) => text,
        None => &[],
    }
}
