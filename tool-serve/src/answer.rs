//! JSON texts of call results, for HTTP and the command line.
//!
//! Both fronts write the same text, so a script can read either.

use std::borrow::Cow;

use serde_json::{Map, Value};
use toolwright_provider::call::{
    Block, Content, ErrorKind, Outcome, Payload, ToolError, ToolResult,
};
use toolwright_runtime::executor::{Executor, Pending, PendingReason, Reply};
use toolwright_runtime::tool::{Context, Progress};
use toolwright_schema::decode::Repair;

use crate::json::{list, object, quoted};

/// Status of a call, for exit codes and HTTP statuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReplyStatus {
    /// The call has a value or content.
    Done,
    /// The tool asks a person.
    AskUser,
    /// The call waits for a person or the host, and did not run.
    Pending,
    /// The call failed.
    Failed(ErrorKind),
}

impl ReplyStatus {
    pub(crate) fn of(reply: &Reply) -> Self {
        match reply {
            Reply::Pending(_) => Self::Pending,
            Reply::Answered(result) => match &result.outcome {
                Ok(Outcome::AskUser { .. }) => Self::AskUser,
                Ok(_) => Self::Done,
                Err(error) => Self::Failed(error.kind()),
            },
        }
    }
}

/// Returns the arguments of a pending call without secrets, to show them to the person who decides. A layer may have
/// rewritten the ones that were sent.
pub(crate) fn redacted_arguments(executor: &Executor, cx: &Context, pending: &Pending) -> String {
    match executor.tools(cx).get(&pending.call.name) {
        Some(tool) => tool.redacted(&pending.call.arguments).into_owned(),
        None => String::new(),
    }
}

/// Returns the question that the call has ended with, if the answer is the call's result. A tool that gives its question
/// a `key` reads the answer itself, in another call.
pub(crate) fn question(result: &ToolResult) -> Option<(&str, &Map<String, Value>)> {
    match &result.outcome {
        Ok(Outcome::AskUser { question, options }) if !options.contains_key("key") => {
            Some((question, options))
        }
        _ => None,
    }
}

type Members<'a> = Vec<(&'a str, Cow<'a, str>)>;

fn text<'a>(text: &str) -> Cow<'a, str> {
    quoted(text).into()
}

/// Returns the JSON of a call's result. The answer to a question is sent to `id`.
pub(crate) fn result_json(result: &ToolResult, id: Option<&str>) -> String {
    let mut members = match &result.outcome {
        Ok(outcome) => success_members(outcome),
        Err(error) => failure_members(error),
    };
    members.extend(id.map(|id| ("id", text(id))));
    if !result.repairs.is_empty() {
        members.push((
            "repairs",
            list(result.repairs.iter().map(repair_json)).into(),
        ));
    }
    let millis = result.duration.as_millis().to_string();
    members.push(("duration_ms", millis.into()));
    object(members)
}

fn success_members(outcome: &Outcome) -> Members<'_> {
    let done = |payload: &'_ Payload| {
        let value = payload.to_json().into_owned();
        vec![("status", text("done")), ("value", value.into())]
    };
    match outcome {
        Outcome::Value(value) => done(value),
        Outcome::ReturnDirect(value) => {
            let mut members = done(value);
            members.push(("direct", "true".into()));
            members
        }
        Outcome::Halt { reason, value } => {
            let mut members = done(value);
            members.push(("halt", text(reason.as_str())));
            members
        }
        Outcome::Content(content) => {
            vec![
                ("status", text("done")),
                ("content", blocks(content).into()),
            ]
        }
        Outcome::AskUser { question, options } => vec![
            ("status", text("ask_user")),
            ("question", text(question)),
            ("options", json(options)),
        ],
        Outcome::Open { key, note } => vec![
            ("status", text("open")),
            ("key", text(key)),
            ("note", text(note)),
        ],
        // A newer runtime may have outcomes that are unknown here.
        _ => vec![("status", text("done")), ("value", "null".into())],
    }
}

fn json<'a>(value: &impl serde::Serialize) -> Cow<'a, str> {
    // JSON values can always be written.
    serde_json::to_string(value)
        .unwrap_or_else(|_| "null".into())
        .into()
}

fn blocks(content: &Content) -> String {
    list(content.blocks().iter().map(|block: &Block| json(block)))
}

fn failure_members<'a>(error: &ToolError) -> Members<'a> {
    vec![
        ("status", text("failed")),
        ("error", error.__to_json().into()),
    ]
}

/// Returns the JSON for a request that did not become a call.
pub(crate) fn refusal_json(kind: &str, message: &str) -> String {
    let error = object([
        ("kind", text(kind)),
        ("messages", list([quoted(message)]).into()),
    ]);
    object([("status", text("failed")), ("error", error.into())])
}

fn repair_json(repair: &Repair) -> String {
    object([
        ("path", text(&repair.path)),
        ("kind", text(repair.kind.as_str())),
        ("from", text(&repair.from)),
        ("to", text(&repair.to)),
    ])
}

/// Returns the stored name of the reason.
pub(crate) fn reason_name(reason: &PendingReason) -> &'static str {
    match reason {
        PendingReason::ManualTool => "manual_tool",
        PendingReason::ManualMode => "manual_mode",
        PendingReason::Decision(_) => "decision",
        PendingReason::OutcomeUnknown(_) => "outcome_unknown",
        _ => "left",
    }
}

/// Returns the JSON of a pending call, with its [redacted arguments](redacted_arguments). A decision is sent to `id`.
pub(crate) fn pending_json(pending: &Pending, arguments: &str, id: Option<&str>) -> String {
    let mut members = vec![("status", text("pending"))];
    members.extend(id.map(|id| ("id", text(id))));
    members.extend([
        ("reason", text(reason_name(&pending.reason))),
        ("arguments", text(arguments)),
    ]);
    match &pending.reason {
        PendingReason::Decision(ask) => members.push(("ask", json(ask))),
        PendingReason::OutcomeUnknown(error) => members.push(("ask", text(error))),
        _ => {}
    }
    if !pending.repairs.is_empty() {
        members.push((
            "repairs",
            list(pending.repairs.iter().map(repair_json)).into(),
        ));
    }
    object(members)
}

/// Returns the JSON of a progress report.
pub(crate) fn progress_json(progress: &Progress) -> String {
    let number = |number: f64| json(&number);
    let mut members = vec![("done", number(progress.done))];
    if let Some(total) = progress.total {
        members.push(("total", number(total)));
    }
    if let Some(message) = &progress.message {
        members.push(("message", text(message)));
    }
    if let Some(item) = &progress.item {
        members.push(("item", json(item)));
    }
    object(members)
}
