//! The head of a request.

use http::{HeaderMap, HeaderName, StatusCode, header};
use toolwright_http::headers::{EVENT_STREAM, JSON, accepts, media_type, single};
use toolwright_json::Value;
use toolwright_runtime::tool::Context;

use crate::protocol::{RpcError, code, headers, key};
use crate::server::Shared;
use crate::server::caller::unsupported;
use crate::server::incoming::Request;

pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Why a request is not looked into: a status, and words.
pub(super) type Refused = (StatusCode, &'static str);

/// A POST has to be JSON, and the client has to accept JSON or say nothing.
pub(super) fn check_post(headers: &HeaderMap) -> Result<(), Refused> {
    if headers.contains_key(header::ACCEPT) && !accepts(headers, JSON) {
        let words =
            "the client must accept `application/json`, and should accept `text/event-stream`";
        return Err((StatusCode::NOT_ACCEPTABLE, words));
    }
    if !media_type(headers).eq_ignore_ascii_case(JSON) {
        let words = "the content has to be `application/json`";
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, words));
    }
    Ok(())
}

/// Returns true if an answer may be a stream of events.
pub(super) fn takes_events(headers: &HeaderMap) -> bool {
    accepts(headers, EVENT_STREAM)
}

pub(super) fn check_get(headers: &HeaderMap) -> Result<(), Refused> {
    if accepts(headers, EVENT_STREAM) {
        return Ok(());
    }
    let words = "the client must accept `text/event-stream`";
    Err((StatusCode::NOT_ACCEPTABLE, words))
}

/// Checks that the head names a known version. The session has the version that was agreed on, and some clients go on
/// naming the older one that they asked for, such as those of the conformance suite 0.1.16.
pub(super) fn check_version(headers: &HeaderMap) -> Result<(), RpcError> {
    let version = single(headers, &VERSION)
        .map_err(|_| mismatch("`MCP-Protocol-Version` is not a version"))?;
    match version {
        Some(version) if crate::protocol::Version::read(version).is_none() => {
            Err(unsupported(version))
        }
        _ => Ok(()),
    }
}

/// A request that says for itself who asks: the head says the same.
pub(super) fn check_modern(
    shared: &Shared,
    headers: &HeaderMap,
    request: &Request<'_>,
    cx: &Context,
) -> Result<(), RpcError> {
    let Request {
        method,
        params,
        meta,
        ..
    } = request;
    let version = meta.0.text(key::VERSION).unwrap_or_default();
    check_header(headers, &VERSION, Some(&version))?;
    if crate::protocol::Version::served(&version).is_none() {
        return Err(unsupported(&version));
    }
    check_header(headers, &METHOD, Some(method))?;
    let name = match &**method {
        "tools/call" | "prompts/get" => params.text("name"),
        "resources/read" => params.text("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => params.text("taskId"),
        _ => None,
    };
    if let Some(name) = &name {
        check_header(headers, &NAME, Some(name))?;
    }
    if meta.0.some(key::CAPABILITIES).is_none() {
        let words = format!("`_meta` has no `{}`", key::CAPABILITIES);
        return Err(RpcError::invalid_params(words));
    }
    let tool = name.filter(|_| method == "tools/call");
    let Some(tool) = tool.and_then(|name| shared.registry.get(&name)) else {
        return Ok(());
    };
    // Marks that are none are repeated nowhere.
    let repeated = headers::repeated(tool.def().input.as_json()).unwrap_or_default();
    if repeated.is_empty() {
        return Ok(());
    }
    // Of what is hidden nothing is told.
    if shared.executor.tools(cx).get(&tool.def().name).is_none() {
        return Ok(());
    }
    let arguments = params.some("arguments").unwrap_or("{}");
    let arguments = Value::parse(arguments).unwrap_or_default();
    for one in repeated {
        let Ok(header) = HeaderName::try_from(&*one.header) else {
            continue;
        };
        check_header(headers, &header, one.of(&arguments).as_deref())?;
    }
    Ok(())
}

/// Returns true if the header says what the message says.
fn check_header(
    headers: &HeaderMap,
    name: &HeaderName,
    value: Option<&str>,
) -> Result<(), RpcError> {
    let Ok(said) = single(headers, name) else {
        return Err(mismatch(&format!(
            "the header `{name}` is none, or there more than once"
        )));
    };
    let said = match said {
        Some(said) => Some(
            headers::decoded(said)
                .ok_or_else(|| mismatch(&format!("the header `{name}` is encoded wrongly")))?,
        ),
        None => None,
    };
    match (said.as_deref(), value) {
        (Some(said), Some(value)) if said == value || is_same_number(said, value) => Ok(()),
        (None, None) => Ok(()),
        (None, Some(value)) => Err(mismatch(&format!(
            "the header `{name}` is missing; the message says `{value}`"
        ))),
        (Some(said), None) => Err(mismatch(&format!(
            "the header `{name}` says `{said}`, and the message nothing"
        ))),
        (Some(said), Some(value)) => Err(mismatch(&format!(
            "the header `{name}` says `{said}`, and the message `{value}`"
        ))),
    }
}

/// `42.0` in a header is the integer 42.
fn is_same_number(said: &str, value: &str) -> bool {
    use toolwright_json::Integer;
    Integer::of(said).is_some_and(|said| Integer::of(value) == Some(said))
}

fn mismatch(words: &str) -> RpcError {
    RpcError::new(code::HEADER_MISMATCH, words)
}
