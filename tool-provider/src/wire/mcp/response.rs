//! The model is on the client's side: its "response" is the client's request.

use std::borrow::Cow;
use toolwright_json::ObjectWriter;

use serde_json::value::RawValue;

use super::super::call::{RawCall, with_made};
use super::super::completion::{FinishReason, Usage};
use super::super::read::{Members, exact, is_string};
use super::super::{ReadResponse, WireError};
use crate::call::{ToolCall, ToolResult};
use toolwright_schema::text::ShortStr;

/// One request, a list of them, or the parameters of one.
pub(in super::super) struct Response<'t>(Vec<Requested<'t>>);

/// A request for a call, as far as it can be read.
struct Requested<'t> {
    /// As it is spelled.
    rpc_id: Option<&'t str>,
    call: RawCall<'t>,
}

impl<'t> Response<'t> {
    pub(in super::super) fn read(request: &'t str) -> Result<Self, WireError> {
        let wrong = |error| WireError::json("this is not an MCP request", error);
        if request.trim_start().starts_with('[') {
            let requests: Vec<&RawValue> = serde_json::from_str(request).map_err(wrong)?;
            let requested = requests.into_iter().filter_map(|request| {
                let request = Request::read(request.get()).ok()?;
                // Of several, one with other parameters is a call, too: it is answered under its id.
                let call = request.call()?.unwrap_or_default();
                Some(request.asks_for(call))
            });
            return Ok(Self(requested.collect()));
        }
        let request = Request::read(request).map_err(wrong)?;
        let Some(call) = request.call() else {
            return Err(WireError::new("the MCP request is not a `tools/call`"));
        };
        Ok(Self(vec![request.asks_for(call?)]))
    }
}

impl ReadResponse for Response<'_> {
    /// A call without an id, or with one that is empty, gets one made.
    fn calls(&self) -> Vec<ToolCall> {
        let given: Vec<_> = self.0.iter().map(Requested::given_id).collect();
        let calls = with_made(&given).into_iter().zip(&self.0);
        calls.map(|(id, asked)| asked.call.under(id)).collect()
    }

    /// Nothing: the client knows what it asked.
    fn messages(&self, _: Option<&[ShortStr]>) -> Vec<String> {
        Vec::new()
    }

    /// Each answer in a response with its request's id, spelled as it came.
    fn turn(&self, results: &[ToolResult], answers: Vec<String>) -> Vec<String> {
        let mut left: Vec<_> = results.iter().zip(answers).collect();
        let mut responses = Vec::new();
        for (Requested { rpc_id, .. }, call) in self.0.iter().zip(self.calls()) {
            let Some(at) = left.iter().position(|(result, _)| result.id == call.id) else {
                continue;
            };
            let (_, answer) = left.remove(at);
            responses.push(match rpc_id {
                Some(id) => ObjectWriter::new()
                    .text("jsonrpc", "2.0")
                    .json("id", id)
                    .json("result", &answer)
                    .end(),
                None => answer,
            });
        }
        responses
    }

    /// A client's request has no words of a model.
    fn text(&self) -> String {
        String::new()
    }

    fn stop(&self) -> Option<FinishReason> {
        None
    }

    fn usage(&self) -> Option<Usage> {
        None
    }
}

impl<'t> Requested<'t> {
    /// The string that the id is, or else its JSON: of 7 `7`.
    fn given_id(&self) -> Option<Cow<'t, str>> {
        let id = self.rpc_id?;
        Some(exact(id).unwrap_or(id.into())).filter(|id| !id.is_empty())
    }
}

/// A request, or the parameters of one.
struct Request<'t> {
    id: Option<&'t RawValue>,
    method: Option<&'t RawValue>,
    params: Option<&'t RawValue>,
    name: Option<&'t RawValue>,
    arguments: Option<&'t RawValue>,
}

impl<'t> Request<'t> {
    fn read(json: &'t str) -> serde_json::Result<Self> {
        let keys = ["id", "method", "params", "name", "arguments"];
        let [id, method, params, name, arguments] = Members::read(json)?.each(keys)?;
        Ok(Self {
            id,
            method,
            params,
            name,
            arguments,
        })
    }

    /// The call that the request asks for, if it asks for one.
    fn call(&self) -> Option<Result<RawCall<'t>, WireError>> {
        let Some(method) = self.method else {
            return self.name.map(|_| Ok(self.as_params()));
        };
        if !is_string(method, "tools/call") {
            return None;
        }
        let Some(params) = self.params else {
            return Some(Ok(RawCall::default()));
        };
        let wrong = |error| WireError::json("these are not parameters of `tools/call`", error);
        let params = Self::read(params.get()).map_err(wrong);
        Some(params.map(|params| params.as_params()))
    }

    fn as_params(&self) -> RawCall<'t> {
        RawCall::of([None, self.name, self.arguments])
    }

    fn asks_for(&self, call: RawCall<'t>) -> Requested<'t> {
        let rpc_id = self.method.and(self.id).map(RawValue::get);
        Requested { rpc_id, call }
    }
}
