//! Finds secret values, and removes them from texts that are shown.

use std::borrow::Cow;

use toolwright_json::{Place, write_comma, write_key};

use crate::decode::fault::say::KEPT_BACK_KEY;
use crate::decode::walk::{Budget, WalkOptions, validate};
use crate::decode::{Arena, Error, Json, MAX_DEPTH, admits_key};
use crate::shape::{Alternative, Field, Kind, Shape, alternatives_of, bare};

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

/// A text of this shape, without its secrets. Parts that do not fit the shape may be secrets, and are omitted.
pub fn without_secrets<'t>(text: &'t str, shape: &Shape<'_>) -> Cow<'t, str> {
    if !holds_secret(shape) {
        return text.into();
    }
    let arena = Arena::new();
    let mut json = Json::new(text, &arena).at(0, MAX_DEPTH);
    let mut out = String::with_capacity(text.len());
    match show(&mut json, &[shape], &mut out).and_then(|()| json.finish()) {
        Ok(()) => out.into(),
        Err(_) => redact(text).into(),
    }
}

/// Returns the replacement of a text that may have secrets anywhere: a JSON string with its length.
pub fn redact(text: &str) -> String {
    format!(r#""[{} bytes]""#, text.len())
}

impl Field<'_> {
    /// Returns the default, unless the field holds a secret.
    pub(crate) fn public_default(&self) -> Option<fn() -> Option<String>> {
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

/// Writes the next value, if it fits one of these shapes.
fn show(json: &mut Json<'_>, shapes: &[&Shape<'_>], out: &mut String) -> Result<(), Error> {
    match shapes {
        [] => hide(json, out),
        [shape] if holds_secret(shape) => show_parts(json, shape, out),
        // The member of a union is unknown before the value is read.
        _ if shapes.iter().any(|shape| holds_secret(shape)) => hide(json, out),
        _ if json.peek() == Some(b'n') => copy(json, out),
        _ if shapes.iter().any(|shape| fits(json, shape)) => copy(json, out),
        _ => hide(json, out),
    }
}

/// Returns true if the next value is of this shape.
fn fits(json: &Json<'_>, shape: &Shape<'_>) -> bool {
    let reading = WalkOptions {
        depth: json.depth(),
        is_typed: true,
        budget: Budget::NONE,
    };
    validate(json.whole(), json.offset(), reading, shape).is_ok()
}

/// Writes the next value, a part of which is a secret.
fn show_parts(json: &mut Json<'_>, shape: &Shape<'_>, out: &mut String) -> Result<(), Error> {
    let bare = bare(shape, false);
    if bare.is_secret {
        return hide(json, out);
    }
    match (bare.kind, json.peek()) {
        (_, Some(b'n')) => copy(json, out),
        (Kind::Recursive(back), _) => show_parts(json, back.shape(), out),
        (kind, Some(b'[')) if kind.is_array() => elements(json, out, |index| kind.element(index)),
        (Kind::Map(map), Some(b'{')) if !holds_secret(map.keys) => entries(json, out, |name| {
            admits_key(map.keys, name).then(|| vec![map.values])
        }),
        (Kind::Object(_) | Kind::Union(_), Some(b'{')) => {
            let ways = alternatives_of(shape, false);
            entries(json, out, |name| behind(&ways, name))
        }
        _ => hide(json, out),
    }
}

/// Returns the shapes that the value behind a key may have: none if it is a secret. `None` if the key is undeclared and
/// may be secret.
fn behind<'s>(ways: &[Alternative<'s>], name: &str) -> Option<Vec<&'s Shape<'s>>> {
    let mut shapes = None;
    for way in ways {
        let key = way.keys.iter().find(|key| key.is_read_as(name));
        let (shape, is_secret) = match (key, way.rest) {
            (Some(key), _) => (key.field.shape, key.is_secret),
            (None, Some(rest)) if !way.is_rest_secret => (rest, false),
            _ => continue,
        };
        if is_secret {
            return Some(Vec::new());
        }
        shapes.get_or_insert_with(Vec::new).push(shape);
    }
    shapes
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
        show(json, shape(index).as_slice(), out)?;
        index += 1;
    }
    out.push(']');
    Ok(())
}

/// Writes the entries of an object, by the shapes of the values behind its keys.
fn entries<'s>(
    json: &mut Json<'_>,
    out: &mut String,
    shapes: impl Fn(&str) -> Option<Vec<&'s Shape<'s>>>,
) -> Result<(), Error> {
    json.enter_object()?;
    let mut place = Place::Opened;
    out.push('{');
    while let Some(name) = json.next_key(&mut place)? {
        let shapes = shapes(name);
        write_key(
            out,
            if shapes.is_some() {
                name
            } else {
                KEPT_BACK_KEY
            },
        );
        show(json, &shapes.unwrap_or_default(), out)?;
    }
    out.push('}');
    Ok(())
}
