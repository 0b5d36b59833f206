//! Messages of a client, told apart.

use std::borrow::Cow;

use toolwright_json::{Expected, MAX_DEPTH, strip_bom};

use crate::protocol::{
    Fields, FieldsError, Frame, FrameError, Id, MessageKind, MessageParams, PartialMessage,
    RequestMeta, RpcError,
};
use crate::protocol::{code, error_response};

/// The longest id, in bytes.
const MOST_ID: usize = 1024;

/// A message of a client.
#[derive(Debug)]
pub(super) enum Incoming<'m> {
    Request(Request<'m>),
    Notification {
        method: Cow<'m, str>,
        params: Fields<'m>,
    },
    /// The answer to a request of ours: JSON of the result, or of the error.
    Response {
        id: Option<Id>,
        answer: Result<&'m str, &'m str>,
    },
    /// Nothing that anybody could answer, such as a notification with parameters that are none.
    Nothing,
}

#[derive(Debug)]
pub(super) struct Request<'m> {
    pub(super) id: Id,
    pub(super) method: Cow<'m, str>,
    pub(super) params: Fields<'m>,
    pub(super) meta: RequestMeta<'m>,
}

impl Request<'_> {
    /// Returns true if it says for itself who asks, in a version without a greeting, or in one that nobody knows.
    pub(super) fn is_modern(&self) -> bool {
        match self.meta.version() {
            Some(Ok(version)) => version.is_modern(),
            Some(Err(_)) => true,
            None => false,
        }
    }
}

/// A text that is not a message, or none that is understood: an error for the client.
#[derive(Debug)]
pub(super) struct ParseError {
    pub(super) error: RpcError,
    /// JSON of the id, if it is sure that it is a request's.
    id: Option<String>,
}

impl ParseError {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            error: RpcError::new(code, message),
            id: None,
        }
    }

    fn of(code: i64, message: impl Into<String>, id: Option<&str>) -> Self {
        Self {
            id: id.map(str::to_owned),
            ..Self::new(code, message)
        }
    }

    /// About a message of which only this can be read.
    pub(super) fn torn(self, text: &str) -> Self {
        let torn =
            PartialMessage::read(strip_bom(text)).filter(|torn| torn.kind == MessageKind::Request);
        Self {
            id: torn.map(|torn| torn.id.as_json().to_owned()),
            ..self
        }
    }

    pub(super) fn to_json(&self) -> String {
        error_response(self.id.as_deref(), &self.error)
    }
}

impl<'m> Incoming<'m> {
    pub(super) fn read(bytes: &'m [u8]) -> Result<Self, ParseError> {
        let no_json =
            |why: String| ParseError::new(code::PARSE_ERROR, format!("this is not JSON: {why}"));
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let (text, _) = bytes.split_at(error.valid_up_to());
            no_json(error.to_string()).torn(&String::from_utf8_lossy(text))
        })?;
        let text = strip_bom(text);
        let frame = Frame::read(text).map_err(|error| match error {
            FrameError::Json(error) if error.expected() == Expected::LessDepth => {
                let words = format!("the message nests deeper than {MAX_DEPTH}");
                ParseError::new(code::INVALID_REQUEST, words).torn(text)
            }
            FrameError::Json(error) => no_json(error.to_string()).torn(text),
            FrameError::Key(why) => ParseError::new(
                code::INVALID_REQUEST,
                format!("this is not a message: {why}"),
            )
            .torn(text),
            FrameError::Array | FrameError::NotAnObject => {
                ParseError::new(code::INVALID_REQUEST, "a message is a JSON object")
            }
        })?;
        Self::of(frame)
    }

    fn of(frame: Frame<'m>) -> Result<Self, ParseError> {
        let answer = match (frame.result, frame.error) {
            (Some(result), None) => Some(Ok(result)),
            (_, Some(error)) => Some(Err(error)),
            (None, None) => None,
        };
        // Of an answer the id is one of ours: under it whoever sent it may wait for an answer to something else.
        let is_answer = frame.method.is_none() && answer.is_some();
        let id = frame.id();
        let asks = id.as_ref().filter(|_| !is_answer).map(Id::as_json);
        if asks.is_some_and(|id| id.len() > MOST_ID) {
            let words = format!("the id is longer than {MOST_ID} bytes");
            return Err(ParseError::new(code::INVALID_REQUEST, words));
        }
        let invalid = |message: &str| Err(ParseError::of(code::INVALID_REQUEST, message, asks));
        if frame.jsonrpc != Some("\"2.0\"") {
            return invalid("the message has no `\"jsonrpc\": \"2.0\"`");
        }
        let Some(method) = frame.method else {
            return match answer {
                Some(answer) => Ok(Self::Response { id, answer }),
                None => invalid("the message is not a request, a notification or a response"),
            };
        };
        if frame.id.is_some() && id.is_none() {
            return invalid("the id is not a string or an integer");
        }
        let params = match frame.params {
            MessageParams::Object(params) => params,
            MessageParams::None => Fields::default(),
            MessageParams::Wrong(_) if id.is_none() => return Ok(Self::Nothing),
            MessageParams::Wrong(why) => {
                let why = match why {
                    FieldsError::Twice(key) => format!("`{key}` is there more than once"),
                    _ => "they are not objects".to_owned(),
                };
                let message = format!("these are not parameters of `{method}`: {why}");
                return Err(ParseError::of(code::INVALID_PARAMS, message, asks));
            }
        };
        let Some(id) = &id else {
            return Ok(Self::Notification { method, params });
        };
        let Ok(meta) = RequestMeta::of(&params) else {
            let message =
                format!("these are not parameters of `{method}`: `_meta` is not an object");
            return Err(ParseError::of(code::INVALID_PARAMS, message, asks));
        };
        Ok(Self::Request(Request {
            id: id.clone(),
            method,
            params,
            meta,
        }))
    }
}
