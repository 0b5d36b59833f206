use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::expect;
use super::{Checkpoint, CheckpointError, CheckpointId, Checkpointer, NewCheckpoint};
use crate::BoxFuture;
use crate::journal::{Begin, Begun, CallRecord};

/// Store that keeps sessions in memory, until the process ends. Cheap to clone; all clones share one store.
///
/// ```
/// use toolwright::agent::{Agent, Checkpointer, MemoryCheckpointer, ModelResponse, Session};
/// use toolwright::agent::testing::ScriptedModel;
/// use toolwright::{Context, Toolset};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let store = MemoryCheckpointer::new();
/// let model = ScriptedModel::new([Ok(ModelResponse::text("Hello."))]);
/// let agent = Agent::new(model, &Toolset::default()).checkpointer(store.clone());
/// let mut session = Session::with_id("ann");
/// session.reply("Hi!").unwrap();
/// agent.run(&mut session, &Context::new()).await.unwrap();
///
/// assert_eq!(store.sessions(None, 10).await.unwrap(), ["ann"]);
/// let again = agent.state("ann").await.unwrap().unwrap();
/// assert_eq!(again.thread().last_text(), Some("Hello."));
/// # });
/// ```
#[derive(Clone, Default)]
pub struct MemoryCheckpointer(Arc<Mutex<MemoryStore>>);

#[derive(Default)]
struct MemoryStore {
    /// Number of the newest checkpoint.
    last: u64,
    checkpoints: BTreeMap<CheckpointId, Checkpoint>,
    /// Call records by session.
    calls: BTreeMap<String, Calls>,
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
}

impl MemoryCheckpointer {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Locks the store. A poisoned lock is usable: no update is left half done under it.
    fn lock(&self) -> MutexGuard<'_, MemoryStore> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryStore {
    fn of<'a>(&'a self, session: &'a str) -> impl DoubleEndedIterator<Item = &'a Checkpoint> {
        let all = self.checkpoints.values();
        all.filter(move |checkpoint| checkpoint.session == session)
    }

    fn newest(&self, session: &str) -> Option<CheckpointId> {
        self.of(session).next_back().map(|checkpoint| checkpoint.id)
    }

    fn put(&mut self, new: &NewCheckpoint<'_>) -> Result<CheckpointId, CheckpointError> {
        expect(new.session, new.after, self.newest(new.session))?;
        self.last += 1;
        let id = CheckpointId::new(self.last);
        let checkpoint = Checkpoint {
            id,
            session: new.session.to_owned(),
            parent: new.parent,
            written: new.written,
            next: new.next,
            at_ms: new.at_ms,
            metadata: new.metadata.clone(),
            body: new.body.to_owned(),
        };
        self.checkpoints.insert(id, checkpoint);
        Ok(id)
    }

    fn begin(&mut self, begin: &Begin<'_>) -> Result<Begun, CheckpointError> {
        expect(begin.session, Some(begin.after), self.newest(begin.session))?;
        let calls = self.calls.entry(begin.session.to_owned()).or_default();
        let Some(record) = calls.get_mut(begin.key) else {
            let place = calls.records.len();
            calls.places.insert(begin.key.to_owned(), place);
            calls.records.push(begin.record(1));
            return Ok(Begun::Recorded(1));
        };
        if begin.replaces != Some(record.revision) {
            return Ok(Begun::Standing(record.clone()));
        }
        *record = begin.record(record.revision + 1);
        Ok(Begun::Recorded(record.revision))
    }

    fn end(&mut self, session: &str, key: &str, revision: u64, outcome: &str) {
        let calls = self.calls.get_mut(session);
        if let Some(record) = calls.and_then(|calls| calls.get_mut(key))
            && record.revision == revision
        {
            record.revision += 1;
            record.outcome = Some(outcome.to_owned());
        }
    }

    fn delete(&mut self, session: &str) -> bool {
        let before = self.checkpoints.len();
        self.checkpoints
            .retain(|_, checkpoint| checkpoint.session != session);
        self.calls.remove(session);
        self.checkpoints.len() < before
    }

    fn sessions(&self, after: Option<&str>, most: usize) -> Vec<String> {
        let all = self.checkpoints.values();
        let mut ids: Vec<_> = all.map(|checkpoint| checkpoint.session.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        let behind = ids
            .into_iter()
            .filter(|id| after.is_none_or(|after| *id > after));
        behind.take(most).map(str::to_owned).collect()
    }
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
        Box::pin(async move { Ok(self.lock().of(session).next_back().cloned()) })
    }

    fn get(&self, id: CheckpointId) -> BoxFuture<'_, Result<Option<Checkpoint>, CheckpointError>> {
        Box::pin(async move { Ok(self.lock().checkpoints.get(&id).cloned()) })
    }

    fn history<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Checkpoint>, CheckpointError>> {
        Box::pin(async move { Ok(self.lock().of(session).cloned().collect()) })
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

    fn end_call<'a>(
        &'a self,
        session: &'a str,
        key: &'a str,
        revision: u64,
        outcome: &'a str,
    ) -> BoxFuture<'a, Result<(), CheckpointError>> {
        Box::pin(async move {
            self.lock().end(session, key, revision, outcome);
            Ok(())
        })
    }

    fn calls<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<CallRecord>, CheckpointError>> {
        Box::pin(async move {
            let store = self.lock();
            let calls = store.calls.get(session);
            Ok(calls.map(|calls| calls.records.clone()).unwrap_or_default())
        })
    }
}

impl fmt::Debug for MemoryCheckpointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Conversations may hold secrets.
        f.debug_struct("MemoryCheckpointer")
            .field("checkpoints", &self.lock().checkpoints.len())
            .finish_non_exhaustive()
    }
}
