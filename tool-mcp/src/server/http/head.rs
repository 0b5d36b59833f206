//! The head of a request.

use http::{HeaderMap, HeaderName, StatusCode, header};
use toolwright_json::Value;
use toolwright_runtime::tool::Context;

use crate::protocol::{RpcError, code, headers, key};
use crate::server::Shared;
use crate::server::asker::unsupported;
use crate::server::incoming::Request;

pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

pub(super) const JSON: &str = "application/json";
pub(super) const EVENTS: &str = "text/event-stream";

/// Why a request is not looked into: a status, and words.
pub(super) type Refused = (StatusCode, &'static str);

/// A POST has to be JSON, and its answer JSON or a stream of events.
pub(super) fn check_post(headers: &HeaderMap) -> Result<(), Refused> {
    if !accepts(headers, JSON) || !accepts(headers, EVENTS) {
        let words = "the client must accept both `application/json` and `text/event-stream`";
        return Err((StatusCode::NOT_ACCEPTABLE, words));
    }
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !is_kind(kind, JSON) {
        let words = "the content has to be `application/json`";
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, words));
    }
    Ok(())
}

pub(super) fn check_get(headers: &HeaderMap) -> Result<(), Refused> {
    if accepts(headers, EVENTS) {
        return Ok(());
    }
    let words = "the client must accept `text/event-stream`";
    Err((StatusCode::NOT_ACCEPTABLE, words))
}

fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let all = headers.get_all(header::ACCEPT).iter();
    let mut all = all
        .filter_map(|one| one.to_str().ok())
        .flat_map(|one| one.split(','));
    let family = kind.split_once('/').map_or(kind, |(family, _)| family);
    all.any(|one| {
        is_kind(one, kind)
            || is_kind(one, "*/*")
            || one
                .split(';')
                .next()
                .and_then(|one| one.trim().strip_suffix("/*"))
                == Some(family)
    })
}

/// Returns true if a media type is this one, whatever its parameters.
fn is_kind(one: &str, kind: &str) -> bool {
    let one = one.split(';').next().unwrap_or_default();
    one.trim().eq_ignore_ascii_case(kind)
}

/// The one value of a header. `Err` if there are several, or one that is no text.
pub(super) fn one<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, ()> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(drop),
        (Some(_), Some(_)) => Err(()),
    }
}

/// The version that the head names has to be one that is known here.
pub(super) fn check_version(headers: &HeaderMap) -> Result<(), RpcError> {
    let version =
        one(headers, &VERSION).map_err(|()| mismatch("`MCP-Protocol-Version` is no version"))?;
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
    is_said(headers, &VERSION, Some(&version))?;
    if crate::protocol::Version::read(&version).is_none() {
        return Err(unsupported(&version));
    }
    is_said(headers, &METHOD, Some(method))?;
    let name = match &**method {
        "tools/call" | "prompts/get" => params.text("name"),
        "resources/read" => params.text("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => params.text("taskId"),
        _ => None,
    };
    if let Some(name) = &name {
        is_said(headers, &NAME, Some(name))?;
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
        is_said(headers, &header, one.of(&arguments).as_deref())?;
    }
    Ok(())
}

/// Returns true if the header says what the message says.
fn is_said(headers: &HeaderMap, name: &HeaderName, value: Option<&str>) -> Result<(), RpcError> {
    let Ok(said) = one(headers, name) else {
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
