//! Answers that do not come from `rmcp`.

use bytes::Bytes;
use http::{Response, StatusCode, header};
use rmcp::model::ErrorCode;

use super::HttpBody;
use crate::body::BodyError;
use crate::server::message::Bad;
use crate::server::request::CallRequest;

/// The answer to a call that was over at once.
pub(super) fn over(call: &CallRequest<'_>, result: &str) -> Response<HttpBody> {
    let parts = [
        r#"{"jsonrpc":"2.0","id":"#,
        call.written_id,
        r#","result":"#,
        result,
        "}",
    ];
    json(parts.concat())
}

pub(super) fn no_body(broken: BodyError, limit: usize) -> Response<HttpBody> {
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
    refused(status, &Bad::new(ErrorCode::INVALID_REQUEST, text))
}

pub(super) fn refused(status: StatusCode, bad: &Bad) -> Response<HttpBody> {
    let mut response = json(bad.to_json());
    *response.status_mut() = status;
    response
}

fn json(body: impl Into<Bytes>) -> Response<HttpBody> {
    let mut response = Response::new(HttpBody::whole(body));
    let json = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
