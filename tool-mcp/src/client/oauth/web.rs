//! Requests to authorization servers, and to what a server says of itself: bounded in bytes and time, and where a URL may
//! lead.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use oauth2::{AsyncHttpClient, HttpRequest, HttpResponse};
use reqwest::redirect::Policy;
use reqwest::{Client, Request, RequestBuilder, StatusCode, Url};
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
pub(super) struct Web {
    client: Client,
    /// The server, or the host's own issuer, is on this machine; no other server may have it asked.
    is_local: bool,
}

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
    pub(super) fn new(is_local: bool) -> Result<Self, String> {
        // A redirect could lead to where no check has looked.
        let client = Client::builder().redirect(Policy::none()).timeout(LIMIT);
        let client = client.build().map_err(words)?;
        Ok(Self { client, is_local })
    }

    /// A server elsewhere could have this machine's own services asked.
    pub(super) fn may_ask(&self, url: &Url) -> Result<(), Denied> {
        if self.is_local || !is_loopback(url) {
            return Ok(());
        }
        let words = "a server elsewhere names a place on this machine";
        Err(Denied::new(format!("{words}: {:?}", place(url))))
    }

    /// Gets JSON. The inner error says that it is not there.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        url: &Url,
    ) -> Result<Result<T, String>, Denied> {
        self.may_ask(url)?;
        let request = self.client.get(url.clone());
        let request = request.header(http::header::ACCEPT, "application/json");
        let response = answer(request).await;
        let response = response.map_err(|error| Denied::new(format!("{}: {error}", place(url))))?;
        let status = response.status();
        // It may be there the next time.
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            return Err(Denied::new(format!("{}: HTTP {status}", place(url))));
        }
        if !status.is_success() {
            return Ok(Err(format!("{}: HTTP {}", place(url), status)));
        }
        let read = serde_json::from_slice(response.body());
        Ok(read.map_err(|error| format!("{}: {error}", place(url))))
    }

    /// Posts JSON.
    pub(super) async fn post(&self, url: &Url, json: String) -> Result<HttpResponse, WebError> {
        self.may_ask(url).map_err(|denied| WebError(denied.0))?;
        let request = self.client.post(url.clone()).body(json);
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
            let request: Request = request.map_err(|error| WebError(words(error)))?;
            self.may_ask(request.url())
                .map_err(|denied| WebError(denied.0))?;
            answer(RequestBuilder::from_parts(self.client.clone(), request)).await
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use reqwest::Url;

    use super::Web;

    #[test]
    fn a_server_elsewhere_has_nothing_of_this_machine_asked() {
        for (url, is_here) in [
            ("https://a.example/", false),
            ("http://localhost:8080/register", true),
            ("http://127.0.0.2/", true),
            ("https://[::1]/", true),
        ] {
            let url = Url::parse(url).unwrap();
            assert!(Web::new(true).unwrap().may_ask(&url).is_ok());
            assert_eq!(
                Web::new(false).unwrap().may_ask(&url).is_err(),
                is_here,
                "{url}"
            );
        }
    }
}
