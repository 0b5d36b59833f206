//! A value and its parts.

use super::super::LowerErrorCode;
use super::super::rules::TupleForm;
use super::{NullPresence, VerdictWalk, larger};
use toolwright_schema::keyword::Keyword;
use toolwright_schema::shape::{Int, Kind, NumberRange, Rest, Shape, Side, Variant};

impl VerdictWalk {
    /// A value, inside so many objects: a string of JSON where the dialect cannot say it.
    pub(super) const fn node(
        &mut self,
        shape: &Shape<'static>,
        levels: usize,
    ) -> Option<LowerErrorCode> {
        let (before, wanted) = (self.mark(), self.null);
        let found = self.value(shape, levels);
        self.is_text = match found {
            Some(code) => self.is_sent_as_text(code, &before),
            None => false,
        };
        if !self.is_text {
            return found;
        }
        self.go_back(&before);
        let has_null = matches!(wanted, NullPresence::Always) && self.rules.null_is_type();
        self.size.unions += has_null as usize;
        None
    }

    const fn value(&mut self, shape: &Shape<'static>, levels: usize) -> Option<LowerErrorCode> {
        let wanted = self.null;
        self.null = NullPresence::AsSaid;
        // Types are named where they begin: at any of the layers.
        let mut entered = 0;
        let mut layer = shape;
        let mut is_nullable = false;
        let mut refused = None;
        let kind = loop {
            entered += self.enter(layer.id) as usize;
            is_nullable |= layer.kind.adds_null();
            if refused.is_none() {
                refused = self.bounds(&layer.kind);
            }
            layer = match layer.kind.layer_or_only_member(Side::Input) {
                Some(inner) => inner,
                None => break &layer.kind,
            };
        };
        self.add_union(kind, is_nullable, wanted);
        let found = match (kind, self.places(shape)) {
            _ if refused.is_some() => refused,
            (Kind::Array(array), Some(len)) => {
                self.size.levels = larger(self.size.levels, levels + 1);
                self.size.add_keys(len, 2 * len);
                let before = self.size;
                let found = self.element(array.items, levels + 1);
                self.size.repeat(&before, len);
                match found {
                    Some(code) => Some(code),
                    None => self.within(levels + 1),
                }
            }
            (kind, _) => self.kind(kind, levels),
        };
        self.depth -= entered;
        found
    }

    /// Judges the bounds that an author wrote.
    pub(super) const fn bounds(&self, kind: &Kind<'static>) -> Option<LowerErrorCode> {
        let (pattern, min, max) = match kind {
            Kind::Bounded(_, bounds) => (bounds.pattern, bounds.min, bounds.max),
            Kind::String(rules) => (rules.pattern, None, None),
            _ => return None,
        };
        if let Some(pattern) = pattern {
            ask!(self.rules.pattern(pattern.text));
        }
        if let Some(min) = min {
            ask!(self.rules.bound(Keyword::Minimum, min.magnitude));
        }
        if let Some(max) = max {
            ask!(self.rules.bound(Keyword::Maximum, max.magnitude));
        }
        None
    }

    /// Counts the value if it is of one of several types in the dialect's words.
    pub(super) const fn add_union(
        &mut self,
        kind: &Kind<'static>,
        is_nullable: bool,
        wanted: NullPresence,
    ) {
        let mut null = wanted.admits(is_nullable);
        let is_union = match kind {
            Kind::Any | Kind::Null => return,
            Kind::Union(union) => {
                let (mut others, mut enums) = (0, 0);
                let mut members = union.members;
                while let [member, rest @ ..] = members {
                    members = rest;
                    match member.only_core() {
                        Kind::Null => null |= !matches!(wanted, NullPresence::Never),
                        core => {
                            others += 1;
                            enums += matches!(core, Kind::Enum(_)) as usize;
                        }
                    }
                }
                // Several enums without data are one.
                others > 1 && others > enums
            }
            _ => false,
        };
        self.size.unions += (is_union || null && self.rules.null_is_type()) as usize;
    }

    pub(super) const fn kind(
        &mut self,
        kind: &Kind<'static>,
        levels: usize,
    ) -> Option<LowerErrorCode> {
        match kind {
            Kind::Any => self.rules.any_value(),
            // The compiler has its own words about a type without a schema.
            Kind::Unknown => None,
            Kind::Foreign(_) => {
                self.look_away();
                None
            }
            Kind::Enum(variants) => {
                self.variants(variants);
                None
            }
            Kind::Array(array) => self.element(array.items, levels),
            // Its elements are strings of JSON where they have to be typed.
            Kind::Tuple([]) => None,
            Kind::Tuple(items @ [item, others @ ..]) => {
                let levels = match self.rules.tuple(are_of_one_type(item, others)) {
                    TupleForm::List => return self.element(item, levels),
                    TupleForm::Tuple => levels,
                    TupleForm::Places => {
                        self.size.add_keys(items.len(), 2 * items.len());
                        levels + 1
                    }
                };
                let mut items = *items;
                while let [item, rest @ ..] = items {
                    ask!(self.element(item, levels));
                    items = rest;
                }
                self.within(levels)
            }
            Kind::Object(object) => {
                self.size.unions += matches!(object.rest(), Rest::Union) as usize;
                self.keys(kind, levels, false)
            }
            Kind::Map(_) => self.keys(kind, levels, false),
            Kind::Union(union) => self.union(union, levels),
            Kind::Recursive(back) => self.back(back.id),
            _ => None,
        }
    }

    pub(super) const fn variants(&mut self, variants: &[Variant<'static>]) {
        let characters = self.characters(variants);
        self.size.add_enum(variants.len(), characters);
    }

    /// Returns the length of all names of an enum.
    pub(super) const fn characters(&self, variants: &[Variant<'static>]) -> usize {
        let mut characters = 0;
        let mut rest = variants;
        while let [variant, tail @ ..] = rest {
            characters += self.length(variant.name);
            rest = tail;
        }
        characters
    }

    /// Returns how many places an array has that is sent as an object of places, as `lower/array` does it.
    const fn places(&self, shape: &Shape<'static>) -> Option<usize> {
        let mut layer = shape;
        let (mut least, mut most) = (0, None);
        loop {
            let (min_len, max_len) = layer.kind.len_range();
            if min_len > least {
                least = min_len;
            }
            most = match (most, max_len) {
                (Some(most), Some(len)) if len > most => Some(most),
                (most, None) => most,
                (_, len) => len,
            };
            layer = match layer.kind.layer_or_only_member(Side::Input) {
                Some(inner) => inner,
                None => break,
            };
        }
        let most = match most {
            Some(most) => Some(most as u128),
            None => None,
        };
        self.rules.places(least as u128, most)
    }
}

/// Returns true if all places of a tuple have one type in its schema.
const fn are_of_one_type(first: &Shape<'static>, mut others: &[&Shape<'static>]) -> bool {
    while let [other, rest @ ..] = others {
        if !is_same(first, other) {
            return false;
        }
        others = rest;
    }
    true
}

/// Returns true if two types have one schema; no where it is not easily seen.
const fn is_same(a: &Shape<'static>, b: &Shape<'static>) -> bool {
    if a.id.hash != 0 || b.id.hash != 0 {
        return a.id.hash == b.id.hash;
    }
    match (&a.kind, &b.kind) {
        (Kind::Bool, Kind::Bool) | (Kind::Null, Kind::Null) => true,
        (Kind::Integer(a), Kind::Integer(b)) => {
            let is_known = a.multiple_of == 0 && b.multiple_of == 0 && a.not_zero == b.not_zero;
            let ([a_min, a_max], [b_min, b_max]) = (a.published(), b.published());
            is_known && is_equal(a_min, b_min) && is_equal(a_max, b_max)
        }
        (Kind::Number(a), Kind::Number(b)) => is_plain(a) && is_plain(b),
        (Kind::String(a), Kind::String(b)) => a.is_any() && b.is_any(),
        (Kind::Nullable(a), Kind::Nullable(b)) => is_same(a, b),
        (Kind::Array(a), Kind::Array(b)) => {
            a.min_len == b.min_len
                && a.max_len.is_none()
                && b.max_len.is_none()
                && a.unique == b.unique
                && is_same(a.items, b.items)
        }
        _ => false,
    }
}

const fn is_equal(a: Option<Int>, b: Option<Int>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.negative == b.negative && a.magnitude == b.magnitude,
        (None, None) => true,
        _ => false,
    }
}

const fn is_plain(range: &NumberRange<'static>) -> bool {
    range.min.is_none() && range.max.is_none() && range.multiple_of.is_none()
}
