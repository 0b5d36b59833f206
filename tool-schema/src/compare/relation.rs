//! Whether all that one schema admits is admitted by another, in `const`.
//!
//! [`Answer::Yes`] is a proof. [`Answer::No`] says that a keyword forbids what was admitted, each finding by itself; a
//! value that shows it is looked for elsewhere. All else is [`Answer::Unknown`].

mod joined;
mod plain;
mod values;

use super::finding::{Change, Finding, Findings, Place, Step};
use super::json::{Parts, equal};
use super::rules::{Rules, resolved, target};

pub(super) use self::values::literal;

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
