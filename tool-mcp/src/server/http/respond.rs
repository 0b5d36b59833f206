//! Responses: one message, a stream of them, or a refusal.

use http::{HeaderValue, Response, StatusCode, header};

use toolwright_http::body::BodyError;
use toolwright_http::events::add_headers;
use toolwright_http::headers::JSON;

use super::body::{Content, Events};
use crate::protocol::{Id, code, response};
use crate::server::dispatch::Answered;
use crate::server::incoming::ParseError;

/// HTTP's status for an answer to a client without a session.
pub(super) fn status_of(answer: &Answered) -> StatusCode {
    match answer {
        Err(error) => match error.code {
            code::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
            code::MISSING_CAPABILITY | code::UNSUPPORTED_VERSION | code::HEADER_MISMATCH => {
                StatusCode::BAD_REQUEST
            }
            code::NOT_ACCEPTABLE => StatusCode::NOT_ACCEPTABLE,
            _ => StatusCode::OK,
        },
        Ok(_) => StatusCode::OK,
    }
}

pub(super) fn answered(status: StatusCode, id: &Id, answer: &Answered) -> Response<Content> {
    json(status, response(id, answer))
}

pub(super) fn no_body(broken: BodyError, limit: usize) -> Response<Content> {
    let (status, text) = match broken {
        BodyError::TooLarge => (
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the message is longer than {limit} bytes"),
        ),
        BodyError::TooSlow => (
            StatusCode::REQUEST_TIMEOUT,
            "the message did not come in time".to_owned(),
        ),
        BodyError::OverBudget => (
            StatusCode::SERVICE_UNAVAILABLE,
            "the request was not begun: the server holds too much of others; try again later"
                .to_owned(),
        ),
        BodyError::Lost => (
            StatusCode::BAD_REQUEST,
            "the message cannot be read".to_owned(),
        ),
    };
    refused(status, &ParseError::new(code::INVALID_REQUEST, text))
}

pub(super) fn refused(status: StatusCode, bad: &ParseError) -> Response<Content> {
    json(status, bad.to_json())
}

pub(super) fn json(status: StatusCode, message: String) -> Response<Content> {
    let mut response = Response::new(Content::whole(message));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(JSON);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

pub(super) fn empty(status: StatusCode) -> Response<Content> {
    let mut response = Response::new(Content::whole(""));
    *response.status_mut() = status;
    response
}

pub(super) fn not_allowed() -> Response<Content> {
    let mut response = empty(StatusCode::METHOD_NOT_ALLOWED);
    let post = HeaderValue::from_static("POST");
    response.headers_mut().insert(header::ALLOW, post);
    response
}

pub(super) fn events(events: Events) -> Response<Content> {
    let mut response = Response::new(Content::events(events));
    add_headers(response.headers_mut());
    response
}
