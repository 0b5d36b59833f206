//! From arguments to a request: the plan of one operation.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use toolwright::call::ErrorKind;
use toolwright::json::Value;
use toolwright::{Context, ToolError};

use crate::body::{BodyFormat, Form};
use crate::client::HttpRequest;
use crate::guard::Guard;
use crate::operation::Place;
use crate::path::{Piece, Template, literal_query};
use crate::style::{Style, pairs, scalar, text};
use crate::text::{escape, is_method_override, is_token, readings, unescape};

/// Most bytes of a URL, and of one header.
pub(crate) const MOST_URL: usize = 16 << 10;
const MOST_HEADER: usize = 8 << 10;

/// Where a value comes from.
#[derive(Clone)]
pub(crate) enum Source {
    /// The argument of this name, else the document's default of a value that the API requires.
    Argument(String, Option<Value<'static>>),
    /// The host, or the only value that the document allows.
    Fixed(Value<'static>),
    /// The call's own key, which all attempts share. A call without a place in a run has none: a key of its own would
    /// differ with each attempt, so it is sent only if the API requires one.
    CallKey(bool),
}

/// How a parameter is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writing {
    /// In a style, which `explode`s or not.
    Styled(Style, bool),
    /// As JSON text.
    Json,
    /// The keys of an object are the whole query.
    WholeQuery,
    /// In a path; slashes separate segments.
    Segments,
}

/// A parameter of the request.
pub(crate) struct Slot {
    pub(crate) source: Source,
    /// The name in the document.
    pub(crate) name: String,
    pub(crate) place: Place,
    pub(crate) writing: Writing,
    /// Keys that a value must not have.
    pub(crate) guard: Option<Guard>,
}

/// What the body is made of.
#[derive(Clone)]
pub(crate) enum BodySource {
    /// One value, and whether the API requires a body.
    Whole(Source, bool),
    /// Properties of an object, by their names in the document.
    Properties(Vec<(String, Source)>, bool),
}

/// How one operation's arguments become a request. It holds presets, which may be secret, so it has no `Debug`.
pub(crate) struct Plan {
    pub(crate) method: String,
    /// Scheme, host and path of the server, without a slash at the end.
    pub(crate) base: String,
    pub(crate) template: Template,
    pub(crate) slots: Vec<Slot>,
    pub(crate) body: Option<(BodyFormat, BodySource)>,
    pub(crate) accept: String,
    /// Names of the query and of forms that keys of an object must not set, in lower case.
    pub(crate) forbidden: HashSet<String>,
    /// Names of a form's properties, which keys of an object must not set.
    pub(crate) form_names: HashSet<String>,
    pub(crate) guard: Guard,
}

fn refused(message: String) -> ToolError {
    ToolError::new(ErrorKind::InvalidArgs, message)
}

/// Returns a key for a call whose place in a run is not known.
fn random_key<'v>() -> Value<'v> {
    let random = || RandomState::new().build_hasher().finish();
    Value::string(format!("{:016x}{:016x}", random(), random()))
}

impl Plan {
    fn is_forbidden(&self, name: &str) -> bool {
        let name = unescape(name);
        is_method_override(&name)
            || name.chars().any(char::is_control)
            || readings(&name)
                .iter()
                .any(|name| self.forbidden.contains(name))
    }

    /// Makes the request. It has no credentials yet.
    pub(crate) fn request(
        &self,
        arguments: &Value<'_>,
        cx: &Context,
    ) -> Result<HttpRequest, ToolError> {
        let value = |source: &Source| -> Option<Value<'_>> {
            match source {
                Source::Argument(key, default) => {
                    arguments.get(key).cloned().or_else(|| default.clone())
                }
                Source::Fixed(value) => Some(value.clone()),
                Source::CallKey(is_required) => match cx.idempotency_key() {
                    Some(key) => Some(Value::from(key)),
                    None => is_required.then(random_key),
                },
            }
        };
        let written = |name: &str| -> Result<(String, bool), String> {
            let slot = self
                .slots
                .iter()
                .find(|slot| slot.place == Place::Path && slot.name == name);
            let slot = slot.ok_or_else(|| format!("`{name}` has no value"))?;
            let value = value(&slot.source).ok_or_else(|| format!("`{name}` has no value"))?;
            let text = match slot.writing {
                Writing::Segments => {
                    let text = scalar(&value).unwrap_or_default();
                    let parts: Vec<_> = text.split('/').map(escape).collect();
                    return Ok((parts.join("/"), true));
                }
                Writing::Styled(style, explode) => text(style, explode, name, &value, escape),
                Writing::Json | Writing::WholeQuery => Some(escape(&value.to_json())),
            };
            Ok((text.unwrap_or_default(), false))
        };
        for slot in &self.slots {
            if let (Some(guard), Some(value)) = (&slot.guard, value(&slot.source)) {
                let is_form = matches!(slot.place, Place::Query | Place::Cookie);
                guard.admits(&value, is_form).map_err(refused)?;
            }
        }
        let path = self.template.write(written).map_err(refused)?;
        let query = self.query(&value, written)?;
        let mut url = format!("{}{path}", self.base);
        if !query.is_empty() {
            url = format!("{url}?{query}");
        }
        self.check(&url, &path, !query.is_empty())?;
        let mut headers = vec![("Accept".to_owned(), self.accept.clone())];
        self.headers(&value, &mut headers)?;
        let mut request = HttpRequest {
            method: self.method.clone(),
            url,
            headers,
            body: None,
            timeout: std::time::Duration::MAX,
            max_bytes: 0,
        };
        self.body(&value, &mut request)?;
        Ok(request)
    }

    fn query<'v>(
        &self,
        value: &impl Fn(&Source) -> Option<Value<'v>>,
        written: impl Fn(&str) -> Result<(String, bool), String>,
    ) -> Result<String, ToolError> {
        let mut all: Vec<String> = Vec::new();
        let mut left = MOST_URL;
        for (name, pieces) in &self.template.query {
            let mut text = String::new();
            for piece in pieces {
                match piece {
                    Piece::Literal(literal) => text.push_str(&literal_query(literal)),
                    Piece::Parameter(name) => text.push_str(&written(name).map_err(refused)?.0),
                }
            }
            all.push(format!("{}={text}", escape(name)));
        }
        for slot in self.slots.iter().filter(|slot| slot.place == Place::Query) {
            let Some(value) = value(&slot.source).filter(|value| !value.is_null()) else {
                continue;
            };
            self.pairs(slot, &value, &mut left, &mut all)?;
        }
        Ok(all.join("&"))
    }

    /// Writes the pairs of a parameter of the query or of a cookie.
    fn pairs(
        &self,
        slot: &Slot,
        value: &Value<'_>,
        left: &mut usize,
        out: &mut Vec<String>,
    ) -> Result<(), ToolError> {
        let name = &slot.name;
        let written = match slot.writing {
            Writing::Styled(style, explode) => pairs(style, explode, name, value, left),
            Writing::WholeQuery if matches!(value, Value::Object(_)) => {
                pairs(Style::Form, true, name, value, left)
            }
            Writing::WholeQuery => Err(format!("`{name}` is not an object")),
            Writing::Json | Writing::Segments => {
                let json = Value::string(value.to_json());
                pairs(Style::Form, false, name, &json, left)
            }
        };
        for pair in written.map_err(refused)? {
            // The parameter itself is not a pair, so a key may have its name.
            if pair.is_key && pair.name != *name && self.is_forbidden(&pair.name) {
                let words = format!("`{}` cannot be set by `{name}`", pair.name);
                return Err(refused(words));
            }
            let is_plain = matches!(slot.writing, Writing::Styled(Style::Cookie, _));
            let name = if is_plain && is_token(&pair.name) {
                pair.name
            } else {
                escape(&pair.name)
            };
            out.push(format!("{name}={}", pair.value));
        }
        Ok(())
    }

    /// Compares the URL with what a parser of URLs makes of it, since parsers drop dot segments and more in silence.
    fn check(&self, url: &str, path: &str, has_query: bool) -> Result<(), ToolError> {
        if url.len() > MOST_URL {
            return Err(refused(format!(
                "the arguments make a URL of more than {MOST_URL} bytes"
            )));
        }
        let is_same = url::Url::parse(url).is_ok_and(|parsed| {
            parsed.as_str() == url
                && parsed.query().is_some() == has_query
                && parsed.fragment().is_none()
        });
        let has_segments = self
            .slots
            .iter()
            .any(|slot| slot.writing == Writing::Segments)
            || path.split('/').count() == self.template.len() + 1;
        if is_same && has_segments {
            Ok(())
        } else {
            Err(refused(
                "the arguments make another URL than the one of this operation".to_owned(),
            ))
        }
    }

    fn headers<'v>(
        &self,
        value: &impl Fn(&Source) -> Option<Value<'v>>,
        headers: &mut Vec<(String, String)>,
    ) -> Result<(), ToolError> {
        let mut cookies = Vec::new();
        let mut left = MOST_HEADER;
        for slot in &self.slots {
            let Some(value) = value(&slot.source).filter(|value| !value.is_null()) else {
                continue;
            };
            match slot.place {
                Place::Header => {
                    let written = match slot.writing {
                        Writing::Styled(style, explode) => {
                            text(style, explode, &slot.name, &value, str::to_owned)
                        }
                        _ => Some(value.to_json()),
                    };
                    let Some(written) = written else { continue };
                    let written = written.trim().to_owned();
                    if !written.bytes().all(|byte| (b' '..=b'~').contains(&byte))
                        || written.len() > MOST_HEADER
                    {
                        return Err(refused(format!(
                            "`{}` is a header: visible ASCII, up to {MOST_HEADER} bytes",
                            slot.name
                        )));
                    }
                    headers.retain(|(known, _)| !known.eq_ignore_ascii_case(&slot.name));
                    headers.push((slot.name.clone(), written));
                }
                Place::Cookie => self.pairs(slot, &value, &mut left, &mut cookies)?,
                _ => {}
            }
        }
        if !cookies.is_empty() {
            headers.push(("Cookie".to_owned(), cookies.join("; ")));
        }
        Ok(())
    }

    fn body<'v>(
        &self,
        value: &impl Fn(&Source) -> Option<Value<'v>>,
        request: &mut HttpRequest,
    ) -> Result<(), ToolError> {
        let Some((format, source)) = &self.body else {
            return Ok(());
        };
        let body = match source {
            // `null` is not a body, unless the API requires one and admits it.
            BodySource::Whole(source, is_required) => {
                let is_json = format.form == Form::Json && self.guard.fixed.is_empty();
                value(source).filter(|body| !body.is_null() || *is_required && is_json)
            }
            BodySource::Properties(properties, is_required) => {
                let entries = properties
                    .iter()
                    .filter_map(|(name, source)| Some((name.clone(), value(source)?)));
                let body = Value::object(entries);
                Some(body).filter(|body| *is_required || !body.entries().is_empty())
            }
        };
        let is_form = matches!(format.form, Form::Pairs | Form::Multipart);
        let Some(body) = self.guard.apply(body, is_form).map_err(refused)? else {
            return Ok(());
        };
        let (media, bytes) = format
            .write(&body, |name| {
                self.is_forbidden(name)
                    || readings(name)
                        .iter()
                        .any(|name| self.form_names.contains(name))
            })
            .map_err(refused)?;
        // A preset counts more, but only the body's own media type names the boundary of its parts.
        let is_type = |(name, _): &(String, String)| name.eq_ignore_ascii_case("content-type");
        if format.form == Form::Multipart {
            request.headers.retain(|header| !is_type(header));
        }
        if !request.headers.iter().any(is_type) {
            request.headers.push(("Content-Type".to_owned(), media));
        }
        request.body = Some(bytes);
        Ok(())
    }
}
