//! From a response to what a model reads.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;
use toolwright::call::{Block, Content};
use toolwright::json::Value;
use toolwright::text::Printable;
use toolwright::{Outcome, ToolError};

use crate::client::HttpResponse;
use crate::document::step;
use crate::secrets::{scrub, scrubbed, scrubbed_cut};

/// Most characters of an error's body that a model reads.
const MOST_ERROR: usize = 2_000;
/// Most notes about what was cut.
const MOST_NOTES: usize = 8;
/// Most characters of what a note or a header says.
const MOST_WORDS: usize = 300;

/// How much of an answer a model reads. What is cut is named behind the answer, with the arguments that read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trim {
    /// Most elements of each array. Default: 50.
    pub items: usize,
    /// Most characters of each text inside of JSON. Default: 4,000.
    pub text: usize,
    /// Most characters of an answer, as text or JSON. Default: 40,000. Longer JSON becomes a text.
    pub whole: usize,
}

impl Default for Trim {
    fn default() -> Self {
        Self {
            items: 50,
            text: 4_000,
            whole: 40_000,
        }
    }
}

impl Trim {
    /// Cuts nothing.
    pub const NONE: Self = Self {
        items: usize::MAX,
        text: usize::MAX,
        whole: usize::MAX,
    };

    /// Sets the most elements of each array.
    pub fn items(self, items: usize) -> Self {
        Self { items, ..self }
    }

    /// Sets the most characters of each text inside of JSON.
    pub fn text(self, text: usize) -> Self {
        Self { text, ..self }
    }

    /// Sets the most characters of an answer.
    pub fn whole(self, whole: usize) -> Self {
        Self { whole, ..self }
    }
}

/// What an answer depends on, beside the response.
pub(crate) struct Reading<'a> {
    pub(crate) trim: Trim,
    /// The arguments that choose a page.
    pub(crate) paging: &'a [String],
    pub(crate) secrets: &'a [String],
    pub(crate) may_repeat: bool,
    /// Whether the schema of the answer is that of an object, if the tool has one.
    pub(crate) is_object: Option<bool>,
}

/// Returns the outcome of a call.
pub(crate) fn outcome(
    response: &HttpResponse,
    reading: &Reading<'_>,
) -> Result<Outcome, ToolError> {
    match response.status {
        200..=299 => Ok(with_schema(success(response, reading), reading)),
        304 => Err(error(response, "the API answered 304: nothing changed".to_owned()).permanent()),
        300..=399 => {
            let place = response.header("location").unwrap_or("another place");
            let place = Printable::new(&scrubbed(place.to_owned(), reading.secrets))
                .one_line()
                .at_most(MOST_WORDS)
                .to_string();
            let words = format!(
                "the API redirects to {place} ({}); redirects are not followed",
                response.status
            );
            Err(error(response, words).permanent())
        }
        401 | 403 => {
            let words = format!("the API does not authorize this call ({})", response.status);
            Err(error(response, words).permanent())
        }
        status => Err(failure(status, response, reading)),
    }
}

/// Returns an outcome that clients of MCP take from a tool with a schema of its answer: one with a value, which is an object if
/// the schema says so. What is inside, the schema leaves open.
fn with_schema(outcome: Outcome, reading: &Reading<'_>) -> Outcome {
    let Some(payload) = outcome
        .payload()
        .filter(|_| reading.is_object == Some(true))
    else {
        return outcome;
    };
    let text = payload.to_json();
    match Value::parse(&text) {
        Ok(value) if !matches!(value, Value::Object(_)) => {
            json(&Value::object([("answer", value)]))
        }
        _ => outcome,
    }
}

fn error(response: &HttpResponse, words: String) -> ToolError {
    let mut data = serde_json::json!({"status": response.status});
    let wait = retry_after(response);
    if let (Some(wait), Some(data)) = (wait, data.as_object_mut()) {
        data.insert("retry_after".to_owned(), wait.into());
    }
    let error = ToolError::failed(words).with_data(data);
    match wait {
        Some(wait) => error.with_retry_after(Duration::from_secs(wait)),
        None => error,
    }
}

/// Returns the seconds of `Retry-After`, which may be a date.
fn retry_after(response: &HttpResponse) -> Option<u64> {
    let value = response.header("retry-after")?.trim();
    value.parse().ok().or_else(|| {
        let until = httpdate::parse_http_date(value).ok()?;
        let wait = until.duration_since(SystemTime::now());
        Some(wait.map_or(0, |wait| wait.as_secs()))
    })
}

/// Returns the text of a body, in UTF-8 or in windows-1252, to which other Latin-1 belongs.
fn text_of(response: &HttpResponse) -> Option<Cow<'_, str>> {
    const FROM_80: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";
    let bytes = &response.body;
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Some(Cow::Borrowed(text)),
        Err(error) => error,
    };
    let kind = response
        .header("content-type")
        .unwrap_or_default()
        .to_ascii_lowercase();
    let charset = kind
        .split(';')
        .find_map(|part| part.trim().strip_prefix("charset="));
    if let Some("iso-8859-1" | "latin1" | "us-ascii" | "windows-1252") =
        charset.map(|name| name.trim_matches('"'))
    {
        let char = |byte: &u8| match byte.checked_sub(0x80) {
            Some(place @ 0..0x20) => FROM_80.chars().nth(place.into()),
            _ => Some(char::from(*byte)),
        };
        return Some(bytes.iter().filter_map(char).collect());
    }
    // A text that was cut inside of a character.
    let is_cut = response.is_cut && error.error_len().is_none();
    let valid = bytes.get(..error.valid_up_to()).filter(|_| is_cut)?;
    std::str::from_utf8(valid).ok().map(Cow::Borrowed)
}

fn failure(status: u16, response: &HttpResponse, reading: &Reading<'_>) -> ToolError {
    let text = text_of(response).unwrap_or_else(|| String::from_utf8_lossy(&response.body));
    let is_page = response
        .header("content-type")
        .is_some_and(|kind| kind.contains("html"));
    let body = if is_page {
        String::new()
    } else {
        shown(text.trim(), response, reading)
    };
    let body = cut(&body, MOST_ERROR);
    let mut words = format!("the API answered {status}");
    if let Some(wait) = retry_after(response) {
        words = format!("{words}; it may be asked again after {wait} s");
    }
    if !body.is_empty() {
        words = format!("{words}: {body}");
    }
    let error = error(response, words);
    match status {
        // Nothing was done; the layer `Retry` may ask again.
        408 | 425 | 429 | 503 => error,
        400..=499 => error.permanent(),
        _ if reading.may_repeat => error,
        _ => error.with_outcome_unknown(),
    }
}

/// Returns a text without secrets. Those in JSON are found however they are escaped.
fn shown(text: &str, response: &HttpResponse, reading: &Reading<'_>) -> String {
    if response.is_cut {
        return scrubbed_cut(text.to_owned(), reading.secrets);
    }
    if let Ok(mut value @ (Value::Object(_) | Value::Array(_) | Value::String(_))) =
        Value::parse(text)
    {
        let before = value.clone();
        scrub(&mut value, reading.secrets);
        if value != before {
            return value.to_json();
        }
    }
    scrubbed(text.to_owned(), reading.secrets)
}

fn success(response: &HttpResponse, reading: &Reading<'_>) -> Outcome {
    let kind = response
        .header("content-type")
        .unwrap_or_default()
        .to_ascii_lowercase();
    let essence = kind.split(';').next().unwrap_or_default().trim().to_owned();
    if response.body.is_empty() {
        let mut entries = vec![("status", Value::from(u64::from(response.status)))];
        for name in [
            "location",
            "etag",
            "last-modified",
            "content-length",
            "content-type",
        ] {
            if let Some(value) = response.header(name) {
                let value = scrubbed(value.to_owned(), reading.secrets);
                entries.push((name, Value::string(cut(&value, MOST_WORDS).into_owned())));
            }
        }
        return json(&Value::object(entries));
    }
    let is_whole = !response.is_cut
        && reading.is_object.is_none()
        && !essence.contains("svg")
        && essence.len() <= MOST_WORDS;
    match essence.split_once('/').filter(|_| is_whole) {
        Some(("image", _)) => {
            let content =
                Content::default().image(essence.as_str(), STANDARD.encode(&response.body));
            return Outcome::Content(content);
        }
        Some(("audio", _)) => {
            let (mime_type, data) = (essence.clone(), STANDARD.encode(&response.body));
            return Outcome::Content(Content::default().with(Block::Audio { mime_type, data }));
        }
        _ => {}
    }
    let Some(text) = text_of(response) else {
        let kind = if essence.is_empty() {
            "unknown type"
        } else {
            &essence
        };
        let kind = scrubbed(kind.to_owned(), reading.secrets);
        let words = format!(
            "[{} bytes of {}]",
            response.body.len(),
            Printable::new(&kind).one_line().at_most(MOST_WORDS)
        );
        return Outcome::value(words);
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let looks_like_json = essence.contains("json") || text.trim_start().starts_with(['{', '[']);
    match Value::parse(text) {
        Ok(mut value) if looks_like_json && !response.is_cut => {
            scrub(&mut value, reading.secrets);
            trimmed(value, response, reading)
        }
        _ => {
            let text = shown(text, response, reading);
            let mut shown = cut(&text, reading.trim.whole).into_owned();
            if response.is_cut && shown.len() == text.len() {
                shown.push_str("\n[the answer is longer and was cut]");
            }
            Outcome::value(shown)
        }
    }
}

fn json(value: &Value<'_>) -> Outcome {
    let text = value.to_json();
    match RawValue::from_string(text.clone()) {
        Ok(raw) => Outcome::value(raw),
        Err(_) => Outcome::value(text),
    }
}

/// Returns a value without its long parts. Notes of what was cut, and of further pages, stand behind it.
fn trimmed(mut value: Value<'_>, response: &HttpResponse, reading: &Reading<'_>) -> Outcome {
    let mut notes = Notes::default();
    shorten(&mut value, &mut String::new(), &reading.trim, &mut notes);
    // A secret that is cut would not be found.
    let next = next_page(&value, response)
        .map(|next| cut(&scrubbed(next, reading.secrets), MOST_WORDS).into_owned());
    let text = value.to_json();
    if let Cow::Owned(shown) = cut(&text, reading.trim.whole) {
        notes.add(|| format!("the answer is JSON of {} bytes, and is cut", text.len()));
        value = Value::string(shown);
    }
    let Notes {
        all: mut notes,
        more,
    } = notes;
    if more > 0 {
        notes.push(format!("{more} other parts are cut"));
    }
    if let Some(next) = next {
        notes.push(format!("there are more results: {next}"));
    }
    if notes.is_empty() {
        return json(&value);
    }
    if !reading.paging.is_empty() {
        notes.push(format!("read on with {}", reading.paging.join(", ")));
    }
    let notes = notes
        .into_iter()
        .map(|note| Value::string(scrubbed(note, reading.secrets)))
        .collect();
    json(&Value::object([
        ("answer", value),
        ("notes", Value::Array(notes)),
    ]))
}

/// Notes about what was cut.
#[derive(Default)]
struct Notes {
    all: Vec<String>,
    /// Notes that are not kept.
    more: usize,
}

impl Notes {
    fn add(&mut self, note: impl FnOnce() -> String) {
        if self.all.len() < MOST_NOTES {
            self.all.push(note());
        } else {
            self.more += 1;
        }
    }
}

/// Names a place of the answer.
fn place(at: &str) -> String {
    if at.is_empty() {
        "the answer".to_owned()
    } else {
        format!("`{}`", cut(at, MOST_WORDS))
    }
}

fn shorten(value: &mut Value<'_>, at: &mut String, trim: &Trim, notes: &mut Notes) {
    match value {
        Value::Array(items) => {
            let (count, most) = (items.len(), trim.items);
            if count > most {
                notes.add(|| {
                    let place = place(at);
                    format!("{place} has {count} elements, of which {most} are shown")
                });
                items.truncate(most);
            }
            for (index, item) in items.iter_mut().enumerate() {
                descend(item, &index.to_string(), at, trim, notes);
            }
        }
        Value::Object(entries) => {
            for (key, value) in entries {
                descend(value, &step(key), at, trim, notes);
            }
        }
        Value::String(text) => {
            if let Cow::Owned(shown) = cut(text, trim.text) {
                let bytes = text.len();
                notes.add(|| format!("{} is a text of {bytes} bytes, and is cut", place(at)));
                *text = Cow::Owned(shown);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn descend(value: &mut Value<'_>, step: &str, at: &mut String, trim: &Trim, notes: &mut Notes) {
    let length = at.len();
    at.push('/');
    at.push_str(step);
    shorten(value, at, trim, notes);
    at.truncate(length);
}

/// Cuts a text at a number of characters.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}… [cut]", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

/// Returns how the answer names its next page.
fn next_page(value: &Value<'_>, response: &HttpResponse) -> Option<String> {
    const NEXT: [&str; 12] = [
        "next_page_token",
        "nextPageToken",
        "next_cursor",
        "nextCursor",
        "NextToken",
        "nextToken",
        "@odata.nextLink",
        "nextLink",
        "next_page",
        "next",
        "has_more",
        "hasMore",
    ];
    for holder in [
        Some(value),
        value.get("meta"),
        value.get("pagination"),
        value.get("links"),
        value.get("paging"),
    ] {
        for key in NEXT {
            let found = holder.and_then(|holder| holder.get(key));
            match found {
                Some(Value::String(text)) if !text.is_empty() => {
                    return Some(format!("`{key}` is {text}"));
                }
                Some(Value::Bool(true)) => return Some(format!("`{key}` is true")),
                Some(Value::Number(text)) => return Some(format!("`{key}` is {text}")),
                _ => {}
            }
        }
    }
    let link = response
        .header("link")?
        .split(',')
        .find(|link| link.contains("rel=\"next\"") || link.contains("rel=next"))?;
    Some(format!(
        "the next page is {}",
        link.split(';').next()?.trim()
    ))
}
