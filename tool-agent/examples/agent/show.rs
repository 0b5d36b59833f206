//! Shows what happens, as it happens: for people at a terminal, or as JSON lines for programs.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use toolwright::agent::{Listener, Run, RunEnd, RunEvent};
use toolwright::executor::{Pending, PendingReason};
use toolwright::{
    Encoder, call::Decision, executor::Event as CallEvent, text::Printable, wire::StreamEvent,
};

/// Cheap to clone; all clones write to the same place.
#[derive(Clone)]
pub(crate) struct Show(Arc<Screen>);

struct Screen {
    json: bool,
    colour: bool,
    /// Whether the model's words are being written, and their line has not ended.
    speaks: Mutex<bool>,
}

impl Listener for Show {
    fn event(&self, event: &RunEvent<'_>) {
        match event {
            RunEvent::RunStarted { session, .. } => {
                self.json(|| json!({"event": "run_started", "session": session}));
            }
            RunEvent::Delta {
                delta: StreamEvent::Text(text),
                ..
            } => {
                self.json(|| json!({"event": "text", "text": text}));
                self.speak(text);
            }
            RunEvent::ModelFinished { response, .. } => {
                self.json(|| {
                    json!({
                        "event": "model_finished", "text": response.text,
                        "calls": response.calls.len(), "usage": response.usage,
                    })
                });
                self.end_line();
            }
            RunEvent::Call { event, .. } => self.call(event),
            RunEvent::RunFinished { run, .. } => self.finished(run),
            _ => {}
        }
    }
}

impl Show {
    pub(crate) fn new(json: bool) -> Self {
        let no_colour = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self(Arc::new(Screen {
            json,
            colour: io::stdout().is_terminal() && !no_colour,
            speaks: Mutex::new(false),
        }))
    }

    /// What happens to a call. Arguments are shown without what is marked as secret in them.
    fn call(&self, event: &CallEvent<'_>) {
        match event {
            // The model has read that it goes on.
            CallEvent::Started { cx, .. } if cx.open_call().is_some() => {}
            CallEvent::Started { call, redacted, .. } => {
                self.json(|| {
                    let arguments = redacted.text();
                    json!({
                        "event": "call_started", "id": call.id, "tool": call.name,
                        "arguments": arguments,
                    })
                });
                self.line("calls", format_args!("{}({})", call.name, redacted));
            }
            CallEvent::Finished {
                call, result, cx, ..
            } => {
                if cx.open_call().is_some() {
                    self.line("later", format_args!("{}", call.name));
                }
                let text = result.content(Encoder::auto());
                self.json(|| {
                    json!({
                        "event": "call_finished", "id": call.id, "tool": call.name,
                        "ok": result.is_success(), "text": text,
                    })
                });
                let sign = if result.is_success() { "=" } else { "!" };
                self.line("", format_args!("{sign} {text}"));
            }
            _ => {}
        }
    }

    fn finished(&self, run: &Run) {
        self.json(|| {
            json!({
                "event": "run_finished", "halted": run.end.as_str(), "text": run.text(),
                "turns": run.turns, "usage": run.usage,
            })
        });
        match &run.end {
            // What the person is asked says it.
            RunEnd::Completed | RunEnd::Pending | RunEnd::AskUser { .. } => {}
            RunEnd::ModelError(error) => self.line("stopped", format_args!("{error}")),
            halted => self.line("stopped", format_args!("{}", halted.as_str())),
        }
    }

    /// A call that waits for a person.
    pub(crate) fn waits(&self, pending: &Pending, shown: &str) {
        let call = &pending.call;
        let why = match &pending.reason {
            PendingReason::Decision(why) => why.clone(),
            why => why.as_str().into(),
        };
        self.json(|| {
            json!({
                "event": "call_waits", "id": call.id, "tool": call.name, "arguments": shown,
                "why": why,
            })
        });
        self.line("waits", format_args!("{}({shown}) {why}", call.name));
    }

    pub(crate) fn decided(&self, pending: &Pending, decision: &Decision) {
        let id = &pending.call.id;
        self.json(|| json!({"event": "decision", "id": id, "decision": decision}));
        match decision {
            Decision::Approve => self.line("person", "approves it"),
            Decision::Edit(arguments) => self.line("person", format_args!("makes it {arguments}")),
            Decision::Reject(why) => self.line("person", format_args!("rejects it {why}")),
            Decision::Answer(value) => self.line("person", format_args!("answers it: {value}")),
        }
    }

    pub(crate) fn question(&self, question: &str, options: &Map<String, Value>) {
        self.json(|| json!({"event": "question", "question": question, "options": options}));
        self.line("asks", question);
        for choice in options
            .get("choices")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            self.line(
                "",
                format_args!("- {}", choice.as_str().unwrap_or_default()),
            );
        }
    }

    /// What the person says.
    pub(crate) fn words(&self, words: &str) {
        self.json(|| json!({"event": "person", "text": words}));
        self.line("person", words);
    }

    /// What the person should know.
    pub(crate) fn note(&self, text: &str) {
        self.json(|| json!({"event": "note", "text": text}));
        self.line("note", text);
    }

    /// How to go on with a session that is not at its end.
    pub(crate) fn kept(&self, session: &str, db: &Path) {
        self.json(|| json!({"event": "kept", "session": session, "db": db}));
        let db = db.display();
        self.line(
            "kept",
            format_args!("go on with --resume {session} --db {db}"),
        );
    }

    /// Another process goes on.
    pub(crate) fn second_process(&self, session: &str, db: &Path) {
        self.json(|| json!({"event": "second_process", "session": session, "db": db}));
        let words = "nobody answers; this process ends, and a second one goes on from the file";
        self.line("", words);
    }

    /// Asks for a line of input, if somebody types it.
    pub(crate) fn prompt(&self, prompt: &str) {
        if !self.0.json && io::stdin().is_terminal() {
            self.end_line();
            write(&format!("{} ", self.label(&format!("{prompt}>"))));
        }
    }

    fn json(&self, event: impl FnOnce() -> Value) {
        if self.0.json {
            write(&format!("{}\n", event()));
        }
    }

    /// A piece of what the model says.
    fn speak(&self, text: &str) {
        if self.0.json {
            return;
        }
        let mut speaks = self.0.speaks.lock().unwrap_or_else(PoisonError::into_inner);
        if !*speaks {
            write(&self.label("model"));
        }
        *speaks = true;
        write(&printable(text));
    }

    fn end_line(&self) {
        let mut speaks = self.0.speaks.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut *speaks) {
            write("\n");
        }
    }

    fn line(&self, label: &str, text: impl Display) {
        if !self.0.json {
            self.end_line();
            write(&format!(
                "{}{}\n",
                self.label(label),
                printable(&text.to_string())
            ));
        }
    }

    fn label(&self, label: &str) -> String {
        if self.0.colour {
            format!("\x1b[2m{label:8}\x1b[0m")
        } else {
            format!("{label:8}")
        }
    }
}

/// At once. That nobody reads any more changes nothing.
fn write(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// Text of models and tools, which may not steer the terminal.
fn printable(text: &str) -> String {
    Printable::new(text).to_string()
}
