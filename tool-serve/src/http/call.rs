//! `POST /tools/{name}`.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use toolwright_runtime::{Batch, Context, Decided, ErrorKind, FaultCode, Reply, ToolCall};

use super::{Shared, json, refused, stream};
use crate::answer::{self, Way};
use crate::body::{self, Broken, Held};

/// How long a client may take to send the arguments.
pub(super) const SENDING: Duration = Duration::from_secs(30);

pub(super) async fn call(
    State(shared): State<Arc<Shared>>,
    name: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let Ok(Path(name)) = name else {
        let words = "the name of the tool is no UTF-8";
        return refused(StatusCode::BAD_REQUEST, "no_utf8", words);
    };
    let (parts, body) = request.into_parts();
    if let Some(refused) = not_json(&parts.headers) {
        return refused;
    }
    let mut cx = shared.context(&parts.extensions);
    let is_strict = prefers_strict(&parts.headers);
    if is_strict {
        cx = cx.with_repairs(toolwright_runtime::Repairs::None);
    }
    let whole = match body::read(body, cx.limits().text, SENDING, &shared.room).await {
        Ok(whole) => whole,
        Err(broken) => return no_body(broken, cx.limits().text),
    };
    let arguments = match std::str::from_utf8(&whole.bytes) {
        Ok(arguments) => arguments,
        Err(error) => {
            let words = format!("the body is no UTF-8 from byte {} on", error.valid_up_to());
            return refused(StatusCode::BAD_REQUEST, "no_utf8", &words);
        }
    };
    // Models send nothing for no arguments; who wants things read as they stand does not.
    if is_strict && matches!(arguments.trim(), "" | "null") {
        let words = "the arguments must be a JSON object";
        return refused(StatusCode::UNPROCESSABLE_ENTITY, "invalid_args", words);
    }
    let call = ToolCall::new(shared.next_id(), name, arguments);
    // The call has a copy, which takes the same room.
    let body::Whole { bytes, held } = whole;
    drop(bytes);
    let mut response = answer(&shared, call, None, cx, &parts.headers, held).await;
    if is_strict {
        response.headers_mut().insert(
            "preference-applied",
            HeaderValue::from_static("handling=strict"),
        );
    }
    response
}

/// Runs the call, or goes on with it, and answers as the client wants to hear it.
pub(super) async fn answer(
    shared: &Arc<Shared>,
    call: ToolCall,
    decided: Option<Decided>,
    cx: Context,
    headers: &HeaderMap,
    held: Held,
) -> Response {
    if wants_events(headers) {
        return stream::answer(shared, call, decided, cx, held);
    }
    let batch = run(shared, &call, decided, cx.clone()).await;
    drop(held);
    match batch.calls().first() {
        Some(reply) => json(status(reply), answer_json(shared, &cx, reply)),
        None => refused(StatusCode::INTERNAL_SERVER_ERROR, "no_answer", "no answer"),
    }
}

/// Runs the call, or goes on with it; it ends where the server does.
pub(super) async fn run(
    shared: &Shared,
    call: &ToolCall,
    decided: Option<Decided>,
    cx: Context,
) -> Batch {
    let stop = cx.cancel().child();
    let cx = cx.with_cancel(stop.clone());
    let Shared {
        turns,
        registry,
        executor,
        ..
    } = shared;
    let run = turns.run(registry, executor, call, decided, &cx);
    tokio::pin!(run);
    tokio::select! {
        biased;
        batch = &mut run => return batch,
        () = shared.end.cancelled() => stop.cancel(),
    }
    run.await
}

/// The answer's text. A call that waits is kept, for whoever decides about it.
pub(super) fn answer_json(shared: &Shared, cx: &Context, reply: &Reply) -> String {
    match reply {
        Reply::Answered(result) => answer::answered(result),
        Reply::Pending(pending) => {
            let shown = answer::shown(&shared.executor, cx, pending);
            let id = shared.waiting.keep(pending.clone(), cx.clone());
            answer::pending(pending, &shown, Some(&id))
        }
    }
}

/// The status that says the same as the answer, for who reads no more.
fn status(reply: &Reply) -> StatusCode {
    match Way::of(reply) {
        Way::Done | Way::AskUser => StatusCode::OK,
        Way::Pending => StatusCode::ACCEPTED,
        Way::Failed(kind) => match kind {
            ErrorKind::Unknown | ErrorKind::Hidden => StatusCode::NOT_FOUND,
            ErrorKind::InvalidArgs => of_faults(reply),
            // The arguments fit, and the tool said no all the same.
            ErrorKind::Failed => StatusCode::CONFLICT,
            ErrorKind::Rejected => StatusCode::FORBIDDEN,
            ErrorKind::Timeout => StatusCode::GATEWAY_TIMEOUT,
            ErrorKind::Cancelled | ErrorKind::NotStarted => StatusCode::SERVICE_UNAVAILABLE,
            ErrorKind::NoHandler => StatusCode::NOT_IMPLEMENTED,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        },
    }
}

/// What is no JSON is a bad request; what is JSON and does not fit is understood, and refused.
fn of_faults(reply: &Reply) -> StatusCode {
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

pub(super) fn no_body(broken: Broken, limit: usize) -> Response {
    match broken {
        Broken::TooLarge => {
            let words = format!("the body is longer than {limit} bytes");
            refused(StatusCode::PAYLOAD_TOO_LARGE, "too_large", &words)
        }
        Broken::TooSlow => {
            let words = "the body did not come in time";
            refused(StatusCode::REQUEST_TIMEOUT, "too_slow", words)
        }
        Broken::NoRoom => {
            let words =
                "the call did not start: the server holds too much of others; try again later";
            refused(StatusCode::SERVICE_UNAVAILABLE, "not_started", words)
        }
        Broken::Lost => refused(
            StatusCode::BAD_REQUEST,
            "no_body",
            "the body cannot be read",
        ),
    }
}

/// Why a body is not read.
pub(super) fn not_json(headers: &HeaderMap) -> Option<Response> {
    let (kind, words) = if !is_json(headers) {
        let words = "what is sent has to be `Content-Type: application/json`";
        ("no_json", words)
    } else if is_encoded(headers) {
        let words = "what is sent has to be as it is, without `Content-Encoding`";
        ("encoded", words)
    } else {
        return None;
    };
    Some(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, kind, words))
}

/// Another type is refused, since a form on any page may send some of those without asking.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(kind) = headers.get(header::CONTENT_TYPE) else {
        return false;
    };
    let kind = kind.to_str().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let kind = kind.to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

/// Whether the body is compressed, or whatever else is not what it says.
fn is_encoded(headers: &HeaderMap) -> bool {
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    encodings.any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

fn wants_events(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let mut kinds = accepted.filter_map(|value| value.to_str().ok());
    kinds.any(|value| value.to_ascii_lowercase().contains("text/event-stream"))
}

/// `Prefer: handling=strict` (RFC 7240): arguments are read as they stand, and nothing is repaired.
fn prefers_strict(headers: &HeaderMap) -> bool {
    let preferred = headers.get_all("prefer").iter();
    let mut all = preferred.filter_map(|value| value.to_str().ok());
    all.any(|value| {
        let mut each = value.split([',', ';']);
        each.any(|one| one.trim().eq_ignore_ascii_case("handling=strict"))
    })
}
