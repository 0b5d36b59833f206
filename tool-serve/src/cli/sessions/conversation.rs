//! A conversation as text and as JSON, with what it waits for.
//!
//! Text that others wrote is escaped: users, models, tools.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use toolwright_agent::store::CallRecord;
use toolwright_agent::thread::ToolMessage;
use toolwright_agent::{Session, Status, ThreadMessage};
use toolwright_runtime::executor::{PendingReason, Waiting};
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::text::Printable;

use crate::answer::json_of;
use crate::cli::show::reason_words;
use toolwright_json::{ObjectWriter, list};

/// In place of the arguments of a tool that is not there.
const HIDDEN: &str = "not shown: the agent has no such tool";

/// Maximal characters of a text that is shortened.
const MAX_CHARS: usize = 200;

/// Returns the conversation and what it waits for, for people.
pub(super) fn text(
    tools: &[Toolset],
    session: &Session,
    waiting: &[Waiting],
    is_full: bool,
) -> String {
    let mut text = format!(
        "session {}: {}",
        one_line(session.id()),
        session.status().as_str()
    );
    if let Status::Failed { message } = session.status() {
        let _ = write!(text, " ({})", one_line(&message));
    }
    let _ = session
        .agent()
        .map(|agent| write!(text, ", with agent {}", one_line(agent)));
    let (usage, shown) = (session.usage(), |text: &str| shown(text, is_full));
    let _ = writeln!(
        text,
        "\nusage: {} tokens in, {} out\n",
        usage.input, usage.output
    );
    for message in session.thread().messages() {
        let _ = match message {
            ThreadMessage::User { text: said } => writeln!(text, "user: {}", shown(said)),
            // The question of a tool, which stands in its answer already.
            ThreadMessage::Assistant(said) if said.asks => Ok(()),
            ThreadMessage::Assistant(said) => {
                let _ = writeln!(
                    text,
                    "{}",
                    format!("model: {}", shown(&said.text)).trim_end()
                );
                for (index, call) in said.calls.iter().enumerate() {
                    let arguments = redacted(tools, &call.name, &call.arguments);
                    let name = one_line(&call.name);
                    let _ = writeln!(text, "  call {index}: {name} {}", shown(&arguments));
                }
                Ok(())
            }
            ThreadMessage::Tool(answer) | ThreadMessage::Late(answer) => {
                let (what, words) = answered(answer);
                let name = one_line(&answer.name);
                let place = match message {
                    ThreadMessage::Tool(_) => format!("call {}", answer.index),
                    _ => "an open call".to_owned(),
                };
                writeln!(text, "  {what} of {place}, {name}: {}", shown(words))
            }
            _ => Ok(()),
        };
    }
    let waits = waits_text(waiting, is_full);
    if !waits.is_empty() {
        let _ = write!(text, "\n{waits}");
    }
    text
}

/// Returns the conversation and what it waits for, for programs.
pub(super) fn json(tools: &[Toolset], session: &Session, waiting: &[Waiting]) -> String {
    let messages = session.thread().messages().iter();
    let messages = messages.filter_map(|message| message_json(tools, message));
    let usage = session.usage();
    let error = match session.status() {
        Status::Failed { message } => Some(message),
        _ => None,
    };
    ObjectWriter::new()
        .text("id", session.id())
        .text("status", session.status().as_str())
        .maybe_text("error", error.as_deref())
        .maybe_text("agent", session.agent())
        .json("messages", &list(messages))
        .json("waits", &list(waiting.iter().map(json_of)))
        .object("usage", |tokens| {
            tokens
                .json("input", &usage.input.to_string())
                .json("output", &usage.output.to_string())
        })
        .end()
}

/// Marks calls whose records say that they have begun, and not how they ended.
pub(super) fn mark_begun(waiting: &mut [Waiting], records: &[CallRecord]) {
    let begun = records.iter().filter(|record| record.outcome.is_none());
    let begun: BTreeSet<_> = begun.map(|record| &*record.key).collect();
    for call in waiting {
        if call.reason == PendingReason::NotRun && begun.contains(&*call.key) {
            let words = "it has begun, and its end is not recorded";
            call.reason = PendingReason::OutcomeUnknown(words.to_owned());
        }
    }
}

/// Returns in short what a conversation waits for, in the order of the calls.
pub(super) fn waits_in_short(session: &Session, waiting: &[Waiting]) -> Vec<String> {
    if let Status::Failed { message } = session.status() {
        return vec![shown(&message, false)];
    }
    let is_interrupted = matches!(session.status(), Status::Interrupted { .. });
    let waits = waiting.iter().filter_map(|waiting| {
        let (path, tool) = (place(waiting), one_line(&waiting.tool));
        match &waiting.reason {
            PendingReason::Question(question) => Some(format!(
                "{path} {tool} asks: {}",
                shown(&question.text, false)
            )),
            // Its turn comes by itself.
            PendingReason::NotRun if !is_interrupted => None,
            // What the agent waits for follows.
            PendingReason::Agent => None,
            _ => Some(format!("{path} {tool}")),
        }
    });
    waits.collect()
}

/// Returns what a conversation waits for, for people.
pub(super) fn waits_text(waiting: &[Waiting], is_full: bool) -> String {
    let mut text = String::new();
    for waiting in waiting {
        let (path, words) = (
            place(waiting),
            shown(&reason_words(&waiting.reason), is_full),
        );
        let (tool, id) = (one_line(&waiting.tool), one_line(&waiting.id));
        let _ = writeln!(text, "waits: {path}, {tool} (id {id}): {words}");
        if let Some(question) = waiting.reason.question() {
            for (name, value) in &question.options {
                let option = shown(&format!("{name}: {value}"), is_full);
                let _ = writeln!(text, "  {option}");
            }
        } else {
            let arguments = waiting.arguments.as_deref().unwrap_or(HIDDEN);
            let _ = writeln!(text, "  arguments: {}", one_line(arguments));
        }
    }
    text
}

/// Returns the places of a call and those around it, `call 0/1`, or the key of a call of an earlier turn.
fn place(waiting: &Waiting) -> String {
    if waiting.path.is_empty() {
        return format!("open call {}", one_line(&waiting.key));
    }
    let places: Vec<_> = waiting.path.iter().map(usize::to_string).collect();
    format!("call {}", places.join("/"))
}

fn message_json(tools: &[Toolset], message: &ThreadMessage) -> Option<String> {
    let from = |who| ObjectWriter::new().text("from", who);
    let object = match message {
        ThreadMessage::User { text } => from("user").text("text", text),
        ThreadMessage::Assistant(said) if said.asks => return None,
        ThreadMessage::Assistant(said) => {
            let calls = said.calls.iter().map(|call| {
                ObjectWriter::new()
                    .text("id", &call.id)
                    .text("tool", &call.name)
                    .text("arguments", &redacted(tools, &call.name, &call.arguments))
                    .end()
            });
            from("model")
                .text("text", &said.text)
                .json("calls", &list(calls))
        }
        ThreadMessage::Tool(answer) | ThreadMessage::Late(answer) => {
            let (what, words) = answered(answer);
            from("tool")
                .text("id", &answer.id)
                .text("tool", &answer.name)
                .text(what, words)
        }
        _ => return None,
    };
    Some(object.end())
}

/// Returns what the answer to a call is, and its words.
fn answered(answer: &ToolMessage) -> (&'static str, &str) {
    match &answer.asks {
        Some(question) => ("question", &question.text),
        None if answer.is_error => ("error", &answer.text),
        None => ("result", &answer.text),
    }
}

/// Returns arguments without secrets, by the first of these toolsets that has the tool.
fn redacted(tools: &[Toolset], name: &str, arguments: &str) -> String {
    match tools.iter().find_map(|tools| tools.get(name)) {
        Some(tool) => tool.redacted(arguments).into_owned(),
        // Nothing says what of it is secret.
        None => HIDDEN.to_owned(),
    }
}

fn shown(text: &str, is_full: bool) -> String {
    let text = Printable::new(text);
    if is_full {
        text.to_string()
    } else {
        text.one_line().at_most(MAX_CHARS).to_string()
    }
}

pub(super) fn one_line(text: &str) -> String {
    Printable::new(text).one_line().to_string()
}
