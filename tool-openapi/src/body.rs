//! Bodies of requests: the media type that is sent, and its text.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use toolwright::json::Value;

use crate::document::{At, Documents};
use crate::schema::Side;
use crate::style::{Pair, Style, check_key, pairs, scalar};
use crate::text::{escape, is_method_override};

/// Most bytes of the names and values of a form, and of the heads of a multipart body.
const MOST_FORM: usize = 16 << 20;

/// Form of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    /// `application/x-www-form-urlencoded`.
    Pairs,
    Multipart,
    Text,
    /// Base64 of the model's.
    Bytes,
}

/// How one property of a form is written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Encoding {
    style: Option<(Style, bool)>,
    media: Option<String>,
    is_binary: bool,
    /// True if its media type alone says that it is binary.
    is_file: bool,
}

/// How a body is written.
#[derive(Debug, Clone)]
pub(crate) struct BodyFormat {
    pub(crate) form: Form,
    pub(crate) media: String,
    /// What of the document's `encoding` is not written.
    pub(crate) ignored: Vec<String>,
    encodings: HashMap<String, Encoding>,
}

/// The media type of a form.
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

/// The essence of a media type, in lower case.
pub(crate) fn essence(media: &str) -> String {
    media
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

pub(crate) fn is_json(media: &str) -> bool {
    let media = essence(media);
    matches!(
        &*media,
        "application/json" | "text/json" | "*/*" | "application/*"
    ) || media.ends_with("+json")
        || media.starts_with("application/") && media.ends_with("-json")
}

/// Returns true for media types whose values are bytes.
fn is_file(media: &str) -> bool {
    let media = essence(media);
    let starts = ["image/", "audio/", "video/"];
    starts.iter().any(|start| media.starts_with(start)) && !media.ends_with("+xml")
        || matches!(
            &*media,
            "application/octet-stream" | "application/pdf" | "application/zip" | "application/gzip"
        )
}

fn form(media: &str, schema: Option<&At<'_, '_>>) -> Option<(Form, u8)> {
    let essence = essence(media);
    let is_binary = schema.is_some_and(|at| {
        at.text("format") == Some("binary") || at.value.get("contentEncoding").is_some()
    });
    Some(match &*essence {
        "*/*" | "application/*" if is_binary => (Form::Bytes, 4),
        "application/json" => (Form::Json, 0),
        _ if is_json(media) => (Form::Json, 1),
        FORM => (Form::Pairs, 2),
        "multipart/form-data" | "multipart/mixed" | "multipart/related" => (Form::Multipart, 3),
        _ if essence.ends_with("xml") => return None,
        _ if is_binary => (Form::Bytes, 5),
        _ if essence.starts_with("text/")
            || essence.contains("yaml")
            || essence.contains("graphql") =>
        {
            (Form::Text, 6)
        }
        "application/octet-stream" => (Form::Bytes, 5),
        _ if essence.starts_with("image/")
            || essence.starts_with("audio/")
            || essence.starts_with("video/") =>
        {
            (Form::Bytes, 5)
        }
        "application/zip" | "application/gzip" | "application/pdf" => (Form::Bytes, 5),
        _ => return None,
    })
}

/// Returns the form in which a body is sent, and its schema. Fails if no listed media type can be written.
pub(crate) fn choose<'a, 't>(
    documents: &'a Documents<'t>,
    content: &At<'a, 't>,
) -> Result<(BodyFormat, Option<At<'a, 't>>), String> {
    let mut best: Option<(u8, Form, &str, At<'a, 't>, Option<At<'a, 't>>)> = None;
    for (media, at) in content.entries() {
        let Ok(at) = documents.follow(at) else {
            continue;
        };
        let schema = at.get("schema").or_else(|| at.get("itemSchema"));
        let seen = schema.clone().and_then(|at| documents.follow(at).ok());
        let Some((form, rank)) = form(media, seen.as_ref()) else {
            continue;
        };
        if best.as_ref().is_none_or(|(known, ..)| rank < *known)
            && media.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        {
            best = Some((rank, form, media, at, schema));
        }
    }
    let Some((_, form, media, at, schema)) = best else {
        let all: Vec<_> = content
            .value
            .entries()
            .iter()
            .map(|(media, _)| &**media)
            .collect();
        return Err(match all.as_slice() {
            [] => "the body has no media type".to_owned(),
            all => format!("no body of {} can be written", all.join(", ")),
        });
    };
    let (mut encodings, mut ignored): (HashMap<String, Encoding>, _) = (HashMap::new(), Vec::new());
    let properties = schema
        .clone()
        .and_then(|schema| crate::schema::merged(documents, &schema, Side::Request));
    for (name, property) in properties.into_iter().flat_map(|object| object.properties) {
        let Ok(property) = documents.follow(property) else {
            continue;
        };
        let item = property
            .get("items")
            .and_then(|items| documents.follow(items).ok());
        let is_binary = |at: &At<'_, '_>| {
            at.text("format") == Some("binary")
                || at.text("type") == Some("file")
                || at.text("contentMediaType").is_some_and(is_file)
        };
        let encoding = at.get("encoding").and_then(|all| all.get(name));
        let media = encoding.as_ref().and_then(|at| at.text("contentType"));
        let is_file = form == Form::Multipart
            && media.is_some_and(|media| media.split(',').all(is_file))
            && says_no_type(item.as_ref().unwrap_or(&property));
        if is_file || is_binary(&property) || item.as_ref().is_some_and(is_binary) {
            let known = encodings.entry(name.to_owned()).or_default();
            (known.is_binary, known.is_file) = (true, is_file);
        }
    }
    for (name, encoding) in at.get("encoding").iter().flat_map(At::entries) {
        let known = encodings.entry(name.to_owned()).or_default();
        known.media = encoding.text("contentType").map(str::to_owned);
        let has_headers = encoding.value.get("headers").is_some_and(|all| {
            let mut names = all.entries().iter().map(|(name, _)| name);
            form == Form::Multipart && names.any(|name| !name.eq_ignore_ascii_case("content-type"))
        });
        if has_headers {
            ignored.push(format!("the headers of the part `{name}` are not sent"));
        }
        if form == Form::Pairs && encoding.is("allowReserved") {
            ignored.push(format!(
                "reserved characters of `{name}` are sent as `%2F`, which servers read alike"
            ));
        }
        if form == Form::Multipart
            && ["style", "explode"]
                .iter()
                .any(|key| encoding.value.get(key).is_some())
        {
            ignored.push(format!("the style of the part `{name}` is not applied"));
        }
        let style = encoding.text("style").and_then(Style::named);
        let explode = encoding
            .value
            .get("explode")
            .map(|explode| matches!(explode, Value::Bool(true)));
        if style.is_some() || explode.is_some() {
            let style = style.unwrap_or(Style::Form);
            known.style = Some((style, explode.unwrap_or(style == Style::Form)));
        }
    }
    let media = match (form, &*essence(media)) {
        (Form::Json, "*/*" | "application/*") => "application/json",
        (Form::Bytes, "*/*" | "application/*") => "application/octet-stream",
        (Form::Text, "text/*") => "text/plain",
        _ => media,
    };
    Ok((
        BodyFormat {
            form,
            media: media.to_owned(),
            ignored,
            encodings,
        },
        schema,
    ))
}

/// Returns true for a schema of text without another form, or of anything.
fn says_no_type(at: &At<'_, '_>) -> bool {
    const OTHERS: [&str; 8] = [
        "contentEncoding",
        "enum",
        "const",
        "properties",
        "items",
        "allOf",
        "anyOf",
        "oneOf",
    ];
    let is_text = at.value.get("type").is_none() || at.text("type") == Some("string");
    is_text && OTHERS.iter().all(|key| at.value.get(key).is_none())
}

impl BodyFormat {
    /// Returns true for a property whose schema does not say that it is a file.
    pub(crate) fn is_file(&self, name: &str) -> bool {
        self.encodings.get(name).is_some_and(|known| known.is_file)
    }

    /// Writes a body. Returns its media type and its bytes.
    ///
    /// # Errors
    /// Fails with the reason if the value has no such form.
    pub(crate) fn write(
        &self,
        value: &Value<'_>,
        is_forbidden: impl Fn(&str) -> bool,
    ) -> Result<(String, Vec<u8>), String> {
        if let Some((name, _)) = value
            .entries()
            .iter()
            .find(|(name, _)| is_method_override(name))
        {
            return Err(format!("`{name}` cannot be set here"));
        }
        let bytes = match self.form {
            Form::Json => value.to_json().into_bytes(),
            Form::Text => scalar(value).unwrap_or_default().into_bytes(),
            Form::Bytes => decoded("body", value)?,
            Form::Pairs | Form::Multipart if !matches!(value, Value::Object(_)) => {
                return Err("this body is an object, with the fields of a form".to_owned());
            }
            Form::Pairs => {
                let mut out = String::new();
                let mut left = MOST_FORM;
                for (name, value) in value.entries() {
                    check_key(name)?;
                    for pair in self.pairs(name, value, &mut left)? {
                        if pair.is_key && pair.name != **name && is_forbidden(&pair.name) {
                            return Err(format!("`{}` cannot be set here", pair.name));
                        }
                        if !out.is_empty() {
                            out.push('&');
                        }
                        out.push_str(&escape(&pair.name));
                        out.push('=');
                        out.push_str(&pair.value);
                    }
                }
                out.into_bytes()
            }
            Form::Multipart => return self.multipart(value),
        };
        Ok((self.media.clone(), bytes))
    }

    fn pairs(&self, name: &str, value: &Value<'_>, left: &mut usize) -> Result<Vec<Pair>, String> {
        let encoding = self.encodings.get(name);
        let media = encoding.and_then(|encoding| encoding.media.as_deref());
        let is_complex = matches!(value, Value::Array(_) | Value::Object(_));
        if is_complex && media.is_some_and(is_json) {
            let text = Value::string(value.to_json());
            return pairs(Style::Form, true, name, &text, left);
        }
        let has_parts = value
            .items()
            .iter()
            .any(|item| matches!(item, Value::Array(_) | Value::Object(_)));
        let (style, explode) = match encoding.and_then(|encoding| encoding.style) {
            Some((_, true)) if has_parts => (Style::Deep, true),
            Some(given) => given,
            // The specification spreads the keys of an object over the form, which no server reads so.
            None if has_parts || matches!(value, Value::Object(_)) => (Style::Deep, true),
            None => (Style::Form, true),
        };
        pairs(style, explode, name, value, left)
    }

    fn multipart(&self, value: &Value<'_>) -> Result<(String, Vec<u8>), String> {
        let mut parts: Vec<(String, Vec<u8>)> = Vec::new();
        let mut left = MOST_FORM;
        for (name, value) in value.entries() {
            check_key(name)?;
            let encoding = self.encodings.get(&**name).cloned().unwrap_or_default();
            let is_list =
                matches!(value, Value::Array(_)) && !encoding.media.as_deref().is_some_and(is_json);
            let items = if is_list {
                value.items()
            } else {
                std::slice::from_ref(value)
            };
            for item in items.iter().filter(|item| !item.is_null()) {
                let quoted: String = name
                    .chars()
                    .map(|char| match char {
                        '"' => "%22".to_owned(),
                        '\r' | '\n' | '\0' => "%0A".to_owned(),
                        char => char.to_string(),
                    })
                    .collect();
                let mut head = format!("Content-Disposition: form-data; name=\"{quoted}\"");
                let media = encoding
                    .media
                    .as_deref()
                    .and_then(|media| media.split(',').next())
                    .map(str::trim);
                let media = media.filter(|media| {
                    !media.contains('*') && media.bytes().all(|byte| (b' '..=b'~').contains(&byte))
                });
                let is_complex = matches!(item, Value::Array(_) | Value::Object(_));
                let bytes = if encoding.is_binary {
                    head.push_str("; filename=\"file\"");
                    decoded(name, item)?
                } else {
                    scalar(item).unwrap_or_default().into_bytes()
                };
                let media = media.or(match (encoding.is_binary, is_complex) {
                    (true, _) => Some("application/octet-stream"),
                    (_, true) => Some("application/json"),
                    _ => None,
                });
                if let Some(media) = media {
                    head.push_str("\r\nContent-Type: ");
                    head.push_str(media);
                }
                let taken = left.checked_sub(head.len());
                left = taken.ok_or("the arguments are too long for one request")?;
                parts.push((head, bytes));
            }
        }
        let boundary = boundary(&parts)?;
        let mut out = Vec::new();
        for (head, bytes) in parts {
            out.extend(format!("--{boundary}\r\n{head}\r\n\r\n").into_bytes());
            out.extend(bytes);
            out.extend(b"\r\n");
        }
        out.extend(format!("--{boundary}--\r\n").into_bytes());
        Ok((
            format!("{}; boundary={boundary}", essence(&self.media)),
            out,
        ))
    }
}

/// Returns a text that no part holds. It is a hash of them, so no part can name many of the next ones.
fn boundary(parts: &[(String, Vec<u8>)]) -> Result<String, String> {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    for count in 0..8_u8 {
        count.hash(&mut hasher);
        let boundary = format!("toolwright-{:016x}", hasher.finish());
        let holds = |bytes: &[u8]| {
            bytes
                .windows(boundary.len())
                .any(|part| part == boundary.as_bytes())
        };
        let is_held = |(head, bytes): &(String, Vec<u8>)| holds(bytes) || holds(head.as_bytes());
        if !parts.iter().any(is_held) {
            return Ok(boundary);
        }
    }
    Err("the body holds every boundary of its parts".to_owned())
}

fn decoded(name: &str, value: &Value<'_>) -> Result<Vec<u8>, String> {
    let bytes = value
        .as_str()
        .and_then(|text| STANDARD.decode(text.trim()).ok());
    bytes.ok_or_else(|| format!("`{name}` takes the bytes of a file as Base64"))
}
