//! `POST /tools/{name}`: calls a tool.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use toolwright_json::strip_bom;
use toolwright_provider::call::{ErrorKind, ToolCall};
use toolwright_runtime::executor::{
    Batch, DecidedCall, PausedCalls, Pending, PendingReason, Reply, ResumedCall,
};
use toolwright_runtime::tool::Context;
use toolwright_schema::decode::FaultCode;

use super::{ServerState, json, no_utf8_name, refused, stream};
use crate::answer::{self, ReplyStatus};
use toolwright_http::body::{self, BodyError, BodyPermit};
use toolwright_http::headers::{EVENT_STREAM, JSON, accepts_by_name, media_type};
use toolwright_http::random;

/// Time for a client to send the body.
pub(super) const BODY_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) async fn call(
    State(state): State<Arc<ServerState>>,
    name: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let Ok(Path(name)) = name else {
        return no_utf8_name();
    };
    let (parts, body) = request.into_parts();
    if let Some(refused) = content_type_refusal(&parts.headers) {
        return refused;
    }
    let mut cx = state.context(&parts.extensions);
    let is_strict = prefers_strict(&parts.headers);
    if is_strict {
        cx = cx.with_repairs(toolwright_schema::decode::Repairs::None);
    }
    let whole = match body::read(body, cx.limits().max_bytes, BODY_TIMEOUT, &state.budget).await {
        Ok(whole) => whole,
        Err(broken) => return body_refusal(broken, cx.limits().max_bytes),
    };
    let arguments = match std::str::from_utf8(&whole.bytes) {
        Ok(arguments) => strip_bom(arguments),
        Err(error) => {
            let message = format!("the body is not UTF-8 from byte {} on", error.valid_up_to());
            return refused(StatusCode::BAD_REQUEST, "no_utf8", &message);
        }
    };
    // An empty text means no arguments only for models.
    if is_strict && matches!(arguments.trim(), "" | "null") {
        let message = "the arguments must be a JSON object";
        return refused(StatusCode::UNPROCESSABLE_ENTITY, "invalid_args", message);
    }
    let call = ToolCall::new(state.next_id(), name, arguments);
    // The call has its own copy under the same permit.
    let body::FullBody {
        bytes,
        permit: held,
    } = whole;
    drop(bytes);
    let run = CallRun::new(call);
    let mut response = respond(&state, run, cx, &parts.headers, held).await;
    if is_strict {
        response.headers_mut().insert(
            "preference-applied",
            HeaderValue::from_static("handling=strict"),
        );
    }
    response
}

/// A call that runs, or goes on by a decision.
#[derive(Clone)]
pub(super) struct CallRun {
    pub(super) call: ToolCall,
    pub(super) decided: Option<DecidedCall>,
    pub(super) paused: PausedCalls,
    /// Keeps a call that goes on if the client leaves before its answer.
    pub(super) _resumed: Option<Arc<ResumedCall>>,
}

impl CallRun {
    pub(super) fn new(call: ToolCall) -> Self {
        Self {
            call,
            decided: None,
            paused: PausedCalls::default(),
            _resumed: None,
        }
    }
}

/// Runs the call, or continues a decided one, and responds with JSON or events.
pub(super) async fn respond(
    state: &Arc<ServerState>,
    call: CallRun,
    cx: Context,
    headers: &HeaderMap,
    held: BodyPermit,
) -> Response {
    if accepts_by_name(headers, EVENT_STREAM) {
        return stream::respond(state, call, cx, held);
    }
    let batch = run(state, &call, cx.clone()).await;
    drop(held);
    match batch.calls().first() {
        Some(reply) => {
            let (status, answer) = answer_json(state, &cx, &call, reply);
            json(status, answer)
        }
        None => refused(StatusCode::INTERNAL_SERVER_ERROR, "no_answer", "no answer"),
    }
}

/// Runs the call, or continues a decided one. The end of the server cancels it.
pub(super) async fn run(state: &ServerState, call: &CallRun, cx: Context) -> Batch {
    let stop = cx.cancel().child();
    let cx = cx.with_cancel(stop.clone());
    let (cx, executor) = call.paused.around(cx, state.executor.clone());
    let run = async {
        match &call.decided {
            Some(decided) => executor.run(std::slice::from_ref(decided), &cx).await,
            None => executor.run(std::slice::from_ref(&call.call), &cx).await,
        }
    };
    tokio::pin!(run);
    tokio::select! {
        biased;
        batch = &mut run => return batch,
        () = state.end.cancelled() => stop.cancel(),
    }
    run.await
}

/// Returns the status and the JSON of a reply. Stores a call that waits for a decision or an answer, so that it can be continued.
pub(super) fn answer_json(
    state: &ServerState,
    cx: &Context,
    call: &CallRun,
    reply: &Reply,
) -> (StatusCode, String) {
    let (reply, kept) = call.paused.reply(0, reply);
    let store = |pending| {
        let (id, calls) = (random::id(), &state.pending_calls);
        calls.insert(id.clone(), pending, cx.clone(), kept.clone());
        id
    };
    let answer = match &*reply {
        Reply::Answered(result) => {
            let id = answer::question(result).map(|question| {
                let reason = PendingReason::Question(question);
                store(Pending::new(0, call.call.clone(), reason))
            });
            answer::result_json(result, id.as_deref())
        }
        Reply::Pending(pending) => {
            let id = store(pending.clone());
            answer::pending_json(pending, &state.executor.tools(cx), Some(id))
        }
    };
    (status(&reply), answer)
}

/// Maps a reply to the HTTP status.
fn status(reply: &Reply) -> StatusCode {
    match ReplyStatus::of(reply) {
        ReplyStatus::Done | ReplyStatus::AskUser => StatusCode::OK,
        ReplyStatus::Pending => StatusCode::ACCEPTED,
        ReplyStatus::Failed(kind) => match kind {
            ErrorKind::Unknown | ErrorKind::Hidden => StatusCode::NOT_FOUND,
            ErrorKind::InvalidArgs => status_of_faults(reply),
            // The request was valid, and the tool refused it.
            ErrorKind::Failed => StatusCode::CONFLICT,
            ErrorKind::Rejected | ErrorKind::NotApproved => StatusCode::FORBIDDEN,
            ErrorKind::Timeout => StatusCode::GATEWAY_TIMEOUT,
            ErrorKind::Cancelled | ErrorKind::NotStarted => StatusCode::SERVICE_UNAVAILABLE,
            ErrorKind::NoHandler => StatusCode::NOT_IMPLEMENTED,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        },
    }
}

/// Returns 400 for invalid JSON and 422 for JSON that does not match the schema.
fn status_of_faults(reply: &Reply) -> StatusCode {
    let error = reply
        .answered()
        .and_then(|result| result.outcome.as_ref().err());
    let has =
        |code| error.is_some_and(|error| error.faults().iter().any(|fault| fault.code == code));
    if has(FaultCode::TooLarge) {
        StatusCode::PAYLOAD_TOO_LARGE
    } else if has(FaultCode::InvalidJson) {
        StatusCode::BAD_REQUEST
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    }
}

pub(super) fn body_refusal(broken: BodyError, limit: usize) -> Response {
    match broken {
        BodyError::TooLarge => {
            let message = format!("the body is longer than {limit} bytes");
            refused(StatusCode::PAYLOAD_TOO_LARGE, "too_large", &message)
        }
        BodyError::TooSlow => {
            let message = "the body did not come in time";
            refused(StatusCode::REQUEST_TIMEOUT, "too_slow", message)
        }
        BodyError::OverBudget => {
            let message =
                "the call did not start: the server holds too much of others; try again later";
            refused(StatusCode::SERVICE_UNAVAILABLE, "not_started", message)
        }
        BodyError::Lost => refused(
            StatusCode::BAD_REQUEST,
            "no_body",
            "the body cannot be read",
        ),
    }
}

/// Refuses a body by its headers.
pub(super) fn content_type_refusal(headers: &HeaderMap) -> Option<Response> {
    let (kind, message) = if !is_json(headers) {
        let message = "what is sent has to be `Content-Type: application/json`";
        ("no_json", message)
    } else if is_encoded(headers) {
        let message = "what is sent has to be as it is, without `Content-Encoding`";
        ("encoded", message)
    } else {
        return None;
    };
    Some(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, kind, message))
}

/// Returns true for JSON types. A form on any page may send some other types without a preflight.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = media_type(headers).to_ascii_lowercase();
    kind == JSON || (kind.starts_with("application/") && kind.ends_with("+json"))
}

/// Returns true for a compressed body.
fn is_encoded(headers: &HeaderMap) -> bool {
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    encodings.any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

/// Returns true for `Prefer: handling=strict` (RFC 7240), which switches repairs off.
fn prefers_strict(headers: &HeaderMap) -> bool {
    let preferred = headers.get_all("prefer").iter();
    let mut all = preferred.filter_map(|value| value.to_str().ok());
    all.any(|value| {
        let mut each = value.split([',', ';']);
        each.any(|one| one.trim().eq_ignore_ascii_case("handling=strict"))
    })
}
