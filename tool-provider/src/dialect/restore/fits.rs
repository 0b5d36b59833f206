//! Selection of the member of a union that a value is of.

use toolwright_json::Value;

use super::super::inverse::Op;
use super::{Entry, MOST_HOPS, Restore, values_of};
use toolwright_schema::keyword::Keyword;
use toolwright_schema::read::keywords::type_of;
use toolwright_schema::read::{Ordered, Parts, Path};
use toolwright_schema::text::escaped;

/// Levels of checking a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    /// All of it.
    Close,
    /// Its type, and the keys that distinguish the members: something inside it is wrong, which the
    /// decoder reports.
    Wide,
}

impl<'p> Restore<'p> {
    /// The member that a value is of: the first that it fits, or else the first that it looks like.
    pub(super) fn member(
        &mut self,
        value: &Value<'_>,
        members: &'p [Ordered],
    ) -> Option<(usize, &'p Ordered)> {
        [Look::Close, Look::Wide].into_iter().find_map(|look| {
            members.iter().enumerate().find(|(index, member)| {
                let mark = self.path.enter(&format!("?{index}"));
                let hops = self.hops;
                let fits = self.fits(value, member, look);
                self.hops = hops;
                self.path.leave(mark);
                fits
            })
        })
    }

    fn fits(&mut self, value: &Value<'_>, schema: &'p Ordered, look: Look) -> bool {
        match self.trials.checked_sub(1) {
            Some(left) => self.trials = left,
            None => return false,
        }
        if value.is_null() && schema.is_true(Keyword::Nullable) {
            return true;
        }
        if let Some(reference) = schema.reference() {
            let Some(target) = self.target(reference).filter(|_| self.hops < MOST_HOPS) else {
                return false;
            };
            let here = std::mem::replace(&mut self.path, Path::of_reference(reference));
            self.hops += 1;
            let fits = self.fits(value, target, look);
            self.hops -= 1;
            self.path = here;
            return fits;
        }
        if let Some(members) = schema.any_of() {
            if self.hops >= MOST_HOPS {
                return false;
            }
            self.hops += 1;
            let mut members = members.iter().enumerate();
            let fits = members.any(|(index, member)| {
                self.part(&format!("?{index}"), |this| this.fits(value, member, look))
            });
            self.hops -= 1;
            return fits;
        }
        if let Some(values) = schema.literals()
            && !values.contains(value)
        {
            return false;
        }
        let hops = std::mem::take(&mut self.hops);
        let fits = match (self.ops.get(self.path.at().as_str()).copied(), value) {
            // A real map or array is accepted too.
            (Some(Op::EntriesToMap { .. }), Value::Object(entries)) => {
                let values = values_of(schema);
                look == Look::Wide || self.all(entries, values)
            }
            (Some(Op::ObjectToTuple { len }), Value::Array(items)) => items.len() == *len,
            _ => is_of_type(value, schema) && self.parts_fit(value, schema, look),
        };
        self.hops = hops;
        fits
    }

    /// Judges a part of a value.
    fn part(&mut self, part: &str, judge: impl FnOnce(&mut Self) -> bool) -> bool {
        let mark = self.path.enter(part);
        let fits = judge(self);
        self.path.leave(mark);
        fits
    }

    fn all(&mut self, entries: &[Entry<'_>], values: Option<&'p Ordered>) -> bool {
        let Some(values) = values else {
            return true;
        };
        entries
            .iter()
            .all(|(_, value)| self.part("*/value", |this| this.fits(value, values, Look::Close)))
    }

    fn parts_fit(&mut self, value: &Value<'_>, schema: &'p Ordered, look: Look) -> bool {
        match value {
            Value::Array(items) if look == Look::Close => match schema.keyword(Keyword::Items) {
                Some(each) => items
                    .iter()
                    .all(|item| self.part("*", |this| this.fits(item, each, look))),
                None => true,
            },
            Value::Object(entries) => self.keys_fit(entries, schema, look),
            _ => true,
        }
    }

    fn keys_fit(&mut self, entries: &[Entry<'_>], schema: &'p Ordered, look: Look) -> bool {
        let has = |name: &str| entries.iter().any(|(key, _)| key == name);
        if look == Look::Close && !schema.required().all(has) {
            return false;
        }
        let is_open = schema.has(Keyword::AdditionalProperties) && !schema.is_closed();
        entries.iter().all(|(key, value)| match schema.member(key) {
            None => is_open || look == Look::Wide,
            Some(member) => {
                if look == Look::Wide && member.only_literal().is_none() {
                    return true;
                }
                let part = escaped(key);
                self.part(&part, |this| this.fits(value, member, look))
            }
        })
    }
}

/// Returns true if a value is of one of the types that a schema names.
fn is_of_type(value: &Value<'_>, schema: &Ordered) -> bool {
    let is = |name| !schema.has(Keyword::Type) || schema.is_of(name);
    match value {
        Value::Number(_) => is("number") || is("integer") && value.as_integer().is_some(),
        value => is(type_of(value)),
    }
}
