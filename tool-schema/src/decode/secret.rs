//! Finds values that are for the tool alone, and decides what of a text may be shown.

use std::borrow::Cow;

use toolwright_json::{Place, write_comma, write_key};

use crate::decode::{Error, Json, MAX_DEPTH, Store};
use crate::shape::{Field, Kind, Shape, alternatives_of, bare};

/// Placeholder for a secret in a text that is shown.
const SECRET: &str = r#""[secret]""#;

/// Returns true if a value of this shape is a secret, or has one inside.
pub fn holds_secret(shape: &Shape<'_>) -> bool {
    holds(shape, &mut Vec::new())
}

fn holds(shape: &Shape<'_>, seen: &mut Vec<u64>) -> bool {
    if shape.is_secret {
        return true;
    }
    if let Kind::Recursive(back) = shape.kind {
        if seen.contains(&back.id.hash) {
            return false;
        }
        seen.push(back.id.hash);
        return holds(back.shape(), seen);
    }
    let mut children = shape.kind.children();
    children.any(|child| child.role.is_read() && holds(child.shape, seen))
}

/// A text of this shape, without its secrets. What is not of the shape may be one, and is left out.
pub fn without_secrets<'t>(text: &'t str, shape: &Shape<'_>) -> Cow<'t, str> {
    if !holds_secret(shape) {
        return text.into();
    }
    let store = Store::new();
    let mut json = Json::new(text, &store).at(0, MAX_DEPTH);
    let mut out = String::with_capacity(text.len());
    match show(&mut json, shape, &mut out).and_then(|()| json.finish()) {
        Ok(()) => out.into(),
        Err(_) => unshown(text).into(),
    }
}

/// Returns what is shown of a text that may hold secrets anywhere: a JSON string that says its
/// length.
pub fn unshown(text: &str) -> String {
    format!(r#""[{} bytes]""#, text.len())
}

impl Field<'_> {
    /// Returns the default, unless the field holds a secret.
    pub(crate) fn told_default(&self) -> Option<fn() -> Option<String>> {
        self.default.filter(|_| !holds_secret(self.shape))
    }
}

fn hide(json: &mut Json<'_>, out: &mut String) -> Result<(), Error> {
    json.skip()?;
    out.push_str(SECRET);
    Ok(())
}

fn copy(json: &mut Json<'_>, out: &mut String) -> Result<(), Error> {
    out.push_str(json.skip()?);
    Ok(())
}

/// Writes the value that stands next.
fn show<'s>(json: &mut Json<'_>, shape: &Shape<'s>, out: &mut String) -> Result<(), Error> {
    let bare = bare(shape, false);
    if bare.is_secret {
        return hide(json, out);
    }
    if !holds_secret(shape) {
        return copy(json, out);
    }
    match (bare.kind, json.peek()) {
        (_, Some(b'n')) => copy(json, out),
        (Kind::Recursive(back), _) => show(json, back.shape(), out),
        (kind, Some(b'[')) if kind.is_array() => elements(json, out, |index| kind.element(index)),
        (Kind::Map(map), Some(b'{')) if !holds_secret(map.keys) => {
            entries(json, out, |_| Some(map.values))
        }
        (Kind::Object(_) | Kind::Union(_), Some(b'{')) => {
            let ways = alternatives_of(shape, false);
            entries(json, out, |name| {
                let mut found: Option<&'s Shape<'s>> = None;
                for way in &ways {
                    let key = way.keys.iter().find(|key| key.is_read_as(name));
                    let (inner, is_secret) = match (key, way.rest) {
                        (Some(key), _) => (key.field.shape, key.is_secret),
                        (None, Some(rest)) => (rest, way.is_rest_secret),
                        (None, None) => continue,
                    };
                    if is_secret {
                        return None;
                    }
                    match found {
                        // In which of several ways it is meant nobody knows before it is read.
                        Some(other) if !std::ptr::eq(other, inner) => {
                            if holds_secret(inner) || holds_secret(other) {
                                return None;
                            }
                        }
                        _ => found = Some(inner),
                    }
                }
                found
            })
        }
        _ => hide(json, out),
    }
}

fn elements<'s>(
    json: &mut Json<'_>,
    out: &mut String,
    shape: impl Fn(usize) -> Option<&'s Shape<'s>>,
) -> Result<(), Error> {
    json.enter_array()?;
    let (mut place, mut index) = (Place::Opened, 0);
    out.push('[');
    while json.next_element(&mut place)? {
        write_comma(out);
        one(json, shape(index), out)?;
        index += 1;
    }
    out.push(']');
    Ok(())
}

/// The values behind keys; one whose shape is not known is not shown.
fn entries<'s>(
    json: &mut Json<'_>,
    out: &mut String,
    shape: impl Fn(&str) -> Option<&'s Shape<'s>>,
) -> Result<(), Error> {
    json.enter_object()?;
    let mut place = Place::Opened;
    out.push('{');
    while let Some(name) = json.next_key(&mut place)? {
        write_key(out, name);
        one(json, shape(name), out)?;
    }
    out.push('}');
    Ok(())
}

fn one<'s>(
    json: &mut Json<'_>,
    shape: Option<&'s Shape<'s>>,
    out: &mut String,
) -> Result<(), Error> {
    match shape {
        Some(shape) => show(json, shape, out),
        None => hide(json, out),
    }
}
