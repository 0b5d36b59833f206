//! Values that are listed, numbers, strings, and how many of something there are.

use super::{Answer, At, differs, unclear};
use crate::compare::finding::{Change, Findings};
use crate::compare::json::{Parts, alike, chars, equal};
use crate::compare::number::Num;
use crate::compare::rules::{Counts, End, Rules, Types};

/// Each of the values that are listed has to be admitted.
pub(super) const fn each_value<'t>(
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
pub(in crate::compare) const fn literal(rules: &Rules<'_>, value: &[u8]) -> Answer {
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
        let len = chars(inside);
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
pub(super) const fn name_fits(names: &[u8], key: &[u8]) -> Answer {
    let rules = Rules::of(names);
    let joins = !rules.any_of.is_empty()
        || !rules.one_of.is_empty()
        || !rules.all_of.is_empty()
        || !rules.reference.is_empty();
    let len = chars(key);
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
pub(super) const fn all_listed<'t>(
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

pub(super) const fn numbers<'t>(
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

pub(super) const fn strings<'t>(
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

pub(super) const fn counts<'t>(
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
