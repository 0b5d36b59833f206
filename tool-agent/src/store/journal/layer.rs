//! The layer that writes call records.

use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::Mutex as AsyncMutex;
use toolwright_provider::call::{
    Annotations, ErrorKind, Outcome, StoredOutcome, ToolCall, ToolError,
};
use toolwright_runtime::executor::{Handled, Layer, Next, Request, UnknownOutcome};
use toolwright_runtime::tool::{BoxFuture, OpenCall, OpenCallError, OpenCallStore};
use toolwright_schema::panics::caught;

use super::{Begin, Begun, CallRecord, End, Unsaved};
use crate::store::{CheckpointError, CheckpointId, Checkpointer, Damage, DamagedPart};

/// Innermost layer of an agent with a checkpointer, for one visit of the tools node. It records each call before and
/// after its body runs. A call with a recorded outcome does not run again.
#[derive(Clone)]
pub(crate) struct Journal(Arc<JournalInner>);

struct JournalInner {
    store: Arc<dyn Checkpointer>,
    session: String,
    /// Checkpoint of the calls. The first call that begins writes it with its record.
    head: AsyncMutex<Head>,
    /// Lease of the run.
    lease: Option<CheckpointId>,
    unknown: UnknownOutcome,
    /// Calls of the turn, as the model made them.
    calls: Vec<ToolCall>,
    /// Approved record revisions, by place, of calls that may run again.
    again: BTreeMap<usize, u64>,
    state: Mutex<JournalState>,
}

/// Checkpoint of the calls of a visit.
enum Head {
    Saved,
    Unsaved(Box<Unsaved>),
    /// The write goes on when its call is dropped, since the next write follows it.
    Writing(BoxFuture<'static, Result<(CheckpointId, Option<BegunCall>), CheckpointError>>),
}

/// A call whose record was written with its checkpoint, and its key.
type BegunCall = (String, ToolCall, Begun);

struct JournalState {
    /// Newest checkpoint of the session.
    after: CheckpointId,
    /// Places of calls that ended in this visit, and have not begun again.
    ended: BTreeSet<usize>,
    /// Revisions written by this visit, by place. An outer layer may repeat a call.
    written: BTreeMap<usize, u64>,
    /// Revisions of the records of calls that a person decides about, by place: of an unknown outcome, or paused.
    unknown: BTreeMap<usize, u64>,
    /// Record and its revision of each call that may stay open, by the call's key.
    open: BTreeMap<String, (String, u64)>,
    /// How long ago an earlier run made a call that is made again, at most, by the key of its first attempt.
    made_before: BTreeMap<String, Duration>,
    /// What was written with the checkpoint, until an attempt of the call takes it: the one that began the write may be dropped.
    begun: Option<BegunCall>,
    failed: Option<CheckpointError>,
}

impl Journal {
    pub(crate) fn new(
        store: Arc<dyn Checkpointer>,
        session: &str,
        (after, unsaved): (CheckpointId, Option<Box<Unsaved>>),
        lease: Option<CheckpointId>,
        unknown: UnknownOutcome,
        calls: Vec<ToolCall>,
        again: BTreeMap<usize, u64>,
    ) -> Self {
        let state = Mutex::new(JournalState {
            after,
            ended: BTreeSet::new(),
            written: BTreeMap::new(),
            unknown: BTreeMap::new(),
            open: BTreeMap::new(),
            made_before: BTreeMap::new(),
            begun: None,
            failed: None,
        });
        Self(Arc::new(JournalInner {
            store,
            session: session.to_owned(),
            head: AsyncMutex::new(unsaved.map_or(Head::Saved, Head::Unsaved)),
            lease,
            unknown,
            calls,
            again,
            state,
        }))
    }

    /// Returns the newest checkpoint of the session.
    pub(crate) fn saved(&self) -> CheckpointId {
        self.0.state().after
    }

    /// Waits for the write of a call that was dropped meanwhile.
    pub(crate) async fn settle(&self) {
        let mut head = self.0.head.lock().await;
        if let Err(error) = self.0.written(&mut head).await {
            self.0.fail(error);
        }
    }

    /// Returns true if each call of the turn ran in this visit, and its outcome is recorded.
    pub(crate) fn has_all(&self) -> bool {
        let state = self.0.state();
        state.ended.len() == self.0.calls.len() && state.unknown.is_empty()
    }

    /// Returns the error if the journal could not be written. The batch is discarded then.
    pub(crate) fn failure(&self) -> Option<CheckpointError> {
        self.0.state().failed.clone()
    }

    /// Returns the record's revision of a call with an unknown outcome, or whose tool paused.
    pub(crate) fn unknown(&self, index: usize) -> Option<u64> {
        self.0.state().unknown.get(&index).copied()
    }

    /// Returns how long ago an earlier run made the call, at most.
    pub(super) fn made_before(&self, key: &str) -> Option<Duration> {
        self.0.state().made_before.get(key).copied()
    }
}

impl JournalInner {
    /// Locks the state. A poisoned lock is usable: no update is left half done under it.
    fn state(&self) -> MutexGuard<'_, JournalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cold]
    fn fail(&self, error: CheckpointError) -> Handled {
        self.state().failed.get_or_insert(error);
        stopped()
    }

    async fn begin(
        &self,
        key: &str,
        request: &Request<'_>,
        replaces: Option<u64>,
    ) -> Result<Begun, CheckpointError> {
        let call = request.call();
        let written = self.calls.get(place(request)).map(|call| &*call.arguments);
        let model_arguments = written.filter(|written| **written != *call.arguments);
        let begin = Begin {
            session: &self.session,
            after: self.state().after,
            key,
            call,
            model_arguments,
            replaces,
            lease: self.lease,
        };
        if let Some(begun) = self.save(Some(begin)).await? {
            return Ok(begun);
        }
        let after = self.state().after;
        self.store.begin_call(Begin { after, ..begin }).await
    }

    /// Writes the checkpoint of the calls, with the record of this one. Returns `None` if the record is left to write.
    async fn save(&self, begin: Option<Begin<'_>>) -> Result<Option<Begun>, CheckpointError> {
        let mut head = self.head.lock().await;
        self.written(&mut head).await?;
        if let Some(error) = self.state().failed.clone() {
            return Err(error);
        }
        if let Head::Unsaved(new) = std::mem::replace(&mut *head, Head::Saved) {
            *head = self.write(new, begin);
            self.written(&mut head).await?;
        }
        let is_of = |(key, call, _): &mut BegunCall| {
            begin.is_some_and(|begin| begin.key == *key && begin.call == call)
        };
        let written = self.state().begun.take_if(is_of);
        Ok(written.map(|(_, _, begun)| begun))
    }

    /// Begins to write the checkpoint, with the record of this call.
    fn write(&self, new: Box<Unsaved>, begin: Option<Begin<'_>>) -> Head {
        let store = Arc::clone(&self.store);
        Head::Writing(match begin {
            None => Box::pin(async move { Ok((store.put(new.checkpoint()).await?, None)) }),
            Some(begin) => {
                let (key, call) = (begin.key.to_owned(), begin.call.clone());
                let model_arguments = begin.model_arguments.map(str::to_owned);
                let (after, replaces, lease) = (begin.after, begin.replaces, begin.lease);
                Box::pin(async move {
                    let begin = Begin {
                        session: &new.session,
                        after,
                        key: &key,
                        call: &call,
                        model_arguments: model_arguments.as_deref(),
                        replaces,
                        lease,
                    };
                    let (after, what) = store.put_and_begin(new.checkpoint(), begin).await?;
                    Ok((after, what.map(|what| (key, call, what))))
                })
            }
        })
    }

    /// Waits for the write of the checkpoint, if there is one.
    async fn written(&self, head: &mut Head) -> Result<(), CheckpointError> {
        let Head::Writing(write) = head else {
            return Ok(());
        };
        let written = poll_fn(|task| {
            let polled = caught(|| write.as_mut().poll(task));
            polled.unwrap_or_else(|panic| {
                let words = format!("the store panicked: {}", panic.into_detail());
                Poll::Ready(Err(CheckpointError::store(words)))
            })
        });
        let written = written.await;
        *head = Head::Saved;
        let (after, begun) = written.inspect_err(|error| {
            self.state().failed.get_or_insert_with(|| error.clone());
        })?;
        let mut state = self.state();
        (state.after, state.begun) = (after, begun);
        Ok(())
    }

    /// Returns true if a call with this record may run again: a person approved it, or its end is not recorded and that
    /// is harmless.
    fn may_run_again(&self, index: usize, record: &CallRecord, tool: Annotations) -> bool {
        let is_harmless = || tool.may_repeat() || self.unknown == UnknownOutcome::RunAgain;
        self.again.get(&index) == Some(&record.revision)
            || (record.outcome.is_none() && is_harmless())
    }

    /// Returns true if the tool continues what an earlier run began. A person's approval is of another call.
    fn goes_on(&self, index: usize, record: &CallRecord, request: &Request<'_>) -> bool {
        request.tool().resumes()
            && record.outcome.is_none()
            && self.again.get(&index) != Some(&record.revision)
    }

    /// Returns how long ago the record was written, at most. Its checkpoint may have been pruned.
    async fn age(&self, record: &CallRecord) -> Duration {
        let Ok(Some(checkpoint)) = self.store.get(record.after).await else {
            return Duration::MAX;
        };
        let written = UNIX_EPOCH.checked_add(Duration::from_millis(checkpoint.at_ms));
        // A clock that is behind says nothing.
        let age = written.and_then(|written| SystemTime::now().duration_since(written).ok());
        age.unwrap_or(Duration::MAX)
    }

    async fn call(&self, request: Request<'_>, next: Next<'_>) -> Handled {
        // The session of an agent is its record.
        if request.tool().__agent().is_some() {
            return match self.save(None).await {
                Ok(_) => next.run(request).await,
                Err(error) => self.fail(error),
            };
        }
        let Some(call_place) = request.context().call_place() else {
            return self.fail(CheckpointError::store("a call of a run without an id"));
        };
        let key = call_place.first_key();
        if self.state().failed.is_some() {
            return stopped();
        }
        if let Some(waits) = request.reapproval() {
            return waits;
        }
        let index = place(&request);
        let written = {
            let mut state = self.state();
            // An attempt of this run is no earlier one's.
            state.made_before.remove(&key);
            state.ended.remove(&index);
            state.written.get(&index).copied()
        };
        let begun = match self.begin(&key, &request, written).await {
            Ok(Begun::Standing(record)) if self.goes_on(index, &record, &request) => {
                let age = self.age(&record).await;
                self.state().made_before.insert(key.clone(), age);
                Ok(Begun::Recorded(record.revision))
            }
            Ok(Begun::Standing(record)) => {
                if self.may_run_again(index, &record, request.annotations()) {
                    self.begin(&key, &request, Some(record.revision)).await
                } else {
                    // If an outer layer repeats the call, it has to run.
                    if record.outcome.is_some() {
                        self.state().written.insert(index, record.revision);
                    }
                    return self.replay(&record, &request);
                }
            }
            begun => begun,
        };
        match begun {
            Ok(Begun::Recorded(revision)) => {
                let record = (key.clone(), revision);
                self.state().open.insert(call_place.key(), record);
                self.run(&key, revision, request, next).await
            }
            // The call has just ended elsewhere, or another process runs it.
            Ok(Begun::Standing(record)) => self.replay(&record, &request),
            Err(error) => self.fail(error),
        }
    }

    async fn run(&self, key: &str, revision: u64, request: Request<'_>, next: Next<'_>) -> Handled {
        let (index, call, cx) = (place(&request), request.call().clone(), request.context());
        let handled = next.run(request).await;
        let Handled::Done(outcome) = &handled else {
            // The tool has paused. A decision is about what has run until then.
            self.state().unknown.insert(index, revision);
            return handled;
        };
        // Its end is recorded when it comes.
        if matches!(outcome, Ok(Outcome::Open { .. })) {
            return handled;
        }
        let stored = StoredOutcome::new(&call, outcome)
            .and_then(|stored| stored.with_updates(cx.updates()).to_json());
        let stored = match stored {
            Ok(stored) => stored,
            Err(error) => {
                let words = format!("the outcome of the call `{}` cannot be stored", call.id);
                return self.fail(CheckpointError::store_with(words, error));
            }
        };
        let ended = self.store.end_call(End {
            session: &self.session,
            key,
            revision,
            outcome: &stored,
            lease: self.lease,
        });
        match ended.await {
            Ok(()) => {
                let mut state = self.state();
                state.written.insert(index, revision + 1);
                state.ended.insert(index);
                drop(state);
                self.note(index, revision + 1, outcome);
                handled
            }
            Err(error) => self.fail(error),
        }
    }

    /// Notes the record of a call with an unknown outcome.
    fn note(&self, index: usize, revision: u64, outcome: &Result<Outcome, ToolError>) {
        let mut state = self.state();
        match outcome {
            Err(error) if error.is_outcome_unknown() => {
                state.unknown.insert(index, revision);
            }
            _ => {
                state.unknown.remove(&index);
            }
        }
    }

    /// Returns the recorded outcome of a call. That of a call without one is unknown; the executor's policy decides about
    /// it.
    fn replay(&self, record: &CallRecord, request: &Request<'_>) -> Handled {
        let index = place(request);
        let Some(stored) = &record.outcome else {
            let error = Err(unknown());
            self.note(index, record.revision, &error);
            return error.into();
        };
        match StoredOutcome::from_json(stored) {
            Ok(stored) => {
                for (name, value) in stored.updates() {
                    request.context().update_state(name.as_str(), value.clone());
                }
                let outcome = stored.into_outcome();
                self.note(index, record.revision, &outcome);
                outcome.into()
            }
            Err(error) => {
                if error.is_of_another_version() {
                    let key = &record.key;
                    return self.fail(CheckpointError::Unreadable(format!(
                        "the record of the call `{key}` cannot be read: {error}"
                    )));
                }
                let part = DamagedPart::Call(record.key.clone());
                let damage = Damage::of_session(&*self.session, part, None);
                self.fail(CheckpointError::damaged(
                    damage.with_reason(error.to_string()),
                ))
            }
        }
    }
}

/// Records what open calls come to. The session lists them.
impl OpenCallStore for Journal {
    fn begin<'a>(&'a self, _: &'a OpenCall) -> BoxFuture<'a, Result<(), OpenCallError>> {
        // The layer has recorded it.
        Box::pin(async { Ok(()) })
    }

    fn end<'a>(
        &'a self,
        key: &'a str,
        outcome: &'a StoredOutcome,
    ) -> BoxFuture<'a, Result<(), OpenCallError>> {
        Box::pin(async move {
            let record = self.0.state().open.get(key).cloned();
            // Agents keep their own conversations.
            let Some((key, revision)) = record else {
                return Ok(());
            };
            let failed = |error: CheckpointError| {
                OpenCallError::store_with("the outcome is not recorded", error)
            };
            let outcome = outcome.to_json();
            let outcome =
                outcome.map_err(|error| failed(CheckpointError::store(error.to_string())))?;
            let ended = self.0.store.end_call(End {
                session: &self.0.session,
                key: &key,
                revision,
                outcome: &outcome,
                // An open call may end after its run.
                lease: None,
            });
            ended.await.map_err(failed)
        })
    }

    fn get<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<OpenCall>, OpenCallError>> {
        Box::pin(async { Ok(None) })
    }

    fn all(&self) -> BoxFuture<'_, Result<Vec<OpenCall>, OpenCallError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn remove<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), OpenCallError>> {
        // Records are removed with their session.
        Box::pin(async { Ok(()) })
    }
}

/// Returns the error of a call that began, and of whose end nothing is recorded.
pub(crate) fn unknown() -> ToolError {
    ToolError::failed(
        "the program ended while this call ran; it is not known whether it took effect",
    )
    .with_outcome_unknown()
}

/// Returns the call's place in its turn.
fn place(request: &Request<'_>) -> usize {
    let place = request.context().call_index();
    place.unwrap_or_else(|| request.index())
}

/// Returns a placeholder error. Nobody reads it, since the batch is discarded.
#[cold]
fn stopped() -> Handled {
    ToolError::new(ErrorKind::Cancelled, "the journal could not be kept").into()
}

impl Layer for Journal {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(self.0.call(request, next))
    }
}
