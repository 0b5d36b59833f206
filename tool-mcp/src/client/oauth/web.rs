//! Requests to authorization servers, and to what a server says of itself: bounded in bytes and time, and where a URL may
//! lead.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use oauth2::{AsyncHttpClient, HttpRequest, HttpResponse};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Url};
use serde::de::DeserializeOwned;
use toolwright_runtime::tool::BoxFuture;

use super::Denied;
use crate::client::http::words;

/// An answer has at most so many bytes.
const MOST_BYTES: usize = 256 * 1024;

/// A URL has at most so many bytes.
const MOST_URL: usize = 2_048;

/// A request takes at most so long.
const LIMIT: Duration = Duration::from_secs(20);

/// See the module.
#[derive(Debug)]
pub(super) struct Web(Client);

/// Why there is no answer.
#[derive(Debug)]
pub(super) struct WebError(pub(super) String);

impl fmt::Display for WebError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WebError {}

impl Web {
    pub(super) fn new() -> Result<Self, String> {
        // A redirect could lead to where no check has looked.
        let client = Client::builder().redirect(Policy::none()).timeout(LIMIT);
        client.build().map(Self).map_err(words)
    }

    /// Gets JSON. The inner error says that it is not there.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        url: &Url,
    ) -> Result<Result<T, String>, Denied> {
        let request = self.0.get(url.clone());
        let request = request.header(http::header::ACCEPT, "application/json");
        let response = answer(request).await;
        let response = response.map_err(|error| Denied::new(format!("{}: {error}", place(url))))?;
        if !response.status().is_success() {
            return Ok(Err(format!("{}: HTTP {}", place(url), response.status())));
        }
        let read = serde_json::from_slice(response.body());
        Ok(read.map_err(|error| format!("{}: {error}", place(url))))
    }

    /// Posts JSON.
    pub(super) async fn post(&self, url: &Url, json: String) -> Result<HttpResponse, WebError> {
        let request = self.0.post(url.clone()).body(json);
        let json = "application/json";
        let request = request.header(http::header::CONTENT_TYPE, json);
        answer(request.header(http::header::ACCEPT, json)).await
    }
}

impl<'c> AsyncHttpClient<'c> for Web {
    type Error = WebError;
    type Future = BoxFuture<'c, Result<HttpResponse, WebError>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        let request = request.try_into();
        Box::pin(async move {
            let request = request.map_err(|error| WebError(words(error)))?;
            answer(RequestBuilder::from_parts(self.0.clone(), request)).await
        })
    }
}

async fn answer(request: RequestBuilder) -> Result<HttpResponse, WebError> {
    let failed = |error| WebError(words(error));
    let mut response = request.send().await.map_err(failed)?;
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(failed)? {
        if body.len() + part.len() > MOST_BYTES {
            return Err(WebError(format!(
                "an answer of more than {MOST_BYTES} bytes"
            )));
        }
        body.extend_from_slice(&part);
    }
    let mut answer = HttpResponse::new(body);
    *answer.status_mut() = response.status();
    *answer.headers_mut() = std::mem::take(response.headers_mut());
    Ok(answer)
}

/// A URL without what may be a secret.
pub(super) fn place(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

/// Reads a URL that may be asked: `https`, or `http` on this machine.
pub(super) fn checked(text: &str, what: &str) -> Result<Url, Denied> {
    let invalid = |why: &str| Denied::new(format!("the {what} {why}: {text:?}"));
    if text.len() > MOST_URL {
        return Err(Denied::new(format!("the {what} is too long")));
    }
    let url = Url::parse(text).map_err(|_| invalid("is no URL"))?;
    if !is_safe(&url) {
        return Err(invalid("has to be `https`, or `http` on this machine"));
    }
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Err(Denied::new(format!("the {what} has a user or a fragment")));
    }
    Ok(url)
}

/// Whether nobody between can read what is sent there.
pub(super) fn is_safe(url: &Url) -> bool {
    match url.scheme() {
        "https" => url.has_host(),
        "http" => is_loopback(url),
        _ => false,
    }
}

pub(super) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let ip = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || ip.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}
