use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use toolwright_runtime::tool::BoxFuture;

use super::{
    Checkpoint, CheckpointError, CheckpointId, Checkpointer, Keep, Lease, NewCheckpoint,
    SessionHead,
};
use crate::store::{Begin, Begun, CallRecord, End};

/// Store that keeps sessions in memory, until the process ends. Cheap to clone; all clones share one store.
///
/// ```
/// use toolwright::agent::{Agent, store::Checkpointer, MemoryCheckpointer, ModelResponse, Session};
/// use toolwright::agent::testing::ScriptedModel;
/// use toolwright::{Context, Toolset};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let store = MemoryCheckpointer::new();
/// let model = ScriptedModel::new([Ok(ModelResponse::text("Hello."))]);
/// let agent = Agent::new(model, &Toolset::default()).checkpointer(store.clone());
/// let mut session = Session::with_id("ann");
/// session.say("Hi!").unwrap();
/// agent.run(&mut session, &Context::new()).await.unwrap();
///
/// assert_eq!(store.sessions(None, 10).await.unwrap(), ["ann"]);
/// let again = agent.state("ann").await.unwrap().unwrap();
/// assert_eq!(again.thread().last_text(), Some("Hello."));
/// # });
/// ```
#[derive(Clone, Default)]
pub struct MemoryCheckpointer {
    store: Arc<Mutex<MemoryStore>>,
    term: Option<Duration>,
}

#[derive(Default)]
struct MemoryStore {
    /// Number of the newest checkpoint.
    last: u64,
    sessions: BTreeMap<String, Stored>,
}

/// What is stored of a session.
#[derive(Default)]
struct Stored {
    /// Oldest first.
    checkpoints: Vec<Checkpoint>,
    calls: Calls,
    /// Messages, oldest first.
    inbox: Vec<String>,
    /// Newest lease and its end.
    lease: Option<(CheckpointId, Instant)>,
    caller: Option<String>,
}

/// Records of a session's calls.
#[derive(Default)]
struct Calls {
    /// Records in the order in which the calls first began.
    records: Vec<CallRecord>,
    /// Positions in `records`, by key.
    places: HashMap<String, usize>,
}

impl Calls {
    fn get_mut(&mut self, key: &str) -> Option<&mut CallRecord> {
        self.records.get_mut(*self.places.get(key)?)
    }

    fn begin(&mut self, begin: &Begin<'_>) -> Begun {
        let Some(record) = self.get_mut(begin.key) else {
            self.places.insert(begin.key.to_owned(), self.records.len());
            self.records.push(begin.record(1));
            return Begun::Recorded(1);
        };
        if begin.replaces != Some(record.revision) {
            return Begun::Standing(record.clone());
        }
        *record = begin.record(record.revision + 1);
        Begun::Recorded(record.revision)
    }
}

impl MemoryCheckpointer {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the [time of a lease](Checkpointer::lease_term). Default: none, so that runs take no leases.
    pub fn with_lease(self, term: impl Into<Option<Duration>>) -> Self {
        let term = term.into();
        Self { term, ..self }
    }

    /// Locks the store. A poisoned lock is usable: no update is left half done under it.
    fn lock(&self) -> MutexGuard<'_, MemoryStore> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stored {
    fn head(&self) -> Option<SessionHead> {
        Some(SessionHead {
            newest: self.checkpoints.last()?.id,
            lease: self.standing(),
        })
    }

    fn standing(&self) -> Option<(CheckpointId, Duration)> {
        let (token, end) = self.lease?;
        Some((token, end.saturating_duration_since(Instant::now())))
    }
}

impl MemoryStore {
    fn put(&mut self, new: &NewCheckpoint<'_>) -> Result<CheckpointId, CheckpointError> {
        let head = self.sessions.get(new.session).and_then(Stored::head);
        SessionHead::check(head, new.session, new.lease, new.after)?;
        self.last += 1;
        let id = CheckpointId::new(self.last);
        let stored = self.sessions.entry(new.session.to_owned()).or_default();
        if new.after.is_none() {
            stored.caller = new.caller.map(str::to_owned);
        }
        match new.lease {
            Lease::None => {}
            Lease::Take(term) | Lease::TakeOver(term) => stored.lease = Some((id, end(term))),
            Lease::Keep(token, term) => stored.lease = Some((token, end(term))),
            Lease::Release(_) => stored.lease = None,
        }
        stored.checkpoints.push(Checkpoint {
            id,
            session: new.session.to_owned(),
            parent: new.parent,
            written: new.written,
            next: new.next,
            at_ms: new.at_ms,
            metadata: new.metadata.clone(),
            body: new.body.to_owned(),
        });
        Ok(id)
    }

    fn begin(&mut self, begin: &Begin<'_>) -> Result<Begun, CheckpointError> {
        let head = self.sessions.get(begin.session).and_then(Stored::head);
        let (lease, after) = (Lease::of_run(begin.lease), Some(begin.after));
        SessionHead::check(head, begin.session, lease, after)?;
        let stored = self.sessions.entry(begin.session.to_owned()).or_default();
        Ok(stored.calls.begin(begin))
    }

    fn end(&mut self, end: &End<'_>) -> Result<(), CheckpointError> {
        let Some(stored) = self.sessions.get_mut(end.session) else {
            return Ok(());
        };
        if end.lease.is_some() {
            Lease::of_run(end.lease).check(end.session, stored.standing())?;
        }
        if let Some(record) = stored.calls.get_mut(end.key)
            && record.revision == end.revision
        {
            record.revision += 1;
            record.outcome = Some(end.outcome.to_owned());
        }
        Ok(())
    }

    fn renew(
        &mut self,
        session: &str,
        lease: CheckpointId,
        term: Duration,
    ) -> Result<(), CheckpointError> {
        let mut stored = self.sessions.get_mut(session);
        let standing = stored.as_ref().and_then(|stored| stored.standing());
        Lease::Release(lease).check(session, standing)?;
        if let Some(stored) = &mut stored {
            stored.lease = (!term.is_zero()).then(|| (lease, end(term)));
        }
        Ok(())
    }

    /// Deletes a session and those of the agents that its calls ran.
    fn delete(&mut self, session: &str) -> bool {
        let is_gone = self.sessions.remove(session).is_some();
        let called = self.sessions.iter();
        let called = called.filter(|(_, stored)| stored.caller.as_deref() == Some(session));
        let called: Vec<_> = called.map(|(id, _)| id.clone()).collect();
        for session in called {
            self.delete(&session);
        }
        is_gone
    }

    fn sessions(&self, after: Option<&str>, most: usize) -> Vec<String> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let behind = self.sessions.range::<str, _>((from, Bound::Unbounded));
        behind.take(most).map(|(id, _)| id.clone()).collect()
    }
}

/// Returns the end of a lease that begins now.
fn end(term: Duration) -> Instant {
    let now = Instant::now();
    // A century, if the clock cannot hold it.
    let most = Duration::from_hours(876_000);
    now.checked_add(term.min(most)).unwrap_or(now)
}

impl Checkpointer for MemoryCheckpointer {
    fn put<'a>(
        &'a self,
        new: NewCheckpoint<'a>,
    ) -> BoxFuture<'a, Result<CheckpointId, CheckpointError>> {
        Box::pin(async move { self.lock().put(&new) })
    }

    fn latest<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Option<Checkpoint>, CheckpointError>> {
        Box::pin(async move {
            Ok(self
                .lock()
                .sessions
                .get(session)
                .and_then(|stored| stored.checkpoints.last().cloned()))
        })
    }

    fn get(&self, id: CheckpointId) -> BoxFuture<'_, Result<Option<Checkpoint>, CheckpointError>> {
        Box::pin(async move {
            let store = self.lock();
            let mut all = store
                .sessions
                .values()
                .flat_map(|stored| &stored.checkpoints);
            Ok(all.find(|checkpoint| checkpoint.id == id).cloned())
        })
    }

    fn history<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Checkpoint>, CheckpointError>> {
        Box::pin(async move {
            Ok(self
                .lock()
                .sessions
                .get(session)
                .map(|stored| stored.checkpoints.clone())
                .unwrap_or_default())
        })
    }

    fn sessions<'a>(
        &'a self,
        after: Option<&'a str>,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>> {
        Box::pin(async move { Ok(self.lock().sessions(after, most)) })
    }

    fn delete<'a>(&'a self, session: &'a str) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        Box::pin(async move { Ok(self.lock().delete(session)) })
    }

    fn begin_call<'a>(&'a self, begin: Begin<'a>) -> BoxFuture<'a, Result<Begun, CheckpointError>> {
        Box::pin(async move { self.lock().begin(&begin) })
    }

    fn end_call<'a>(&'a self, end: End<'a>) -> BoxFuture<'a, Result<(), CheckpointError>> {
        Box::pin(async move { self.lock().end(&end) })
    }

    fn prune<'a>(
        &'a self,
        session: &'a str,
        keep: Keep,
    ) -> BoxFuture<'a, Result<usize, CheckpointError>> {
        Box::pin(async move {
            let mut store = self.lock();
            let Some(stored) = store.sessions.get_mut(session) else {
                return Ok(0);
            };
            let dropped = keep.drops(stored.checkpoints.iter().map(|one| one.at_ms));
            stored.checkpoints.drain(..dropped);
            Ok(dropped)
        })
    }

    fn delete_checkpoint<'a>(
        &'a self,
        session: &'a str,
        id: CheckpointId,
    ) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        Box::pin(async move {
            let mut store = self.lock();
            let Some(stored) = store.sessions.get_mut(session) else {
                return Ok(false);
            };
            let all = &mut stored.checkpoints;
            let place = all.iter().position(|one| one.id == id);
            let place = place.filter(|place| place + 1 < all.len());
            Ok(place.map(|place| all.remove(place)).is_some())
        })
    }

    fn calls<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<CallRecord>, CheckpointError>> {
        Box::pin(async move {
            let store = self.lock();
            let stored = store.sessions.get(session);
            Ok(stored
                .map(|stored| stored.calls.records.clone())
                .unwrap_or_default())
        })
    }

    fn send<'a>(
        &'a self,
        session: &'a str,
        message: &'a str,
    ) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        Box::pin(async move {
            let mut store = self.lock();
            let stored = store.sessions.get_mut(session);
            let inbox = stored.map(|stored| stored.inbox.push(message.to_owned()));
            Ok(inbox.is_some())
        })
    }

    fn inbox<'a>(
        &'a self,
        session: &'a str,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>> {
        Box::pin(async move {
            let store = self.lock();
            let inbox = store
                .sessions
                .get(session)
                .map(|stored| stored.inbox.iter());
            let skipped = usize::try_from(after).unwrap_or(usize::MAX);
            let inbox = inbox.into_iter().flatten().skip(skipped).take(most);
            Ok(inbox.cloned().collect())
        })
    }

    fn renew<'a>(
        &'a self,
        session: &'a str,
        lease: CheckpointId,
        term: Duration,
    ) -> BoxFuture<'a, Result<(), CheckpointError>> {
        Box::pin(async move { self.lock().renew(session, lease, term) })
    }

    fn lease_term(&self) -> Option<Duration> {
        self.term
    }
}

impl fmt::Debug for MemoryCheckpointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Conversations may hold secrets.
        f.debug_struct("MemoryCheckpointer")
            .field("sessions", &self.lock().sessions.len())
            .finish_non_exhaustive()
    }
}
