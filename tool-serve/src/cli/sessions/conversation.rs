//! A conversation as text and as JSON, with what it waits for.
//!
//! Text that others wrote is escaped: users, models, tools.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;
use toolwright_agent::session::PendingCallReason;
use toolwright_agent::store::CallRecord;
use toolwright_agent::thread::ToolMessage;
use toolwright_agent::{Session, Status, ThreadMessage, Waiting, WaitingFor};
use toolwright_mcp::outside::details_in_words;
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::text::Printable;

use toolwright_json::{ObjectWriter, list, quoted};

/// In place of the arguments of a tool that is not there.
const HIDDEN: &str = "not shown: the agent has no such tool";

/// Maximal characters of a text that is shortened.
const MAX_CHARS: usize = 200;

/// Returns the conversation and what it waits for, for people.
pub(super) fn text(tools: &[Toolset], session: &Session, waits: &Waits, is_full: bool) -> String {
    let mut text = format!(
        "session {}: {}",
        one_line(session.id()),
        session.status().as_str()
    );
    if let Status::Failed { message } = session.status() {
        let _ = write!(text, " ({})", one_line(message));
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
            ThreadMessage::Assistant(said) if said.asks.is_some() => Ok(()),
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
    let waiting = waits.text(is_full);
    if !waiting.is_empty() {
        let _ = write!(text, "\n{waiting}");
    }
    text
}

/// Returns the conversation and what it waits for, for programs.
pub(super) fn json(tools: &[Toolset], session: &Session, waits: &Waits) -> String {
    let messages = session.thread().messages().iter();
    let messages = messages.filter_map(|message| message_json(tools, message));
    let usage = session.usage();
    let error = match session.status() {
        Status::Failed { message } => Some(message.as_str()),
        _ => None,
    };
    ObjectWriter::new()
        .text("id", session.id())
        .text("status", session.status().as_str())
        .maybe_text("error", error)
        .maybe_text("agent", session.agent())
        .json("messages", &list(messages))
        .json("waits", &waits.json())
        .object("usage", |tokens| {
            tokens
                .json("input", &usage.input.to_string())
                .json("output", &usage.output.to_string())
        })
        .end()
}

/// What a conversation and the agents in its calls wait for.
pub(super) struct Waits {
    all: Vec<Waiting>,
    /// Keys of the calls that have begun, and whose end is not recorded.
    begun: BTreeSet<String>,
}

impl Waits {
    /// `records` are those of the conversation's calls.
    pub(super) fn new(all: Vec<Waiting>, records: Vec<CallRecord>) -> Self {
        let begun = records
            .into_iter()
            .filter(|record| record.outcome.is_none());
        Self {
            all,
            begun: begun.map(|record| record.key).collect(),
        }
    }

    /// Returns in short what it waits for, in the order of the calls.
    pub(super) fn short(&self, session: &Session) -> Vec<String> {
        if let Status::Failed { message } = session.status() {
            return vec![shown(message, false)];
        }
        let is_interrupted = matches!(session.status(), Status::Interrupted { .. });
        let waits = self.all.iter().filter_map(|waiting| {
            let (path, tool) = (path(waiting), one_line(&waiting.tool));
            match &waiting.what {
                WaitingFor::Answer(question) => Some(format!(
                    "call {path} {tool} asks: {}",
                    shown(&question.text, false)
                )),
                // Its turn comes by itself.
                WaitingFor::Decision(PendingCallReason::NotRun) if !is_interrupted => None,
                // What the agent waits for follows.
                WaitingFor::Decision(PendingCallReason::Agent) => None,
                _ => Some(format!("call {path} {tool}")),
            }
        });
        waits.collect()
    }

    /// Returns what it waits for, for people.
    pub(super) fn text(&self, is_full: bool) -> String {
        let mut text = String::new();
        for waiting in &self.all {
            let (path, words) = (path(waiting), shown(&self.words(waiting), is_full));
            let (tool, id) = (one_line(&waiting.tool), one_line(&waiting.id));
            let _ = writeln!(text, "waits: call {path}, {tool} (id {id}): {words}");
            if let WaitingFor::Answer(question) = &waiting.what {
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

    fn json(&self) -> String {
        let members = |waiting: &Waiting| {
            let arguments = waiting.arguments.as_deref().map(quoted);
            let object = ObjectWriter::new()
                .text("call", &path(waiting))
                .text("id", &waiting.id)
                .text("tool", &waiting.tool)
                .text("reason", self.reason(waiting))
                .json("arguments", arguments.as_deref().unwrap_or("null"));
            let object = match &waiting.what {
                WaitingFor::Answer(question) => {
                    let options = Value::from(question.options.clone());
                    object
                        .text("question", &question.text)
                        .json("options", &options.to_string())
                }
                WaitingFor::Decision(PendingCallReason::Decision(ask)) => {
                    object.json("ask", &ask.to_string())
                }
                WaitingFor::Decision(PendingCallReason::OutcomeUnknown { error, .. }) => {
                    object.text("ask", error)
                }
                _ => object,
            };
            object.end()
        };
        list(self.all.iter().map(members))
    }

    fn reason(&self, waiting: &Waiting) -> &'static str {
        match &waiting.what {
            WaitingFor::Answer(_) => "question",
            WaitingFor::Decision(reason) => match reason {
                PendingCallReason::ManualTool => "manual_tool",
                PendingCallReason::ManualMode => "manual_mode",
                PendingCallReason::Decision(_) => "decision",
                PendingCallReason::Agent => "agent",
                PendingCallReason::OutcomeUnknown { .. } => "outcome_unknown",
                _ if self.begun.contains(&waiting.key) => "begun",
                _ => "not_run",
            },
            _ => "other",
        }
    }

    fn words(&self, waiting: &Waiting) -> String {
        match &waiting.what {
            WaitingFor::Answer(question) => format!("the tool asks: {}", question.text),
            WaitingFor::Decision(reason) => match reason {
                PendingCallReason::ManualTool | PendingCallReason::ManualMode => {
                    "a person or the host answers calls of this tool".to_owned()
                }
                PendingCallReason::Decision(details) => match details_in_words(details) {
                    Some(details) => format!("a person has to decide ({details})"),
                    None => "a person has to decide".to_owned(),
                },
                PendingCallReason::Agent => "the agent that it runs waits".to_owned(),
                PendingCallReason::OutcomeUnknown { error, .. } => format!(
                    "a person has to decide; it has run, and may have taken effect: {error}"
                ),
                _ if self.begun.contains(&waiting.key) => {
                    "it has begun, and its end is not recorded".to_owned()
                }
                _ => "it has not run yet".to_owned(),
            },
            _ => "it waits".to_owned(),
        }
    }
}

/// Returns the places of a call and those around it: `0/1`.
fn path(waiting: &Waiting) -> String {
    let places: Vec<_> = waiting.path.iter().map(usize::to_string).collect();
    places.join("/")
}

fn message_json(tools: &[Toolset], message: &ThreadMessage) -> Option<String> {
    let from = |who| ObjectWriter::new().text("from", who);
    let object = match message {
        ThreadMessage::User { text } => from("user").text("text", text),
        ThreadMessage::Assistant(said) if said.asks.is_some() => return None,
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
