//! Whether all that one schema admits is admitted by another, in `const`.
//!
//! [`Answer::Yes`] is a proof. [`Answer::No`] says that a keyword forbids what was admitted, each finding by itself; a
//! value that shows it is looked for elsewhere. All else is [`Answer::Unknown`].

use super::finding::{Change, Finding, Findings, Place, Step};
use super::json::{Parts, alike, count, equal, get};
use super::number::Num;
use super::rules::{Counts, End, Rules, Types, resolved, target};

/// The answer to a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    No,
    Unknown,
    Yes,
}

impl Answer {
    /// Both hold.
    const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Yes, Self::Yes) => Self::Yes,
        }
    }

    pub const fn is_yes(self) -> bool {
        matches!(self, Self::Yes)
    }

    pub const fn is_no(self) -> bool {
        matches!(self, Self::No)
    }
}

/// Two documents, of which the parts are compared.
#[derive(Debug, Clone, Copy)]
pub struct Question<'t> {
    /// The schema whose values have to be admitted.
    pub from: &'t [u8],
    /// The schema that has to admit them.
    pub by: &'t [u8],
    /// True if the values are results: a reader leaves keys that it does not know alone, and misses those that are
    /// gone. `from` is the newer one then.
    pub is_output: bool,
    /// The keys of the outermost object that have other names in `by`: the name in `from`, and the one there.
    pub renamed: &'t [(&'static str, &'static str)],
}

/// The pairs of schemas that are being compared further out, where references lead.
struct Trail<'p, 't> {
    from: &'t [u8],
    by: &'t [u8],
    depth: u32,
    up: Option<&'p Trail<'p, 't>>,
}

/// Where a comparison is: the place in the value, and the way of references there.
#[derive(Clone, Copy)]
struct At<'p, 't> {
    place: Place<'t>,
    /// How many values are around this one.
    depth: u32,
    trail: Option<&'p Trail<'p, 't>>,
}

impl<'t> At<'_, 't> {
    const fn then(self, step: Step<'t>) -> Self {
        Self {
            place: self.place.then(step),
            depth: self.depth + 1,
            ..self
        }
    }
}

impl<'t> Question<'t> {
    /// Answers it. Both texts are known to be whole values of JSON.
    pub const fn answer(&self, found: &mut Findings<'t>) -> Answer {
        let at = At {
            place: Place::ROOT,
            depth: 0,
            trail: None,
        };
        self.schemas(self.from, self.by, at, found)
    }

    const fn schemas(
        &self,
        from: &'t [u8],
        by: &'t [u8],
        at: At<'_, 't>,
        found: &mut Findings<'t>,
    ) -> Answer {
        let (Some(a), Some(b)) = (resolved(self.from, from), resolved(self.by, by)) else {
            return unclear(found, at, b"$ref", Answer::Unknown);
        };
        let is_same = equal(a, from) && equal(b, by);
        if is_same {
            return self.rules(&Rules::of(a), &Rules::of(b), at, found);
        }
        self.recurring(&Rules::of(a), &Rules::of(b), at, found)
    }

    /// Compares what a reference led to. The same question may be asked further out, of a value around this one: then it
    /// holds here if it holds there.
    const fn recurring(
        &self,
        a: &Rules<'t>,
        b: &Rules<'t>,
        at: At<'_, 't>,
        found: &mut Findings<'t>,
    ) -> Answer {
        let mut trail = at.trail;
        while let Some(one) = trail {
            if equal(one.from, a.text) && equal(one.by, b.text) {
                // Of the same value the question has no end.
                return if one.depth < at.depth {
                    Answer::Yes
                } else {
                    unclear(found, at, b"$ref", Answer::Unknown)
                };
            }
            trail = one.up;
        }
        if a.is_part {
            return self.rules(a, b, at, found);
        }
        let trail = Trail {
            from: a.text,
            by: b.text,
            depth: at.depth,
            up: at.trail,
        };
        let inside = At {
            trail: Some(&trail),
            ..at
        };
        self.rules(a, b, inside, found)
    }

    /// Asks without telling.
    const fn tried(
        &self,
        a: &Rules<'t>,
        b: &Rules<'t>,
        at: At<'_, 't>,
        found: &mut Findings<'t>,
    ) -> Answer {
        let was_quiet = found.is_quiet;
        found.is_quiet = true;
        let answer = self.rules(a, b, at, found);
        found.is_quiet = was_quiet;
        answer
    }

    const fn rules(
        &self,
        a: &Rules<'t>,
        b: &Rules<'t>,
        at: At<'_, 't>,
        found: &mut Findings<'t>,
    ) -> Answer {
        if a.types.is_none() || b.is_anything() {
            return Answer::Yes;
        }
        if a.is_unclear || b.is_unclear {
            return unclear(found, at, b"schema", Answer::Unknown);
        }
        if b.types.is_none() {
            return no(found, at, Change::Never, &[], &[]);
        }
        // What joins schemas on the side that has to admit: all of it holds.
        let mut answer = Answer::Yes;
        let mut own = *b;
        own.reference = &[];
        own.all_of = &[];
        if !b.reference.is_empty() {
            let Some(part) = target(self.by, b.reference) else {
                return unclear(found, at, b"$ref", Answer::Unknown);
            };
            answer = answer.and(self.against(a, part, at, found));
        }
        let mut parts = Parts::of(b.all_of);
        while let Some((part, rest)) = parts.element() {
            answer = answer.and(self.against(a, part, at, found));
            parts = rest;
        }
        if answer.is_no() {
            return answer;
        }
        // What joins them on the other side: each of several is enough, or one of them.
        if !a.any_of.is_empty() || !a.one_of.is_empty() {
            return answer.and(self.either_is_admitted(a, &own, at, found));
        }
        if !a.reference.is_empty() || !a.all_of.is_empty() {
            return answer.and(self.all_is_admitted(a, &own, at, found));
        }
        if !own.any_of.is_empty() || !own.one_of.is_empty() {
            let (any_of, one_of) = (own.any_of, own.one_of);
            own.any_of = &[];
            own.one_of = &[];
            answer = answer.and(self.plain(a, &own, at, found));
            if !any_of.is_empty() {
                answer = answer.and(self.by_either(a, any_of, false, at, found));
            }
            if !one_of.is_empty() {
                answer = answer.and(self.by_either(a, one_of, true, at, found));
            }
            return answer;
        }
        answer.and(self.plain(a, &own, at, found))
    }

    /// Compares with a schema that is still a text.
    const fn against(
        &self,
        a: &Rules<'t>,
        by: &'t [u8],
        at: At<'_, 't>,
        found: &mut Findings<'t>,
    ) -> Answer {
        let Some(b) = resolved(self.by, by) else {
            return unclear(found, at, b"$ref", Answer::Unknown);
        };
        if equal(b, by) {
            return self.rules(a, &Rules::of(b), at, found);
        }
        self.recurring(a, &Rules::of(b), at, found)
    }

    /// A value is admitted by any one of several schemas, and by what stands beside them.
    const fn either_is_admitted(
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
    const fn all_is_admitted(
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
    const fn by_either(
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

    /// Two schemas that join no others.
    const fn plain(
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
            [] => super::rules::ANYTHING,
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

/// A member of a union, of the types alone that stand beside the union.
const fn within<'t>(mut member: Rules<'t>, union: &Rules<'_>) -> Rules<'t> {
    member.is_part = !union.types.has(member.types);
    member.types = member.types.and(union.types);
    member
}

const fn or_empty(text: Option<&[u8]>) -> &[u8] {
    match text {
        Some(text) => text,
        None => &[],
    }
}

/// Tells of something that is refused now.
const fn no<'t>(
    found: &mut Findings<'t>,
    at: At<'_, 't>,
    change: Change,
    old: &'t [u8],
    new: &'t [u8],
) -> Answer {
    differs(found, at, change, old, new, true)
}

const fn differs<'t>(
    found: &mut Findings<'t>,
    at: At<'_, 't>,
    change: Change,
    old: &'t [u8],
    new: &'t [u8],
    is_sure: bool,
) -> Answer {
    found.add(Finding {
        change,
        is_sure,
        place: at.place,
        old,
        new,
    });
    if is_sure { Answer::No } else { Answer::Unknown }
}

/// Tells of something that is not compared, unless the answer is known.
const fn unclear<'t>(
    found: &mut Findings<'t>,
    at: At<'_, 't>,
    what: &'t [u8],
    answer: Answer,
) -> Answer {
    if !answer.is_yes() {
        differs(found, at, Change::Unclear, what, &[], false);
    }
    answer
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

/// Each of the values that are listed has to be admitted.
const fn each_value<'t>(
    a: &Rules<'t>,
    mut values: Parts<'t>,
    b: &Rules<'t>,
    at: At<'_, 't>,
    found: &mut Findings<'t>,
    is_sure: bool,
) -> Answer {
    let mut own = *a;
    own.values = None;
    let mut answer = Answer::Yes;
    while let Some((value, rest)) = values.element() {
        values = rest;
        let is_own = literal(&own, value);
        if is_own.is_no() {
            continue;
        }
        let one = match literal(b, value) {
            Answer::No => differs(
                found,
                at,
                Change::Value,
                value,
                &[],
                is_sure && is_own.is_yes(),
            ),
            answer => unclear(found, at, b"enum", answer),
        };
        answer = answer.and(one);
    }
    answer
}

/// Returns whether a value is admitted by a schema that joins no others. Of objects and arrays it knows only whether
/// they are listed.
pub(super) const fn literal(rules: &Rules<'_>, value: &[u8]) -> Answer {
    let ty = Types::of_value(value);
    if rules.types.and(ty).is_none() {
        return Answer::No;
    }
    let mut answer = if rules.has_others || rules.is_unclear || !rules.types.has(ty) {
        Answer::Unknown
    } else {
        Answer::Yes
    };
    let is_composite = matches!(value, [b'[' | b'{', ..]);
    if let Some(mut values) = rules.values {
        let mut is_listed = false;
        while let Some((one, rest)) = values.element() {
            values = rest;
            is_listed |= alike(one, value)
                || match (Num::of(one), Num::of(value)) {
                    (Some(one), Some(value)) => one.cmp(&value) == 0,
                    _ => false,
                };
        }
        if !is_listed {
            // `[1.0]` is `[1]`.
            return if is_composite {
                Answer::Unknown
            } else {
                Answer::No
            };
        }
        return answer;
    }
    if is_composite {
        return if says_of_parts(rules) {
            Answer::Unknown
        } else {
            answer
        };
    }
    if let [b'"', inside @ .., b'"'] = value {
        let len = super::json::chars(inside);
        if len < rules.len.min || len > rules.len.max {
            return Answer::No;
        }
        if !rules.pattern.is_empty() || !rules.format.is_empty() {
            answer = Answer::Unknown;
        }
    } else if !ty.and(Types::NUMBER).is_none() {
        let Some(number) = Num::of(value) else {
            return Answer::Unknown;
        };
        answer = answer.and(in_range(rules, &number));
    }
    answer
}

const fn says_of_parts(rules: &Rules<'_>) -> bool {
    let Rules {
        count,
        items,
        places,
        is_unique,
        properties,
        required,
        additional,
        names,
        entries,
        ..
    } = rules;
    *is_unique
        || count.min > 0
        || count.max < u64::MAX
        || entries.min > 0
        || entries.max < u64::MAX
        || !(items.is_empty()
            && places.is_empty()
            && properties.is_empty()
            && required.is_empty()
            && additional.is_empty()
            && names.is_empty())
}

const fn in_range(rules: &Rules<'_>, number: &Num) -> Answer {
    if let Some(end) = &rules.min
        && let Some(min) = Num::of(end.text)
    {
        let order = number.cmp(&min);
        if order < 0 || (order == 0 && end.is_open) {
            return Answer::No;
        }
    }
    if let Some(end) = &rules.max
        && let Some(max) = Num::of(end.text)
    {
        let order = number.cmp(&max);
        if order > 0 || (order == 0 && end.is_open) {
            return Answer::No;
        }
    }
    if rules.multiple_of.is_empty() {
        return Answer::Yes;
    }
    let Some(of) = Num::of(rules.multiple_of) else {
        return Answer::Unknown;
    };
    match number.is_multiple_of(&of) {
        Some(true) => Answer::Yes,
        Some(false) => Answer::No,
        None => Answer::Unknown,
    }
}

/// Returns whether a key is admitted by the schema of keys.
const fn name_fits(names: &[u8], key: &[u8]) -> Answer {
    let rules = Rules::of(names);
    let joins = !rules.any_of.is_empty()
        || !rules.one_of.is_empty()
        || !rules.all_of.is_empty()
        || !rules.reference.is_empty();
    let len = super::json::chars(key);
    if !joins && (len < rules.len.min || len > rules.len.max || !rules.types.has(Types::STRING)) {
        return Answer::No;
    }
    if joins || rules.values.is_some() || !rules.pattern.is_empty() || !rules.format.is_empty() {
        return Answer::Unknown;
    }
    if rules.has_others || rules.is_unclear {
        return Answer::Unknown;
    }
    Answer::Yes
}

/// All values of these types have to be listed, which is so for few types.
const fn all_listed<'t>(
    types: Types,
    values: &mut Parts<'t>,
    at: At<'_, 't>,
    found: &mut Findings<'t>,
    is_sure: bool,
) -> Answer {
    let mut missing = types;
    let (mut has_true, mut has_false) = (false, false);
    while let Some((value, rest)) = values.element() {
        *values = rest;
        match value {
            [b'n', ..] => missing = missing.without(Types::NULL),
            [b't', ..] => has_true = true,
            [b'f', ..] => has_false = true,
            _ => {}
        }
    }
    if has_true && has_false {
        missing = missing.without(Types::BOOLEAN);
    }
    if missing.is_none() {
        Answer::Yes
    } else {
        differs(found, at, Change::Listed, &[], &[], is_sure)
    }
}

const fn numbers<'t>(
    a: &Rules<'t>,
    b: &Rules<'t>,
    types: Types,
    at: At<'_, 't>,
    found: &mut Findings<'t>,
    is_sure: bool,
) -> Answer {
    let are_integers = !types.has(Types::FRACTION);
    let mut answer = Answer::Yes;
    if !reaches(a.min.as_ref(), b.min.as_ref(), are_integers, true) {
        let (old, new) = (end_text(a.min), end_text(b.min));
        answer = answer.and(differs(found, at, Change::Minimum, old, new, is_sure));
    }
    if !reaches(a.max.as_ref(), b.max.as_ref(), are_integers, false) {
        let (old, new) = (end_text(a.max), end_text(b.max));
        answer = answer.and(differs(found, at, Change::Maximum, old, new, is_sure));
    }
    if b.multiple_of.is_empty() {
        return answer;
    }
    let Some(of) = Num::of(b.multiple_of) else {
        return unclear(found, at, b"multipleOf", Answer::Unknown);
    };
    let step = match a.multiple_of {
        // Integers are multiples of one.
        [] if are_integers => Some(Num::whole(1)),
        [] => None,
        text => Num::of(text),
    };
    match step {
        Some(step) if matches!(step.is_multiple_of(&of), Some(true)) => answer,
        // Every integer of a coarser step may still be one.
        _ => answer.and(differs(
            found,
            at,
            Change::Multiple,
            a.multiple_of,
            b.multiple_of,
            is_sure && (step.is_none() || !are_integers || of.is_integer()),
        )),
    }
}

const fn end_text(end: Option<End<'_>>) -> &[u8] {
    match end {
        Some(end) => end.text,
        None => &[],
    }
}

/// Returns true if an end of a range goes at least as far out as what has to be admitted.
const fn reaches(
    own: Option<&End<'_>>,
    by: Option<&End<'_>>,
    integers: bool,
    is_min: bool,
) -> bool {
    let Some(by) = by else { return true };
    let Some(own) = own else { return false };
    let (Some(a), Some(b)) = (at_end(own, integers, is_min), at_end(by, integers, is_min)) else {
        return false;
    };
    let order = a.0.cmp(&b.0);
    if order == 0 {
        return a.1 || !b.1;
    }
    (order > 0) == is_min
}

/// The number at an end, and whether it is left out: never for integers.
const fn at_end(end: &End<'_>, integers: bool, is_min: bool) -> Option<(Num, bool)> {
    let Some(number) = Num::of(end.text) else {
        return None;
    };
    if !integers {
        return Some((number, end.is_open));
    }
    if number.is_integer() {
        return match (end.is_open, number.next(is_min)) {
            (false, _) => Some((number, false)),
            (true, Some(next)) => Some((next, false)),
            (true, None) => None,
        };
    }
    let rounded = if is_min {
        number.ceil()
    } else {
        number.floor()
    };
    Some((rounded, false))
}

const fn strings<'t>(
    a: &Rules<'t>,
    b: &Rules<'t>,
    at: At<'_, 't>,
    found: &mut Findings<'t>,
    is_sure: bool,
) -> Answer {
    let mut answer = counts(a.len, b.len, at, found, is_sure);
    answer = answer.and(texts(
        a.pattern,
        b.pattern,
        Change::Pattern,
        at,
        found,
        is_sure,
    ));
    answer.and(texts(
        a.format,
        b.format,
        Change::Format,
        at,
        found,
        is_sure,
    ))
}

/// A pattern or a format: one that was added refuses; of two that differ nobody knows.
const fn texts<'t>(
    own: &'t [u8],
    by: &'t [u8],
    change: Change,
    at: At<'_, 't>,
    found: &mut Findings<'t>,
    is_sure: bool,
) -> Answer {
    if by.is_empty() || equal(own, by) {
        return Answer::Yes;
    }
    differs(found, at, change, own, by, is_sure && own.is_empty())
}

const fn counts<'t>(
    own: Counts,
    by: Counts,
    at: At<'_, 't>,
    found: &mut Findings<'t>,
    is_sure: bool,
) -> Answer {
    let mut answer = Answer::Yes;
    if own.min < by.min {
        answer = answer.and(differs(found, at, Change::Shortest, &[], &[], is_sure));
    }
    if own.max > by.max {
        answer = answer.and(differs(found, at, Change::Longest, &[], &[], is_sure));
    }
    answer
}
