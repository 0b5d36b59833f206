//! `POST /calls/{id}`: what is decided about a call that waits.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use toolwright_runtime::Decision;

use super::call::{SENDING, answer, no_body, not_json};
use super::{Shared, refused};
use crate::body;

pub(super) async fn decide(
    State(shared): State<Arc<Shared>>,
    id: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    if let Some(refused) = not_json(&parts.headers) {
        return refused;
    }
    let limit = shared.context(&parts.extensions).limits().text;
    let decision = match body::read(body, limit, SENDING, &shared.room).await {
        Ok(whole) => serde_json::from_slice::<Decision>(&whole.bytes),
        Err(broken) => return no_body(broken, limit),
    };
    let Ok(decision) = decision else {
        let words =
            r#"a decision is `"approve"`, `{"reject": "why"}`, `{"edit": {…}}` or `{"answer": …}`"#;
        return refused(StatusCode::UNPROCESSABLE_ENTITY, "no_decision", words);
    };
    // It runs for whoever called, with the arguments that were shown, and once.
    let waits = id.ok().and_then(|Path(id)| shared.waiting.take(&id));
    let Some((pending, cx)) = waits else {
        let words = "no call waits under this id; it was decided, or has waited too long";
        return refused(StatusCode::NOT_FOUND, "not_waiting", words);
    };
    let decided = pending.decided(decision);
    answer(
        &shared,
        pending.call,
        Some(decided),
        cx,
        &parts.headers,
        None,
    )
    .await
}
