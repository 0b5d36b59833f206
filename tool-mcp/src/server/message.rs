//! What a client sends: a JSON-RPC message, of which a call's arguments stay the text that they are.

use std::borrow::Cow;
use std::fmt;

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, RequestId};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use toolwright_schema::text::Printable;

use super::request::CallRequest;
use crate::protocol::{Kind, Torn};

/// So much of an error's words is sent.
const MOST: usize = 512;

/// What is no message, or none that is understood: a JSON-RPC error for the client.
#[derive(Debug)]
pub(super) struct Bad {
    code: ErrorCode,
    message: String,
    /// As it came, if it could be read.
    id: Option<String>,
}

impl Bad {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            id: None,
        }
    }

    /// About a message that cannot be read as a whole.
    pub(super) fn torn(self, text: &str) -> Self {
        let torn = Torn::read(text).filter(|torn| torn.kind == Kind::Request);
        Self {
            id: torn.map(|torn| torn.id.as_json().to_owned()),
            ..self
        }
    }

    /// Of an answer the id is one of ours: under it whoever sent it may wait for an answer to something else.
    fn of(self, message: &Message<'_>) -> Self {
        let id = message.id.filter(|_| message.waits());
        Self {
            id: id.map(|id| id.get().to_owned()),
            ..self
        }
    }

    /// The error's message, without a line's end.
    pub(super) fn to_json(&self) -> Vec<u8> {
        // What the client wrote may stand in it.
        let text = Printable::new(&self.message).at_most(MOST).to_string();
        let text = serde_json::Value::from(text);
        let id = self.id.as_deref().unwrap_or("null");
        let code = self.code.0;
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{text}}}}}"#)
            .into()
    }
}

#[derive(Deserialize)]
pub(super) struct Message<'m> {
    #[serde(borrow)]
    jsonrpc: Option<Cow<'m, str>>,
    /// `null` is one that is none.
    #[serde(borrow, default, deserialize_with = "there")]
    id: Option<&'m RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'m, str>>,
    #[serde(borrow)]
    params: Option<&'m RawValue>,
    #[serde(borrow, default, deserialize_with = "there")]
    result: Option<&'m RawValue>,
    #[serde(borrow, default, deserialize_with = "there")]
    error: Option<&'m RawValue>,
}

/// What is there, be it `null`.
fn there<'m, D: Deserializer<'m>>(value: D) -> Result<Option<&'m RawValue>, D::Error> {
    <&RawValue>::deserialize(value).map(Some)
}

impl<'m> Message<'m> {
    /// Reads what every message has.
    pub(super) fn read(bytes: &'m [u8]) -> Result<Self, Bad> {
        let no_json =
            |why: String| Bad::new(ErrorCode::PARSE_ERROR, format!("this is no JSON: {why}"));
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let (text, _) = bytes.split_at(error.valid_up_to());
            no_json(error.to_string()).torn(&String::from_utf8_lossy(text))
        })?;
        // serde takes an array for a struct.
        if !text.trim_start().starts_with('{') {
            return Err(match serde_json::from_str::<&RawValue>(text) {
                Ok(_) => Bad::new(ErrorCode::INVALID_REQUEST, "a message is a JSON object"),
                Err(error) => no_json(error.to_string()),
            });
        }
        let message: Self = serde_json::from_str(text).map_err(|error| {
            let bad = if error.is_data() {
                let text = format!("this is no message: {error}");
                Bad::new(ErrorCode::INVALID_REQUEST, text)
            } else {
                no_json(error.to_string())
            };
            bad.torn(text)
        })?;
        if message.jsonrpc.as_deref() != Some("2.0") {
            let bad = Bad::new(
                ErrorCode::INVALID_REQUEST,
                "the message has no `\"jsonrpc\": \"2.0\"`",
            );
            return Err(bad.of(&message));
        }
        Ok(message)
    }

    /// The method, of requests and notifications.
    pub(super) fn method(&self) -> Option<&str> {
        self.method.as_deref()
    }

    /// Whether whoever sent it waits for an answer: not to a notification, and not to an answer.
    pub(super) fn waits(&self) -> bool {
        match self.method {
            Some(_) => self.id.is_some(),
            None => self.result.is_none() && self.error.is_none(),
        }
    }

    /// The request's id; `None` of what is no request, or has an id that is none.
    pub(super) fn request_id(&self) -> Option<RequestId> {
        self.method.as_ref()?;
        serde_json::from_str(self.id?.get()).ok()
    }

    /// The id of the request that the message is told to be about, if it is a cancellation.
    pub(super) fn cancelled(&self) -> Option<RequestId> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            request_id: RequestId,
        }
        if self.method() != Some("notifications/cancelled") {
            return None;
        }
        let params: Params = serde_json::from_str(self.params?.get()).ok()?;
        Some(params.request_id)
    }

    /// An error about this message.
    pub(super) fn bad(&self, code: ErrorCode, message: impl Into<String>) -> Bad {
        Bad::new(code, message).of(self)
    }

    /// The request for a call, if it is one.
    pub(super) fn call(&self) -> Result<Option<CallRequest<'m>>, Bad> {
        let Some(id) = self.id.filter(|_| self.method() == Some("tools/call")) else {
            return Ok(None);
        };
        let params = match self.params.map(RawValue::get) {
            Some(params) if params.starts_with('{') => params,
            Some(_) => return Err(self.no_call("they are no object")),
            None => return Err(self.no_call("there are none")),
        };
        let read = self.request_id().ok_or_else(no_id)?;
        let call = CallRequest::new(read, id.get(), params);
        call.map(Some).map_err(|error| self.no_call(error))
    }

    pub(super) fn no_call(&self, why: impl fmt::Display) -> Bad {
        let text = format!("these are no parameters of `tools/call`: {why}");
        self.bad(ErrorCode::INVALID_PARAMS, text)
    }

    /// The message in `rmcp`'s form, in which the arguments of a call stand beside its parameters.
    /// `bytes` are those that it was read from.
    pub(super) fn into_rmcp(self, bytes: &[u8]) -> Result<ClientJsonRpcMessage, Bad> {
        if let Some(call) = self.call()? {
            return call.into_rmcp().map_err(|error| self.no_call(error));
        }
        // `rmcp` would take it for a notification.
        let is_request = |method: &str| !method.starts_with("notifications/");
        if self.method().is_some_and(is_request) && self.waits() && self.request_id().is_none() {
            return Err(no_id());
        }
        serde_json::from_slice(bytes).map_err(|_| {
            let (code, what) = match (self.method(), self.id) {
                (Some(method), _) => (
                    ErrorCode::INVALID_PARAMS,
                    format!("these are no parameters of `{method}`"),
                ),
                (None, _) => (
                    ErrorCode::INVALID_REQUEST,
                    "the message is no request, no notification and no response".to_owned(),
                ),
            };
            self.bad(code, what)
        })
    }
}

fn no_id() -> Bad {
    let text = "the id is no string and no integer";
    Bad::new(ErrorCode::INVALID_REQUEST, text)
}
