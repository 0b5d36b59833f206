//! Calls of a set's tools.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use super::{Entry, Inner, Toolset};
use crate::__private::{Ran, Stop};
use crate::contain::{Contained, contained, wait};
#[cfg(feature = "tokio")]
use crate::items::{self, is_stream};
use crate::result::written;
use crate::{
    Answer, Call, Context, ErrorKind, Meta, Outcome, Repair, Store, ToolCall, ToolError, ToolResult,
};

impl Toolset {
    /// Whether a call would be accepted, without running the tool, in a conversation of which
    /// nothing is known. See [`validate_call`](Self::validate_call) for one of which something is.
    ///
    /// # Errors
    /// The error that the call would be answered with.
    pub fn validate(&self, name: &str, arguments: &str) -> Result<(), ToolError> {
        let (store, cx) = (Store::new(), Context::new());
        self.0
            .validate(name, Call::new(arguments, &store, &cx), &cx)
    }

    /// Whether a call would be accepted, without running the tool.
    ///
    /// # Errors
    /// The error that the call would be answered with.
    pub fn validate_call(&self, call: &ToolCall, cx: &Context) -> Result<(), ToolError> {
        let store = Store::new();
        self.0.validate(&call.name, Call::of(call, &store, cx), cx)
    }

    /// Answers a call: whatever it asks for and whatever the tool does, there is an answer, and
    /// nothing panics.
    pub async fn call(&self, call: &ToolCall, cx: &Context) -> ToolResult {
        let store = Store::new();
        let mut ran = Err(Stop::nothing());
        let entry = self.0.begin(Call::of(call, &store, cx), call, &mut ran);
        let names = Names::of(call);
        let outcome = match ran {
            Ok(Answer::Ready(outcome)) => outcome,
            Ok(Answer::Later(later)) => Contained::new(later).await,
            Err(stop) => stop.into_outcome(),
        };
        if is_stream(&outcome) {
            let last = settled(Answer::Ready(outcome), Call::of(call, &store, cx)).await;
            return names.answer(last, entry, &store);
        }
        names.answer(outcome, entry, &store)
    }

    /// Answers a call on this thread. Inside a runtime it blocks the thread that calls it.
    pub fn call_blocking(&self, call: &ToolCall, cx: &Context) -> ToolResult {
        let store = Store::new();
        let mut ran = Err(Stop::nothing());
        let entry = self.0.begin(Call::of(call, &store, cx), call, &mut ran);
        let names = Names::of(call);
        let outcome = match ran {
            Ok(Answer::Ready(outcome)) if !is_stream(&outcome) => outcome,
            Ok(answer) => wait(settled(answer, Call::of(call, &store, cx))).flatten(),
            Err(stop) => stop.into_outcome(),
        };
        names.answer(outcome, entry, &store)
    }
}

/// Whose answer it is. The names are shared before the outcome is moved to its place: what the tool
/// has just written word by word cannot be read in larger pieces at once, and that takes its time.
struct Names {
    id: Arc<str>,
    name: Arc<str>,
}

impl Names {
    #[inline]
    fn of(call: &ToolCall) -> Self {
        Self {
            id: Arc::clone(&call.id),
            name: Arc::clone(&call.name),
        }
    }

    /// The answer of a tool, and what it says beside what the call came to.
    #[inline(always)]
    #[allow(clippy::inline_always)] // Its parts go where the whole goes.
    fn answer(
        self,
        outcome: Result<Outcome, ToolError>,
        entry: Option<&Entry>,
        store: &Store,
    ) -> ToolResult {
        let result = ToolResult {
            id: self.id,
            name: self.name,
            outcome: written(outcome),
            repairs: Box::default(),
            attributes: entry.map_or_else(Meta::default, |entry| entry.attributes.clone()),
            duration: Duration::ZERO,
        };
        match store.repairs() {
            [] => result,
            repairs => repaired(result, repairs),
        }
    }
}

#[cold]
fn repaired(result: ToolResult, repairs: &[Repair]) -> ToolResult {
    ToolResult {
        repairs: repairs.into(),
        ..result
    }
}

/// Whether the answer is a stream, which only an executor's runtime can read.
#[cfg(not(feature = "tokio"))]
fn is_stream(_: &Result<Outcome, ToolError>) -> bool {
    false
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
    fn validate(&self, name: &str, call: Call<'_>, cx: &Context) -> Result<(), ToolError> {
        let entry = self.seen(name, &cx.scope(), None)?;
        contained(|| entry.tool.validate(call))?
    }

    /// Begins a call. What it came to so far goes to its place inside of the guard, since to hand it
    /// out of that is to move it twice more.
    fn begin<'a>(&'a self, call: Call<'a>, of: &ToolCall, ran: &mut Ran<'a>) -> Option<&'a Entry> {
        let hidden = |kind| {
            Err(Stop::failed(self.unknown(
                kind,
                &of.name,
                &call.scope(),
                None,
            )))
        };
        let Some(entry) = self.find(&of.name) else {
            *ran = hidden(ErrorKind::Unknown);
            return None;
        };
        // One guard around both questions: what panics before it is known to be seen is hidden.
        let is_seen = Cell::new(!entry.may_hide);
        let guarded = contained(|| {
            if !is_seen.get() {
                is_seen.set(entry.tool.visible(&call.scope()));
            }
            if is_seen.get() {
                match entry.tool.__run(call) {
                    // Two words are moved as such, and not as all that an answer may be.
                    Ok(Answer::Later(later)) => *ran = Ok(Answer::Later(later)),
                    ready => *ran = ready,
                }
            }
        });
        if !is_seen.get() {
            *ran = hidden(ErrorKind::Hidden);
            return None;
        }
        if let Err(error) = guarded {
            *ran = Err(Stop::failed(error));
        }
        Some(entry)
    }
}
