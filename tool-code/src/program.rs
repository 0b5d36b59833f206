//! A program as the model of an agent: it answers with the calls that the program makes, and ends with its value.
//!
//! All state is in the thread. A program runs again from its start, and reads the answers of its calls there, unless an interpreter
//! of this process stands where the thread ends.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolwright::agent::model::{DeltaSink, ModelError, ModelErrorKind, ModelRequest};
use toolwright::agent::{Model, ModelResponse, ThreadMessage};
use toolwright::call::BoxFuture;
use toolwright::call::Scope;
use toolwright::wire::Usage;
use toolwright::{ToolCall, Toolset, json};

use crate::answers::{self, Answer};
use crate::engine::{Answered, Made, Raised, Resume, Start, Step};
use crate::interpreter::{Interpreter, Lost, Message, Running, Stopped};
use crate::limits::Limits;
use crate::signature::{FIND_TOOLS, Signatures};
use crate::stubs::stubs_of;

/// How often a program is replayed whose interpreter was killed from outside.
const REPLAYS: usize = 8;
/// How often the host itself answers a program between two turns.
const MAX_ANSWERS: usize = 1000;
/// Number of functions that one search returns.
const MAX_FOUND: usize = 8;

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
    pub(crate) signatures: Signatures,
    pub(crate) interpreter: Interpreter,
    pub(crate) environment: Vec<String>,
    pub(crate) limits: Limits,
    pub(crate) rejection: Rejection,
    pub(crate) clock: Arc<Clock>,
    /// True if programs search for functions.
    pub(crate) is_searching: bool,
}

/// A program that waits in its interpreter.
pub(crate) struct Live {
    running: Running,
    /// Turns that it has made.
    turns: Vec<Vec<ToolCall>>,
    waits: Waits,
}

/// Calls that a program waits for.
#[derive(Default)]
struct Waits {
    /// Ids of the calls of the turn, in their order.
    of_turn: Vec<u32>,
    /// Calls that the host answered itself: searches, and calls that the program made wrongly.
    answered: Vec<(u32, Answered)>,
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
    notes: Notes,
    answers: Vec<Answer>,
}

/// Text of a turn's message: what the host answered besides.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Notes {
    /// Times in microseconds since 1970, in the order in which the program asked.
    now: Vec<i64>,
}

/// Last text of a program: its result, as JSON.
#[derive(Serialize, Deserialize)]
pub(crate) struct Ended {
    /// The value, or an error.
    pub(crate) result: Result<Box<RawValue>, String>,
    pub(crate) printed: String,
    pub(crate) warning: Option<String>,
}

impl Ended {
    fn failed(words: impl Into<String>) -> Self {
        Self::new(Err(words.into()), String::new())
    }

    fn new(result: Result<Box<RawValue>, String>, printed: String) -> Self {
        Self {
            result,
            printed,
            warning: None,
        }
    }
}

/// Next thing that a program does.
enum Next {
    Calls(Vec<ToolCall>, Notes),
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
                Next::Calls(calls, notes) => {
                    let mut response = ModelResponse::calls(calls);
                    if !notes.now.is_empty() {
                        response.text = text(&notes)?;
                    }
                    response
                }
                Next::Ends(mut ended) => {
                    ended.warning = self.warning(&past);
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
                        notes: serde_json::from_str(&said.text).unwrap_or_default(),
                        answers: Vec::new(),
                    });
                }
                (ThreadMessage::Tool(answer), Some(turn)) => {
                    turn.answers.push(answers::read(answer));
                }
                // The user answered the question of a call in words.
                (ThreadMessage::User { text }, Some(turn)) => {
                    let words = json::Value::string(text.as_str()).to_json();
                    for answer in &mut turn.answers {
                        if matches!(answer, Answer::Awaited) {
                            *answer = Answer::Goes(Answered::Value(words.clone()));
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

    /// Returns the reason of a call of the last turn that was rejected.
    fn rejection(&self) -> Option<(&'t ToolCall, &str)> {
        self.turns.iter().find_map(|turn| {
            turn.calls
                .iter()
                .zip(&turn.answers)
                .find_map(|(call, answer)| match answer {
                    Answer::Rejected(reason) => Some((call, &**reason)),
                    Answer::Goes(_) | Answer::Awaited => None,
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
                Err(Lost::Failed(stopped)) => return Next::Ends(ended(stopped)),
            }
        }
        Next::Ends(Ended::failed("the interpreter was killed again and again"))
    }

    /// Runs the program from where it waits, or else from its start, until it leaves the thread behind.
    async fn run(&self, past: &Past<'_>, live: Option<Live>) -> Result<(Next, Option<Live>), Lost> {
        let (mut live, mut stopped) = match live {
            Some(mut live) => {
                let waits = std::mem::take(&mut live.waits);
                let answers = waits.answers(past.turns.last());
                let stopped = live.running.send(resume(answers)).await?;
                (live, stopped)
            }
            None => self.start(past).await?,
        };
        let (mut notes, mut answers) = (Notes::default(), 0);
        loop {
            let turn = past.turns.get(live.turns.len());
            answers += 1;
            if answers > MAX_ANSWERS {
                let words =
                    "the program asked for the time, searched or made wrong calls again and again";
                return Ok((Next::Ends(Ended::failed(words)), None));
            }
            let message = match stopped.step {
                Step::Now => {
                    let now = match turn.map(|turn| turn.notes.now.get(notes.now.len())) {
                        Some(Some(now)) => *now,
                        Some(None) => return Ok((diverged(past, live.turns.len()), None)),
                        None => self.now(),
                    };
                    notes.now.push(now);
                    Message::Resume(Resume::Now(now))
                }
                Step::Calls(made) => {
                    let count = live.turns.iter().map(Vec::len).sum();
                    let (calls, waits) = match self.calls(made, count, past.tools) {
                        Ok(calls) => calls,
                        Err(refused) => return Ok((Next::Ends(refused), None)),
                    };
                    if calls.is_empty() {
                        resume(waits.answers(None))
                    } else {
                        live.turns.push(calls.clone());
                        let Some(turn) = turn else {
                            live.waits = waits;
                            return Ok((Next::Calls(calls, notes), Some(live)));
                        };
                        if !is_same(&calls, turn.calls) {
                            return Ok((diverged(past, live.turns.len() - 1), None));
                        }
                        (notes, answers) = (Notes::default(), 0);
                        resume(waits.answers(Some(turn)))
                    }
                }
                Step::Value(_) | Step::Failed(_) if turn.is_some() => {
                    return Ok((diverged(past, live.turns.len()), None));
                }
                Step::Value(_) | Step::Failed(_) => return Ok((Next::Ends(ended(stopped)), None)),
            };
            stopped = live.running.send(message).await?;
        }
    }

    async fn start(&self, past: &Past<'_>) -> Result<(Live, Stopped), Lost> {
        let failed = |words: String| Lost::Failed(Stopped::failed(words));
        let running = Running::new(&self.interpreter, &self.environment, self.limits);
        let running = running.map_err(|error| {
            failed(format!(
                "the interpreter could not be started: {}",
                error.kind()
            ))
        })?;
        let functions = self.functions(past.tools).into_iter();
        let functions = functions.filter(|function| past.source.contains(function));
        let start = Start {
            source: past.source.to_owned(),
            functions: functions.map(str::to_owned).collect(),
            limits: self.limits,
        };
        let stopped = running.send(Message::Start(start)).await?;
        let live = Live {
            running,
            turns: Vec::new(),
            waits: Waits::default(),
        };
        Ok((live, stopped))
    }

    /// Returns the calls of a turn, and what the program waits for. Fails if it has made too many.
    fn calls(
        &self,
        made: Vec<Made>,
        count: usize,
        tools: &Toolset,
    ) -> Result<(Vec<ToolCall>, Waits), Ended> {
        let mut waits = Waits::default();
        let mut calls = Vec::new();
        for made in made {
            let id = format!("c{}", count + calls.len() + 1);
            match self.signatures.call(&made, &id) {
                Ok(call) if self.is_searching && made.function == FIND_TOOLS => {
                    waits
                        .answered
                        .push((made.id, Answered::Value(found(&call, tools))));
                }
                Ok(call) => {
                    waits.of_turn.push(made.id);
                    calls.push(call);
                }
                Err(raised) => waits.answered.push((made.id, Answered::Raises(raised))),
            }
        }
        let most = self.limits.calls;
        if count + calls.len() > most {
            return Err(Ended::failed(format!(
                "the program made more than {most} calls, which ended it before the last of them ran"
            )));
        }
        Ok((calls, waits))
    }

    /// Returns the functions that the conversation may see. The others do not exist for the program.
    fn functions(&self, tools: &Toolset) -> Vec<&str> {
        let is_seen =
            |tool: &str| tools.get(tool).is_some() || (self.is_searching && tool == FIND_TOOLS);
        let functions = self.signatures.iter().filter(|(_, tool)| is_seen(tool));
        functions.map(|(function, _)| function).collect()
    }

    /// Returns a warning about a function of the program that has the name of a tool's.
    fn warning(&self, past: &Past<'_>) -> Option<String> {
        let functions = self.functions(past.tools);
        let function = past.source.lines().find_map(|line| {
            let line = line.strip_prefix("async").map_or(line, str::trim_start);
            let (name, _) = line.strip_prefix("def ")?.split_once('(')?;
            functions.iter().find(|function| **function == name.trim())
        })?;
        Some(format!(
            "the program defines `{function}` itself, which hides the tool of that name"
        ))
    }

    fn now(&self) -> i64 {
        let now = (self.clock)()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        i64::try_from(now.as_micros()).unwrap_or(i64::MAX)
    }
}

impl Waits {
    fn answers(self, turn: Option<&Turn<'_>>) -> Vec<(u32, Answered)> {
        let answers = turn.map(|turn| turn.answers.iter()).unwrap_or_default();
        let answers = answers.map(|answer| match answer {
            Answer::Goes(answered) => answered.clone(),
            Answer::Rejected(reason) => {
                Answered::Raises(Raised::new("PermissionError", reason.clone()))
            }
            Answer::Awaited => Answered::Raises(Raised::new("RuntimeError", "nobody answered")),
        });
        self.of_turn
            .into_iter()
            .zip(answers)
            .chain(self.answered)
            .collect()
    }
}

/// Returns the stubs of the functions that a search finds, as JSON text.
fn found(call: &ToolCall, tools: &Toolset) -> String {
    let arguments = json::Value::parse(&call.arguments).unwrap_or(json::Value::Null);
    let words = arguments
        .get("words")
        .and_then(json::Value::as_str)
        .unwrap_or_default();
    // They are those that the conversation sees.
    let found = tools.search(words, MAX_FOUND, &Scope::default());
    let stubs = stubs_of(found.iter().map(|found| found.def));
    let stubs = if stubs.is_empty() {
        "no function is about these words"
    } else {
        &stubs
    };
    json::Value::string(stubs).to_json()
}

fn resume(answers: Vec<(u32, Answered)>) -> Message {
    Message::Resume(Resume::Answers(answers))
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

fn ended(stopped: Stopped) -> Ended {
    let result = match stopped.step {
        Step::Value(json) => {
            RawValue::from_string(json).map_err(|_| "the value is not JSON".to_owned())
        }
        Step::Failed(words) => Err(words),
        Step::Calls(_) | Step::Now => Err("the program goes on".to_owned()),
    };
    Ended::new(result, stopped.printed.finish())
}

fn lock(slot: &Slot) -> std::sync::MutexGuard<'_, Option<Live>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
