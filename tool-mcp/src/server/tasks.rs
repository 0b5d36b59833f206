//! Tasks: calls that outlive their requests, for clients that know of tasks. They are the server's open calls.
//!
//! Source: the extension `io.modelcontextprotocol/tasks` of 2026-07-28.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use toolwright_json::ObjectWriter;
use toolwright_provider::call::{ErrorKind, ToolCall, ToolError, ToolResult};
use toolwright_runtime::tool::{Context, Grant, OpenCall, OpenCallError, OpenCallState};

use super::caller::{Caller, owner};
use super::dispatch::RpcAnswer;
use super::{Shared, call, start};
use crate::protocol::{Fields, RpcError, code, key};

/// The most tasks that are kept.
const MOST: usize = 1_024;

/// Stands before the scopes in a task's id. Base64 and hexadecimal digits do not have it.
const SCOPES: char = '.';

/// Shortest pause between two requests of a client.
const POLL: Duration = Duration::from_secs(1);

/// Returns true if a call may become a task: the server decides, for clients that declare the extension.
pub(super) fn may_be(shared: &Shared, caller: &Caller) -> bool {
    caller.version.is_modern() && caller.capabilities.has_extension(key::TASKS) && has_room(shared)
}

/// The context of a call that may become a task: its key, the task's id, cannot be guessed, and shows whose it is and which
/// scopes its tool needs. The tool may be gone when the result is asked for, and the process another one.
pub(super) fn context(shared: &Shared, cx: Context, tool: &str) -> Context {
    let id = toolwright_http::random::id();
    let mut run = match cx.get().and_then(owner) {
        Some(owner) => format!("{id}-{}", shared.seal.tag(&id, &owner)),
        None => id,
    };
    let tool = shared.registry.get(tool);
    let scopes = tool.map(|tool| Grant::new().missing_scopes(tool.def()));
    if let Some(scopes) = scopes.filter(|scopes| !scopes.is_empty()) {
        let scopes = URL_SAFE_NO_PAD.encode(scopes.join(" "));
        run = format!("{run}{SCOPES}{scopes}");
    }
    cx.with_run(run)
}

/// Returns the scopes that the tool of a task needs.
#[cfg(feature = "server-http")]
pub(super) fn scopes(task: &OpenCall) -> Vec<String> {
    let run = task.key.split('/').next().unwrap_or_default();
    let scopes = run.split_once(SCOPES).map_or("", |(_, scopes)| scopes);
    let scopes = URL_SAFE_NO_PAD.decode(scopes).unwrap_or_default();
    let scopes = String::from_utf8(scopes).unwrap_or_default();
    scopes.split_whitespace().map(str::to_owned).collect()
}

/// Returns the caller's own task of this id.
pub(super) fn find(shared: &Shared, cx: &Context, id: &str) -> Option<OpenCall> {
    shared
        .open
        .get(id)
        .filter(|call| is_own(shared, cx, &call.key))
}

/// Returns true if a task is of whoever asks.
fn is_own(shared: &Shared, cx: &Context, key: &str) -> bool {
    let run = key.split(['/', SCOPES]).next().unwrap_or_default();
    match (cx.get().and_then(owner), run.split_once('-')) {
        (Some(owner), Some((id, tag))) => shared.seal.tag(id, &owner) == tag,
        (None, None) => true,
        _ => false,
    }
}

fn has_room(shared: &Shared) -> bool {
    shared.open.len() < MOST || {
        forget_old(shared);
        shared.open.len() < MOST
    }
}

/// Forgets the tasks whose time is over.
fn forget_old(shared: &Shared) {
    if let Some(then) = SystemTime::now().checked_sub(shared.limits.task) {
        shared.open.withdraw_begun_before(then);
    }
}

/// Returns the answer in place of a call's result. `None` if there is no such call.
pub(super) fn created(shared: &Shared, id: &str) -> Option<String> {
    forget_old(shared);
    let call = shared.open.get(id)?;
    let object = ObjectWriter::new().text("resultType", "task");
    Some(members(object, shared, &call).end())
}

/// One of the requests about tasks.
pub(super) fn answer(
    shared: &Arc<Shared>,
    caller: &Caller,
    method: &str,
    params: &Fields<'_>,
) -> Result<RpcAnswer, RpcError> {
    forget_old(shared);
    let complete = || start(caller.version);
    let now = |result: ObjectWriter| Ok(RpcAnswer::Now(Ok(result.end())));
    if !caller.capabilities.has_extension(key::TASKS) {
        let needed = ObjectWriter::new().object("extensions", |all| all.json(key::TASKS, "{}"));
        let words = format!("the client does not declare the extension `{}`", key::TASKS);
        return Err(call::lacks(words, &needed.end()));
    }
    let Some(id) = params.text("taskId") else {
        return Err(RpcError::invalid_params("`taskId` is not a string"));
    };
    let call = find(shared, &caller.cx, &id);
    let call = call.ok_or_else(|| RpcError::invalid_params(format!("unknown task `{id}`")))?;
    match method {
        "tasks/get" => {
            let task = members(complete(), shared, &call);
            now(match status(&call) {
                "completed" => {
                    task.json("result", &call::text(shared, caller.version, &ended(&call)))
                }
                _ => task,
            })
        }
        "tasks/cancel" => {
            let (shared, done) = (Arc::clone(shared), complete().end());
            Ok(RpcAnswer::Later(Box::pin(async move {
                match shared.open.cancel(&call.key).await {
                    // It may have ended meanwhile.
                    Ok(()) | Err(OpenCallError::Ended { .. } | OpenCallError::NotOpen { .. }) => {
                        Ok(done)
                    }
                    Err(error) => Err(RpcError::new(code::INTERNAL_ERROR, error.to_string())),
                }
            })))
        }
        // `tasks/update`: no task asks for anything, since questions come before a call becomes one.
        _ => now(complete()),
    }
}

/// Adds the members of a task.
fn members(object: ObjectWriter, shared: &Shared, call: &OpenCall) -> ObjectWriter {
    let time = |ms| humantime::format_rfc3339_millis(at(ms)).to_string();
    object
        .text("taskId", &call.key)
        .text("status", status(call))
        .text("createdAt", &time(call.began_ms))
        .text(
            "lastUpdatedAt",
            &time(call.ended_ms.unwrap_or(call.began_ms)),
        )
        .json("ttlMs", &shared.limits.task.as_millis().to_string())
        .json("pollIntervalMs", &POLL.as_millis().to_string())
}

fn at(ms: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(ms)
}

/// Returns the protocol's status. A tool's error is a result that the model reads.
fn status(call: &OpenCall) -> &'static str {
    if let OpenCallState::Running = call.state {
        return "working";
    }
    match ended(call).outcome {
        Err(error) if error.kind() == ErrorKind::Cancelled => "cancelled",
        _ => "completed",
    }
}

/// Returns the result of a call that has ended.
fn ended(call: &OpenCall) -> ToolResult {
    match &call.state {
        OpenCallState::Ended(outcome) => outcome.clone().into_result(&call.call),
        OpenCallState::Unknown(error) => unknown(&call.call, error),
        _ => unknown(&call.call, "the task has not ended"),
    }
}

fn unknown(call: &ToolCall, error: &str) -> ToolResult {
    let error = ToolError::failed(error.to_owned());
    ToolResult::new(call, Err(error.with_outcome_unknown()))
}
