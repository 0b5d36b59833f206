//! The words of faults: for a model, which knows JSON and no Rust.

use toolwright_json::write_string;

use crate::decode::{Arena, Json, Segment, describe, describe_range, example, one_of};
use crate::shape::{Kind, Rule, Shape};
use crate::text::{did_you_mean, excerpt, listed, near};

use super::FaultCode;

/// A value that a shape does not admit.
pub(crate) fn unfit(shape: &Shape<'_>, code: FaultCode, got: &str) -> String {
    let expected = match code {
        FaultCode::OutOfRange => describe_range(shape),
        FaultCode::WrongType => with_example(shape),
        _ => describe(shape),
    };
    format!("expected {expected}, got {got}")
}

/// Bytes of the longest example that a fault shows.
const MOST_EXAMPLE: usize = 1024;

/// Describes the values of a shape, with an example of composite ones: models copy examples better than they
/// read descriptions.
fn with_example(shape: &Shape<'_>) -> String {
    let words = describe(shape);
    let kind = shape.only_core();
    let has_parts =
        kind.is_array() || kind.is_object() || matches!(kind, Kind::Union(_) | Kind::Recursive(_));
    match has_parts.then(|| example(shape)).flatten() {
        // `{}` and `[1]` say no more than the words.
        Some(example) if example.contains(['"', ',']) && example.len() <= MOST_EXAMPLE => {
            format!("{words}, such as {example}")
        }
        _ => words,
    }
}

/// A key or argument that is not there.
pub(crate) fn missing(shape: &Shape<'_>) -> String {
    match shape.only_core() {
        Kind::Rule(Rule::Never) => "missing".into(),
        kind if kind.is_opaque() => "missing".into(),
        _ => format!("missing, expected {}", with_example(shape)),
    }
}

/// A key of a map that its keys' type does not admit.
pub(crate) fn wrong_key(keys: &Shape<'_>, key: Option<&str>) -> String {
    let Some(key) = key else {
        let expected = describe_range(keys);
        return format!("expected a key that is {expected}, got {HIDDEN_KEY}");
    };
    if let Kind::Enum(variants) = keys.only_core() {
        let names: Vec<&str> = variants.iter().map(|variant| variant.name).collect();
        return unknown_name("a key that is ", Some(key), &names);
    }
    format!(
        "expected a key that is {}, got {}",
        describe_range(keys),
        quoted(key)
    )
}

/// `expected one of "a", "b"`.
pub(crate) fn expected_names(names: &[&str]) -> String {
    let names = one_of(names.iter().map(|name| quoted(name)));
    format!("expected {names}")
}

/// A string that is none of those allowed.
pub(crate) fn unknown_name(whose: &str, got: Option<&str>, names: &[&str]) -> String {
    let Some(got) = got else {
        let names = one_of(names.iter().map(|name| quoted(name)));
        return format!("expected {whose}{names}, got {HIDDEN_STRING}");
    };
    let hint = did_you_mean(&near(got, names.iter().copied()));
    let gap = if hint.is_empty() { "" } else { "; " };
    let names = one_of(names.iter().map(|name| quoted(name)));
    format!("expected {whose}{names}, got {}{gap}{hint}", quoted(got))
}

/// A string that names no variant, or one that is an object with its name for a key.
pub(crate) fn unknown_variant(got: Option<&str>, names: &[&str], keys: &[&str]) -> String {
    let hint = match got {
        Some(got) if keys.contains(&got) => format!("write `{{{}: …}}`", quoted(got)),
        Some(got) => did_you_mean(&near(got, names.iter().chain(keys).copied())),
        None => String::new(),
    };
    let gap = if hint.is_empty() { "" } else { "; " };
    let names = one_of(names.iter().map(|name| quoted(name)));
    let keys = one_of(keys.iter().map(|name| quoted(name)));
    let got = got.map_or_else(|| HIDDEN_STRING.into(), quoted);
    format!("expected {names} or an object whose key is {keys}, got {got}{gap}{hint}")
}

/// A value that is none of those listed, of which these are strings.
pub(crate) fn not_listed(expected: &str, got: &str, names: &[String]) -> String {
    let near = match toolwright_json::Value::parse(got) {
        Ok(toolwright_json::Value::String(got)) => near(&got, names.iter().map(String::as_str)),
        _ => Vec::new(),
    };
    let hint = did_you_mean(&near);
    let gap = if hint.is_empty() { "" } else { "; " };
    format!("expected {expected}, got {}{gap}{hint}", shortened(got))
}

/// A value that fits several of the forms of which it may fit one.
pub(crate) fn fits_several(forms: Vec<String>, got: &str) -> String {
    let count = forms.len();
    let forms = listed(forms.into_iter(), " or ");
    format!("fits {count} of the forms, where one is wanted: {forms}, got {got}")
}

/// A key that is none of these.
pub(crate) fn unknown_key(key: &str, names: &[&str], is_root: bool) -> String {
    let noun = if is_root { "argument" } else { "key" };
    let hint = did_you_mean(&near(key, names.iter().copied()));
    if !hint.is_empty() {
        return format!("unknown {noun}; {hint}");
    }
    match names {
        [] => format!("unknown {noun}; there is none to give"),
        [one] => format!("unknown {noun}; the only one is `{}`", shortened(one)),
        names => {
            let names = names.iter().map(|name| format!("`{}`", shortened(name)));
            format!("unknown {noun}; there are {}", listed(names, ", "))
        }
    }
}

/// A text that is not JSON at an offset.
pub fn not_json(text: &str, expected: &str, at: usize, is_secret: bool) -> String {
    if is_secret {
        return format!("the arguments are not valid JSON: at byte {at} expected {expected}");
    }
    let rest = text.get(at..).unwrap_or_default();
    let found = match rest.chars().next() {
        Some(char) => format!("found {char:?}"),
        None => "the text ends".into(),
    };
    format!("the arguments are not valid JSON: at byte {at} expected {expected}, {found}")
}

/// Arguments that are not an object.
pub fn not_object(text: &str, is_secret: bool) -> String {
    let got = if is_secret {
        kept_back(text, 0)
    } else {
        shortened(text.trim())
    };
    format!("the arguments must be a JSON object, got {got}")
}

/// The value at an offset, as it stands in the text.
pub(crate) fn shown(text: &str, at: usize) -> String {
    let rest = text.get(at..).unwrap_or_default();
    let arena = Arena::new();
    shortened(Json::new(rest, &arena).skip().unwrap_or(rest))
}

/// Describes a value that may be a secret: by the type of the JSON at an offset.
pub fn kept_back(text: &str, at: usize) -> String {
    let rest = text.get(at..).unwrap_or_default().trim_start();
    let words = match rest.bytes().next() {
        Some(b'"') => HIDDEN_STRING,
        Some(b'{') => "an object (not shown)",
        Some(b'[') => "an array (not shown)",
        Some(b'-' | b'0'..=b'9') => "a number (not shown)",
        Some(b't' | b'f') => "a boolean (not shown)",
        _ => "a value (not shown)",
    };
    words.to_owned()
}

const HIDDEN_STRING: &str = "a string (not shown)";

/// A key that may be a secret.
pub(crate) const HIDDEN_KEY: &str = "a key (not shown)";

/// Placeholder for such a key in a path.
pub(crate) const KEPT_BACK_KEY: &str = "…";

/// Writes a path as `lines[2].qty`; a key that is not a plain word is in brackets: `map["a b"]`.
pub fn path(segments: &[Segment]) -> String {
    let mut out = String::new();
    for segment in segments {
        match segment {
            Segment::Index(index) => {
                out.push('[');
                out.push_str(&index.to_string());
                out.push(']');
            }
            Segment::Key(key) | Segment::Name(key) if is_word(key) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(key);
            }
            Segment::Key(key) | Segment::Name(key) => {
                out.push('[');
                out.push_str(&quoted(key));
                out.push(']');
            }
        }
    }
    out
}

fn is_word(key: &str) -> bool {
    !key.is_empty()
        && key.len() <= 64
        && key
            .chars()
            .all(|char| char.is_alphanumeric() || char == '_' || char == '-' || char == '$')
}

/// A string as JSON has it.
pub(crate) fn json_string(text: &str) -> String {
    let mut json = String::new();
    write_string(&mut json, text);
    json
}

/// A string as JSON, cut to the length of a line.
pub(crate) fn quoted(text: &str) -> String {
    shortened(&json_string(text))
}

/// A value's text, cut to the length of a line.
pub fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    excerpt(text, MOST)
}
