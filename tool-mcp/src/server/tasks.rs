//! Tasks: calls that outlive their requests, for clients that know of tasks. They are the server's open calls.
//!
//! Source: the extension `io.modelcontextprotocol/tasks` of 2026-07-28, and "Tasks" of 2025-11-25.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use toolwright_json::{ObjectWriter, list};
use toolwright_provider::call::{ErrorKind, ToolCall, ToolError, ToolResult};
use toolwright_runtime::tool::{Context, OpenCall, OpenCallError, OpenCallState};

use super::asker::{Asker, owner};
use super::dispatch::{Answered, RpcAnswer};
use super::{Shared, call, start};
use crate::protocol::{Fields, RpcError, Version, code, key};

/// The most tasks that are kept.
const MOST: usize = 1_024;

/// Shortest pause between two requests of a client.
const POLL: Duration = Duration::from_secs(1);

/// Returns true if this call of a tool may become a task.
///
/// Up to 2025-11-25 the client decides, and a call that cannot become one is refused. Since then the server does.
pub(super) fn may_be(
    shared: &Shared,
    asker: &Asker,
    name: &str,
    params: &Fields<'_>,
) -> Result<bool, RpcError> {
    if asker.version.is_modern() {
        return Ok(asker.capabilities.has_extension(key::TASKS) && has_room(shared));
    }
    let tools = shared.executor.tools(&asker.cx);
    let (Some(tool), Version::V2025_11_25, Some(_)) =
        (tools.get(name), asker.version, params.some("task"))
    else {
        return Ok(false);
    };
    if !tool.def().options.background {
        let words = format!("calls of `{name}` are no tasks");
        return Err(RpcError::new(code::METHOD_NOT_FOUND, words));
    }
    if !has_room(shared) {
        let words = format!("the server has {MOST} tasks, and takes no further one");
        return Err(RpcError::new(code::INTERNAL_ERROR, words));
    }
    Ok(true)
}

/// Returns true if the version has this one of the requests about tasks.
pub(super) fn is_known(method: &str, version: Version) -> bool {
    match version {
        Version::V2026_07_28 => !matches!(method, "tasks/result" | "tasks/list"),
        Version::V2025_11_25 => method != "tasks/update",
        _ => false,
    }
}

/// The context of a call that may become a task: its key, the task's id, cannot be guessed, and shows whose it is.
pub(super) fn context(shared: &Shared, cx: Context) -> Context {
    let id = toolwright_http::random::id();
    match cx.get().and_then(owner) {
        Some(owner) => cx.with_run(format!("{id}-{}", shared.seal.tag(&id, &owner))),
        None => cx.with_run(id),
    }
}

/// Returns true if a task is of whoever asks.
fn is_own(shared: &Shared, asker: &Asker, key: &str) -> bool {
    let run = key.split('/').next().unwrap_or_default();
    match (asker.cx.get().and_then(owner), run.split_once('-')) {
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
pub(super) fn created(shared: &Shared, id: &str, version: Version) -> Option<String> {
    forget_old(shared);
    let call = shared.open.get(id)?;
    Some(if version.is_modern() {
        let object = ObjectWriter::new().text("resultType", "task");
        members(object, shared, &call, version).end()
    } else {
        let task = members(ObjectWriter::new(), shared, &call, version).end();
        ObjectWriter::new().json("task", &task).end()
    })
}

/// One of the requests about tasks.
pub(super) fn answer(
    shared: &Arc<Shared>,
    asker: &Asker,
    method: &str,
    params: &Fields<'_>,
) -> Result<RpcAnswer, RpcError> {
    forget_old(shared);
    let version = asker.version;
    let now = |result| Ok(RpcAnswer::Now(Ok(result)));
    if version.is_modern() && !asker.capabilities.has_extension(key::TASKS) {
        let needed = ObjectWriter::new().object("extensions", |all| all.json(key::TASKS, "{}"));
        let words = format!("the client does not declare the extension `{}`", key::TASKS);
        return Err(call::lacks(words, &needed.end()));
    }
    if method == "tasks/list" {
        let all = shared.open.list();
        let session = asker.cx.session_id();
        let own = all
            .iter()
            .filter(|call| call.session.as_deref() == session && is_own(shared, asker, &call.key));
        let own = own.map(|call| members(ObjectWriter::new(), shared, call, version).end());
        return now(ObjectWriter::new().json("tasks", &list(own)).end());
    }
    let Some(id) = params.text("taskId") else {
        return Err(RpcError::invalid_params("`taskId` is no string"));
    };
    let call = shared.open.get(&id);
    let call = call.filter(|call| is_own(shared, asker, &call.key));
    let call = call.ok_or_else(|| RpcError::invalid_params(format!("unknown task `{id}`")))?;
    let is_over = !matches!(call.state, OpenCallState::Running);
    match method {
        "tasks/get" => {
            let task = members(start(version), shared, &call, version);
            // Up to 2025-11-25 the result is asked for by itself.
            let is_cancelled = status(&call, version) == "cancelled";
            if !is_over || is_cancelled || !version.is_modern() {
                return now(task.end());
            }
            now(task.json("result", &result(shared, &call, version)).end())
        }
        // No task asks for anything: it has been asked for before the call became one.
        "tasks/update" => now(start(version).end()),
        "tasks/cancel" if is_over && !version.is_modern() => {
            let words = format!("the task `{id}` has ended");
            Err(RpcError::invalid_params(words))
        }
        "tasks/cancel" => {
            let shared = Arc::clone(shared);
            Ok(RpcAnswer::Later(Box::pin(async move {
                match shared.open.cancel(&call.key).await {
                    // It may have ended meanwhile.
                    Ok(()) | Err(OpenCallError::Ended { .. } | OpenCallError::NotOpen { .. }) => {}
                    Err(error) => {
                        return Err(RpcError::new(code::INTERNAL_ERROR, error.to_string()));
                    }
                }
                let call = shared.open.get(&call.key).unwrap_or(call);
                Ok(if version.is_modern() {
                    start(version).end()
                } else {
                    members(ObjectWriter::new(), &shared, &call, version).end()
                })
            })))
        }
        _ => {
            let shared = Arc::clone(shared);
            Ok(RpcAnswer::Later(Box::pin(late_result(
                shared, call.key, version,
            ))))
        }
    }
}

/// `tasks/result`: waits for the task's end. The result says which task it is of.
async fn late_result(shared: Arc<Shared>, id: String, version: Version) -> Answered {
    let Some(call) = shared.open.wait(&id).await else {
        return Err(RpcError::invalid_params(format!("unknown task `{id}`")));
    };
    let text = result(&shared, &call, version);
    let result = Fields::of(&text).unwrap_or_default();
    let meta = result.object("_meta").unwrap_or_default();
    let meta = meta
        .iter()
        .fold(ObjectWriter::new(), |meta, (name, value)| {
            meta.json(name, value)
        });
    let meta = meta.object(key::RELATED_TASK, |task| task.text("taskId", &call.key));
    let rest = result.iter().filter(|(key, _)| *key != "_meta");
    let rest = rest.fold(ObjectWriter::new(), |rest, (key, value)| {
        rest.json(key, value)
    });
    Ok(rest.json("_meta", &meta.end()).end())
}

/// Adds the members of a task.
fn members(
    object: ObjectWriter,
    shared: &Shared,
    call: &OpenCall,
    version: Version,
) -> ObjectWriter {
    let (ttl, poll) = if version.is_modern() {
        ("ttlMs", "pollIntervalMs")
    } else {
        ("ttl", "pollInterval")
    };
    let time = |ms| humantime::format_rfc3339_millis(at(ms)).to_string();
    object
        .text("taskId", &call.key)
        .text("status", status(call, version))
        .text("createdAt", &time(call.began_ms))
        .text(
            "lastUpdatedAt",
            &time(call.ended_ms.unwrap_or(call.began_ms)),
        )
        .json(ttl, &shared.limits.task.as_millis().to_string())
        .json(poll, &POLL.as_millis().to_string())
}

fn at(ms: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(ms)
}

/// Up to 2025-11-25 an error of the tool is one of the task.
fn status(call: &OpenCall, version: Version) -> &'static str {
    if let OpenCallState::Running = call.state {
        return "working";
    }
    match ended(call).outcome {
        Err(error) if error.kind() == ErrorKind::Cancelled => "cancelled",
        Err(_) if !version.is_modern() => "failed",
        _ => "completed",
    }
}

/// The result, as the call's request would have been answered.
fn result(shared: &Shared, call: &OpenCall, version: Version) -> String {
    call::text(shared, version, &ended(call))
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
