//! Objects and names: keys that are unknown or missing, maps, the values of an enum.

use super::scalar::length;
use super::{Json, Misfit, Place, check};
use crate::shape::{Field, Kind, Map, Object, Variant};
use crate::text::{ConstText, nearer, same};

/// What an object has behind a key.
pub(super) enum Found {
    Field(&'static Field<'static>),
    /// It cannot be known here: another type stands in the place of a field.
    Unsure,
    Nothing,
}

pub(super) const fn find(fields: &'static [Field<'static>], key: &str) -> Found {
    let (mut rest, mut is_sure) = (fields, true);
    while let [field, tail @ ..] = rest {
        rest = tail;
        if !field.is_read() {
            continue;
        }
        if field.flatten {
            let inner = match field.shape.only_core() {
                Kind::Object(inner) => find(inner.fields, key),
                _ => Found::Unsure,
            };
            match inner {
                Found::Field(field) => return Found::Field(field),
                Found::Unsure => is_sure = false,
                Found::Nothing => {}
            }
        } else if same(field.name, key) || is_one_of(field.aliases, key) {
            return Found::Field(field);
        }
    }
    if is_sure {
        Found::Nothing
    } else {
        Found::Unsure
    }
}

pub(super) const fn object(
    object: &Object<'static>,
    at: usize,
    members: &[(&'static str, Json)],
    place: Place,
) -> Option<Misfit> {
    let mut rest = members;
    while let [(key, value), tail @ ..] = rest {
        rest = tail;
        match find(object.fields, key) {
            Found::Field(field) => {
                if let Some(misfit) = check(field.shape, value, place.key(field.name)) {
                    return Some(misfit);
                }
            }
            Found::Nothing if !object.open => {
                return Some(unknown(object.fields, value.at() - 1, key, place));
            }
            Found::Nothing | Found::Unsure => {}
        }
    }
    missing(object.fields, at + 1, members, place)
}

pub(super) const fn unknown(
    fields: &'static [Field<'static>],
    at: usize,
    key: &str,
    place: Place,
) -> Misfit {
    let mut nearest = None;
    let mut names = ConstText::new();
    let count = known(fields, key, &mut nearest, &mut names, 0);
    let is_root = place.key.is_empty() && !place.is_element;
    let mut misfit = Misfit::new(at);
    place.say(&mut misfit.text);
    misfit.text.push(if is_root {
        " has no argument `"
    } else {
        " has no key `"
    });
    misfit.text.push(key);
    misfit.text.push("`");
    did_you_mean(&mut misfit.text, nearest);
    if count == 0 {
        misfit.text.push("remove it: there are none");
    } else {
        misfit.text.push(if is_root {
            "the arguments are "
        } else {
            "the keys are "
        });
        misfit.text.push(names.as_str());
    }
    misfit
}

/// Lists the keys of fields; returns how many there are.
const fn known(
    fields: &'static [Field<'static>],
    key: &str,
    nearest: &mut Option<(&'static str, usize)>,
    names: &mut ConstText,
    mut count: usize,
) -> usize {
    let mut rest = fields;
    while let [field, tail @ ..] = rest {
        rest = tail;
        if !field.is_read() {
            continue;
        }
        if field.flatten {
            if let Kind::Object(inner) = field.shape.only_core() {
                count = known(inner.fields, key, nearest, names, count);
            }
            continue;
        }
        nearer(key, field.name, nearest);
        if count > 0 {
            names.push(", ");
        }
        quoted(names, field.name, true);
        count += 1;
    }
    count
}

const fn missing(
    fields: &'static [Field<'static>],
    at: usize,
    members: &[(&'static str, Json)],
    place: Place,
) -> Option<Misfit> {
    let mut rest = fields;
    while let [field, tail @ ..] = rest {
        rest = tail;
        if !field.is_required() {
            continue;
        }
        if field.flatten {
            // Of what may be `null` serde reads all keys or none.
            if let Kind::Object(inner) = field.shape.only_core()
                && !field.shape.is_nullable()
                && let Some(misfit) = missing(inner.fields, at, members, place)
            {
                return Some(misfit);
            }
            continue;
        }
        if !is_given(members, field) {
            let mut misfit = Misfit::new(at);
            place.say(&mut misfit.text);
            misfit.text.push(" needs `");
            misfit.text.push(field.name);
            misfit
                .text
                .push("`, which this example lacks\nhelp: add `\"");
            misfit.text.push(field.name);
            misfit.text.push("\": …`, or make it an `Option`");
            return Some(misfit);
        }
    }
    None
}

const fn is_given(members: &[(&'static str, Json)], field: &Field<'_>) -> bool {
    let mut rest = members;
    while let [(key, _), tail @ ..] = rest {
        if same(field.name, key) || is_one_of(field.aliases, key) {
            return true;
        }
        rest = tail;
    }
    false
}

pub(super) const fn map(
    map: &Map<'static>,
    at: usize,
    members: &[(&'static str, Json)],
    place: Place,
) -> Option<Misfit> {
    let mut rest = members;
    while let [(key, value), tail @ ..] = rest {
        rest = tail;
        if let Kind::Enum(variants) = map.keys.core()
            && let Some(misfit) = variant(variants, value.at() - 1, key, place)
        {
            return Some(misfit);
        }
        if let Some(misfit) = check(map.values, value, place.key(key)) {
            return Some(misfit);
        }
    }
    let len = members.len() as u64;
    length(at + 1, len, map.min_len, map.max_len, place, " entries")
}

pub(super) const fn variant(
    variants: &[Variant<'static>],
    at: usize,
    name: &str,
    place: Place,
) -> Option<Misfit> {
    let mut nearest = None;
    let mut rest = variants;
    while let [variant, tail @ ..] = rest {
        if same(variant.name, name) || is_one_of(variant.aliases, name) {
            return None;
        }
        nearer(name, variant.name, &mut nearest);
        rest = tail;
    }
    let mut misfit = Misfit::new(at);
    misfit.text.push("`");
    misfit.text.push(name);
    misfit.text.push("` is no value of ");
    place.say(&mut misfit.text);
    did_you_mean(&mut misfit.text, nearest);
    misfit.text.push("the values are ");
    let mut rest = variants;
    while let [variant, tail @ ..] = rest {
        quoted(&mut misfit.text, variant.name, tail.is_empty());
        rest = tail;
    }
    Some(misfit)
}

const fn did_you_mean(text: &mut ConstText, nearest: Option<(&str, usize)>) {
    text.push("\nhelp: ");
    if let Some((near, _)) = nearest {
        text.push("did you mean `");
        text.push(near);
        text.push("`? ");
    }
}

const fn quoted(text: &mut ConstText, name: &str, is_last: bool) {
    text.push("`");
    text.push(name);
    text.push(if is_last { "`" } else { "`, " });
}

const fn is_one_of(mut names: &[&str], name: &str) -> bool {
    while let [one, tail @ ..] = names {
        if same(one, name) {
            return true;
        }
        names = tail;
    }
    false
}
