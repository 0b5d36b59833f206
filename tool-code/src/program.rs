//! A program as the model of an agent: it answers with the calls that the program makes, and ends with its value.
//!
//! All state is in the thread. A program runs again from its start, and reads the answers of its calls there, unless an interpreter
//! of this process stands where the thread ends.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use toolwright::agent::model::{DeltaSink, ModelError, ModelErrorKind, ModelRequest};
use toolwright::agent::{Model, ModelResponse, ThreadMessage};
use toolwright::call::BoxFuture;
use toolwright::wire::Usage;
use toolwright::{ToolCall, Toolset};

use crate::answers::{self, Answer};
use crate::engine::{Ended, Input, Made, Message, Stopped};
use crate::interpreter::{Interpreter, Lost, Running};
use crate::limits::Limits;
use crate::{names, signature};

/// How often a program is replayed whose interpreter was killed from outside.
const REPLAYS: usize = 8;
/// Number of tools that an error names as those that ran.
const MAX_NAMES: usize = 20;

tokio::task_local! {
    /// Interpreter of the call that this task runs.
    pub(crate) static LIVE: Slot;
}

/// Place of an interpreter between two turns. When the call ends, pauses or is dropped, the interpreter ends.
pub(crate) type Slot = Arc<Mutex<Option<Live>>>;

/// Effect of a rejection on the program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rejection {
    /// The program ends, and cannot catch it. The model reads the reason. So it is for a call that a layer refuses, such as
    /// [`CallLimit`](toolwright::layers::CallLimit): its error is
    /// [`Rejected`](toolwright::call::ErrorKind::Rejected) too.
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

/// A program that waits in its interpreter, after so many turns.
pub(crate) struct Live {
    running: Running,
    turns: usize,
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
    /// Time that the program read before, in microseconds since 1970: the text of the turn. `None` if another version wrote it.
    now: Option<i64>,
    answers: Vec<Answer>,
}

impl Model for Program {
    fn respond<'a>(
        &'a self,
        request: ModelRequest<'a>,
        _: DeltaSink<'a>,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            let past = Past::of(request.thread.messages(), request.tools);
            let response = match self.next(&past).await {
                Ok((calls, now)) => {
                    let mut response = ModelResponse::calls(calls);
                    response.text = now.to_string();
                    response
                }
                Err(mut ended) => {
                    ended.warning = past.warning();
                    if let (Some(error), Some(ran)) = (&mut ended.error, past.ran()) {
                        error.push_str(&ran);
                    }
                    let text = serde_json::to_string(&ended).map_err(|error| {
                        let words = "the end cannot be written";
                        ModelError::new(ModelErrorKind::Unreadable, words).with_source(error)
                    })?;
                    ModelResponse::text(text)
                }
            };
            Ok(response.with_usage(Usage::default()))
        })
    }

    fn is_free(&self) -> bool {
        true
    }

    fn __is_computed(&self) -> bool {
        true
    }
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
                        now: said.text.parse().ok(),
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

    /// Returns a sentence about the calls that ran, for a model that reads an error: it would make them again.
    fn ran(&self) -> Option<String> {
        let mut counts = BTreeMap::new();
        for turn in &self.turns {
            for (call, answer) in turn.calls.iter().zip(&turn.answers) {
                let how = match answer {
                    Answer::Value(_) => "",
                    Answer::Raises(_) => " (failed)",
                    Answer::Rejected(_) | Answer::Awaited => continue,
                };
                *counts.entry((&*call.name, how)).or_insert(0) += 1;
            }
        }
        let names = counts.iter().take(MAX_NAMES);
        let names = names.map(|((name, how), count)| match count {
            1 => format!("{name}{how}"),
            _ => format!("{name}{how} ×{count}"),
        });
        let mut names: Vec<String> = names.collect();
        names.extend((counts.len() > MAX_NAMES).then(|| "…".to_owned()));
        let names = Some(names.join(", ")).filter(|names| !names.is_empty());
        names.map(|names| format!("\nCalls that ran before: {names}."))
    }

    /// Returns a warning about a name that the program gives to something else than its tool.
    fn warning(&self) -> Option<String> {
        // Texts of several lines are not code.
        let code = self.source.split("\"\"\"").step_by(2);
        let code = code.flat_map(|code| code.split("'''").step_by(2));
        let mut defined = code.flat_map(str::lines).filter_map(defined);
        let name = defined.find(|name| {
            let mut tools = self.tools.definitions();
            tools.any(|def| names::identifier(&def.name) == *name)
        })?;
        Some(format!(
            "the program defines `{name}` itself, which hides the tool of that name"
        ))
    }

    /// Returns the end of a program that does not make the calls again that it has made.
    fn diverged(&self, turn: usize) -> Ended {
        let recorded = self.turns.get(turn).and_then(|turn| turn.calls.first());
        let recorded = recorded.map_or("nothing", |call| &call.name);
        Ended::failed(format!(
            "the program diverged: when it ran again, it did not repeat its calls from `{recorded}` on (turn {}). Calls that it made \
             before have run, and none of them ran twice.",
            turn + 1
        ))
    }
}

/// Returns the name that a line defines or assigns. In an indented line, `name=` is an argument, `name:` a field and `def name(self`
/// a method.
fn defined(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let is_indented = code.len() < line.len();
    let definition = code.strip_prefix("async").map_or(code, str::trim_start);
    let mut words = ["def ", "class "].iter();
    let definition = words.find_map(|word| definition.strip_prefix(word));
    let code = definition.map_or(code, str::trim_start);
    let end = code.find(|letter: char| letter != '_' && !letter.is_alphanumeric());
    let (name, rest) = code.split_at_checked(end?)?;
    let is_defined = if definition.is_some() {
        !(is_indented && ["(self", "(cls"].iter().any(|it| rest.starts_with(it)))
    } else if is_indented {
        rest.starts_with(" = ")
    } else {
        let value = rest.trim_start();
        value.starts_with('=') && !value.starts_with("==")
            || rest.starts_with(':') && rest.contains(" = ")
    };
    is_defined.then_some(name)
}

impl Turn<'_> {
    /// Compares by name and arguments. Ids are the agent's.
    fn is_same(&self, made: &[Made]) -> bool {
        let mut both = self.calls.iter().zip(made);
        self.calls.len() == made.len()
            && both
                .all(|(call, made)| *call.name == made.tool && *call.arguments == *made.arguments)
    }

    fn answers(&self) -> Input {
        Input::Answers(self.answers.iter().map(Answer::answered).collect())
    }
}

impl Program {
    /// Returns the calls that the program makes next and the time that it read before, or its end.
    async fn next(&self, past: &Past<'_>) -> Result<(Vec<ToolCall>, i64), Ended> {
        let rejected = past.rejection();
        let rejected = rejected.filter(|_| self.rejection == Rejection::EndsProgram);
        let next = match past.turns.iter().position(|turn| turn.now.is_none()) {
            Some(turn) => Err(past.diverged(turn)),
            None => self.replay(past, rejected.is_some()).await,
        };
        let Some((call, reason)) = rejected else {
            return next;
        };
        // Whatever became of the program, it makes no more calls, and the rejection is what the model has to read.
        let printed = next.err().map(|ended| ended.printed);
        Err(Ended {
            printed: printed.unwrap_or_default(),
            ..Ended::failed(format!(
                "the call of {} was rejected, which ended the program: {reason}",
                call.name
            ))
        })
    }

    /// Runs the program from where it waits, or else from its start. With `ends`, it ends where it waits for the last answers.
    async fn replay(&self, past: &Past<'_>, ends: bool) -> Result<(Vec<ToolCall>, i64), Ended> {
        let slot = LIVE.try_with(Arc::clone).unwrap_or_default();
        let mut live = lock(&slot).take();
        live = live.filter(|live| live.turns == past.turns.len());
        for _ in 0..REPLAYS {
            match self.run(past, live.take(), ends).await {
                Ok((calls, now, live)) => {
                    *lock(&slot) = Some(live);
                    return Ok((calls, now));
                }
                Err(Lost::Killed) => {}
                Err(Lost::Ends(ended)) => return Err(ended),
            }
        }
        Err(Ended::failed("the interpreter was killed again and again"))
    }

    /// Runs the program until it leaves the thread behind.
    async fn run(
        &self,
        past: &Past<'_>,
        live: Option<Live>,
        ends: bool,
    ) -> Result<(Vec<ToolCall>, i64, Live), Lost> {
        let mut live = match live {
            Some(live) => live,
            None => self.start()?,
        };
        loop {
            let (at, turn) = (live.turns, past.turns.get(live.turns));
            let now = turn.and_then(|turn| turn.now).unwrap_or_else(|| self.now());
            let answered = at.checked_sub(1).and_then(|last| past.turns.get(last));
            let input = match answered {
                Some(_) if ends && turn.is_none() => Input::End,
                Some(answered) => answered.answers(),
                None => self.begins(past)?,
            };
            let made = match live.running.send(Message { now, input }).await? {
                Stopped::Calls(made) => made,
                Stopped::Ended(ended) => {
                    let is_diverged = turn.is_some() && !self.limits.ended(&ended);
                    return Err(Lost::Ends(if is_diverged {
                        past.diverged(at)
                    } else {
                        ended
                    }));
                }
            };
            live.turns += 1;
            let Some(turn) = turn else {
                let before: usize = past.turns.iter().map(|turn| turn.calls.len()).sum();
                if before + made.len() > self.limits.calls {
                    return Err(Lost::failed(self.limits.out_of_calls()));
                }
                let calls = made.into_iter().zip(before + 1..);
                let calls = calls
                    .map(|(made, id)| ToolCall::new(format!("c{id}"), made.tool, made.arguments));
                return Ok((calls.collect(), now, live));
            };
            if !turn.is_same(&made) {
                return Err(Lost::Ends(past.diverged(at)));
            }
        }
    }

    fn start(&self) -> Result<Live, Lost> {
        let running = Running::new(&self.interpreter, &self.environment, self.limits);
        let running = running.map_err(|error| {
            let kind = error.kind();
            Lost::failed(format!("the interpreter could not be started: {kind}"))
        })?;
        Ok(Live { running, turns: 0 })
    }

    /// Begins the program, with the functions that the conversation may see. The others do not exist for it.
    fn begins(&self, past: &Past<'_>) -> Result<Input, Lost> {
        let functions = signature::functions(past.tools, |function| past.source.contains(function));
        Ok(Input::Start {
            source: past.source.to_owned(),
            functions: functions.map_err(Lost::failed)?,
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

fn lock(slot: &Slot) -> std::sync::MutexGuard<'_, Option<Live>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
