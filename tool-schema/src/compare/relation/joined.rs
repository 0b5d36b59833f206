//! Schemas that join others: `anyOf`, `oneOf`, `allOf`, references.

use super::{Answer, At, Question, no, unclear};
use crate::compare::finding::{Change, Findings};
use crate::compare::json::{Parts, equal};
use crate::compare::rules::{Rules, Types, resolved, target};

impl<'t> Question<'t> {
    /// A value is admitted by any one of several schemas, and by what stands beside them.
    pub(super) const fn either_is_admitted(
        &self,
        a: &Rules<'t>,
        b: &Rules<'t>,
        at: At<'_, 't>,
        found: &mut Findings<'t>,
    ) -> Answer {
        let mut rest = *a;
        rest.any_of = &[];
        rest.one_of = &[];
        let has_own = a.has_own() || !a.reference.is_empty() || !a.all_of.is_empty();
        if has_own && self.tried(&rest, b, at, found).is_yes() {
            return Answer::Yes;
        }
        let list = if a.any_of.is_empty() {
            a.one_of
        } else {
            a.any_of
        };
        // What one of them admits may be refused by what stands beside it.
        let is_exact = !has_own && a.one_of.is_empty();
        let was_quiet = found.is_quiet;
        found.is_quiet |= !is_exact;
        let mut answer = Answer::Yes;
        let mut members = Parts::of(list);
        while let Some((member, others)) = members.element() {
            let part = match resolved(self.from, member) {
                Some(part) => {
                    self.member_is_admitted(&within(Rules::of(part), a), b, member, at, found)
                }
                None => Answer::Unknown,
            };
            answer = answer.and(part);
            members = others;
        }
        found.is_quiet = was_quiet;
        match answer {
            Answer::Yes => Answer::Yes,
            other if is_exact => other,
            _ => unclear(found, at, b"anyOf", Answer::Unknown),
        }
    }

    /// Compares one of several schemas, which a reference may have led to.
    const fn member_is_admitted(
        &self,
        a: &Rules<'t>,
        b: &Rules<'t>,
        member: &'t [u8],
        at: At<'_, 't>,
        found: &mut Findings<'t>,
    ) -> Answer {
        if equal(a.text, member) {
            return self.rules(a, b, at, found);
        }
        self.recurring(a, b, at, found)
    }

    /// A value is admitted by all of several schemas.
    pub(super) const fn all_is_admitted(
        &self,
        a: &Rules<'t>,
        b: &Rules<'t>,
        at: At<'_, 't>,
        found: &mut Findings<'t>,
    ) -> Answer {
        let mut rest = *a;
        rest.reference = &[];
        rest.all_of = &[];
        if a.has_own() && self.tried(&rest, b, at, found).is_yes() {
            return Answer::Yes;
        }
        if let Some(part) = target(self.from, a.reference)
            && self.tried(&Rules::of(part), b, at, found).is_yes()
        {
            return Answer::Yes;
        }
        let mut parts = Parts::of(a.all_of);
        while let Some((part, others)) = parts.element() {
            if let Some(part) = resolved(self.from, part)
                && self.tried(&Rules::of(part), b, at, found).is_yes()
            {
                return Answer::Yes;
            }
            parts = others;
        }
        unclear(found, at, b"allOf", Answer::Unknown)
    }

    /// A value has to be admitted by one of several schemas: asked for each type, since these part alternatives.
    pub(super) const fn by_either(
        &self,
        a: &Rules<'t>,
        list: &'t [u8],
        is_one_of: bool,
        at: At<'_, 't>,
        found: &mut Findings<'t>,
    ) -> Answer {
        if is_one_of && !self.are_apart(list) {
            return unclear(found, at, b"oneOf", Answer::Unknown);
        }
        if let Some(mut values) = a.values {
            let mut answer = Answer::Yes;
            while let Some((value, rest)) = values.element() {
                values = rest;
                if a.types.and(Types::of_value(value)).is_none() {
                    continue;
                }
                let mut one = *a;
                one.is_part = true;
                one.values = Some(Parts::of_one(value));
                match self.by_one(&one, list, at, found) {
                    Answer::Yes => {}
                    Answer::No => answer = no(found, at, Change::Value, value, &[]),
                    Answer::Unknown => {
                        answer = answer.and(unclear(found, at, b"enum", Answer::Unknown));
                    }
                }
            }
            return answer;
        }
        let mut answer = Answer::Yes;
        let mut types: &[Types] = &Types::EACH;
        while let [one, rest @ ..] = types {
            types = rest;
            if a.types.and(*one).is_none() {
                continue;
            }
            let mut part = *a;
            part.is_part = !one.has(a.types);
            part.types = *one;
            answer = answer.and(self.by_one(&part, list, at, found));
        }
        match answer {
            Answer::Yes => Answer::Yes,
            Answer::No => no(found, at, Change::Alternatives, &[], &[]),
            Answer::Unknown => unclear(found, at, b"anyOf", Answer::Unknown),
        }
    }

    /// Asks each of several schemas, without telling.
    const fn by_one(
        &self,
        a: &Rules<'t>,
        list: &'t [u8],
        at: At<'_, 't>,
        found: &mut Findings<'t>,
    ) -> Answer {
        let was_quiet = found.is_quiet;
        found.is_quiet = true;
        let mut best = Answer::No;
        let mut members = Parts::of(list);
        while let Some((member, rest)) = members.element() {
            members = rest;
            match self.against(a, member, at, found) {
                Answer::Yes => {
                    best = Answer::Yes;
                    break;
                }
                Answer::Unknown => best = Answer::Unknown,
                Answer::No => {}
            }
        }
        found.is_quiet = was_quiet;
        best
    }

    /// Returns true if no value is admitted by two of these schemas: they are of different types, or objects that one
    /// key tells apart.
    const fn are_apart(&self, list: &'t [u8]) -> bool {
        let mut members = Parts::of(list);
        while let Some((one, rest)) = members.element() {
            members = rest;
            let mut others = rest;
            while let Some((other, behind)) = others.element() {
                others = behind;
                let (Some(one), Some(other)) = (resolved(self.by, one), resolved(self.by, other))
                else {
                    return false;
                };
                if !are_two(&Rules::of(one), &Rules::of(other)) {
                    return false;
                }
            }
        }
        true
    }
}

/// A member of a union, of the types alone that stand beside the union.
const fn within<'t>(mut member: Rules<'t>, union: &Rules<'_>) -> Rules<'t> {
    member.is_part = !union.types.has(member.types);
    member.types = member.types.and(union.types);
    member
}

/// Returns true if two schemas admit no value together.
const fn are_two(one: &Rules<'_>, other: &Rules<'_>) -> bool {
    if one.is_unclear || other.is_unclear {
        return false;
    }
    let types = one.types.and(other.types);
    if types.is_none() {
        return true;
    }
    if let (Some(values), Some(others)) = (one.values, other.values) {
        return are_other(values, others);
    }
    if !types.without(Types::OBJECT).is_none() {
        return false;
    }
    let mut required = Parts::of(one.required);
    while let Some((name, rest)) = required.element() {
        required = rest;
        let [b'"', key @ .., b'"'] = name else {
            continue;
        };
        if !other.requires(key) {
            continue;
        }
        if let (Some(tag), Some(other)) = (one.property(key), other.property(key))
            && let (Some(values), Some(others)) = (Rules::of(tag).values, Rules::of(other).values)
            && are_other(values, others)
        {
            return true;
        }
    }
    false
}

/// Returns true if two lists are of strings, none of which is in both.
const fn are_other(mut values: Parts<'_>, others: Parts<'_>) -> bool {
    while let Some((value, rest)) = values.element() {
        values = rest;
        let mut others = others;
        while let Some((other, behind)) = others.element() {
            others = behind;
            if equal(value, other) || !matches!((value, other), ([b'"', ..], [b'"', ..])) {
                return false;
            }
        }
    }
    true
}
