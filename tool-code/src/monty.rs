//! The interpreter `monty`. No other file names it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use monty::{FunctionCall, MontyRun, OsCall, ResolveFutures, RunProgress};
use monty_types::{
    CompileOptions, DictPairs, ExcType, ExtFunctionResult, MontyDate, MontyDateTime,
    MontyException, MontyObject, NameLookupResult, OsFunctionCall, PrintWriter,
    PrintWriterCallback, ResourceLimits, ResourceTracker,
};
use toolwright::json::Value;

use crate::engine::{Answered, Engine, Made, Raised, Resume, Start, Step};
use crate::limits::Limits;
use crate::text::Capped;

/// Depth at which a value is refused instead of written.
const MAX_DEPTH: usize = 128;
/// Bytes of a traceback.
const MAX_TRACEBACK: usize = 4 << 10;
/// Depth of calls. Deeper recursion is a `RecursionError`.
const MAX_RECURSION: usize = 400;

/// What precedes each program, for its functions to be Python's own: a call begins when it is awaited. `__made` counts a call that is
/// made, and `__call` begins it.
const PRELUDE: &str = "\
async def __begin(function, args, kwargs): return await __call(function, args, kwargs)
";

/// One program in monty.
#[derive(Default)]
pub(crate) struct Monty {
    /// Number of lines before the program's own.
    lines: u32,
    limits: Limits,
    printed: Printed,
    waits: Option<Waits>,
    /// Calls of the step, until the program waits.
    made: Vec<Made>,
    /// Number of calls of each function that were made and have not begun.
    not_begun: BTreeMap<String, usize>,
}

enum Waits {
    ForCalls(ResolveFutures),
    ForTime(OsCall),
}

impl Engine for Monty {
    fn start(&mut self, start: Start) -> Step {
        self.limits = start.limits;
        self.printed = Printed(Capped::new(start.limits.printed));
        let mut source = PRELUDE.to_owned();
        for function in &start.functions {
            let _ = writeln!(
                source,
                "def {function}(*args, **kwargs): return __begin(__made('{function}'), args, kwargs)"
            );
        }
        self.lines = 1 + u32::try_from(start.functions.len()).unwrap_or(u32::MAX);
        source.push_str(&start.source);
        let limits = ResourceLimits::default()
            .max_duration(start.limits.time)
            .max_recursion_depth(MAX_RECURSION);
        let options = CompileOptions::default();
        let program = MontyRun::new(source, "program.py", Vec::new(), options);
        let print = PrintWriter::Callback(&mut self.printed);
        let progress =
            program.and_then(|run| run.start(Vec::new(), ResourceTracker::new(limits), print));
        self.drive(progress)
    }

    fn resume(&mut self, resume: Resume) -> Step {
        let print = PrintWriter::Callback(&mut self.printed);
        let progress = match (self.waits.take(), resume) {
            (Some(Waits::ForCalls(calls)), Resume::Answers(answers)) => {
                let answers = answers.into_iter().map(|(id, answer)| (id, result(answer)));
                calls.resume(answers.collect(), print)
            }
            (Some(Waits::ForTime(call)), Resume::Now(now)) => {
                let now = time(&call.function_call, now);
                call.resume(now, print)
            }
            _ => return Step::Failed("the program does not wait for this".to_owned()),
        };
        self.drive(progress)
    }

    fn take_printed(&mut self) -> Capped {
        std::mem::take(&mut self.printed.0)
    }
}

impl Monty {
    /// Runs the program until it waits for its host or ends.
    fn drive(&mut self, progress: Result<RunProgress, MontyException>) -> Step {
        let mut progress = match progress {
            Ok(progress) => progress,
            Err(error) => return self.failed(&error),
        };
        loop {
            let next = match progress {
                RunProgress::NameLookup(lookup) => {
                    let is_known = lookup.object_id().is_none()
                        && ["__made", "__call"].contains(&&*lookup.name);
                    let function = is_known.then(|| MontyObject::Function {
                        name: lookup.name.clone(),
                        docstring: None,
                    });
                    let print = PrintWriter::Callback(&mut self.printed);
                    lookup.resume(NameLookupResult::from(function), print)
                }
                RunProgress::FunctionCall(call) => {
                    // The host refuses a program that makes more calls than it may.
                    if self.made.len() > self.limits.calls {
                        return Step::Calls(std::mem::take(&mut self.made));
                    }
                    let answer = self.call(&call);
                    call.resume(answer, PrintWriter::Callback(&mut self.printed))
                }
                RunProgress::OsCall(call) => match &call.function_call {
                    OsFunctionCall::DateTimeNow(_) | OsFunctionCall::DateToday => {
                        self.waits = Some(Waits::ForTime(call));
                        return Step::Now;
                    }
                    other => {
                        let refused = other.on_no_handler();
                        let print = PrintWriter::Callback(&mut self.printed);
                        call.resume(refused, print)
                    }
                },
                RunProgress::ResolveFutures(calls) => {
                    self.waits = Some(Waits::ForCalls(calls));
                    return Step::Calls(std::mem::take(&mut self.made));
                }
                RunProgress::Complete(value) => return self.ended(&value),
            };
            progress = match next {
                Ok(progress) => progress,
                Err(error) => return self.failed(&error),
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
                if let Some(count) = self.not_begun.get_mut(function) {
                    *count = count.saturating_sub(1);
                }
                match made(call.call_id, function, args, kwargs) {
                    Ok(made) => {
                        self.made.push(made);
                        ExtFunctionResult::Future(call.call_id)
                    }
                    Err(refused) => exception(refused).into(),
                }
            }
            (name, _) => ExtFunctionResult::NotFound(name.to_owned()),
        }
    }

    /// Returns a function that was called and never awaited.
    fn never_awaited(&self) -> Option<&str> {
        let mut not_begun = self.not_begun.iter().filter(|(_, count)| **count > 0);
        let not_sent = self.made.first().map(|made| &*made.function);
        not_begun
            .next()
            .map(|(function, _)| &**function)
            .or(not_sent)
    }

    fn ended(&self, value: &MontyObject) -> Step {
        if let Some(function) = self.never_awaited() {
            return Step::Failed(format!(
                "`{function}(…)` was called and never awaited, so it did not run: write `await {function}(…)`"
            ));
        }
        let mut json = String::new();
        match write(value, &mut json, 0, self.limits.value) {
            Ok(()) => Step::Value(json),
            Err(Unwritten::Kind(kind)) => Step::Failed(format!(
                "TypeError: the program ended with {kind}, which is not a JSON value"
            )),
            Err(Unwritten::Long) => Step::Failed(format!(
                "ValueError: the program ended with a value of more than {} bytes of JSON: return less, or a part of it",
                self.limits.value
            )),
        }
    }

    fn failed(&self, error: &MontyException) -> Step {
        let is_limit = |message: &str| message.starts_with("time limit exceeded");
        if error.exc_type() == ExcType::TimeoutError && error.message().is_some_and(is_limit) {
            return Step::Failed(self.limits.out_of_time());
        }
        let frames = error.traceback().iter();
        let frames = frames.filter(|frame| frame.start.line > self.lines);
        let frames = frames.cloned().map(|mut frame| {
            frame.start.line -= self.lines;
            frame.end.line = frame.end.line.saturating_sub(self.lines);
            frame
        });
        let message = error.message().map(str::to_owned);
        let shown = MontyException::with_traceback(error.exc_type(), message, frames.collect());
        let mut text = Capped::new(MAX_TRACEBACK);
        text.push(&shown.to_string());
        let message = error.message().unwrap_or_default();
        let is_future = ["coroutine", "Future", "awaitable"]
            .iter()
            .any(|word| message.contains(word));
        if let (true, Some(function)) = (is_future, self.never_awaited()) {
            return Step::Failed(format!(
                "{}\nhint: write `await {function}(…)`",
                text.finish()
            ));
        }
        Step::Failed(text.finish())
    }
}

/// Printed text. Keeps its first bytes and counts the rest, so that a program cannot fill the host's memory.
#[derive(Default)]
struct Printed(Capped);

impl PrintWriterCallback for Printed {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.0.push(&output);
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.0.push(end.encode_utf8(&mut [0; 4]));
        Ok(())
    }
}

fn made(
    id: u32,
    function: &str,
    positional: &[MontyObject],
    named: &DictPairs,
) -> Result<Made, Raised> {
    // All calls of a step go in one message.
    let json = |value: &MontyObject| {
        let mut json = String::new();
        write(value, &mut json, 0, 256 << 10).map_err(|unwritten| match unwritten {
            Unwritten::Kind(kind) => {
                let words =
                    format!("an argument of {function} is {kind}, which is not a JSON value");
                Raised::new("TypeError", words)
            }
            Unwritten::Long => Raised::new(
                "ValueError",
                format!("an argument of {function} is longer than 256 KiB"),
            ),
        })?;
        Ok(json)
    };
    Ok(Made {
        id,
        function: function.to_owned(),
        positional: positional.iter().map(json).collect::<Result<_, _>>()?,
        named: named
            .into_iter()
            .map(|(name, value)| Ok((name.to_string(), json(value)?)))
            .collect::<Result<_, _>>()?,
    })
}

fn exception(raised: Raised) -> MontyException {
    let class = raised.class.parse().unwrap_or(ExcType::RuntimeError);
    MontyException::new(class, Some(raised.message))
}

fn result(answer: Answered) -> ExtFunctionResult {
    match answer {
        Answered::Raises(raised) => exception(raised).into(),
        Answered::Value(json) => match Value::parse(&json) {
            Ok(value) => object(&value).into(),
            Err(error) => {
                let words = format!("the result is not JSON: {error}");
                exception(Raised::new("ValueError", words)).into()
            }
        },
    }
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

/// Reason why a value is not written.
enum Unwritten {
    /// It is not JSON. Holds its type in words.
    Kind(String),
    Long,
}

/// Writes a value as JSON, without rounding anything.
fn write(
    value: &MontyObject,
    out: &mut String,
    depth: usize,
    most: usize,
) -> Result<(), Unwritten> {
    if out.len() > most {
        return Err(Unwritten::Long);
    }
    if depth > MAX_DEPTH {
        return Err(Unwritten::Kind(format!(
            "nested more than {MAX_DEPTH} levels deep"
        )));
    }
    match value {
        MontyObject::None => out.push_str("null"),
        MontyObject::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        MontyObject::Int(value) => out.push_str(&value.to_string()),
        MontyObject::BigInt(value) => match u64::try_from(value) {
            Ok(value) => out.push_str(&value.to_string()),
            Err(_) => return Err(Unwritten::Kind("an int of more than 64 bits".to_owned())),
        },
        MontyObject::Float(value) if value.is_finite() => {
            out.push_str(&serde_json::Value::from(*value).to_string());
        }
        MontyObject::Float(value) => return Err(Unwritten::Kind(format!("the float {value}"))),
        MontyObject::String(text) => {
            if text.len() > most {
                return Err(Unwritten::Long);
            }
            out.push_str(&Value::string(text.as_str()).to_json());
        }
        MontyObject::List(items) | MontyObject::Tuple(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(item, out, depth + 1, most)?;
            }
            out.push(']');
        }
        MontyObject::Dict(members) => {
            out.push('{');
            for (at, (key, value)) in members.into_iter().enumerate() {
                let MontyObject::String(key) = key else {
                    let kind = key.type_name();
                    return Err(Unwritten::Kind(format!("a dict with a key of type {kind}")));
                };
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&Value::string(key.as_str()).to_json());
                out.push(':');
                write(value, out, depth + 1, most)?;
            }
            out.push('}');
        }
        MontyObject::Cycle(..) => {
            return Err(Unwritten::Kind("a value that contains itself".to_owned()));
        }
        MontyObject::ClassInstance(instance) => {
            let class = &instance.class_type.name;
            return Err(Unwritten::Kind(format!("an object of the class {class}")));
        }
        MontyObject::Repr(repr) => {
            let kind = if repr.starts_with("<coroutine") {
                "a coroutine (await it)"
            } else {
                "a function"
            };
            return Err(Unwritten::Kind(kind.to_owned()));
        }
        other => return Err(Unwritten::Kind(format!("a {}", other.type_name()))),
    }
    if out.len() > most {
        Err(Unwritten::Long)
    } else {
        Ok(())
    }
}

/// Returns the time that the program asks for. Local time is UTC.
fn time(call: &OsFunctionCall, micros: i64) -> MontyObject {
    let zone = match call {
        OsFunctionCall::DateTimeNow(zone) => zone.clone(),
        _ => None,
    };
    let offset = zone.as_ref().map_or(0, |zone| zone.offset_seconds);
    let local = micros.saturating_add(i64::from(offset) * 1_000_000);
    let (seconds, micros) = (local.div_euclid(1_000_000), local.rem_euclid(1_000_000));
    let (day, seconds) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let date = date(day);
    if matches!(call, OsFunctionCall::DateToday) {
        return MontyObject::Date(date);
    }
    let part = |value: i64| u8::try_from(value).unwrap_or(0);
    MontyObject::DateTime(MontyDateTime {
        year: date.year,
        month: date.month,
        day: date.day,
        hour: part(seconds / 3600),
        minute: part(seconds / 60 % 60),
        second: part(seconds % 60),
        microsecond: u32::try_from(micros).unwrap_or(0),
        offset_seconds: zone.as_ref().map(|zone| zone.offset_seconds),
        timezone_name: zone.and_then(|zone| zone.name),
    })
}

/// Returns the date of a day after 1970-01-01. See Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
fn date(day: i64) -> MontyDate {
    let day = day + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    MontyDate {
        year: i32::try_from(year).unwrap_or(1970),
        month: u8::try_from(month).unwrap_or(1),
        day: u8::try_from(day).unwrap_or(1),
    }
}
