//! The texts of JSON-RPC messages: what of one is read before `rmcp` reads it, and one of ours with the
//! arguments as they were written.

use std::borrow::Cow;

use http::{HeaderMap, StatusCode, header};
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, NumberOrString, RequestId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::desk::{number, piece};

/// A message from the server, as far as it is looked into.
#[derive(Deserialize)]
pub(super) struct Frame<'a> {
    #[serde(borrow)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

impl Frame<'_> {
    /// An integer may be written as `1.0`, as all numbers are in some languages.
    pub(super) fn id(&self) -> Option<RequestId> {
        serde_json::from_str(self.id?.get()).ok()
    }

    /// The server's own error as `rmcp` knows errors, if it speaks JSON-RPC.
    pub(super) fn refusal(&self) -> Option<ErrorData> {
        let error = self.jsonrpc.and(self.error)?;
        let known = serde_json::from_str(error.get());
        Some(known.unwrap_or_else(|_| {
            let Refusal { code, message } = Refusal::of(error);
            let code = code.parse().map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
            ErrorData::new(code, message, None)
        }))
    }
}

/// What became of a request.
#[derive(Debug)]
pub(super) enum Answered {
    /// The result, as it was written.
    Result(Box<RawValue>),
    /// The server's own error.
    Error(Refusal),
    /// An answer that is none.
    Broken(String),
    /// HTTP's own answer.
    Http(HttpAnswer),
}

/// What a server, or whoever stands before it, answered a POST with in place of a message.
#[derive(Debug)]
pub(super) struct HttpAnswer {
    /// The status, and the start of the body.
    pub(super) words: String,
    pub(super) ran: Ran,
}

/// Whether what was asked for was done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ran {
    /// It was not, and will not be.
    Never,
    /// It was not, and may be later.
    NotNow,
    /// Nobody knows.
    Perhaps,
}

impl HttpAnswer {
    /// `said` is the body, or what of it is words.
    pub(super) fn new(status: StatusCode, headers: &HeaderMap, said: &str) -> Self {
        let said = match piece(said) {
            said if said.is_empty() => said,
            said => format!(": {said}"),
        };
        Self {
            words: format!("HTTP {status}{said}"),
            ran: Ran::of(status, headers),
        }
    }
}

impl Ran {
    /// What servers answer before they look at a request's content. By RFC 9110 and its kin these say that the request was
    /// not acted on; 303 says that it was, and 408, 409 and most of 5xx come from handlers and gateways whose request may have
    /// been.
    fn of(status: StatusCode, headers: &HeaderMap) -> Self {
        match status.as_u16() {
            301 | 302 | 307 | 308 => Self::Never,
            401..=407
            | 410
            | 411
            | 413..=415
            | 417
            | 421
            | 426
            | 428
            | 431
            | 451
            | 501
            | 505
            | 511 => Self::Never,
            425 | 429 => Self::NotNow,
            503 if headers.contains_key(header::RETRY_AFTER) => Self::NotNow,
            _ => Self::Perhaps,
        }
    }
}

impl Answered {
    pub(super) fn of(frame: &Frame<'_>) -> Self {
        match (frame.result, frame.error) {
            (Some(result), None) => Self::Result(result.to_owned()),
            (None, Some(error)) => Self::Error(Refusal::of(error)),
            (Some(_), Some(_)) => Self::Broken("a result and an error at once".to_owned()),
            (None, None) => Self::Broken("neither a result nor an error".to_owned()),
        }
    }
}

/// A server's error.
#[derive(Debug)]
pub(super) struct Refusal {
    /// As it was written: it should be a number.
    pub(super) code: String,
    pub(super) message: String,
}

impl Refusal {
    /// Where it has no message, all of it is one.
    fn of(error: &RawValue) -> Self {
        #[derive(Deserialize)]
        struct Error<'a> {
            #[serde(borrow)]
            code: Option<&'a RawValue>,
            #[serde(borrow)]
            message: Option<&'a RawValue>,
        }
        let words = |json: &RawValue| serde_json::from_str::<String>(json.get()).ok();
        let (code, message) = match serde_json::from_str(error.get()) {
            Ok(Error { code, message }) => (code, message.and_then(words)),
            Err(_) => (None, words(error)),
        };
        let message = message.filter(|message| !message.trim().is_empty());
        Self {
            code: code.map_or("without a code", RawValue::get).to_owned(),
            message: message.unwrap_or_else(|| error.get().to_owned()),
        }
    }
}

/// How far the server says a call is.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Progressed {
    progress_token: NumberOrString,
    pub(super) progress: f64,
    pub(super) total: Option<f64>,
    pub(super) message: Option<String>,
}

impl Progressed {
    pub(super) fn token(&self) -> Option<i64> {
        number(&self.progress_token)
    }
}

/// A message of ours in one line.
pub(super) fn written(
    message: &ClientJsonRpcMessage,
    arguments: Option<&RawValue>,
) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct WithParams<'a> {
        #[serde(flatten)]
        rest: Map<String, Value>,
        params: WithArguments<'a>,
    }
    #[derive(Serialize)]
    struct WithArguments<'a> {
        #[serde(flatten)]
        rest: Map<String, Value>,
        arguments: &'a RawValue,
    }
    let Some(arguments) = arguments else {
        return serde_json::to_string(message);
    };
    let Value::Object(mut rest) = serde_json::to_value(message)? else {
        return serde_json::to_string(message);
    };
    let mut params = match rest.remove("params") {
        Some(Value::Object(params)) => params,
        _ => Map::new(),
    };
    params.remove("arguments");
    serde_json::to_string(&WithParams {
        rest,
        params: WithArguments {
            rest: params,
            arguments,
        },
    })
}

/// The same JSON in one line: a line's end inside of it can only be space between two tokens.
pub(super) fn in_one_line(json: &RawValue) -> Box<RawValue> {
    let text = json.get();
    if !text.contains(['\n', '\r']) {
        return json.to_owned();
    }
    let line = text.replace(['\n', '\r'], " ");
    RawValue::from_string(line).unwrap_or_else(|_| json.to_owned())
}

/// The id of a message of which only start and end are left, if either says it: it stands first or
/// last among the keys of the message, where nothing else can look like it.
pub(super) fn id_of_cut(head: &str, tail: &str) -> Option<i64> {
    let digits = |text: &str| -> Option<i64> {
        let end = text.find(|char: char| !char.is_ascii_digit());
        text.get(..end.unwrap_or(text.len()))?.parse().ok()
    };
    let head: String = head.chars().filter(|char| !char.is_whitespace()).collect();
    for start in [r#"{"jsonrpc":"2.0","id":"#, r#"{"id":"#] {
        if let Some(id) = head.strip_prefix(start) {
            return digits(id);
        }
    }
    let tail = tail.trim_end().strip_suffix('}')?.trim_end();
    let start = tail.rfind(|char: char| !char.is_ascii_digit())? + 1;
    let id = digits(tail.get(start..)?)?;
    let before = tail.get(..start)?.trim_end().strip_suffix(':')?.trim_end();
    before.ends_with(r#""id""#).then_some(id)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_cut_message_stands_at_one_of_its_ends() {
        let head = r#"{"jsonrpc": "2.0", "id": 12, "result": {"#;
        assert_eq!(id_of_cut(head, "}}"), Some(12));
        assert_eq!(
            id_of_cut(r#"{"result":{"#, r#""}]},"jsonrpc":"2.0","id":7}"#),
            Some(7)
        );
        assert_eq!(id_of_cut(r#"{"result":{"#, r#"{"id":7}}"#), None);
        assert_eq!(id_of_cut(r#"{"method":"x","#, r#""xid":7}"#), None);
        assert_eq!(id_of_cut("aaaa", "aaaa"), None);
    }
}
