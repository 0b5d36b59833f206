//! Calls of a set's tools.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use super::{Entry, Inner, Toolset};
use crate::contain::{Contained, contained, wait};
#[cfg(feature = "tokio")]
use crate::items;
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
        let begun = self.0.begin(&call.name, Call::of(call, &store, cx), cx);
        let names = Names::of(call);
        match begun {
            Begun::Answered(outcome, entry) => names.answer(outcome, entry, &store),
            Begun::Later(later, entry) => {
                let outcome = settled(later, Call::of(call, &store, cx)).await;
                names.answer(outcome, Some(entry), &store)
            }
        }
    }

    /// Answers a call on this thread. Inside a runtime it blocks the thread that calls it.
    pub fn call_blocking(&self, call: &ToolCall, cx: &Context) -> ToolResult {
        let store = Store::new();
        let begun = self.0.begin(&call.name, Call::of(call, &store, cx), cx);
        let names = Names::of(call);
        match begun {
            Begun::Answered(outcome, entry) => names.answer(outcome, entry, &store),
            Begun::Later(later, entry) => {
                let outcome = wait(settled(later, Call::of(call, &store, cx)));
                names.answer(outcome.flatten(), Some(entry), &store)
            }
        }
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
        let attributes = entry.map_or_else(Meta::default, |entry| entry.attributes.clone());
        ToolResult {
            id: self.id,
            name: self.name,
            outcome: written(outcome),
            repairs: repairs(store),
            attributes,
            duration: Duration::ZERO,
        }
    }
}

#[inline]
fn repairs(store: &Store) -> Vec<Repair> {
    match store.repairs() {
        [] => Vec::new(),
        repairs => copied(repairs),
    }
}

#[cold]
fn copied(repairs: &[Repair]) -> Vec<Repair> {
    repairs.to_vec()
}

/// What comes later; of a stream, its last item.
async fn settled(
    later: Contained<'_, Result<Outcome, ToolError>>,
    call: Call<'_>,
) -> Result<Outcome, ToolError> {
    let answer = later.await.flatten();
    #[cfg(feature = "tokio")]
    if let Some(stream) = items::stream_of(&answer) {
        return items::read(stream, call).await.flatten();
    }
    #[cfg(not(feature = "tokio"))]
    let _ = call;
    answer
}

enum Begun<'s, 'a> {
    Answered(Result<Outcome, ToolError>, Option<&'s Entry>),
    Later(Contained<'a, Result<Outcome, ToolError>>, &'s Entry),
}

impl Inner {
    fn validate(&self, name: &str, call: Call<'_>, cx: &Context) -> Result<(), ToolError> {
        let entry = self.seen(name, &cx.scope(), None)?;
        contained(|| entry.tool.validate(call))?
    }

    fn begin<'a>(&'a self, name: &str, call: Call<'a>, cx: &Context) -> Begun<'a, 'a> {
        let scope = cx.scope();
        let Some(entry) = self.find(name) else {
            let error = self.unknown(ErrorKind::Unknown, name, &scope, None);
            return Begun::Answered(Err(error), None);
        };
        // One guard around both questions: what panics before it is known to be seen is hidden.
        let is_seen = Cell::new(false);
        let answer = contained(|| {
            is_seen.set(entry.shows_itself(&scope, None));
            is_seen.get().then(|| entry.tool.__run(call))
        });
        match answer {
            #[cfg(feature = "tokio")]
            Ok(Some(Ok(Answer::Ready(answer)))) => match items::stream_of(&answer) {
                Some(stream) => Begun::Later(items::read(stream, call), entry),
                None => Begun::Answered(answer, Some(entry)),
            },
            #[cfg(not(feature = "tokio"))]
            Ok(Some(Ok(Answer::Ready(answer)))) => Begun::Answered(answer, Some(entry)),
            Ok(Some(Ok(Answer::Later(later)))) => Begun::Later(Contained::new(later), entry),
            Ok(Some(Err(stop))) => Begun::Answered(stop.into_outcome(), Some(entry)),
            Err(error) if is_seen.get() => Begun::Answered(Err(error), Some(entry)),
            Ok(None) | Err(_) => {
                let error = self.unknown(ErrorKind::Hidden, name, &scope, None);
                Begun::Answered(Err(error), None)
            }
        }
    }
}
