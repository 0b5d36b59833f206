//! A clock that stands still while a store works.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used)]

use std::future::Future;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use toolwright::agent::store::{
    Begin, Begun, CallRecord, Checkpoint, CheckpointError, CheckpointId, Checkpointer, End, Keep,
    NewCheckpoint,
};
use toolwright::call::BoxFuture;

use crate::kept::Store;

/// Tokio's paused clock goes on when all tasks wait, also when they wait for a disk or a database, and then a call is late that
/// was not. It stands still while a blocking task runs, so one does as long as the store works.
pub(crate) fn still(store: Store) -> Store {
    Arc::new(Still(store))
}

struct Still(Store);

fn while_it_works<'a, T>(work: impl Future<Output = T> + Send + 'a) -> BoxFuture<'a, T> {
    Box::pin(async move {
        let (works, over) = channel::<()>();
        tokio::task::spawn_blocking(move || over.recv());
        let done = work.await;
        drop(works);
        done
    })
}

impl Checkpointer for Still {
    fn put<'a>(
        &'a self,
        new: NewCheckpoint<'a>,
    ) -> BoxFuture<'a, Result<CheckpointId, CheckpointError>> {
        while_it_works(self.0.put(new))
    }

    fn latest<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Option<Checkpoint>, CheckpointError>> {
        while_it_works(self.0.latest(session))
    }

    fn get(&self, id: CheckpointId) -> BoxFuture<'_, Result<Option<Checkpoint>, CheckpointError>> {
        while_it_works(self.0.get(id))
    }

    fn history<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Checkpoint>, CheckpointError>> {
        while_it_works(self.0.history(session))
    }

    fn sessions<'a>(
        &'a self,
        after: Option<&'a str>,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>> {
        while_it_works(self.0.sessions(after, most))
    }

    fn delete<'a>(&'a self, session: &'a str) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        while_it_works(self.0.delete(session))
    }

    fn begin_call<'a>(&'a self, begin: Begin<'a>) -> BoxFuture<'a, Result<Begun, CheckpointError>> {
        while_it_works(self.0.begin_call(begin))
    }

    fn end_call<'a>(&'a self, end: End<'a>) -> BoxFuture<'a, Result<(), CheckpointError>> {
        while_it_works(self.0.end_call(end))
    }

    fn prune<'a>(
        &'a self,
        session: &'a str,
        keep: Keep,
    ) -> BoxFuture<'a, Result<usize, CheckpointError>> {
        while_it_works(self.0.prune(session, keep))
    }

    fn delete_checkpoint<'a>(
        &'a self,
        session: &'a str,
        id: CheckpointId,
    ) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        while_it_works(self.0.delete_checkpoint(session, id))
    }

    fn send<'a>(
        &'a self,
        session: &'a str,
        message: &'a str,
    ) -> BoxFuture<'a, Result<bool, CheckpointError>> {
        while_it_works(self.0.send(session, message))
    }

    fn inbox<'a>(
        &'a self,
        session: &'a str,
        after: u64,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<String>, CheckpointError>> {
        while_it_works(self.0.inbox(session, after, most))
    }

    fn renew<'a>(
        &'a self,
        session: &'a str,
        lease: CheckpointId,
        term: Duration,
    ) -> BoxFuture<'a, Result<(), CheckpointError>> {
        while_it_works(self.0.renew(session, lease, term))
    }

    fn calls<'a>(
        &'a self,
        session: &'a str,
    ) -> BoxFuture<'a, Result<Vec<CallRecord>, CheckpointError>> {
        while_it_works(self.0.calls(session))
    }

    fn lease_term(&self) -> Option<Duration> {
        self.0.lease_term()
    }
}
