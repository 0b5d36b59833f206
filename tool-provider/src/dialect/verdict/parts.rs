//! What the verdict asks of a part of the tree.

use toolwright_schema::shape::{
    Field, Int, Kind, Map, NumberRange, Object, Presence, Shape, Union,
};

/// The kind below the layers; `None` for an edge back, with whose it is.
pub(super) const fn core<'a, 's>(mut shape: &'a Shape<'s>) -> &'a Kind<'s> {
    loop {
        shape = match shape.core() {
            Kind::Union(Union { members: [one], .. }) => one,
            kind => return kind,
        };
    }
}

/// The kinds of objects that a flattened field may make of the one it stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// Its own keys.
    Keys,
    /// Any keys.
    Open,
    /// One of several objects.
    Union,
}

pub(super) const fn is_read(field: &Field<'static>) -> bool {
    !matches!(field.presence, Presence::Never)
}

/// How many keys an object declares.
pub(super) const fn count(object: &Object<'static>) -> usize {
    let mut count = 0;
    let mut fields = object.fields;
    while let [field, rest @ ..] = fields {
        fields = rest;
        if !is_read(field) {
            continue;
        }
        count += match (field.flatten, core(field.shape)) {
            (true, Kind::Object(inner)) => self::count(inner),
            // Those of a type that stands elsewhere are not known here.
            (true, Kind::Union(_) | Kind::Back(_) | Kind::Foreign(_)) | (false, _) => 1,
            (true, _) => 0,
        };
    }
    count
}

/// Whether all keys of a map are known, so that it is an object.
pub(super) const fn has_known_keys(map: &Map<'static>) -> bool {
    matches!(core(map.keys), Kind::Enum(_) | Kind::Bool)
}

/// Whether the keys of a map may be any strings.
pub(super) const fn has_any_key(map: &Map<'static>) -> bool {
    match core(map.keys) {
        Kind::String(rules) => rules.is_any() && !matches!(map.keys.kind, Kind::Narrow(..)),
        _ => false,
    }
}

/// Whether an object of several ways starts with a key of its own.
pub(super) const fn starts_alike(object: &Object<'static>) -> bool {
    let mut fields = object.fields;
    while let [field, rest @ ..] = fields {
        fields = rest;
        if is_read(field) {
            return match core(field.shape) {
                Kind::Object(inner) if field.flatten => starts_alike(inner),
                Kind::Union(_) | Kind::Enum(_) if field.flatten => false,
                _ => true,
            };
        }
    }
    false
}

/// Whether all members are objects.
pub(super) const fn are_objects(union: &Union<'static>) -> bool {
    let mut members = union.members;
    while let [member, rest @ ..] = members {
        members = rest;
        let is_object = match core(member) {
            Kind::Object(_) | Kind::Map(_) => true,
            Kind::Union(inner) => are_objects(inner),
            _ => false,
        };
        if !is_object || is_nullable(member) {
            return false;
        }
    }
    true
}

pub(super) const fn is_nullable(mut shape: &Shape<'static>) -> bool {
    loop {
        shape = match &shape.kind {
            Kind::Nullable(_) => return true,
            Kind::Narrow(inner, _) | Kind::Sides { input: inner, .. } => inner,
            _ => return false,
        };
    }
}

/// What an object has beside its keys.
pub(super) const fn rest(object: &Object<'static>) -> Rest {
    let mut fields = object.fields;
    while let [field, rest @ ..] = fields {
        fields = rest;
        if !is_read(field) || !field.flatten {
            continue;
        }
        match core(field.shape) {
            Kind::Map(_) | Kind::Any => return Rest::Open,
            Kind::Union(_) | Kind::Enum(_) => return Rest::Union,
            Kind::Object(inner) => match self::rest(inner) {
                Rest::Keys => {}
                other => return other,
            },
            _ => {}
        }
    }
    Rest::Keys
}

/// The first key of an object.
pub(super) const fn first(shape: &Shape<'static>) -> Option<&'static Field<'static>> {
    let Kind::Object(object) = core(shape) else {
        return None;
    };
    let mut fields = object.fields;
    while let [field, rest @ ..] = fields {
        fields = rest;
        if !is_read(field) {
            continue;
        }
        if !field.flatten {
            return Some(field);
        }
        if let Some(found) = first(field.shape) {
            return Some(found);
        }
    }
    None
}

/// Whether two keys are tags that say different things.
pub(super) const fn differ(one: &Field<'static>, two: &Field<'static>) -> bool {
    match (core(one.shape), core(two.shape)) {
        (Kind::Enum([one]), Kind::Enum([two])) => !same(one.name, two.name),
        _ => false,
    }
}

pub(super) const fn same(a: &str, b: &str) -> bool {
    toolwright_schema::text::same(a, b)
}

/// Whether all of a type's values are strings of an enum.
pub(super) const fn is_enum(shape: &Shape<'static>) -> bool {
    matches!(core(shape), Kind::Enum(_))
}

/// In how many ways an object may be: more than one where enums are flattened into it.
pub(super) const fn ways(object: &Object<'static>) -> usize {
    let mut ways = 1;
    let mut fields = object.fields;
    while let [field, rest @ ..] = fields {
        fields = rest;
        if is_read(field) && field.flatten {
            let own = ways_of(core(field.shape));
            ways *= if own > 0 { own } else { 1 };
        }
    }
    ways
}

/// The ways of what is flattened.
pub(super) const fn ways_of(kind: &Kind<'static>) -> usize {
    match kind {
        Kind::Object(object) => ways(object),
        Kind::Enum(variants) => variants.len(),
        Kind::Union(union) => {
            let mut all = 0;
            let mut members = union.members;
            while let [member, rest @ ..] = members {
                members = rest;
                all += ways_of(core(member));
            }
            all
        }
        Kind::Map(_) | Kind::Any | Kind::Back(_) | Kind::Foreign(_) | Kind::Unknown => 1,
        // No object.
        _ => 0,
    }
}

/// Whether all places of a tuple are of one type, as its schema says it.
pub(super) const fn are_of_one_type(kind: &Kind<'static>) -> bool {
    let Kind::Tuple([first, others @ ..]) = kind else {
        return false;
    };
    let mut others: &[&Shape<'static>] = others;
    while let [other, rest @ ..] = others {
        if !is_same(first, other) {
            return false;
        }
        others = rest;
    }
    true
}

/// Whether two types have one schema; no where it is not easily seen.
const fn is_same(a: &Shape<'static>, b: &Shape<'static>) -> bool {
    if a.id.hash != 0 || b.id.hash != 0 {
        return a.id.hash == b.id.hash;
    }
    match (&a.kind, &b.kind) {
        (Kind::Bool, Kind::Bool) | (Kind::Null, Kind::Null) => true,
        (Kind::Integer(a), Kind::Integer(b)) => {
            let is_known = a.multiple_of == 0 && b.multiple_of == 0 && a.not_zero == b.not_zero;
            // Of wide integers a schema says no more than where they start at zero.
            let is_wide = a.is_width && b.is_width && a.min.is_zero() == b.min.is_zero();
            is_known && (is_wide || is_equal(a.min, b.min) && is_equal(a.max, b.max))
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

const fn is_equal(a: Int, b: Int) -> bool {
    a.negative == b.negative && a.magnitude == b.magnitude
}

const fn is_plain(range: &NumberRange<'static>) -> bool {
    range.min.is_none() && range.max.is_none() && range.multiple_of.is_none()
}

/// How long a text is. Its bytes are known without looking at them.
pub(super) const fn length(text: &str, by_characters: bool) -> usize {
    if !by_characters {
        return text.len();
    }
    let mut count = 0;
    let mut bytes = text.as_bytes();
    while let [byte, rest @ ..] = bytes {
        // All but those that continue a character.
        count += (*byte & 0xc0 != 0x80) as usize;
        bytes = rest;
    }
    count
}
