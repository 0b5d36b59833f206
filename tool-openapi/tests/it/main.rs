//! Tests of `toolwright-openapi`, by its public API.

// A test that finds less than it expects has failed.
#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

mod answers;
mod auth;
mod bodies;
mod broken;
mod keys;
mod names;
mod offers;
mod outputs;
mod paths;
mod presets;
#[cfg(feature = "program")]
mod program;
mod requests;
mod schemas;
mod security;
mod server;
mod styles;

use std::sync::{Arc, Mutex};

use toolwright::call::BoxFuture;
use toolwright::{Context, Outcome, ToolCall, ToolError, Toolset};
use toolwright_openapi::{HttpClient, HttpError, HttpRequest, HttpResponse, OpenApi};

/// A client that keeps requests and answers all of them alike.
#[derive(Clone, Default)]
pub(crate) struct Recorder {
    sent: Arc<Mutex<Vec<HttpRequest>>>,
    answer: Arc<Mutex<HttpResponse>>,
}

impl Recorder {
    pub(crate) fn answering(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        Self::answering_bytes(status, headers, body.as_bytes())
    }

    pub(crate) fn answering_bytes(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Self {
        let recorder = Self::default();
        let headers = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        *recorder.answer.lock().unwrap() = HttpResponse {
            status,
            headers,
            body: body.to_vec(),
            is_cut: false,
        };
        recorder
    }

    pub(crate) fn requests(&self) -> Vec<HttpRequest> {
        self.sent.lock().unwrap().clone()
    }

    pub(crate) fn clear(&self) {
        self.sent.lock().unwrap().clear();
    }
}

impl HttpClient for Recorder {
    fn send(&self, request: HttpRequest) -> BoxFuture<'_, Result<HttpResponse, HttpError>> {
        self.sent.lock().unwrap().push(request);
        let mut answer = self.answer.lock().unwrap().clone();
        if answer.status == 0 {
            answer = HttpResponse {
                status: 204,
                ..answer
            };
        }
        Box::pin(async move { Ok(answer) })
    }
}

/// A document with these paths, and other top-level entries.
pub(crate) fn document(paths: &str, more: &str) -> String {
    let comma = if more.is_empty() { "" } else { "," };
    format!(
        r#"{{"openapi": "3.0.3", "info": {{"title": "Shop", "version": "1"}},
        "servers": [{{"url": "https://api.example.com/v1"}}], "paths": {{{paths}}}{comma}{more}}}"#
    )
}

/// One operation: a path, a method, and the entries of the operation.
pub(crate) fn operation(path: &str, method: &str, entries: &str) -> String {
    format!(r#""{path}": {{"{method}": {{"operationId": "run", {entries}}}}}"#)
}

pub(crate) fn call(tools: &Toolset, name: &str, arguments: &str) -> Result<Outcome, ToolError> {
    call_with(tools, name, arguments, &Context::new())
}

pub(crate) fn call_with(
    tools: &Toolset,
    name: &str,
    arguments: &str,
    cx: &Context,
) -> Result<Outcome, ToolError> {
    tools
        .call_blocking(&ToolCall::new("1", name, arguments), cx)
        .outcome
}

/// Calls the tool `run` of a document and returns the request.
pub(crate) fn sent(document: &str, arguments: &str) -> Result<HttpRequest, String> {
    sent_with(document, arguments, |api| api)
}

pub(crate) fn sent_with(
    document: &str,
    arguments: &str,
    set: impl FnOnce(OpenApi<'_>) -> OpenApi<'_>,
) -> Result<HttpRequest, String> {
    let recorder = Recorder::default();
    let api = set(OpenApi::parse(document).map_err(|error| error.to_string())?);
    let tools = api
        .client(recorder.clone())
        .toolset()
        .map_err(|error| error.to_string())?;
    call(&tools, "run", arguments).map_err(|error| error.to_string())?;
    recorder
        .requests()
        .pop()
        .ok_or_else(|| "nothing was sent".to_owned())
}

pub(crate) fn header<'r>(request: &'r HttpRequest, name: &str) -> Option<&'r str> {
    let found = request
        .headers
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| &**value)
}

pub(crate) fn body(request: &HttpRequest) -> String {
    String::from_utf8(request.body.clone().unwrap_or_default()).unwrap()
}

/// The schema that the model sees.
pub(crate) fn schema(document: &str) -> serde_json::Value {
    let tools = OpenApi::parse(document).unwrap().toolset().unwrap();
    tools.get("run").unwrap().def().input.to_value()
}
