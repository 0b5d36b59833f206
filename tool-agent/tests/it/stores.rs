//! The suite for stores holds ours, and tells what is wrong with one that breaks a promise.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use toolwright::agent::store::{
    Begin, Begun, CallRecord, Checkpoint, CheckpointError, CheckpointId, Checkpointer, End, Keep,
    Lease, NewCheckpoint,
};
use toolwright::agent::testing::conformance;
use toolwright::agent::{MemoryCheckpointer, SqliteCheckpointer};
use toolwright::call::BoxFuture;

#[tokio::test]
async fn the_one_in_memory_conforms() {
    let store = MemoryCheckpointer::new();
    conformance::checkpointer(async || store.clone()).await;
    // Shared stores are stores.
    let store: Arc<dyn Checkpointer> = Arc::new(MemoryCheckpointer::new());
    conformance::checkpointer(async || Arc::clone(&store)).await;
}

/// A directory that goes with the test.
struct Dir(PathBuf);

impl Dir {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toolwright-stores-{}-{next}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir(&dir).unwrap();
        Self(dir)
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn the_one_in_a_file() {
    let dir = Dir::new();
    let open = async || SqliteCheckpointer::open(dir.0.join("sessions.db")).unwrap();
    conformance::checkpointer(open).await;
}

#[tokio::test]
async fn the_one_in_a_file_conforms() {
    the_one_in_a_file().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn it_conforms_where_many_threads_write() {
    the_one_in_a_file().await;
}

/// What a store does wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    IsNotEmpty,
    PutsAnywhere,
    ForgetsOnConflict,
    NumbersOfASession,
    GivesANumberAgain,
    LosesLetters,
    LosesParents,
    FindsNothing,
    NewestFirst,
    SortsWithoutCase,
    CountsWrong,
    DeletesNothing,
    KeepsCalls,
    RunsAll,
    RunsAgain,
    NeverRunsAgain,
    RunsForTheOvertaken,
    BeginsWithoutItsCheckpoint,
    EndsAny,
    EndsNone,
    SortsCalls,
    MixesSessions,
    LooksThenPuts,
    LooksThenBegins,
    ApartFromOthers,
    ForgetsAtTheEnd,
    ForgetsCallers,
    PrunesNothing,
    PrunesTooMany,
    DeletesTheNewest,
    LeavesTheDeleted,
    HasNoLeases,
    TakesAnyLease,
    KeepsTheStale,
    NeverTakesOver,
    LeasesEndAtOnce,
    ReleasesNothing,
    RenewsTheStale,
    EndsForTheStale,
    LosesMessages,
    SendsToAnybody,
    SendsAgain,
}

/// A store that keeps all promises but one.
#[derive(Clone)]
struct Faulty {
    fault: Fault,
    kept: MemoryCheckpointer,
    is_deleted: Arc<AtomicBool>,
}

impl Faulty {
    fn new(fault: Fault) -> Self {
        Self {
            fault,
            kept: MemoryCheckpointer::new(),
            is_deleted: Arc::default(),
        }
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    async fn newest(&self, session: &str) -> Option<CheckpointId> {
        self.kept.latest(session).await.unwrap().map(|one| one.id)
    }

    fn damage(&self, mut one: Checkpoint) -> Checkpoint {
        if self.is(Fault::LosesLetters) {
            one.body.retain(|c| c.is_ascii());
        }
        if self.is(Fault::LosesParents) {
            one.parent = None;
        }
        one
    }

    async fn revision(&self, session: &str, key: &str) -> Option<u64> {
        let records = self.kept.calls(session).await.unwrap();
        let mut records = records.into_iter();
        records.find(|one| one.key == key).map(|one| one.revision)
    }
}

impl Checkpointer for Faulty {
    fn put<'a>(
        &'a self,
        new: NewCheckpoint<'a>,
    ) -> BoxFuture<'a, Result<CheckpointId, CheckpointError>> {
        Box::pin(async move {
            let newest = self.newest(new.session).await;
            let mut put = new;
            put.lease = match (self.fault, new.lease) {
                (Fault::HasNoLeases, _) => Lease::None,
                (Fault::TakesAnyLease, Lease::Take(term)) => Lease::TakeOver(term),
                (Fault::NeverTakesOver, Lease::TakeOver(term)) => Lease::Take(term),
                (Fault::LeasesEndAtOnce, Lease::Take(_)) => Lease::Take(Duration::ZERO),
                (Fault::ReleasesNothing, Lease::Release(id)) => Lease::Keep(id, Duration::ZERO),
                (_, lease) => lease,
            };
            if self.is(Fault::ForgetsCallers) {
                put.caller = None;
            }
            if self.is(Fault::PutsAnywhere) {
                put.after = newest;
            }
            if self.is(Fault::ForgetsOnConflict) && newest != new.after {
                self.kept.delete(new.session).await?;
                return self.kept.put(new).await;
            }
            if self.is(Fault::LooksThenPuts) && newest == new.after {
                tokio::task::yield_now().await;
                put.after = self.newest(new.session).await;
            }
            let id = match self.kept.put(put).await {
                Err(CheckpointError::LeaseLost { .. }) if self.is(Fault::KeepsTheStale) => {
                    put.lease = Lease::TakeOver(Duration::from_secs(1));
                    self.kept.put(put).await?
                }
                id => id?,
            };
            let again = self.is_deleted.load(Ordering::SeqCst) && new.session == "a";
            Ok(match self.fault {
                Fault::GivesANumberAgain if again => CheckpointId::new(id.get() - 1),
                Fault::NumbersOfASession if new.session == "b" => CheckpointId::new(1),
                _ => id,
            })
        })
    }

    fn latest<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Option<Checkpoint>, CheckpointError>> {
        Box::pin(async move {
            let latest = self.kept.latest(session).await?;
            Ok(latest.map(|one| self.damage(one)))
        })
    }

    fn get(&self, id: CheckpointId) -> BoxFuture<'_, Result<Option<Checkpoint>, CheckpointError>> {
        Box::pin(async move {
            let found = self.kept.get(id).await?;
            Ok(found.filter(|_| !self.is(Fault::FindsNothing)))
        })
    }

    fn history<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Checkpoint>, CheckpointError>> {
        Box::pin(async move {
            let mut history = self.kept.history(session).await?;
            if self.is(Fault::NewestFirst) {
                history.reverse();
            }
            Ok(history)
        })
    }

    fn sessions<'a>(
        &'a self,
        after: Option<&'a str>,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>> {
        Box::pin(async move {
            if self.is(Fault::IsNotEmpty) {
                return Ok(vec!["somebody's".to_owned()]);
            }
            let most = most + usize::from(self.is(Fault::CountsWrong));
            let mut sessions = self.kept.sessions(after, most).await?;
            if self.is(Fault::SortsWithoutCase) {
                sessions.sort_by_key(|name| name.to_lowercase());
            }
            Ok(sessions)
        })
    }

    fn delete<'a>(&'a self, session: &'a str) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        Box::pin(async move {
            if self.is(Fault::DeletesNothing) {
                return Ok(true);
            }
            self.is_deleted.store(session == "a", Ordering::SeqCst);
            let calls = self.kept.calls(session).await?;
            let is_gone = self.kept.delete(session).await?;
            if self.is(Fault::KeepsCalls) && !calls.is_empty() {
                // As if they were there yet.
                self.kept.put(new_of(session)).await?;
                let after = self.newest(session).await.unwrap();
                for record in &calls {
                    let begin = Begin {
                        session,
                        after,
                        key: &record.key,
                        call: &record.call,
                        model_arguments: None,
                        replaces: None,
                        lease: None,
                    };
                    self.kept.begin_call(begin).await?;
                }
            }
            Ok(is_gone)
        })
    }

    fn begin_call<'a>(
        &'a self,
        mut begin: Begin<'a>,
    ) -> BoxFuture<'a, Result<Begun, CheckpointError>> {
        Box::pin(async move {
            let standing = self.revision(begin.session, begin.key).await;
            match self.fault {
                Fault::RunsAll => begin.replaces = standing,
                Fault::RunsAgain => begin.replaces = begin.replaces.and(standing),
                Fault::NeverRunsAgain => begin.replaces = None,
                Fault::RunsForTheOvertaken => {
                    begin.after = self.newest(begin.session).await.unwrap();
                }
                Fault::LooksThenBegins if standing.is_none() => {
                    tokio::task::yield_now().await;
                    begin.replaces = self.revision(begin.session, begin.key).await;
                }
                _ => {}
            }
            self.kept.begin_call(begin).await
        })
    }

    fn put_and_begin<'a>(
        &'a self,
        new: NewCheckpoint<'a>,
        begin: Begin<'a>,
    ) -> BoxFuture<'a, Result<(CheckpointId, Option<Begun>), CheckpointError>> {
        Box::pin(async move {
            if self.is(Fault::BeginsWithoutItsCheckpoint) {
                return Ok((begin.after, Some(self.begin_call(begin).await?)));
            }
            Ok((self.put(new).await?, None))
        })
    }

    fn end_call<'a>(&'a self, mut end: End<'a>) -> BoxFuture<'a, Result<(), CheckpointError>> {
        Box::pin(async move {
            match self.fault {
                Fault::EndsAny => {
                    let revision = self.revision(end.session, end.key).await;
                    end.revision = revision.unwrap_or(end.revision);
                }
                Fault::EndsNone => return Ok(()),
                Fault::EndsForTheStale => end.lease = None,
                _ => {}
            }
            self.kept.end_call(end).await
        })
    }

    fn prune<'a>(
        &'a self,
        session: &'a str,
        mut keep: Keep,
    ) -> BoxFuture<'a, Result<usize, CheckpointError>> {
        Box::pin(async move {
            match self.fault {
                Fault::PrunesNothing => return Ok(0),
                Fault::PrunesTooMany => keep.newest = keep.newest.saturating_sub(1),
                _ => {}
            }
            self.kept.prune(session, keep).await
        })
    }

    fn delete_checkpoint<'a>(
        &'a self,
        session: &'a str,
        id: CheckpointId,
    ) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        Box::pin(async move {
            let is_newest = self.newest(session).await == Some(id);
            match self.fault {
                Fault::DeletesTheNewest if is_newest => Ok(true),
                Fault::LeavesTheDeleted => Ok(!is_newest),
                _ => self.kept.delete_checkpoint(session, id).await,
            }
        })
    }

    fn send<'a>(
        &'a self,
        session: &'a str,
        message: &'a str,
    ) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        Box::pin(async move {
            if self.is(Fault::LosesMessages) && message.is_empty() {
                return Ok(true);
            }
            let sent = self.kept.send(session, message).await?;
            Ok(sent || self.is(Fault::SendsToAnybody))
        })
    }

    fn inbox<'a>(
        &'a self,
        session: &'a str,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>> {
        Box::pin(async move {
            let after = if self.is(Fault::SendsAgain) { 0 } else { after };
            self.kept.inbox(session, after, most).await
        })
    }

    fn renew<'a>(
        &'a self,
        session: &'a str,
        lease: CheckpointId,
        term: Duration,
    ) -> BoxFuture<'a, Result<(), CheckpointError>> {
        Box::pin(async move {
            let renewed = self.kept.renew(session, lease, term).await;
            if self.is(Fault::RenewsTheStale) {
                Ok(())
            } else {
                renewed
            }
        })
    }

    fn calls<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<CallRecord>, CheckpointError>> {
        Box::pin(async move {
            let mut calls = self.kept.calls(session).await?;
            if self.is(Fault::SortsCalls) {
                calls.sort_by(|one, other| one.key.cmp(&other.key));
            }
            if self.is(Fault::MixesSessions) && session != "calls" {
                calls.extend(self.kept.calls("calls").await?);
            }
            Ok(calls)
        })
    }
}

/// A checkpoint with nothing in it.
fn new_of(session: &str) -> NewCheckpoint<'_> {
    static NOTHING: std::sync::LazyLock<serde_json::Map<String, serde_json::Value>> =
        std::sync::LazyLock::new(serde_json::Map::new);
    NewCheckpoint {
        session,
        after: None,
        parent: None,
        written: toolwright::agent::store::Written::Update,
        next: toolwright::agent::Node::Model,
        at_ms: 0,
        metadata: &NOTHING,
        body: "{}",
        caller: None,
        lease: Lease::None,
    }
}

/// What the suite says of a store with this fault.
fn complaint(fault: Fault) -> String {
    let suite = move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        runtime.unwrap().block_on(async {
            let (store, opened) = (Faulty::new(fault), AtomicU64::new(0));
            conformance::checkpointer(async || {
                // The ninth one follows one that is dropped.
                let is_new = match (fault, opened.fetch_add(1, Ordering::SeqCst)) {
                    (Fault::ApartFromOthers, _) => true,
                    (Fault::ForgetsAtTheEnd, before) => before >= 8,
                    _ => false,
                };
                if is_new {
                    Faulty::new(fault)
                } else {
                    store.clone()
                }
            })
            .await;
        });
    };
    let panic = std::thread::spawn(suite).join();
    let Err(panic) = panic else {
        panic!("nothing is wrong with {fault:?}");
    };
    panic.downcast_ref::<String>().unwrap().clone()
}

#[track_caller]
fn is_told(cases: &[(Fault, &str)]) {
    for (fault, words) in cases {
        let said = complaint(*fault);
        assert!(said.starts_with(words), "{fault:?}: {said:.300}");
    }
}

#[test]
fn a_store_that_breaks_a_promise_is_told_which() {
    let cases = [
        (Fault::IsNotEmpty, "the suite begins with an empty store"),
        (
            Fault::PutsAnywhere,
            "a checkpoint behind an older one is a conflict",
        ),
        (
            Fault::ForgetsOnConflict,
            "the conflict of a checkpoint behind an older one",
        ),
        (Fault::NumbersOfASession, "numbers grow, over all sessions"),
        (
            Fault::GivesANumberAgain,
            "a number is not given again, though",
        ),
        (Fault::LosesLetters, "the newest one: "),
        (Fault::LosesParents, "the newest one: "),
        (Fault::FindsNothing, "one of a number: "),
        (Fault::NewestFirst, "what is kept after conflicts: "),
        (
            Fault::SortsWithoutCase,
            "sessions in the order of their text: ",
        ),
        (Fault::CountsWrong, "sessions behind None, at most 3: "),
        (
            Fault::DeletesNothing,
            "sessions in the order of their text: ",
        ),
        (
            Fault::KeepsCalls,
            "the calls of a session that is deleted: ",
        ),
        (Fault::RunsAll, "the same call again: "),
        (
            Fault::RunsAgain,
            "the same call, for a record that stands there no more: ",
        ),
        (Fault::NeverRunsAgain, "a record that was seen is replaced"),
        (
            Fault::RunsForTheOvertaken,
            "who was overtaken and begins a new one meets a conflict",
        ),
        (
            Fault::BeginsWithoutItsCheckpoint,
            "who was overtaken and begins with a checkpoint meets a conflict",
        ),
        (
            Fault::EndsAny,
            "a record after the end of the one that it replaced: ",
        ),
        (Fault::EndsNone, "a call that has ended: "),
        (
            Fault::SortsCalls,
            "calls in the order in which they first began: ",
        ),
        (
            Fault::MixesSessions,
            "the calls of a session that made none: ",
        ),
        (
            Fault::LooksThenPuts,
            "how many of those who put a checkpoint at once did: 1, not 16",
        ),
        (
            Fault::LooksThenBegins,
            "how many of those who begin a call at once do: 1, not 16",
        ),
        (
            Fault::ApartFromOthers,
            "how many of those who put a checkpoint at once did: 1, not 2",
        ),
        (
            Fault::ForgetsAtTheEnd,
            "what is there for whoever opens the store next: ",
        ),
    ];
    is_told(&cases);
}

#[test]
fn a_store_without_leases_or_with_holes_in_its_past_is_told_so() {
    let cases = [
        (
            Fault::ForgetsCallers,
            "whether a session is left once that which called it is deleted",
        ),
        (Fault::PrunesNothing, "how many are pruned: all but four: "),
        (Fault::PrunesTooMany, "how many are pruned: all but four: "),
        (
            Fault::DeletesTheNewest,
            "whether the newest one is deleted: ",
        ),
        (
            Fault::LeavesTheDeleted,
            "what is left once one is deleted: ",
        ),
        (
            Fault::HasNoLeases,
            "a checkpoint without one: somebody holds the lease",
        ),
        (
            Fault::TakesAnyLease,
            "a checkpoint that takes it: somebody holds the lease",
        ),
        (
            Fault::LeasesEndAtOnce,
            "a checkpoint without one: somebody holds the lease",
        ),
        (Fault::KeepsTheStale, "a checkpoint: the lease is lost"),
        (Fault::NeverTakesOver, "a checkpoint that takes over: "),
        (
            Fault::ReleasesNothing,
            "one that is released: the lease is lost",
        ),
        (Fault::RenewsTheStale, "a renewal: the lease is lost"),
        (
            Fault::EndsForTheStale,
            "the end of a call: the lease is lost",
        ),
        (Fault::LosesMessages, "messages behind 0, at most 100: "),
        (
            Fault::SendsToAnybody,
            "whether a session that is not there gets a message: ",
        ),
        (Fault::SendsAgain, "messages behind 1, at most 2: "),
    ];
    is_told(&cases);
}
