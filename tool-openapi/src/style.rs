//! The one serialiser of parameters and form fields: style, type and `explode`, as the table "Style Examples" of the
//! specification has them (`OpenAPI` 3.0.4 and 3.1.1).

use toolwright::json::Value;

use crate::document::MOST_KEY;
use crate::text::{escape, is_token, unescape};

/// Style of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Form,
    /// As `form`, and nothing is escaped (`OpenAPI` 3.2).
    Cookie,
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
            "form" => Self::Form,
            "cookie" => Self::Cookie,
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

/// Pairs of one value, up to a number of bytes of names and values.
struct Pairs<'l> {
    all: Vec<Pair>,
    left: &'l mut usize,
}

impl Pairs<'_> {
    fn push(&mut self, name: &str, value: String, is_key: bool) -> Result<(), String> {
        let left = self.left.checked_sub(name.len() + value.len());
        *self.left = left.ok_or("the arguments are too long for one request")?;
        self.all.push(Pair {
            name: name.to_owned(),
            value,
            is_key,
        });
        Ok(())
    }

    /// Writes brackets: `a[b][c]=1`, `a[]=1` for scalars, and `a[0][b]=1` for anything else in an array.
    fn deep(&mut self, name: &mut String, value: &Value<'_>) -> Result<(), String> {
        let length = name.len();
        for (key, value) in value.entries() {
            check_key(key)?;
            // A server reads `a[b][c]` alike, whichever key the brackets come from.
            if unescape(key).contains(['[', ']']) {
                return Err(format!(
                    "the key `{key}` cannot be sent, since it has brackets"
                ));
            }
            name.extend(["[", &**key, "]"]);
            self.deep(name, value)?;
            name.truncate(length);
        }
        let is_complex = |item: &Value<'_>| matches!(item, Value::Array(_) | Value::Object(_));
        let is_flat = !value.items().iter().any(is_complex);
        for (index, item) in value.items().iter().enumerate() {
            name.push('[');
            if !is_flat {
                name.push_str(&index.to_string());
            }
            name.push(']');
            self.deep(name, item)?;
            name.truncate(length);
        }
        match value {
            Value::Array(_) | Value::Object(_) => Ok(()),
            value => match scalar(value) {
                Some(text) => self.push(name, escape(&text), false),
                None => Ok(()),
            },
        }
    }
}

/// Refuses what would not be one cookie if nothing is escaped (RFC 6265, section 4.1.1).
fn check_cookie(name: &str, value: &Value<'_>) -> Result<(), String> {
    let is_octet = |byte: u8| byte.is_ascii_graphic() && !b"\",;\\".contains(&byte);
    let keys = value.entries().iter();
    let mut keys = keys.map(|(key, _)| &**key).filter(|key| !is_token(key));
    if let Some(key) = keys.next() {
        return Err(format!("the key `{key}` cannot be sent in a cookie"));
    }
    let values = value.entries().iter().map(|(_, value)| value);
    let mut texts = values.chain(value.items()).filter_map(scalar);
    let is_whole = matches!(value, Value::Array(_) | Value::Object(_));
    let own = scalar(value).filter(|_| !is_whole).unwrap_or_default();
    if texts.all(|text| text.bytes().all(is_octet)) && own.bytes().all(is_octet) {
        return Ok(());
    }
    Err(format!(
        "`{name}` is a cookie: visible ASCII without quotes, commas, semicolons and backslashes; escape others"
    ))
}

/// Refuses keys that are too long.
pub(crate) fn check_key(key: &str) -> Result<(), String> {
    if key.len() > MOST_KEY {
        return Err(format!("a key has more than {MOST_KEY} bytes"));
    }
    Ok(())
}

/// Writes a value as pairs (`form`, `spaceDelimited`, `pipeDelimited`, `deepObject`). Each byte of their names and values is
/// taken from `left`.
///
/// # Errors
/// Fails with the reason if `left` is too small, or if a key cannot be written.
pub(crate) fn pairs(
    style: Style,
    explode: bool,
    name: &str,
    value: &Value<'_>,
    left: &mut usize,
) -> Result<Vec<Pair>, String> {
    let all = Vec::new();
    let mut out = Pairs { all, left };
    let encode: fn(&str) -> String = match style {
        Style::Cookie => str::to_owned,
        _ => escape,
    };
    if style == Style::Cookie {
        check_cookie(name, value)?;
    }
    match value {
        Value::Array(_) | Value::Object(_) if style == Style::Deep => {
            out.deep(&mut name.to_owned(), value)?;
        }
        Value::Array(_) if explode => {
            for item in items(value, true, encode) {
                out.push(name, item, false)?;
            }
        }
        Value::Object(entries) if explode => {
            for (key, value) in entries {
                check_key(key)?;
                if let Some(text) = scalar(value) {
                    out.push(key, encode(&text), true)?;
                }
            }
        }
        Value::Array(_) | Value::Object(_) => {
            let delimiter = match style {
                Style::Space => "%20",
                Style::Pipe => "%7C",
                _ => ",",
            };
            let all = items(value, false, encode);
            if !all.is_empty() {
                out.push(name, all.join(delimiter), false)?;
            }
        }
        value => {
            if let Some(text) = scalar(value) {
                out.push(name, encode(&text), false)?;
            }
        }
    }
    Ok(out.all)
}
