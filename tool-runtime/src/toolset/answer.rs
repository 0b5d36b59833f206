//! Calls of a set's tools.

use std::cell::Cell;
use std::mem;

use super::{Entry, Inner, Toolset};
use crate::tool::{Answer, BoxFuture, Call, Contained, Context, wait};
#[cfg(feature = "tokio")]
use crate::tool::{is_stream, items};
use toolwright_provider::call::{
    ErrorKind, Meta, Outcome, Payload, ToolCall, ToolError, ToolResult, contained, is_written,
};
use toolwright_schema::decode::Store;
use toolwright_schema::panics;

impl Toolset {
    /// Whether a call would be accepted, without running the tool, in a conversation of which
    /// nothing is known. See [`validate_call`](Self::validate_call) for one of which something is.
    ///
    /// # Errors
    /// The error that the call would be answered with.
    pub fn validate(&self, name: &str, arguments: &str) -> Result<(), ToolError> {
        let (store, cx) = (Store::new(), Context::new());
        self.0
            .validate(name.as_bytes(), Call::new(arguments, &store, &cx), &cx)
    }

    /// Whether a call would be accepted, without running the tool.
    ///
    /// # Errors
    /// The error that the call would be answered with.
    pub fn validate_call(&self, call: &ToolCall, cx: &Context) -> Result<(), ToolError> {
        let store = Store::new();
        self.0
            .validate(call.name.as_bytes(), Call::of(call, &store, cx), cx)
    }

    /// Answers a call: whatever it asks for and whatever the tool does, there is an answer, and
    /// nothing panics.
    pub async fn call(&self, call: &ToolCall, cx: &Context) -> ToolResult {
        let store = Store::new();
        let mut outcome = Ok(nothing());
        let (entry, later) = self.0.begin(call, &store, cx, &mut outcome);
        if let Some(later) = later {
            outcome = Contained::new(later).await;
        }
        if is_stream(&outcome) {
            outcome = settled(Answer::Ready(outcome), Call::of(call, &store, cx)).await;
        }
        answered(call, outcome, entry, &store)
    }

    /// Answers a call on this thread. Inside a runtime it blocks the thread that calls it.
    pub fn call_blocking(&self, call: &ToolCall, cx: &Context) -> ToolResult {
        let store = Store::new();
        let mut outcome = Ok(nothing());
        let (entry, later) = self.0.begin(call, &store, cx, &mut outcome);
        if later.is_some() || !is_written(&outcome) {
            let answer = later.map_or(Answer::Ready(outcome), Answer::Later);
            outcome = waited(answer, Call::of(call, &store, cx));
        }
        answered(call, outcome, entry, &store)
    }
}

/// Where an answer goes.
#[inline]
fn nothing() -> Outcome {
    Outcome::Value(Payload::text(""))
}

/// The answer, with what a tool and its call say beside what the call came to.
#[inline(always)]
#[allow(clippy::inline_always)] // Its parts go where the whole goes.
fn answered(
    call: &ToolCall,
    outcome: Result<Outcome, ToolError>,
    entry: Option<&Entry>,
    store: &Store,
) -> ToolResult {
    if is_written(&outcome) && store.repairs().is_empty() {
        return ToolResult::of_written(call, outcome, attributes(entry));
    }
    seldom(call, outcome, entry, store)
}

#[inline(never)]
fn seldom(
    call: &ToolCall,
    outcome: Result<Outcome, ToolError>,
    entry: Option<&Entry>,
    store: &Store,
) -> ToolResult {
    let mut result = ToolResult::new(call, outcome.map(Outcome::unmarked));
    result.repairs = store.repairs().into();
    result.attributes = attributes(entry);
    result
}

fn attributes(entry: Option<&Entry>) -> Meta {
    entry.map_or_else(Meta::default, |entry| entry.attributes.clone())
}

/// Whether the answer is a stream, which only an executor's runtime can read.
#[cfg(not(feature = "tokio"))]
fn is_stream(_: &Result<Outcome, ToolError>) -> bool {
    false
}

/// The same on this thread.
#[inline(never)]
fn waited(answer: Answer<'_>, call: Call<'_>) -> Result<Outcome, ToolError> {
    match answer {
        Answer::Ready(outcome) if !is_stream(&outcome) => outcome,
        answer => wait(settled(answer, call)).flatten(),
    }
}

/// What comes later; of a stream, its last item.
pub(crate) async fn settled(answer: Answer<'_>, call: Call<'_>) -> Result<Outcome, ToolError> {
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

impl Inner {
    fn validate(&self, name: &[u8], call: Call<'_>, cx: &Context) -> Result<(), ToolError> {
        let entry = self.seen(name, &cx.scope(), None)?;
        contained(|| entry.tool.validate(call.destructive(entry.is_destructive)))?
    }

    /// Begins a call. What is there at once goes to its place inside of the guard, since to hand it
    /// out of that is to move it twice more; what comes later comes back.
    #[inline]
    fn begin<'a>(
        &'a self,
        call: &'a ToolCall,
        store: &'a Store,
        cx: &'a Context,
        place: &mut Result<Outcome, ToolError>,
    ) -> (
        Option<&'a Entry>,
        Option<BoxFuture<'a, Result<Outcome, ToolError>>>,
    ) {
        let hidden = |kind| Err(self.unknown(kind, call.name.as_bytes(), &cx.scope(), None));
        let Some(entry) = self.find(call.name.as_bytes()) else {
            *place = hidden(ErrorKind::Unknown);
            return (None, None);
        };
        // One guard around both questions: what panics before it is known to be seen is hidden.
        let is_seen = Cell::new(!entry.may_hide);
        let mut later = None;
        let guarded = contained(|| {
            if !is_seen.get() {
                is_seen.set(entry.tool.visible(&cx.scope()));
            }
            if is_seen.get() {
                match entry.tool.__run(entry.call(call, store, cx)) {
                    // What stood there owns nothing, and is not asked.
                    Ok(Answer::Ready(outcome)) => mem::forget(mem::replace(place, outcome)),
                    Ok(Answer::Later(comes)) => later = Some(comes),
                    Err(stop) => *place = stop.into_outcome(),
                }
            }
        });
        if !is_seen.get() {
            if let Err(error) = &guarded {
                panics::report(
                    "a tool's `visible`",
                    error.host_detail().unwrap_or_default(),
                );
            }
            *place = hidden(ErrorKind::Hidden);
            return (None, None);
        }
        if let Err(error) = guarded {
            *place = Err(error);
        }
        (Some(entry), later)
    }
}
