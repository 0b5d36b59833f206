//! One request: its headers, and the token that there is for it.

#[cfg(feature = "oauth")]
use http::StatusCode;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use reqwest::Response;
#[cfg(feature = "oauth")]
use toolwright_oauth::client::{AuthError, AuthorizedRequest, BareRefusal, SendError};

use super::redirect::HttpRequest;
#[cfg(feature = "oauth")]
use super::refusal::Refusal;
use super::{EVENTS, Http, HttpSession, JSON, SESSION, VERSION};
use crate::client::connection::{Connection, Outgoing};
use crate::client::in_flight::InFlight;
use crate::protocol::{Version, headers};

const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Why a request has no answer.
pub(super) enum RequestFailure {
    Http(reqwest::Error),
    /// Nobody wants one any more, and it was not sent.
    #[cfg(feature = "oauth")]
    Withdrawn,
    /// It was refused with this status, and authorization did not help.
    #[cfg(feature = "oauth")]
    Denied(StatusCode, AuthError),
}

#[cfg(feature = "oauth")]
impl From<SendError> for RequestFailure {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Http(error) => Self::Http(error),
            SendError::Withdrawn => Self::Withdrawn,
            SendError::Denied(status, error) => Self::Denied(status, error),
        }
    }
}

/// A request whose client may get a token for it. Meanwhile it was refused before it ran, or was not sent yet.
#[cfg(feature = "oauth")]
struct SentRequest<'c> {
    http: &'c Http,
    request: &'c HttpRequest<'c>,
    connection: &'c Connection,
    way: Option<&'c InFlight>,
    in_session: Option<u64>,
}

#[cfg(feature = "oauth")]
impl AuthorizedRequest for SentRequest<'_> {
    async fn send(&self, authorization: Option<HeaderValue>) -> reqwest::Result<Response> {
        self.http.follow(self.request, authorization).await
    }

    async fn pause<T: Send>(&self, asks: bool, waits: impl Future<Output = T> + Send) -> Option<T> {
        let _asking = asks.then(|| self.connection.asks_somebody());
        let Some(way) = self.way else {
            return Some(waits.await);
        };
        way.was_not_sent();
        let done = waits.await;
        way.leaves().then_some(done)
    }

    async fn look_at(&self, response: Response) -> BareRefusal {
        let Some(id) = self.in_session else {
            return BareRefusal {
                response,
                is_other: false,
            };
        };
        let refusal = Refusal::read(response).await;
        let loss = refusal.session_loss(id, self.connection.is_strict);
        BareRefusal {
            is_other: loss.is_some(),
            response: refusal.into_response(),
        }
    }
}

impl Http {
    /// Sends a request, with the token that there is for it. `asks` is false for what goes on in the background.
    /// `in_session` is the id of a request in a session, which the server may have forgotten.
    #[cfg_attr(not(feature = "oauth"), allow(unused_variables))]
    pub(super) async fn sent(
        &self,
        connection: &Connection,
        way: Option<&InFlight>,
        asks: bool,
        in_session: Option<u64>,
        request: &HttpRequest<'_>,
    ) -> Result<Response, RequestFailure> {
        #[cfg(feature = "oauth")]
        if let Some(authorizer) = &self.authorizer {
            let sent = SentRequest {
                http: self,
                request,
                connection,
                way,
                in_session,
            };
            return Ok(authorizer.send(&sent, asks).await?);
        }
        self.follow(request, None)
            .await
            .map_err(RequestFailure::Http)
    }

    /// Returns the headers of a message.
    pub(super) fn headers_of_message(
        &self,
        connection: &Connection,
        outgoing: &Outgoing,
        session: &HttpSession,
    ) -> HeaderMap {
        let head = &outgoing.head;
        let mut all = self.headers_of(session, &format!("{JSON}, {EVENTS}"));
        all.entry(header::CONTENT_TYPE)
            .or_insert(HeaderValue::from_static(JSON));
        let mut put = |name: HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::try_from(&*headers::encoded(value)) {
                all.insert(name, value);
            }
        };
        let hello = connection.hello.get().map(|hello| hello.version);
        let is_probe = head.method == "server/discover";
        let version = hello.or(is_probe.then_some(Version::V2026_07_28));
        if let Some(version) = version.filter(|_| head.method != "initialize") {
            put(VERSION, version.as_str());
        }
        if version.is_some_and(Version::is_modern) && !head.method.is_empty() {
            put(METHOD, &head.method);
            if let Some(name) = &head.name {
                put(NAME, name);
            }
            for (name, value) in &head.parameters {
                if let Ok(name) = HeaderName::try_from(name) {
                    put(name, value);
                }
            }
        }
        all
    }

    /// Returns the headers of all requests of a session.
    pub(super) fn headers_of(&self, session: &HttpSession, accept: &str) -> HeaderMap {
        let mut headers = self.headers.clone();
        if let Ok(accept) = HeaderValue::from_str(accept) {
            headers.entry(header::ACCEPT).or_insert(accept);
        }
        if let Some(id) = &session.id {
            headers.insert(SESSION, id.clone());
        }
        headers
    }
}
