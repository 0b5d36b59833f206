//! JSON texts of call results, for HTTP and the command line.
//!
//! Both fronts write the same text, so a script can read either.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};
use toolwright_json::{ObjectWriter, list, quoted};
use toolwright_provider::call::{Block, Content, ErrorKind, Outcome, Payload, ToolResult};
use toolwright_runtime::executor::{Pending, Question, Reply, Waiting};
use toolwright_runtime::tool::Progress;
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::decode::Repair;

/// Returns the JSON of a value that can always be written.
pub(crate) fn json_of(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".into())
}

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
            Reply::Pending(waits) if waits.reason.question().is_some() => Self::AskUser,
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

/// Returns the JSON of a call's result. The answer to a question is sent to `id`.
pub(crate) fn result_json(result: &ToolResult, id: Option<&str>) -> String {
    let repairs = result.repairs.iter().map(repair_json);
    let repairs = (!result.repairs.is_empty()).then(|| list(repairs));
    let object = match &result.outcome {
        Ok(outcome) => success(outcome),
        Err(error) => status("failed").json("error", &error.__to_json()),
    };
    object
        .maybe_text("id", id)
        .maybe_json("repairs", repairs.as_deref())
        .json("duration_ms", &result.duration.as_millis().to_string())
        .end()
}

fn status(status: &str) -> ObjectWriter {
    ObjectWriter::new().text("status", status)
}

fn success(outcome: &Outcome) -> ObjectWriter {
    let done = |payload: &Payload| status("done").json("value", &payload.to_json());
    match outcome {
        Outcome::Value(value) => done(value),
        Outcome::ReturnDirect(value) => done(value).json("direct", "true"),
        Outcome::Halt { reason, value } => done(value).text("halt", reason.as_str()),
        Outcome::Content(content) => status("done").json("content", &blocks(content)),
        Outcome::AskUser { question, options } => asks(question, options),
        Outcome::Open { key, note } => status("open").text("key", key).text("note", note),
        // A newer runtime may have outcomes that are unknown here.
        _ => status("done").json("value", "null"),
    }
}

fn asks(question: &str, options: &Map<String, Value>) -> ObjectWriter {
    status("ask_user")
        .text("question", question)
        .json("options", &json(options))
}

fn json<'a>(value: &impl Serialize) -> Cow<'a, str> {
    json_of(value).into()
}

fn blocks(content: &Content) -> String {
    list(content.blocks().iter().map(|block: &Block| json(block)))
}

/// Returns the JSON for a request that did not become a call.
pub(crate) fn refusal_json(kind: &str, message: &str) -> String {
    let words = list([quoted(message)]);
    ObjectWriter::new()
        .text("status", "failed")
        .object("error", |error| {
            error.text("kind", kind).json("messages", &words)
        })
        .end()
}

fn repair_json(repair: &Repair) -> String {
    ObjectWriter::new()
        .text("path", &repair.path)
        .text("kind", repair.kind.as_str())
        .text("from", &repair.from)
        .text("to", &repair.to)
        .end()
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
    if let Some(question) = pending.reason.question() {
        let asks = asks(&question.text, &question.options);
        return asks.maybe_text("id", id.as_deref()).end();
    }
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
    let item = progress.item.as_ref().map(json);
    ObjectWriter::new()
        .json("done", &number(progress.done))
        .maybe_json("total", progress.total.map(number).as_deref())
        .maybe_text("message", progress.message.as_deref())
        .maybe_json("item", item.as_deref())
        .end()
}
