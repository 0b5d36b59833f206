//! A program as the model of an agent: it answers with the calls that the program makes, and ends with its value.
//!
//! All state is in the thread. A program runs again from its start, and reads the answers of its calls there, unless an interpreter
//! of this process stands where the thread ends.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use toolwright::agent::model::{DeltaSink, ModelError, ModelErrorKind, ModelRequest};
use toolwright::agent::{Model, ModelResponse, ThreadMessage};
use toolwright::call::BoxFuture;
use toolwright::wire::Usage;
use toolwright::{ToolCall, Toolset};

use crate::answers::{self, Answer};
use crate::engine::{Ended, GoesOn, Made, Message, Stopped};
use crate::interpreter::{Interpreter, Lost, Running};
use crate::limits::Limits;
use crate::{names, signature};

/// How often a program is replayed whose interpreter was killed from outside.
const REPLAYS: usize = 8;

tokio::task_local! {
    /// Interpreter of the call that this task runs.
    pub(crate) static LIVE: Slot;
}

/// Place of an interpreter between two turns. When the call ends, pauses or is dropped, the interpreter ends.
pub(crate) type Slot = Arc<Mutex<Option<Live>>>;

/// Effect of a rejection on the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rejection {
    /// The program ends, and cannot catch it. The model reads the reason.
    #[default]
    EndsProgram,
    /// The call raises a `PermissionError`, which the program may catch. A program that catches all errors may ask again.
    Raises,
}

/// Returns the time.
pub(crate) type Clock = dyn Fn() -> SystemTime + Send + Sync;

/// Model that runs the program of its thread.
pub(crate) struct Program {
    pub(crate) interpreter: Interpreter,
    pub(crate) environment: Vec<String>,
    pub(crate) limits: Limits,
    pub(crate) rejection: Rejection,
    pub(crate) clock: Arc<Clock>,
}

/// A program that waits in its interpreter.
pub(crate) struct Live {
    running: Running,
    /// Turns that it has made.
    turns: Vec<Vec<ToolCall>>,
}

/// The thread of a program, and the tools that it may call.
struct Past<'t> {
    source: &'t str,
    tools: &'t Toolset,
    turns: Vec<Turn<'t>>,
}

/// Calls of one turn, with their answers.
struct Turn<'t> {
    calls: &'t [ToolCall],
    /// Time that the program read before; `None` if another version wrote the turn.
    now: Option<i64>,
    answers: Vec<Answer>,
}

/// Text of a turn's message.
#[derive(Serialize, Deserialize)]
struct Notes {
    /// Time that the program read before, in microseconds since 1970.
    now: i64,
}

/// Next thing that a program does.
enum Next {
    /// It waits for these calls. Until then, it read this time.
    Calls(Vec<ToolCall>, i64),
    Ends(Ended),
}

impl Model for Program {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            let past = Past::of(request.thread.messages(), request.tools);
            let next = self.next(&past).await;
            let response = match next {
                Next::Calls(calls, now) => {
                    let mut response = ModelResponse::calls(calls);
                    response.text = text(&Notes { now })?;
                    response
                }
                Next::Ends(mut ended) => {
                    ended.warning = warning(&past);
                    ModelResponse::text(text(&ended)?)
                }
            };
            Ok(response.with_usage(Usage::default()))
        })
    }

    fn is_free(&self) -> bool {
        true
    }
}

fn text(value: &impl Serialize) -> Result<String, ModelError> {
    serde_json::to_string(value).map_err(|error| {
        ModelError::new(ModelErrorKind::Unreadable, "the turn cannot be written").with_source(error)
    })
}

impl<'t> Past<'t> {
    fn of(messages: &'t [ThreadMessage], tools: &'t Toolset) -> Self {
        let mut past = Self {
            source: "",
            tools,
            turns: Vec::new(),
        };
        let mut messages = messages.iter();
        if let Some(ThreadMessage::User { text }) = messages.next() {
            past.source = text;
        }
        for message in messages {
            let turn = past.turns.last_mut();
            match (message, turn) {
                (ThreadMessage::Assistant(said), _) if !said.calls.is_empty() => {
                    past.turns.push(Turn {
                        calls: &said.calls,
                        now: serde_json::from_str(&said.text)
                            .ok()
                            .map(|Notes { now }| now),
                        answers: Vec::new(),
                    });
                }
                (ThreadMessage::Tool(answer), Some(turn)) => {
                    turn.answers.push(answers::read(answer));
                }
                // The user answered the question of a call in words.
                (ThreadMessage::User { text }, Some(turn)) => {
                    for answer in &mut turn.answers {
                        if matches!(answer, Answer::Awaited) {
                            *answer = Answer::said(text);
                        }
                    }
                }
                _ => {}
            }
        }
        past
    }

    /// Returns true if these are the turns of the thread.
    fn has(&self, turns: &[Vec<ToolCall>]) -> bool {
        turns.len() == self.turns.len()
            && turns
                .iter()
                .zip(&self.turns)
                .all(|(made, turn)| is_same(made, turn.calls))
    }

    /// Returns the time that the program reads after so many turns, if it is recorded.
    fn now(&self, turns: usize) -> Option<i64> {
        self.turns.get(turns)?.now
    }

    /// Returns the first call that was rejected, and the reason.
    fn rejection(&self) -> Option<(&'t ToolCall, &str)> {
        self.turns.iter().find_map(|turn| {
            turn.calls
                .iter()
                .zip(&turn.answers)
                .find_map(|(call, answer)| match answer {
                    Answer::Rejected(reason) => Some((call, &**reason)),
                    _ => None,
                })
        })
    }
}

/// Compares by name and arguments. Ids are the agent's.
fn is_same(made: &[ToolCall], recorded: &[ToolCall]) -> bool {
    made.len() == recorded.len()
        && made.iter().zip(recorded).all(|(made, recorded)| {
            made.name == recorded.name && made.arguments == recorded.arguments
        })
}

impl Program {
    async fn next(&self, past: &Past<'_>) -> Next {
        if let (Rejection::EndsProgram, Some((call, reason))) = (self.rejection, past.rejection()) {
            return Next::Ends(Ended::failed(format!(
                "the call of {} was rejected, which ended the program: {reason}",
                call.name
            )));
        }
        if let Some(turn) = past.turns.iter().position(|turn| turn.now.is_none()) {
            return diverged(past, turn);
        }
        let slot = LIVE.try_with(Arc::clone).ok();
        let mut live = slot.as_ref().and_then(|slot| lock(slot).take());
        live = live.filter(|live| past.has(&live.turns));
        for _ in 0..REPLAYS {
            match self.run(past, live.take()).await {
                Ok((next, live)) => {
                    if let Some(slot) = &slot {
                        *lock(slot) = live;
                    }
                    return next;
                }
                Err(Lost::Killed) => {}
                Err(Lost::Failed(words)) => return Next::Ends(Ended::failed(words)),
            }
        }
        Next::Ends(Ended::failed("the interpreter was killed again and again"))
    }

    /// Runs the program from where it waits, or else from its start, until it leaves the thread behind.
    async fn run(&self, past: &Past<'_>, live: Option<Live>) -> Result<(Next, Option<Live>), Lost> {
        let (mut live, mut answers) = match live {
            Some(live) => (live, past.turns.last().map(Turn::answers)),
            None => (self.start()?, None),
        };
        loop {
            let at = live.turns.len();
            let now = past.now(at).unwrap_or_else(|| self.now());
            let goes_on = match answers {
                Some(answers) => answers,
                None => self.begins(past)?,
            };
            let made = match live.running.send(Message { now, goes_on }).await? {
                Stopped::Calls(made) => made,
                Stopped::Ended(_) if at < past.turns.len() => {
                    return Ok((diverged(past, at), None));
                }
                Stopped::Ended(ended) => return Ok((Next::Ends(ended), None)),
            };
            let count = live.turns.iter().map(Vec::len).sum();
            let calls = calls(made, count);
            if count + calls.len() > self.limits.calls {
                let words = self.limits.out_of_calls();
                return Ok((Next::Ends(Ended::failed(words)), None));
            }
            live.turns.push(calls.clone());
            match past.turns.get(at) {
                None => return Ok((Next::Calls(calls, now), Some(live))),
                Some(turn) if !is_same(&calls, turn.calls) => {
                    return Ok((diverged(past, at), None));
                }
                Some(turn) => answers = Some(turn.answers()),
            }
        }
    }

    fn start(&self) -> Result<Live, Lost> {
        let running = Running::new(&self.interpreter, &self.environment, self.limits);
        let running = running.map_err(|error| {
            let kind = error.kind();
            Lost::Failed(format!("the interpreter could not be started: {kind}"))
        })?;
        let turns = Vec::new();
        Ok(Live { running, turns })
    }

    /// Begins the program, with the functions that the conversation may see. The others do not exist for it.
    fn begins(&self, past: &Past<'_>) -> Result<GoesOn, Lost> {
        let functions = signature::functions(past.tools, |function| past.source.contains(function));
        Ok(GoesOn::Start {
            source: past.source.to_owned(),
            functions: functions.map_err(Lost::Failed)?,
            limits: self.limits,
        })
    }

    fn now(&self) -> i64 {
        let now = (self.clock)()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        i64::try_from(now.as_micros()).unwrap_or(i64::MAX)
    }
}

impl Turn<'_> {
    fn answers(&self) -> GoesOn {
        GoesOn::Answers(self.answers.iter().map(Answer::answered).collect())
    }
}

/// Returns the calls of a turn, after so many others.
fn calls(made: Vec<Made>, count: usize) -> Vec<ToolCall> {
    let ids = (count + 1..).map(|number| format!("c{number}"));
    let calls = made.into_iter().zip(ids);
    calls
        .map(|(made, id)| ToolCall::new(id, made.tool, made.arguments))
        .collect()
}

/// Returns a warning about a function of the program that has the name of a tool's.
fn warning(past: &Past<'_>) -> Option<String> {
    let defined = past.source.lines().filter_map(|line| {
        let line = line.strip_prefix("async").map_or(line, str::trim_start);
        let (name, _) = line.strip_prefix("def ")?.split_once('(')?;
        Some(name.trim())
    });
    let is_tool = |name: &&str| {
        let mut tools = past.tools.definitions();
        tools.any(|def| names::identifier(&def.name) == **name)
    };
    let function = defined.into_iter().find(is_tool)?;
    Some(format!(
        "the program defines `{function}` itself, which hides the tool of that name"
    ))
}

/// Returns the end of a program that does not make the calls again that it has made.
fn diverged(past: &Past<'_>, turn: usize) -> Next {
    let recorded = past.turns.get(turn).and_then(|turn| turn.calls.first());
    let recorded = recorded.map_or("nothing", |call| &call.name);
    Next::Ends(Ended::failed(format!(
        "the program diverged: when it ran again, it did not repeat its calls from `{recorded}` on (turn {}). Calls that it made \
         before have run, and none of them ran twice.",
        turn + 1
    )))
}

fn lock(slot: &Slot) -> std::sync::MutexGuard<'_, Option<Live>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
