//! Calls of a toolset's tools.

use std::cell::Cell;
#[cfg(not(feature = "tokio"))]
use std::time::Instant;

use serde::Serialize;
#[cfg(feature = "tokio")]
use tokio::time::Instant;

use super::past::answered_by_old_name;
use super::{ToolEntry, Toolset};
use crate::tool::{Answer, Call, Contained, Context, not_approved, wait};
#[cfg(feature = "tokio")]
use crate::tool::{is_stream, items};
use toolwright_provider::call::{
    ErrorKind, Meta, Outcome, Payload, ToolCall, ToolError, ToolResult, contained, is_written,
};
use toolwright_schema::decode::Arena;
use toolwright_schema::panics;

impl Toolset {
    /// Checks a call without running the tool.
    ///
    /// # Errors
    /// The error that the call would be answered with.
    pub fn validate(&self, call: &ToolCall, cx: &Context) -> Result<(), ToolError> {
        self.validate_as(call, false, cx)
    }

    /// Checks a call that was stored, and that may use names of then.
    ///
    /// # Errors
    /// The error that the call would be answered with.
    #[doc(hidden)]
    pub fn __validate_stored(&self, call: &ToolCall, cx: &Context) -> Result<(), ToolError> {
        self.validate_as(call, true, cx)
    }

    /// Answers a call, and measures its time. There is always an answer, and nothing panics.
    pub async fn call(&self, call: &ToolCall, cx: &Context) -> ToolResult {
        if let Some(today) = self.call_of_today(call, false, cx, None) {
            return answered_by_old_name(call, Box::pin(self.call(&today, cx)).await);
        }
        let began = Instant::now();
        let arena = Arena::new();
        let (entry, answer) = self.begin(call, &arena, cx);
        let mut outcome = match answer {
            Answer::Ready(outcome) => outcome,
            Answer::Later(later) => Contained::new(later).await,
        };
        if is_stream(&outcome) {
            outcome = resolved(Answer::Ready(outcome), Call::of(call, &arena, cx)).await;
        }
        let mut result = answered(call, outcome, entry, &arena);
        result.duration = began.elapsed();
        result
    }

    /// Calls a tool by its name: for tests, scripts and code that has no [`ToolCall`]. The value is the tool's result, and
    /// blocks of content as JSON; of a tool that returns `()` it is `"done"`.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), toolwright::ToolError> {
    /// use serde_json::json;
    /// use toolwright::{Context, tool, tools};
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// let cx = Context::new();
    /// assert_eq!(tools![add].call_json("add", json!({"a": 1, "b": 2}), &cx).await?, 3);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The error that a model would read. A question to a person is an error as well ([`Failed`](ErrorKind::Failed)),
    /// since it cannot be answered here, and so are arguments whose `Serialize` fails
    /// ([`InvalidArgs`](ErrorKind::InvalidArgs)).
    pub async fn call_json(
        &self,
        name: &str,
        arguments: impl Serialize,
        cx: &Context,
    ) -> Result<serde_json::Value, ToolError> {
        let arguments = serde_json::to_string(&arguments)
            .map_err(|error| ToolError::new(ErrorKind::InvalidArgs, error.to_string()))?;
        let call = ToolCall::new("call_json", name, arguments);
        match self.call(&call, cx).await.outcome? {
            Outcome::AskUser { question, .. } => Err(ToolError::failed(format!(
                "the tool asks a person, and nobody can answer: {question}"
            ))),
            Outcome::Content(content) => serde_json::to_value(content.blocks())
                .map_err(|error| ToolError::new(ErrorKind::Encoding, error.to_string())),
            outcome => Ok(outcome
                .payload()
                .map_or(serde_json::Value::Null, Payload::to_value)),
        }
    }

    /// Answers a call and blocks this thread meanwhile, inside a runtime too.
    pub fn call_blocking(&self, call: &ToolCall, cx: &Context) -> ToolResult {
        if let Some(today) = self.call_of_today(call, false, cx, None) {
            return answered_by_old_name(call, self.call_blocking(&today, cx));
        }
        let began = Instant::now();
        let arena = Arena::new();
        let (entry, answer) = self.begin(call, &arena, cx);
        let outcome = match answer {
            Answer::Ready(outcome) if is_written(&outcome) => outcome,
            answer => waited(answer, Call::of(call, &arena, cx)),
        };
        let mut result = answered(call, outcome, entry, &arena);
        result.duration = began.elapsed();
        result
    }
}

/// Makes the result of an answer, with the tool's attributes and the call's repairs.
#[inline(always)]
#[allow(clippy::inline_always)] // Its parts go where the whole goes.
fn answered(
    call: &ToolCall,
    outcome: Result<Outcome, ToolError>,
    entry: Option<&ToolEntry>,
    arena: &Arena,
) -> ToolResult {
    if is_written(&outcome) && arena.repairs().is_empty() {
        return ToolResult::of_written(call, outcome, attributes(entry));
    }
    answered_slowly(call, outcome, entry, arena)
}

#[inline(never)]
fn answered_slowly(
    call: &ToolCall,
    outcome: Result<Outcome, ToolError>,
    entry: Option<&ToolEntry>,
    arena: &Arena,
) -> ToolResult {
    let mut result = ToolResult::new(call, outcome.map(Outcome::without_error_mark));
    result.repairs = arena.repairs().into();
    result.attributes = attributes(entry);
    result
}

fn attributes(entry: Option<&ToolEntry>) -> Meta {
    entry.map_or_else(Meta::default, |entry| entry.attributes.clone())
}

/// Returns true if the answer is a stream, which only an executor's runtime can read.
#[cfg(not(feature = "tokio"))]
fn is_stream(_: &Result<Outcome, ToolError>) -> bool {
    false
}

/// Waits for an answer on this thread.
#[inline(never)]
fn waited(answer: Answer<'_>, call: Call<'_>) -> Result<Outcome, ToolError> {
    match answer {
        Answer::Ready(outcome) if !is_stream(&outcome) => outcome,
        answer => wait(resolved(answer, call)).flatten(),
    }
}

/// Awaits an answer; of a stream, its last item.
pub(crate) async fn resolved(answer: Answer<'_>, call: Call<'_>) -> Result<Outcome, ToolError> {
    let answer = match answer {
        Answer::Ready(answer) => answer,
        Answer::Later(later) => Contained::new(later).await,
    };
    #[cfg(feature = "tokio")]
    if let Some(stream) = items::stream_of(&answer) {
        return items::read(stream, call).await;
    }
    let _ = call;
    answer
}

impl Toolset {
    fn validate_as(&self, call: &ToolCall, is_stored: bool, cx: &Context) -> Result<(), ToolError> {
        let arena = Arena::new();
        let today = self.call_of_today(call, is_stored, cx, None);
        let call = today.as_ref().unwrap_or(call);
        let asked = Call::of(call, &arena, cx).stored(is_stored);
        let entry = self.find_visible(call.name.as_bytes(), &cx.scope(), None)?;
        contained(|| entry.tool.validate(asked.exact(entry.is_exact)))?
    }

    /// Begins a call.
    #[inline]
    fn begin<'a>(
        &'a self,
        call: &'a ToolCall,
        arena: &'a Arena,
        cx: &'a Context,
    ) -> (Option<&'a ToolEntry>, Answer<'a>) {
        let hidden = |kind| {
            let error = self
                .set
                .unknown(kind, call.name.as_bytes(), &cx.scope(), None);
            (None, Answer::Ready(Err(error)))
        };
        let Some(entry) = self.find(call.name.as_bytes()) else {
            return hidden(ErrorKind::Unknown);
        };
        // One guard covers visibility and call. A panic before the tool is known to be visible hides it.
        let is_visible = Cell::new(!entry.may_hide);
        let guarded = contained(|| {
            if !is_visible.get() {
                is_visible.set(entry.shows(&self.set.scope(&cx.scope())));
                if !is_visible.get() {
                    return None;
                }
                // A call without the required approval does not reach the tool, either.
                if entry.options.needs_approval {
                    let checked = entry.tool.validate(entry.call(call, arena, cx));
                    let error = checked.err().unwrap_or_else(not_approved);
                    return Some(Answer::Ready(Err(error)));
                }
            }
            let answer = entry.tool.__run(entry.call(call, arena, cx));
            Some(answer.unwrap_or_else(|stop| Answer::Ready(stop.into_outcome())))
        });
        if !is_visible.get() {
            if let Err(error) = &guarded {
                panics::report(
                    "a tool's `visible`",
                    error.host_detail().unwrap_or_default(),
                );
            }
            return hidden(ErrorKind::Hidden);
        }
        match guarded {
            Ok(Some(answer)) => (Some(entry), answer),
            Ok(None) => hidden(ErrorKind::Hidden),
            Err(error) => (Some(entry), Answer::Ready(Err(error))),
        }
    }
}
