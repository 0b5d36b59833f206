//! Defaults and examples as definitions show them: in one order, whatever a hash made of a map's or a set's.

use std::borrow::Cow;

use toolwright_json::{Value, by_value};

use super::refusal;
use crate::panics::reported;
use crate::shape::{Alternative, Kind, Shape, alternatives};

/// Returns a default or an example of a shape as JSON. The keys of maps and the elements of sets are sorted. The author's
/// code makes the value: if that panics, there is none, and the definitions are written all the same.
pub(crate) fn written(shape: &Shape<'_>, json: fn() -> Option<String>) -> Option<String> {
    let json = reported("a default or an example", json).flatten()?;
    if !json.starts_with(['[', '{']) {
        return Some(json);
    }
    let Ok(mut value) = Value::parse(&json) else {
        return Some(json);
    };
    sort(&mut value, Some(shape));
    Some(value.to_json())
}

/// Sorts the parts without an order. A list keeps its order, and an object that of its type's keys.
fn sort(value: &mut Value<'_>, shape: Option<&Shape<'_>>) {
    let kind = shape.map(Shape::followed);
    if let Some(Kind::Foreign(foreign)) = kind {
        return sort(value, Some(foreign.shape()));
    }
    if let Some(Kind::Union(union)) = kind {
        let json = value.to_json();
        let mut members = union.members.iter();
        return sort(
            value,
            members.find(|member| refusal(member, &json).is_none()),
        );
    }
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                sort(item, kind.and_then(|kind| kind.element(index)));
            }
            // Only sets are unique by their type; lists are unique by a bound.
            if matches!(kind, Some(Kind::Array(array)) if array.unique) {
                items.sort_by(|one, other| by_value(&one.to_json(), &other.to_json()));
            }
        }
        Value::Object(entries) => {
            let ways = kind
                .map(|kind| alternatives(kind, false))
                .unwrap_or_default();
            let way = ways.iter().find(|way| fits(way, entries));
            let field = |key: &str| {
                let mut keys = way.into_iter().flat_map(|way| &way.keys);
                let known =
                    keys.find(|known| known.is_read_as(key) || known.field.output_name == key);
                known.map(|known| known.field.shape)
            };
            let rest = way.and_then(|way| way.rest);
            for (key, item) in &mut *entries {
                sort(item, field(key).or(rest));
            }
            // Fields have the order of the type, and precede those of a flattened map.
            entries.sort_by(|(one, _), (other, _)| match (field(one), field(other)) {
                (None, None) => by_value(one, other),
                (one, other) => one.is_none().cmp(&other.is_none()),
            });
        }
        _ => {}
    }
}

/// Returns true if an object may be the one of these keys.
fn fits(way: &Alternative<'_>, entries: &[(Cow<'_, str>, Value<'_>)]) -> bool {
    way.keys.iter().all(|known| {
        let value = entries
            .iter()
            .find(|(key, _)| known.is_read_as(key) || known.field.output_name == key);
        match (value, known.tag()) {
            (Some((_, value)), Some(tag)) => value.as_str() == Some(tag.name),
            (value, _) => value.is_some() || !known.required,
        }
    })
}
