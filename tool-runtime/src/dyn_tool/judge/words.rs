//! What a JSON Schema admits, in the words that a shape has.

use serde_json::{Map, Value};

use super::Judge;
use crate::schema::decode::fault::say;
use crate::schema::decode::{count, one_of};

/// So many values of an `enum` are told, and forms of an `anyOf`.
const MOST_LISTED: usize = 32;
/// Words follow references so far.
const MOST_DEPTH: u8 = 8;

/// What says too little to be told.
const ANYTHING: &str = "a JSON value";

/// What was expected: `an integer from 1 to 50`, `one of "en", "fr"`, `a string or null`.
pub(super) fn describe(schema: &Value, judge: &Judge) -> String {
    words(schema, judge, MOST_DEPTH).unwrap_or_else(|| ANYTHING.into())
}

/// The same for a schema's own keywords, without what they refer to.
pub(super) fn describe_own(keywords: &Map<String, Value>, judge: &Judge) -> String {
    words_of(keywords, judge, MOST_DEPTH, false).unwrap_or_else(|| ANYTHING.into())
}

/// What was expected, where that says something.
pub(super) fn described(schema: &Value, judge: &Judge) -> Option<String> {
    words(schema, judge, MOST_DEPTH)
}

/// The words for a value that may have any of these forms.
pub(super) fn describe_any(forms: &[Value], judge: &Judge) -> String {
    let words = joined(forms.iter().map(|form| described(form, judge)));
    words.unwrap_or_else(|| "another value".into())
}

fn words(schema: &Value, judge: &Judge, depth: u8) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let Value::Object(keywords) = schema else {
        return (schema == &Value::Bool(false)).then(|| "nothing".into());
    };
    words_of(keywords, judge, depth, true)
}

fn words_of(
    keywords: &Map<String, Value>,
    judge: &Judge,
    depth: u8,
    refers: bool,
) -> Option<String> {
    let inner = |schema: &Value| words(schema, judge, depth);
    if let Some(value) = keywords.get("const") {
        return Some(say::shortened(&value.to_string()));
    }
    if let Some(Value::Array(values)) = keywords.get("enum") {
        return Some(listed(values));
    }
    match keywords.get("type") {
        Some(Value::String(name)) => return of_type(name, keywords),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            return joined(names.map(|name| of_type(name, keywords)));
        }
        _ => {}
    }
    let target = judge.referred(keywords).filter(|_| refers);
    let referred = target.and_then(inner);
    if referred.is_some() {
        return referred;
    }
    let list = |name: &str| keywords.get(name).and_then(Value::as_array);
    if let Some(forms) = list("anyOf").or_else(|| list("oneOf")) {
        return joined(forms.iter().map(inner));
    }
    if let Some(words) = list("allOf").and_then(|all| all.iter().find_map(inner)) {
        return Some(words);
    }
    if let Some(not) = keywords.get("not") {
        return Some(format!("anything but {}", inner(not)?));
    }
    of_type(implied(keywords)?, keywords)
}

/// `one of "a", "b" or null`.
fn listed(values: &[Value]) -> String {
    let has_null = values.len() > 1 && values.contains(&Value::Null);
    let told = || values.iter().filter(|value| !(has_null && value.is_null()));
    let more = told().count().saturating_sub(MOST_LISTED);
    let listed = told().take(MOST_LISTED);
    let listed: Vec<_> = listed
        .map(|value| say::shortened(&value.to_string()))
        .collect();
    let mut words = one_of(listed.into_iter());
    if more > 0 {
        words = format!("{words} and {more} more");
    }
    if has_null {
        words.push_str(" or null");
    }
    words
}

/// `a string or an object or null`; nothing where one of the forms is anything.
fn joined(forms: impl Iterator<Item = Option<String>>) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    let mut has_null = false;
    for form in forms {
        let form = form?;
        let bare = form.strip_suffix(" or null").unwrap_or(&form);
        has_null |= bare.len() < form.len() || form == "null";
        if bare != "null" && !found.iter().any(|known| known == bare) {
            found.push(bare.to_owned());
        }
    }
    found.truncate(MOST_LISTED);
    if has_null {
        found.push("null".into());
    }
    Some(found.join(" or "))
}

/// The type that keywords speak of where none is named.
fn implied(keywords: &Map<String, Value>) -> Option<&'static str> {
    let has = |names: &[&str]| names.iter().any(|name| keywords.contains_key(*name));
    if has(&[
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "minProperties",
        "maxProperties",
        "propertyNames",
    ]) {
        Some("object")
    } else if has(&[
        "items",
        "prefixItems",
        "contains",
        "minItems",
        "maxItems",
        "uniqueItems",
    ]) {
        Some("array")
    } else if has(&["minLength", "maxLength", "pattern", "format"]) {
        Some("string")
    } else if has(&[
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
    ]) {
        Some("number")
    } else {
        None
    }
}

fn of_type(name: &str, keywords: &Map<String, Value>) -> Option<String> {
    let whole = |name: &str| keywords.get(name).and_then(Value::as_u64);
    let counted = |least: &str, most: &str, noun| {
        let (min, max) = (whole(least).unwrap_or(0), whole(most));
        match (min, max) {
            // The words for a type's own length say it apart.
            (0, Some(0)) => format!(
                " of no {}",
                if noun == "entr" {
                    "entries".into()
                } else {
                    format!("{noun}s")
                }
            ),
            (min, max) => count(min, max, noun),
        }
    };
    Some(match name {
        "null" => "null".into(),
        "boolean" => "true or false".into(),
        "integer" => format!("an integer{}", range(keywords, true)),
        "number" => format!("a number{}", range(keywords, false)),
        "string" => {
            let text = |name: &str| keywords.get(name).and_then(Value::as_str);
            let format =
                text("format").map(|name| format!(" in the format `{}`", say::shortened(name)));
            let pattern =
                text("pattern").map(|text| format!(" that matches `{}`", say::shortened(text)));
            format!(
                "a string{}{}{}",
                counted("minLength", "maxLength", "character"),
                format.unwrap_or_default(),
                pattern.unwrap_or_default()
            )
        }
        "array" => {
            let is_unique = keywords.get("uniqueItems") == Some(&Value::Bool(true));
            let unique = if is_unique {
                ", no two of them equal"
            } else {
                ""
            };
            format!(
                "an array{}{unique}",
                counted("minItems", "maxItems", "element")
            )
        }
        "object" => format!(
            "an object{}",
            counted("minProperties", "maxProperties", "entr")
        ),
        _ => return None,
    })
}

/// ` from 1 to 50, a multiple of 5`.
fn range(keywords: &Map<String, Value>, is_integer: bool) -> String {
    let number = |name: &str| keywords.get(name).filter(|value| value.is_number());
    let min = match (number("exclusiveMinimum"), number("minimum")) {
        (Some(edge), _) => Some(format!("above {edge}")),
        (None, Some(edge)) => Some(format!("from {edge}")),
        (None, None) => None,
    };
    let max = match (number("exclusiveMaximum"), number("maximum")) {
        (Some(edge), _) => Some(format!("below {edge}")),
        (None, Some(edge)) => Some(format!("to {edge}")),
        (None, None) => None,
    };
    let ends = match (&min, &max) {
        (Some(min), None) if is_integer && min.starts_with("from ") => {
            format!(" of {} or more", min.trim_start_matches("from "))
        }
        (None, Some(max)) if max.starts_with("to ") => {
            format!(" of at most {}", max.trim_start_matches("to "))
        }
        (min, max) => {
            let ends: Vec<_> = [min, max]
                .into_iter()
                .flatten()
                .map(String::as_str)
                .collect();
            let gap = if ends.is_empty() { "" } else { " " };
            format!("{gap}{}", ends.join(" "))
        }
    };
    let multiple = number("multipleOf").map(|of| format!(", a multiple of {of}"));
    format!("{ends}{}", multiple.unwrap_or_default())
}
