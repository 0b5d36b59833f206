//! The outcome of a request of ours.

use std::borrow::Cow;

use crate::protocol::{Fields, Frame, lossy_string};

/// See the module.
#[derive(Debug)]
pub(super) enum Answered {
    /// JSON of the result, as it was written.
    Result(String),
    /// The server's own error.
    Error(ServerRefusal),
    /// An answer that is none.
    Broken(String),
    /// The request was not sent, and why.
    #[cfg_attr(not(all(feature = "client-http", feature = "lock")), allow(dead_code))]
    NotStarted(String),
    /// HTTP's own answer.
    #[cfg(feature = "client-http")]
    Http(HttpAnswer),
    /// None came, and this is why.
    #[cfg(feature = "client-http")]
    Lost(String),
}

impl Answered {
    pub(super) fn of(frame: &Frame<'_>) -> Self {
        let result = frame.result.filter(|result| *result != "null");
        match (result, frame.error.filter(|error| *error != "null")) {
            (Some(result), None) => Self::Result(result.to_owned()),
            (None, Some(error)) => Self::Error(ServerRefusal::of(error)),
            (Some(_), Some(_)) => Self::Broken("a result and an error at once".to_owned()),
            (None, None) => Self::Broken("neither a result nor an error".to_owned()),
        }
    }
}

/// A server's error.
#[derive(Debug)]
pub(super) struct ServerRefusal {
    /// As it was written: it should be a number.
    pub(super) code: String,
    pub(super) message: String,
    /// JSON.
    pub(super) data: Option<String>,
}

impl ServerRefusal {
    /// Where it has no message, all of it is one.
    pub(super) fn of(error: &str) -> Self {
        let fields = Fields::of(error).unwrap_or_default();
        let message = fields.lossy_text("message").or_else(|| lossy_string(error));
        let message = message.filter(|message| !message.trim().is_empty());
        Self {
            code: fields.some("code").unwrap_or("without a code").to_owned(),
            message: message.map_or_else(|| error.to_owned(), Cow::into_owned),
            data: fields.some("data").map(str::to_owned),
        }
    }
}

/// The answer to a POST, of a server or of a proxy before it, in place of a message.
#[cfg(feature = "client-http")]
#[derive(Debug)]
pub(super) struct HttpAnswer {
    pub(super) status: http::StatusCode,
    /// The status, and the start of the body.
    pub(super) words: String,
    pub(super) ran: Executed,
    /// The client was to authorize itself, and could not.
    pub(super) is_denied: bool,
    /// The server names a way to authorize.
    has_challenge: bool,
}

/// Whether what was asked for was done.
#[cfg(feature = "client-http")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Executed {
    /// It was not, and will not be.
    Never,
    /// It was not, and may be later.
    NotNow,
    /// Nobody knows.
    Perhaps,
}

#[cfg(feature = "client-http")]
impl HttpAnswer {
    /// `said` is the body, or what of it is words.
    pub(super) fn new(status: http::StatusCode, headers: &http::HeaderMap, said: &str) -> Self {
        let said = match (redirect_of(status, headers), piece(said)) {
            (Some(place), _) => format!(": a redirect to {place}, which is not followed"),
            (None, said) if said.is_empty() => said,
            (None, said) => format!(": {said}"),
        };
        Self {
            status,
            words: format!("HTTP {status}{said}"),
            ran: Executed::of(status, headers),
            is_denied: false,
            has_challenge: headers.contains_key(http::header::WWW_AUTHENTICATE),
        }
    }

    /// Returns true if the server wants other credentials, not another message.
    pub(super) fn wants_authorization(&self) -> bool {
        let is_forbidden = self.status == http::StatusCode::FORBIDDEN;
        self.is_denied
            || self.status == http::StatusCode::UNAUTHORIZED
            || is_forbidden && self.has_challenge
    }

    /// A refusal that authorization did not help against.
    #[cfg(feature = "oauth")]
    pub(super) fn denied(status: http::StatusCode, why: &str) -> Self {
        Self {
            status,
            words: format!("HTTP {status}, and authorization failed: {why}"),
            ran: Executed::Never,
            is_denied: true,
            has_challenge: true,
        }
    }
}

#[cfg(feature = "client-http")]
impl Executed {
    /// What servers answer before they look at a request's content. By RFC 9110 and its kin these say that the request was
    /// not acted on; 303 says that it was, and 408, 409 and most of 5xx come from handlers and gateways whose request may have
    /// been.
    fn of(status: http::StatusCode, headers: &http::HeaderMap) -> Self {
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
            503 if headers.contains_key(http::header::RETRY_AFTER) => Self::NotNow,
            _ => Self::Perhaps,
        }
    }
}

/// Returns the place of a redirect, without a query, which may hold a secret.
#[cfg(feature = "client-http")]
fn redirect_of(status: http::StatusCode, headers: &http::HeaderMap) -> Option<String> {
    let place = headers.get(http::header::LOCATION)?;
    let place = String::from_utf8_lossy(place.as_bytes());
    let end = place.find(['?', '#']).unwrap_or(place.len());
    let place = piece(place.get(..end)?);
    status.is_redirection().then(|| format!("`{place}`"))
}

/// The start of a text that nobody vouches for, in one line, in which all is seen that is there.
#[cfg(feature = "client-http")]
fn piece(text: &str) -> String {
    const MOST: usize = 200;
    let words: Vec<_> = text.split_whitespace().collect();
    let line = words.join(" ");
    let line = toolwright_schema::text::Printable::new(&line);
    line.one_line().at_most(MOST).to_string()
}
