//! `POST /calls/{id}`: decides a pending call, or answers its question.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use toolwright_json::strip_bom;
use toolwright_provider::call::ToolResult;
use toolwright_runtime::executor::{KeptCall, PausedCalls, Reply, ResumedCall};
use toolwright_runtime::tool::Decision;
use toolwright_schema::text::Printable;

use super::call::{
    BODY_TIMEOUT, CallRun, answer_json, body_refusal, content_type_refusal, respond,
};
use super::{ServerState, json, refused};
use crate::answer::pending_json;
use toolwright_http::body;

pub(super) async fn decide(
    State(state): State<Arc<ServerState>>,
    id: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    if let Some(refused) = content_type_refusal(&parts.headers) {
        return refused;
    }
    let limit = state.context(&parts.extensions).limits().max_bytes;
    let decision = match body::read(body, limit, BODY_TIMEOUT, &state.budget).await {
        Ok(whole) => {
            let text = std::str::from_utf8(&whole.bytes).map(strip_bom);
            serde_json::from_slice::<Decision>(text.map_or(&whole.bytes, str::as_bytes))
        }
        Err(broken) => return body_refusal(broken, limit),
    };
    let decision = match decision {
        Ok(decision) => decision,
        Err(why) => {
            let message = format!(
                r#"{}; a decision is `"approve"`, `{{"reject": "why"}}`, `{{"edit": {{…}}}}` or `{{"answer": …}}`"#,
                Printable::new(&why.to_string())
            );
            return refused(StatusCode::UNPROCESSABLE_ENTITY, "no_decision", &message);
        }
    };
    // Runs once, in the context of the caller, with the arguments that were shown.
    let id = id.map(|Path(id)| id).unwrap_or_default();
    let Some(KeptCall {
        pending,
        cx,
        state: kept,
        ..
    }) = state.pending_calls.get(&id)
    else {
        return not_waiting();
    };
    let asks = pending.reason.question().is_some();
    if asks && matches!(decision, Decision::Approve | Decision::Edit(_)) {
        let message = r#"the tool has asked a question: `{"answer": …}` answers it, `{"reject": "why"}` does not"#;
        return refused(StatusCode::UNPROCESSABLE_ENTITY, "no_answer", message);
    }
    // The tool goes on with the answer.
    if let (Some(question), Some(_), Decision::Answer(answer)) =
        (pending.reason.question(), &kept, &decision)
        && let Err(faults) = question.check(answer)
    {
        let message = format!("the answer does not fit: {}", Printable::new(&faults));
        return refused(StatusCode::UNPROCESSABLE_ENTITY, "no_answer", &message);
    }
    // Nothing runs by an edit that does not fit, and the call waits on.
    if let Decision::Edit(arguments) = &decision
        && kept.is_none()
    {
        let edited = pending.call.with_arguments(Arc::clone(arguments));
        if let Err(error) = state.executor.tools(&cx).validate(&edited, &cx) {
            let reply = Reply::Answered(ToolResult::new(&edited, Err(error)));
            let edited = CallRun::new(edited);
            let (status, answer) = answer_json(&state, &cx, &edited, &reply);
            return json(status, answer);
        }
    }
    let Some(taken) = state.pending_calls.take(&id) else {
        return not_waiting();
    };
    let KeptCall {
        pending,
        cx,
        state: kept,
        is_unseen,
        ..
    } = taken;
    // A client that repeats its request has not seen what waits by now.
    if is_unseen {
        let tools = state.executor.tools(&cx);
        let answer = pending_json(&pending, &tools, Some(id.clone()));
        state.pending_calls.insert(id, pending, cx, kept);
        return json(StatusCode::ACCEPTED, answer);
    }
    let (paused, decided) = PausedCalls::decided(&pending, kept, decision);
    let resumed = ResumedCall::new(&state.pending_calls, id, cx.clone(), paused.clone());
    let call = CallRun {
        call: decided.call.clone(),
        decided: Some(decided),
        paused,
        _resumed: Some(Arc::new(resumed)),
    };
    respond(&state, call, cx, &parts.headers, None).await
}

fn not_waiting() -> Response {
    let message = "no call waits under this id; it was decided, or has waited too long";
    refused(StatusCode::NOT_FOUND, "not_waiting", message)
}
