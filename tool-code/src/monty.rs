//! The interpreter `monty`. No other file names it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use chrono::{DateTime, Datelike, Timelike};
use monty::{FunctionCall, MontyRun, ResolveFutures, RunProgress};
use monty_types::{
    CompileOptions, DictPairs, ExcType, ExtFunctionResult, MontyDate, MontyDateTime,
    MontyException, MontyObject, NameLookupResult, OsFunctionCall, PrintWriter,
    PrintWriterCallback, ResourceLimits, ResourceTracker,
};
use serde_json::value::RawValue;
use toolwright::json::Value;

use crate::engine::{Answered, Ended, Engine, Input, Made, Message, Raised, Stopped};
use crate::limits::{Limits, MAX_ARGUMENTS};
use crate::names;
use crate::signature::Signature;
use crate::text::Capped;

/// Depth at which a value is refused instead of written.
const MAX_DEPTH: usize = 128;
/// Bytes of a traceback.
const MAX_TRACEBACK: usize = 4 << 10;
/// Depth of calls. Deeper recursion is a `RecursionError`.
const MAX_RECURSION: usize = 400;

/// Text before each program. A call begins when its coroutine runs: `__made` counts a call that is made, and `__call` begins it. An
/// error is raised here, since monty ends a `gather` by a failed call that its coroutine would catch.
const PRELUDE: &str = "\
async def __begin(function, args, kwargs):
    value, error = await __call(function, args, kwargs)
    if error is not None: raise error
    return value
";

/// One program in monty.
#[derive(Default)]
pub(crate) struct Monty {
    limits: Limits,
    /// Number of lines before the program's own.
    lines: u32,
    functions: BTreeMap<String, Signature>,
    printed: Capped,
    /// Time of the program.
    now: i64,
    /// Number of calls that have begun.
    count: usize,
    /// Number of calls of each function that were made and have not begun.
    not_begun: BTreeMap<String, usize>,
    /// Calls of the step that the host answers, with monty's ids, and bytes of their arguments.
    made: Vec<(u32, Made)>,
    bytes: usize,
    /// Calls of the step that are wrong.
    refused: Vec<(u32, ExtFunctionResult)>,
    /// Place where the program waits for `made`.
    waits: Option<ResolveFutures>,
}

impl Engine for Monty {
    fn run(&mut self, message: Message) -> Stopped {
        self.now = message.now;
        let progress = match (message.input, self.waits.take()) {
            (
                Input::Start {
                    source,
                    functions,
                    limits,
                },
                _,
            ) => self.start(&source, functions, limits),
            (Input::Answers(answers), Some(waits)) => {
                let calls = std::mem::take(&mut self.made).into_iter();
                let answers = calls
                    .zip(answers)
                    .map(|((id, _), answer)| (id, result(answer)));
                let answers = answers.chain(self.refused.drain(..)).collect();
                waits.resume(answers, PrintWriter::Callback(&mut self.printed))
            }
            (Input::Answers(_), None) => return self.ends("the program does not wait"),
            (Input::End, _) => return self.ends("the host ended the program"),
        };
        self.drive(progress)
    }
}

impl Monty {
    fn start(
        &mut self,
        program: &str,
        functions: Vec<Signature>,
        limits: Limits,
    ) -> Result<RunProgress, MontyException> {
        self.limits = limits;
        self.printed = Capped::new(limits.printed);
        let mut source = PRELUDE.to_owned();
        for Signature { function, .. } in &functions {
            let _ = writeln!(
                source,
                "def {function}(*args, **kwargs): return __begin(__made('{function}'), args, kwargs)"
            );
        }
        self.lines = u32::try_from(source.lines().count()).unwrap_or(u32::MAX);
        source.push_str(program);
        let functions = functions.into_iter();
        self.functions = functions.map(|it| (it.function.clone(), it)).collect();
        let limits = ResourceLimits::default()
            .max_duration(limits.time)
            .max_recursion_depth(MAX_RECURSION);
        let options = CompileOptions::default();
        let run = MontyRun::new(source, "program.py", Vec::new(), options)?;
        let print = PrintWriter::Callback(&mut self.printed);
        run.start(Vec::new(), ResourceTracker::new(limits), print)
    }

    /// Runs the program until it waits for its host or ends.
    fn drive(&mut self, mut progress: Result<RunProgress, MontyException>) -> Stopped {
        loop {
            let stopped = match progress {
                Ok(stopped) => stopped,
                Err(error) => return self.failed(&error),
            };
            progress = match stopped {
                RunProgress::NameLookup(lookup) => {
                    let is_ours = ["__made", "__call"].contains(&&*lookup.name);
                    let is_ours = is_ours && lookup.object_id().is_none();
                    let function = is_ours.then(|| MontyObject::Function {
                        name: lookup.name.clone(),
                        docstring: None,
                    });
                    let print = PrintWriter::Callback(&mut self.printed);
                    lookup.resume(NameLookupResult::from(function), print)
                }
                RunProgress::FunctionCall(call) => {
                    let answer = self.call(&call);
                    if self.count > self.limits.calls {
                        return self.ends(self.limits.out_of_calls());
                    }
                    call.resume(answer, PrintWriter::Callback(&mut self.printed))
                }
                RunProgress::OsCall(call) => {
                    let answer = match &call.function_call {
                        asked @ (OsFunctionCall::DateTimeNow(_) | OsFunctionCall::DateToday) => {
                            ExtFunctionResult::Return(time(asked, self.now))
                        }
                        other => other.on_no_handler().into(),
                    };
                    call.resume(answer, PrintWriter::Callback(&mut self.printed))
                }
                RunProgress::ResolveFutures(_)
                    if self.made.is_empty() && self.refused.is_empty() =>
                {
                    return self.ends("the program waits for nothing");
                }
                RunProgress::ResolveFutures(calls) if self.made.is_empty() => {
                    let refused = std::mem::take(&mut self.refused);
                    calls.resume(refused, PrintWriter::Callback(&mut self.printed))
                }
                RunProgress::ResolveFutures(calls) => {
                    self.waits = Some(calls);
                    self.bytes = 0;
                    let made = self.made.iter().map(|(_, made)| made.clone());
                    return Stopped::Calls(made.collect());
                }
                RunProgress::Complete(value) => return self.completed(&value),
            };
        }
    }

    /// Answers a function of the prelude.
    fn call(&mut self, call: &FunctionCall) -> ExtFunctionResult {
        match (&*call.function_name, &call.args[..]) {
            ("__made", [MontyObject::String(function)]) => {
                *self.not_begun.entry(function.clone()).or_default() += 1;
                MontyObject::String(function.clone()).into()
            }
            (
                "__call",
                [
                    MontyObject::String(function),
                    MontyObject::Tuple(args),
                    MontyObject::Dict(kwargs),
                ],
            ) => {
                self.count += 1;
                if let Some(count) = self.not_begun.get_mut(function) {
                    *count = count.saturating_sub(1);
                }
                match self.made(function, args, kwargs) {
                    Ok(made) => self.made.push((call.call_id, made)),
                    Err(raised) => self.refused.push((call.call_id, result(Err(raised)))),
                }
                ExtFunctionResult::Future(call.call_id)
            }
            (name, _) => ExtFunctionResult::NotFound(name.to_owned()),
        }
    }

    /// Returns the call that the program means.
    fn made(
        &mut self,
        function: &str,
        args: &[MontyObject],
        kwargs: &DictPairs,
    ) -> Result<Made, Raised> {
        let text = |value: &MontyObject| {
            let value = json(value, 0).map_err(|kind| {
                let words =
                    format!("an argument of {function} is {kind}, which is not a JSON value");
                Raised::new("TypeError", words)
            })?;
            Ok(value.to_json())
        };
        let positional = args.iter().map(text).collect::<Result<Vec<_>, _>>()?;
        let named = kwargs.into_iter();
        let named = named.map(|(name, value)| Ok((name.to_string(), text(value)?)));
        let named = named.collect::<Result<Vec<_>, _>>()?;
        let unknown = || Raised::new("NameError", format!("name '{function}' is not defined"));
        let signature = self.functions.get(function).ok_or_else(unknown)?;
        let arguments = signature.arguments(&positional, &named)?;
        if arguments.len() > MAX_ARGUMENTS - self.bytes {
            let most = MAX_ARGUMENTS >> 20;
            let words = format!("the arguments of calls at once are longer than {most} MiB");
            return Err(Raised::new("ValueError", words));
        }
        self.bytes += arguments.len();
        let tool = signature.tool.clone();
        Ok(Made { tool, arguments })
    }

    /// Returns a function that was called and never awaited.
    fn never_awaited(&self) -> Option<String> {
        let mut not_begun = self.not_begun.iter().filter(|(_, count)| **count > 0);
        let not_begun = not_begun.next().map(|(function, _)| function.clone());
        let not_sent = self.made.first();
        not_begun.or_else(|| not_sent.map(|(_, made)| names::identifier(&made.tool)))
    }

    fn completed(&mut self, value: &MontyObject) -> Stopped {
        if let Some(function) = self.never_awaited() {
            return self.ends(format!(
                "`{function}(…)` was called and never awaited, so it did not run: write `await {function}(…)`"
            ));
        }
        let most = self.limits.value;
        match json(value, 0).map(|value| value.to_json()) {
            Ok(json) if json.len() > most => self.ends(format!(
                "ValueError: the program ended with a value of more than {most} bytes of JSON: return less, or a part of it"
            )),
            Ok(json) => match RawValue::from_string(json) {
                Ok(value) => Stopped::Ended(Ended {
                    value,
                    printed: std::mem::take(&mut self.printed).finish(),
                    warning: None,
                    error: None,
                }),
                Err(_) => self.ends("the value is not JSON"),
            },
            Err(kind) => self.ends(format!(
                "TypeError: the program ended with {kind}, which is not a JSON value"
            )),
        }
    }

    fn failed(&mut self, error: &MontyException) -> Stopped {
        let is_limit = |message: &str| message.starts_with("time limit exceeded");
        if error.exc_type() == ExcType::TimeoutError && error.message().is_some_and(is_limit) {
            return self.ends(self.limits.out_of_time());
        }
        let own = error.traceback().iter();
        let own = own.filter(|frame| frame.start.line > self.lines);
        let own = own.cloned().map(|mut frame| {
            frame.start.line -= self.lines;
            frame.end.line = frame.end.line.saturating_sub(self.lines);
            frame
        });
        let message = error.message().map(str::to_owned);
        let shown = MontyException::with_traceback(error.exc_type(), message, own.collect());
        let (text, summary) = (shown.to_string(), shown.summary());
        // The error itself stands last, and is never cut away by its frames.
        let cut = |text: &str| {
            let mut cut = Capped::new(MAX_TRACEBACK);
            cut.push(text.trim_end());
            cut.finish()
        };
        let frames = cut(text.strip_suffix(&summary).unwrap_or_default());
        let mut text = format!("{frames}\n{}", cut(&summary))
            .trim_start()
            .to_owned();
        let is_future = ["coroutine", "Future", "awaitable"];
        let is_future = is_future.iter().any(|word| summary.contains(word));
        if let (true, Some(function)) = (is_future, self.never_awaited()) {
            let _ = write!(text, "\nhint: write `await {function}(…)`");
        }
        self.ends(text)
    }

    fn ends(&mut self, words: impl Into<String>) -> Stopped {
        let printed = std::mem::take(&mut self.printed).finish();
        Stopped::Ended(Ended {
            printed,
            ..Ended::failed(words)
        })
    }
}

/// Keeps the first bytes of printed text, so that a program cannot fill the host's memory.
impl PrintWriterCallback for Capped {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.push(&output);
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.push(end.encode_utf8(&mut [0; 4]));
        Ok(())
    }
}

/// Returns the answer of a call as the pair that the prelude reads.
fn result(answer: Answered) -> ExtFunctionResult {
    let value = answer.and_then(|json| match Value::parse(&json) {
        Ok(value) => Ok(object(&value)),
        Err(error) => {
            let words = format!("the result is not JSON: {error}");
            Err(Raised::new("ValueError", words))
        }
    });
    let pair = match value {
        Ok(value) => vec![value, MontyObject::None],
        Err(Raised { class, message }) => {
            let exc_type = class.parse().unwrap_or(ExcType::RuntimeError);
            let arg = Some(message);
            vec![MontyObject::None, MontyObject::Exception { exc_type, arg }]
        }
    };
    MontyObject::Tuple(pair).into()
}

/// Returns the JSON value as Python's. Integers keep all their digits.
fn object(value: &Value<'_>) -> MontyObject {
    match value {
        Value::Null => MontyObject::None,
        Value::Bool(value) => MontyObject::Bool(*value),
        Value::Number(text) if text.contains(['.', 'e', 'E']) => {
            MontyObject::Float(text.parse().unwrap_or(f64::NAN))
        }
        Value::Number(text) => match text.parse() {
            Ok(integer) => MontyObject::Int(integer),
            Err(_) => text.parse().map_or(MontyObject::None, MontyObject::BigInt),
        },
        Value::String(text) => MontyObject::String(text.clone().into_owned()),
        Value::Array(items) => MontyObject::List(items.iter().map(object).collect()),
        Value::Object(members) => {
            let members = members.iter();
            let pair = |(key, value): &(Cow<'_, str>, Value<'_>)| {
                (MontyObject::String(key.to_string()), object(value))
            };
            MontyObject::dict(members.map(pair).collect::<Vec<_>>())
        }
    }
}

/// Returns the value as JSON, without rounding anything.
///
/// # Errors
/// Returns the type of a value that is not JSON, in words.
fn json(value: &MontyObject, depth: usize) -> Result<Value<'_>, String> {
    if depth > MAX_DEPTH {
        return Err(format!("nested more than {MAX_DEPTH} levels deep"));
    }
    Ok(match value {
        MontyObject::None => Value::Null,
        MontyObject::Bool(value) => Value::Bool(*value),
        MontyObject::Int(value) => Value::Number(value.to_string().into()),
        MontyObject::BigInt(value) => match u64::try_from(value) {
            Ok(value) => Value::Number(value.to_string().into()),
            Err(_) => return Err("an int of more than 64 bits".to_owned()),
        },
        MontyObject::Float(value) if value.is_finite() => {
            Value::Number(serde_json::Value::from(*value).to_string().into())
        }
        MontyObject::Float(value) => return Err(format!("the float {value}")),
        MontyObject::String(text) => Value::string(text.as_str()),
        MontyObject::List(items) | MontyObject::Tuple(items) => {
            let items = items.iter().map(|item| json(item, depth + 1));
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        MontyObject::Dict(members) => {
            let members = members.into_iter().map(|(key, value)| match key {
                MontyObject::String(key) => Ok((key.as_str().into(), json(value, depth + 1)?)),
                _ => Err(format!("a dict with a key of type {}", key.type_name())),
            });
            Value::Object(members.collect::<Result<_, _>>()?)
        }
        MontyObject::Cycle(..) => return Err("a value that contains itself".to_owned()),
        MontyObject::ClassInstance(instance) => {
            return Err(format!(
                "an object of the class {}",
                instance.class_type.name
            ));
        }
        MontyObject::Repr(repr) if repr.starts_with("<coroutine") => {
            return Err("a coroutine (await it)".to_owned());
        }
        MontyObject::Repr(_) => return Err("a function".to_owned()),
        other => return Err(format!("a {}", other.type_name())),
    })
}

/// Returns the time that the program asks for. Local time is UTC.
fn time(call: &OsFunctionCall, micros: i64) -> MontyObject {
    let zone = match call {
        OsFunctionCall::DateTimeNow(zone) => zone.clone(),
        _ => None,
    };
    let offset = zone.as_ref().map_or(0, |zone| zone.offset_seconds);
    let local = micros.saturating_add(i64::from(offset) * 1_000_000);
    let local = DateTime::from_timestamp_micros(local).unwrap_or_default();
    let part = |value: u32| u8::try_from(value).unwrap_or_default();
    let (year, month, day) = (local.year(), part(local.month()), part(local.day()));
    if matches!(call, OsFunctionCall::DateToday) {
        return MontyObject::Date(MontyDate { year, month, day });
    }
    MontyObject::DateTime(MontyDateTime {
        year,
        month,
        day,
        hour: part(local.hour()),
        minute: part(local.minute()),
        second: part(local.second()),
        microsecond: local.timestamp_subsec_micros(),
        offset_seconds: zone.as_ref().map(|zone| zone.offset_seconds),
        timezone_name: zone.and_then(|zone| zone.name),
    })
}
