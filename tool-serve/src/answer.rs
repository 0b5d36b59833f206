//! What a call came to, as JSON: the same over HTTP and on the command line.

use std::borrow::Cow;

use toolwright_runtime::{
    Block, Content, Context, ErrorKind, Executor, Fault, Outcome, Payload, Pending, PendingReason,
    Progress, Repair, Reply, ToolError, ToolResult,
};

use crate::json::{list, object, quoted};

/// Which way a call ended, as far as who asked has to tell ways apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// It has a value or content.
    Done,
    /// The tool asks a person.
    AskUser,
    /// It waits for a person or the host, and did not run.
    Pending,
    /// It failed.
    Failed(ErrorKind),
}

impl Way {
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

/// The arguments that a call waits with, without its secrets: for who decides about it. A layer may have
/// rewritten those that were sent.
pub(crate) fn shown(executor: &Executor, cx: &Context, pending: &Pending) -> String {
    match executor.tools(cx).get(&pending.call.name) {
        Some(tool) => tool.redacted(&pending.call.arguments).into_owned(),
        None => String::new(),
    }
}

type Members<'a> = Vec<(&'a str, Cow<'a, str>)>;

fn text<'a>(text: &str) -> Cow<'a, str> {
    quoted(text).into()
}

/// The text of an answer.
pub(crate) fn answered(result: &ToolResult) -> String {
    let mut members = match &result.outcome {
        Ok(outcome) => succeeded(outcome),
        Err(error) => failed(error),
    };
    if !result.repairs.is_empty() {
        members.push(("repairs", list(result.repairs.iter().map(repair)).into()));
    }
    let millis = result.duration.as_millis().to_string();
    members.push(("duration_ms", millis.into()));
    object(members)
}

fn succeeded(outcome: &Outcome) -> Members<'_> {
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
        // An outcome of a later version of the runtime, of which nothing is known here.
        _ => vec![("status", text("done")), ("value", "null".into())],
    }
}

fn json<'a>(value: &impl serde::Serialize) -> Cow<'a, str> {
    // Maps of JSON values: nothing that cannot be written.
    serde_json::to_string(value)
        .unwrap_or_else(|_| "null".into())
        .into()
}

fn blocks(content: &Content) -> String {
    list(content.blocks().iter().map(|block: &Block| json(block)))
}

fn failed<'a>(error: &ToolError) -> Members<'a> {
    let error = error_json(error.kind().as_str(), error.messages(), error.faults());
    vec![("status", text("failed")), ("error", error.into())]
}

fn error_json<'m>(kind: &str, messages: impl Iterator<Item = &'m str>, faults: &[Fault]) -> String {
    let mut members = vec![
        ("kind", text(kind)),
        ("messages", Cow::from(list(messages.map(quoted)))),
    ];
    if !faults.is_empty() {
        members.push(("faults", list(faults.iter().map(fault)).into()));
    }
    object(members)
}

/// The answer to what never became a call.
pub(crate) fn refused(kind: &str, message: &str) -> String {
    let error = error_json(kind, std::iter::once(message), &[]);
    object([("status", text("failed")), ("error", error.into())])
}

fn fault(fault: &Fault) -> String {
    object([
        ("path", text(&fault.path)),
        ("code", text(fault.code.as_str())),
        ("message", text(&fault.message)),
    ])
}

fn repair(repair: &Repair) -> String {
    object([
        ("path", text(&repair.path)),
        ("kind", text(repair.kind.as_str())),
        ("from", text(&repair.from)),
        ("to", text(&repair.to)),
    ])
}

/// Why a call waits, in a word.
pub(crate) fn reason(reason: &PendingReason) -> &'static str {
    match reason {
        PendingReason::ManualTool => "manual_tool",
        PendingReason::ManualMode => "manual_mode",
        PendingReason::Decision(_) => "decision",
        _ => "left",
    }
}

/// The text for a call that waits, with its [`shown`] arguments; `id` is what a decision about it is sent
/// to.
pub(crate) fn pending(pending: &Pending, arguments: &str, id: Option<&str>) -> String {
    let mut members = vec![("status", text("pending"))];
    members.extend(id.map(|id| ("id", text(id))));
    members.extend([
        ("reason", text(reason(&pending.reason))),
        ("arguments", text(arguments)),
    ]);
    if let PendingReason::Decision(ask) = &pending.reason {
        members.push(("ask", json(ask)));
    }
    if !pending.repairs.is_empty() {
        members.push(("repairs", list(pending.repairs.iter().map(repair)).into()));
    }
    object(members)
}

/// A report on how far a call has come.
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
