//! The one serialiser of parameters and form fields: style, type and `explode`, as the table "Style Examples" of the
//! specification has them (`OpenAPI` 3.0.4 and 3.1.1).

use toolwright::json::Value;

use crate::text::escape;

/// Style of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Form,
    Simple,
    Label,
    Matrix,
    Space,
    Pipe,
    /// `deepObject`; also the brackets of forms, with arrays and any nesting.
    Deep,
}

impl Style {
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "form" | "cookie" => Self::Form,
            "simple" => Self::Simple,
            "label" => Self::Label,
            "matrix" => Self::Matrix,
            "spaceDelimited" => Self::Space,
            "pipeDelimited" => Self::Pipe,
            "deepObject" => Self::Deep,
            _ => return None,
        })
    }
}

/// A pair of a query, a form or a cookie. The value is escaped, the name is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) name: String,
    pub(crate) value: String,
    /// True if the name comes from a key of the value, so a model chose it.
    pub(crate) is_key: bool,
}

/// Returns a scalar as text, or JSON for what no style defines. `null` is undefined, so it has none.
pub(crate) fn scalar(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.to_string()),
        other => Some(other.to_json()),
    }
}

/// The items of an array or object, escaped: `explode` joins keys and values by `=`, else they follow each other.
fn items(value: &Value<'_>, explode: bool, encode: fn(&str) -> String) -> Vec<String> {
    let mut out = Vec::new();
    for item in value.items() {
        out.extend(scalar(item).map(|text| encode(&text)));
    }
    for (key, value) in value.entries() {
        let Some(text) = scalar(value) else { continue };
        let (key, text) = (encode(key), encode(&text));
        if explode {
            out.push(format!("{key}={text}"));
        } else {
            out.extend([key, text]);
        }
    }
    out
}

/// Writes a value into a path (`simple`, `label`, `matrix`) or a header (`simple`). Returns `None` if nothing is left of it.
pub(crate) fn text(
    style: Style,
    explode: bool,
    name: &str,
    value: &Value<'_>,
    encode: fn(&str) -> String,
) -> Option<String> {
    let is_object = matches!(value, Value::Object(_));
    let all = match value {
        Value::Array(_) | Value::Object(_) => items(value, explode, encode),
        scalar_value => {
            let text = encode(&scalar(scalar_value)?);
            return Some(match style {
                Style::Label => format!(".{text}"),
                Style::Matrix if text.is_empty() => format!(";{}", escape(name)),
                Style::Matrix => format!(";{}={text}", escape(name)),
                _ => text,
            });
        }
    };
    if all.is_empty() {
        return None;
    }
    Some(match (style, explode) {
        (Style::Label, true) => format!(".{}", all.join(".")),
        (Style::Label, false) => format!(".{}", all.join(",")),
        (Style::Matrix, true) if is_object => format!(";{}", all.join(";")),
        (Style::Matrix, true) => {
            let name = escape(name);
            format!(";{name}={}", all.join(&format!(";{name}=")))
        }
        (Style::Matrix, false) => format!(";{}={}", escape(name), all.join(",")),
        _ => all.join(","),
    })
}

/// Writes a value as pairs (`form`, `spaceDelimited`, `pipeDelimited`, `deepObject`).
pub(crate) fn pairs(style: Style, explode: bool, name: &str, value: &Value<'_>) -> Vec<Pair> {
    let pair = |value: String| Pair {
        name: name.to_owned(),
        value,
        is_key: false,
    };
    if style == Style::Deep && matches!(value, Value::Array(_) | Value::Object(_)) {
        let mut out = Vec::new();
        deep(name.to_owned(), value, &mut out);
        return out;
    }
    match value {
        Value::Array(_) if explode => items(value, true, escape).into_iter().map(pair).collect(),
        Value::Object(entries) if explode => {
            let entries = entries
                .iter()
                .filter_map(|(key, value)| Some((key, scalar(value)?)));
            let pair = |(key, text): (&std::borrow::Cow<'_, str>, String)| Pair {
                name: key.to_string(),
                value: escape(&text),
                is_key: true,
            };
            entries.map(pair).collect()
        }
        Value::Array(_) | Value::Object(_) => {
            let delimiter = match style {
                Style::Space => "%20",
                Style::Pipe => "%7C",
                _ => ",",
            };
            let all = items(value, false, escape);
            if all.is_empty() {
                Vec::new()
            } else {
                vec![pair(all.join(delimiter))]
            }
        }
        value => scalar(value)
            .map(|text| pair(escape(&text)))
            .into_iter()
            .collect(),
    }
}

/// Writes brackets: `a[b][c]=1`, `a[]=1` for scalars, and `a[0][b]=1` for anything else in an array.
fn deep(name: String, value: &Value<'_>, out: &mut Vec<Pair>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                deep(format!("{name}[{key}]"), value, out);
            }
        }
        Value::Array(items) => {
            let is_flat = !items
                .iter()
                .any(|item| matches!(item, Value::Array(_) | Value::Object(_)));
            for (index, item) in items.iter().enumerate() {
                let step = if is_flat {
                    String::new()
                } else {
                    index.to_string()
                };
                deep(format!("{name}[{step}]"), item, out);
            }
        }
        value => {
            if let Some(text) = scalar(value) {
                out.push(Pair {
                    name,
                    value: escape(&text),
                    is_key: false,
                });
            }
        }
    }
}
