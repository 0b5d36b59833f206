//! The keys of an object, with those of flattened fields in their places.

use std::cmp::Ordering;

use super::narrow::bare;
use crate::shape::{Field, Kind, Map, Object, OutputPresence, Shape, Union, Variant};

/// One way in which an object may be. There is more than one where an enum is flattened into it.
#[derive(Clone, Default)]
pub struct Alternative<'s> {
    pub(crate) keys: Vec<Key<'s>>,
    /// Shape of the values behind keys that are not listed: from a flattened map.
    pub(crate) rest: Option<&'s Shape<'s>>,
    /// True if those values are for the tool alone, since all of the map is.
    pub(crate) is_rest_secret: bool,
    /// True if other keys are permitted.
    pub(crate) open: bool,
    /// The shape, if it has more rules than keys.
    pub(crate) whole: Option<&'s Shape<'s>>,
}

#[derive(Clone, Copy)]
pub struct Key<'s> {
    pub(crate) name: &'s str,
    pub(crate) aliases: &'s [&'s str],
    pub(crate) field: &'s Field<'s>,
    pub(crate) required: bool,
    /// True if the value is for the tool alone, since all that it was flattened out of is.
    pub(crate) is_secret: bool,
}

impl<'s> Key<'s> {
    /// The key of a field on one of serde's sides; nothing if it is not there.
    pub(crate) fn of(field: &'s Field<'s>, output: bool) -> Option<Self> {
        let (name, is_there, required) = if output {
            let said = field.output;
            let is_there = said != OutputPresence::Never;
            (field.output_name, is_there, said == OutputPresence::Always)
        } else {
            (field.name, field.is_read(), field.is_required())
        };
        is_there.then_some(Self {
            name,
            aliases: field.aliases,
            field,
            required,
            is_secret: false,
        })
    }

    /// Returns true if a key is this one, in any spelling that is read.
    pub(crate) fn is_read_as(&self, key: &str) -> bool {
        self.name == key || self.aliases.contains(&key)
    }

    /// Returns the one string of a required key: it determines the alternative.
    pub(crate) fn tag(&self) -> Option<&'s Variant<'s>> {
        self.field.tag().filter(|_| self.required)
    }
}

const NULL: &Field<'_> = &Field::new("", "", &Shape::new(Kind::Null));

/// The ways in which a value of this shape may be an object.
pub fn alternatives_of<'s>(shape: &Shape<'s>, output: bool) -> Vec<Alternative<'s>> {
    let bare = bare(shape, output);
    let mut ways = alternatives(&bare.kind, output);
    if bare.is_secret {
        ways.iter_mut().for_each(Alternative::keep_secret);
    }
    ways
}

impl Alternative<'_> {
    fn keep_secret(&mut self) {
        self.is_rest_secret = true;
        for key in &mut self.keys {
            key.is_secret = true;
        }
    }
}

/// The alternatives of an object of this kind; empty for any other kind.
pub fn alternatives<'s>(kind: &Kind<'s>, output: bool) -> Vec<Alternative<'s>> {
    match kind {
        Kind::Object(object) => {
            let start = Alternative {
                keys: Vec::with_capacity(object.fields.len()),
                open: object.open,
                ..Alternative::default()
            };
            object
                .fields
                .iter()
                .fold(vec![start], |found, field| add(found, field, output))
        }
        Kind::Map(map) => vec![Alternative {
            rest: Some(map.values),
            ..Alternative::default()
        }],
        Kind::Union(Union { members, .. }) => members
            .iter()
            // `None` among objects is written as no keys, and never read from none.
            .filter(|member| output || !matches!(bare(member, false).kind, Kind::Null))
            .flat_map(|member| alternatives_of(member, output))
            .collect(),
        // serde writes `"Name": null` for a variant without data.
        Kind::Enum(variants) => variants
            .iter()
            .map(|variant| Alternative {
                keys: vec![Key {
                    name: if output {
                        variant.output_name
                    } else {
                        variant.name
                    },
                    aliases: variant.aliases,
                    field: NULL,
                    required: true,
                    is_secret: false,
                }],
                ..Alternative::default()
            })
            .collect(),
        Kind::Null => vec![Alternative::default()],
        Kind::Recursive(back) => alternatives_of(back.shape(), output),
        kind if kind.is_opaque() => vec![Alternative {
            open: true,
            ..Alternative::default()
        }],
        _ => Vec::new(),
    }
}

/// Adds a field to each of the ways.
fn add<'s>(
    mut found: Vec<Alternative<'s>>,
    field: &'s Field<'s>,
    output: bool,
) -> Vec<Alternative<'s>> {
    let Some(key) = Key::of(field, output) else {
        return found;
    };
    if !field.flatten {
        for one in &mut found {
            one.keys.push(key);
        }
        return found;
    }
    let inner = bare(field.shape, output);
    if let Kind::Foreign(_) = inner.kind {
        // Its keys are known at run time.
        let key = Key {
            name: "",
            aliases: &[],
            field,
            required: !inner.nullable,
            is_secret: inner.is_secret,
        };
        for one in &mut found {
            one.keys.push(key);
        }
        return found;
    }
    let mut ways = alternatives_of(field.shape, output);
    if inner.nullable && !field.is_required() {
        // serde reads an optional struct's keys if all are present, and otherwise ignores them.
        for way in &mut ways {
            for key in &mut way.keys {
                key.required = false;
            }
        }
    }
    let mut all = Vec::new();
    for one in &found {
        for way in &ways {
            let mut merged = one.clone();
            merged.keys.extend(way.keys.iter().copied());
            merged.rest = merged.rest.or(way.rest);
            merged.is_rest_secret |= way.is_rest_secret;
            merged.open |= way.open;
            all.push(merged);
        }
    }
    if ways.is_empty() { found } else { all }
}

/// Looks these keys up, one inside the other, through the elements of arrays. Returns the keys from the first unknown one on,
/// with the names that are known in its place; `None` if all of them may be there.
pub fn keys_beside<'k, 's>(
    shape: &Shape<'s>,
    keys: &'k [&'k str],
) -> Option<(&'k [&'k str], Vec<&'s str>)> {
    let [key, rest @ ..] = keys else {
        return None;
    };
    let (mut at, mut names) = (keys, Vec::new());
    match bare(shape, false).kind {
        Kind::Array(array) => return keys_beside(array.items, keys),
        Kind::Union(union) => {
            for member in union.members {
                let found = keys_beside(member, keys)?;
                match found.0.len().cmp(&at.len()) {
                    Ordering::Less => (at, names) = found,
                    Ordering::Equal => names.extend(found.1),
                    Ordering::Greater => {}
                }
            }
        }
        _ => {
            for way in alternatives_of(shape, false) {
                if way.open || way.rest.is_some() {
                    return None;
                }
                for one in way.keys {
                    // The keys of a type that only schemars knows are not listed.
                    if one.name.is_empty() {
                        return None;
                    }
                    if one.name == *key {
                        (at, names) = keys_beside(one.field.shape, rest)?;
                    } else if at.len() == keys.len() {
                        names.push(one.name);
                    }
                }
            }
        }
    }
    Some((at, names))
}

// The `const` variant, without allocations: the number of alternatives, and their common parts.

/// Rule for the undeclared keys of an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// No other keys.
    Keys,
    /// Any keys.
    Open,
    /// The keys of one of several objects.
    Union,
}

impl<'s> Object<'s> {
    /// Returns the rule for undeclared keys.
    pub const fn rest(&self) -> Rest {
        let mut fields = self.fields;
        while let [field, behind @ ..] = fields {
            fields = behind;
            if !field.is_flattened() {
                continue;
            }
            match field.shape.only_core() {
                Kind::Map(_) | Kind::Any => return Rest::Open,
                Kind::Union(_) | Kind::Enum(_) => return Rest::Union,
                Kind::Object(inner) => match inner.rest() {
                    Rest::Keys => {}
                    other => return other,
                },
                _ => {}
            }
        }
        Rest::Keys
    }

    /// Returns how many keys are declared. A flattened type whose keys are not known here counts as one.
    pub const fn count(&self) -> usize {
        let mut count = 0;
        let mut fields = self.fields;
        while let [field, behind @ ..] = fields {
            fields = behind;
            if !field.is_read() {
                continue;
            }
            count += match (field.flatten, field.shape.only_core()) {
                (true, Kind::Object(inner)) => inner.count(),
                (true, Kind::Union(_) | Kind::Recursive(_) | Kind::Foreign(_)) | (false, _) => 1,
                (true, _) => 0,
            };
        }
        count
    }

    /// Returns in how many ways the object may be: more than one where enums are flattened into it.
    pub const fn ways(&self) -> usize {
        let mut ways = 1;
        let mut fields = self.fields;
        while let [field, behind @ ..] = fields {
            fields = behind;
            if field.is_flattened() {
                let own = field.shape.only_core().ways();
                ways *= if own > 0 { own } else { 1 };
            }
        }
        ways
    }

    /// Returns true if the first key precedes everything that makes alternatives.
    pub const fn starts_alike(&self) -> bool {
        let mut fields = self.fields;
        while let [field, behind @ ..] = fields {
            fields = behind;
            if field.is_read() {
                return match field.shape.only_core() {
                    Kind::Object(inner) if field.flatten => inner.starts_alike(),
                    Kind::Union(_) | Kind::Enum(_) if field.flatten => false,
                    _ => true,
                };
            }
        }
        false
    }

    /// Returns the first key that is read.
    pub const fn first_key(&self) -> Option<&'s Field<'s>> {
        let mut fields = self.fields;
        while let [field, behind @ ..] = fields {
            fields = behind;
            if !field.is_read() {
                continue;
            }
            if !field.flatten {
                return Some(field);
            }
            if let Kind::Object(inner) = field.shape.only_core()
                && let Some(found) = inner.first_key()
            {
                return Some(found);
            }
        }
        None
    }
}

impl Kind<'_> {
    /// Returns the number of alternatives of an object; 0 for other values.
    pub const fn ways(&self) -> usize {
        match self {
            Kind::Object(object) => object.ways(),
            Kind::Enum(variants) => variants.len(),
            Kind::Union(union) => {
                let mut all = 0;
                let mut members = union.members;
                while let [member, rest @ ..] = members {
                    members = rest;
                    all += member.only_core().ways();
                }
                all
            }
            Kind::Map(_) | Kind::Recursive(_) => 1,
            kind if kind.is_opaque() => 1,
            _ => 0,
        }
    }

    /// Returns true if serde removes the keys of a flattened value from those for later fields. It leaves those of
    /// maps, and of enums that are not chosen by their key.
    pub(crate) const fn takes_its_keys(&self) -> bool {
        match self {
            Kind::Map(_) | Kind::Any => false,
            Kind::Union(union) => !union.buffered,
            Kind::Object(object) => {
                let mut fields = object.fields;
                while let [field, rest @ ..] = fields {
                    fields = rest;
                    if field.flatten && !field.shape.core().takes_its_keys() {
                        return false;
                    }
                }
                true
            }
            _ => true,
        }
    }
}

impl Union<'_> {
    /// Returns true if all members are objects.
    pub const fn are_objects(&self) -> bool {
        let mut members = self.members;
        while let [member, rest @ ..] = members {
            members = rest;
            let is_object = match member.only_core() {
                Kind::Union(inner) => inner.are_objects(),
                kind => kind.is_object(),
            };
            if !is_object || member.is_nullable() {
                return false;
            }
        }
        true
    }
}

impl Map<'_> {
    /// Returns true if all keys are known, so that the map is an object that may lack any of them.
    pub const fn has_known_keys(&self) -> bool {
        matches!(self.keys.only_core(), Kind::Enum(_) | Kind::Bool)
    }
}
