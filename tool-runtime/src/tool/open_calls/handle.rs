//! The one owner of an open call in this process.

use std::fmt;
use std::sync::Arc;

use tokio::runtime::Handle;

use super::entry::OpenCallEntry;
use super::{OpenCall, OpenCallError, OpenCallState, OpenCalls};
use crate::tool::Cancel;
use toolwright_provider::call::{ErrorKind, Outcome, StoredOutcome, ToolError};

/// The one owner of an open call, which ends it. Dropping it ends the call with an error: it is not known whether it took
/// effect. See [`Context::keep_open`](crate::tool::Context::keep_open).
#[must_use = "a call whose handle is dropped ends with an error"]
pub struct OpenCallHandle {
    pub(super) open: OpenCalls,
    pub(super) entry: Arc<OpenCallEntry>,
    pub(super) call: OpenCall,
    pub(super) stop: Cancel,
    pub(super) phase: Phase,
}

/// How far the call has come.
#[derive(Clone, Copy)]
pub(super) enum Phase {
    Begins { is_new: bool },
    Runs,
    Ended,
}

impl OpenCallHandle {
    /// Returns the call's key.
    pub fn key(&self) -> &str {
        &self.call.key
    }

    /// Returns the token that fires when somebody cancels the call.
    pub fn cancel(&self) -> Cancel {
        self.stop.clone()
    }

    /// Returns the outcome that the tool returns now. The model reads the note until the result follows.
    pub fn outcome(&self, note: impl Into<String>) -> Outcome {
        Outcome::Open {
            key: self.call.key.clone(),
            note: note.into(),
        }
    }

    /// Ends the call.
    ///
    /// # Errors
    /// If the call has ended meanwhile, because somebody cancelled it for example, or if the store fails. In the latter
    /// case the call has ended in this process. A result that is too large becomes an error of the call.
    pub async fn end(self, outcome: Result<Outcome, ToolError>) -> Result<(), OpenCallError> {
        let stored = StoredOutcome::new(&self.call.call, &outcome);
        self.store(stored.unwrap_or_else(|_| failed("its result cannot be written")))
            .await
    }

    /// Returns the call.
    pub(crate) fn call(&self) -> &OpenCall {
        &self.call
    }

    /// Leaves the call to a person: it is unknown whether it took effect.
    pub(crate) fn leave_unknown(mut self, error: &str) {
        self.phase = Phase::Ended;
        self.entry.mark_unknown(error.to_owned());
    }

    /// Ends the call with an outcome in its stored form.
    pub(crate) async fn store(mut self, outcome: StoredOutcome) -> Result<(), OpenCallError> {
        self.phase = Phase::Ended;
        let (open, key) = (&self.open, &self.call.key);
        let outcome = match open.fits(key, &outcome) {
            Ok(()) => outcome,
            Err(error) => failed(error.to_string()),
        };
        self.entry.check()?;
        let stored = match &open.store {
            Some(store) => store.end(key, &outcome).await,
            None => Ok(()),
        };
        let known = match (&stored, &open.store) {
            // The first outcome is final, in each process.
            (Err(OpenCallError::Ended { .. }), Some(store)) => store.get(key).await,
            _ => Ok(None),
        };
        self.entry.settle(match known {
            Ok(Some(OpenCall {
                state: OpenCallState::Ended(known),
                ..
            })) => *known,
            _ => outcome,
        })?;
        stored
    }
}

pub(crate) fn failed(words: impl Into<String>) -> StoredOutcome {
    StoredOutcome::of_error(&ToolError::failed(words.into()))
}

impl Drop for OpenCallHandle {
    fn drop(&mut self) {
        match self.phase {
            Phase::Ended => {}
            // Nothing of it runs.
            Phase::Begins { is_new: true } => {
                let key = &self.call.key;
                self.open.entries().retain(|entry| entry.key != *key);
            }
            Phase::Begins { is_new: false } => self.entry.inner().live = None,
            Phase::Runs => {
                let words =
                    "the work ended without a result, and it is not known whether it took effect";
                let error = ToolError::new(ErrorKind::NoAnswer, words).with_outcome_unknown();
                let outcome = StoredOutcome::of_error(&error);
                let (open, key) = (self.open.clone(), self.call.key.clone());
                if let (Some(store), Ok(runtime)) = (open.store.clone(), Handle::try_current()) {
                    let (key, outcome) = (key.clone(), outcome.clone());
                    runtime.spawn(async move { store.end(&key, &outcome).await });
                }
                // Somebody may have ended it before.
                let _ = self.entry.settle(outcome);
            }
        }
    }
}

impl fmt::Debug for OpenCallHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenCallHandle")
            .field("key", &self.call.key)
            .finish_non_exhaustive()
    }
}
