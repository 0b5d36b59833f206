//! JSON texts of call results, for HTTP and the command line.
//!
//! Both fronts write the same text, so a script can read either.

use std::borrow::Cow;

use serde::Serialize;
use toolwright_provider::call::{
    Block, Content, ErrorKind, Outcome, Payload, ToolError, ToolResult,
};
use toolwright_runtime::executor::{Pending, Question, Reply, Waiting};
use toolwright_runtime::tool::Progress;
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::decode::Repair;

use crate::json::{json_of, list, object, quoted};

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

/// Returns the question that the call has ended with, if the answer is the call's result. A tool that gives its question
/// a `key` reads the answer itself, in another call.
pub(crate) fn question(result: &ToolResult) -> Option<Question> {
    match &result.outcome {
        Ok(Outcome::AskUser { question, options }) if !options.contains_key("key") => {
            Some(Question {
                text: question.clone(),
                options: options.clone(),
            })
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

fn json<'a>(value: &impl Serialize) -> Cow<'a, str> {
    json_of(value).into()
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

/// A pending call in JSON.
#[derive(Serialize)]
struct PendingReply<'a> {
    status: &'static str,
    #[serde(flatten)]
    waiting: Waiting,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    repairs: &'a [Repair],
}

/// Returns the JSON of a pending call. A decision is sent to `id`.
pub(crate) fn pending_json(pending: &Pending, tools: &Toolset, id: Option<String>) -> String {
    let mut waiting = pending.shown(tools);
    waiting.id = id.unwrap_or(waiting.id);
    json_of(&PendingReply {
        status: "pending",
        waiting,
        repairs: &pending.repairs,
    })
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
