//! The lease of a run: renewed by a task while the run goes on, and released when it is dropped.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

use crate::store::{CheckpointError, CheckpointId, Checkpointer, Lease};

/// Time that a release is waited for.
const RELEASE: Duration = Duration::from_secs(5);

/// Lease of a session, taken by the first save of a run.
pub(super) struct HeldLease {
    token: CheckpointId,
    term: Duration,
    session: Arc<str>,
    /// Ends the task. What is sent says if the lease is to be released.
    stop: Option<oneshot::Sender<bool>>,
}

impl HeldLease {
    pub(super) fn new(
        store: &Arc<dyn Checkpointer>,
        session: &str,
        token: CheckpointId,
        term: Duration,
    ) -> Self {
        let session: Arc<str> = session.into();
        let (stop, stopped) = oneshot::channel();
        // Without a runtime of Tokio, the lease is kept by the run's writes alone.
        if let Ok(runtime) = Handle::try_current() {
            let keeper = Keeper {
                store: Arc::clone(store),
                session: Arc::clone(&session),
                token,
                term,
            };
            runtime.spawn(keeper.keep(stopped));
        }
        Self {
            token,
            term,
            session,
            stop: Some(stop),
        }
    }

    pub(super) const fn token(&self) -> CheckpointId {
        self.token
    }

    /// Returns what a write within the run does about the lease.
    pub(super) const fn kept(&self) -> Lease {
        Lease::Keep(self.token, self.term)
    }

    /// Returns what the last write of the run does about the lease.
    pub(super) const fn released(&self) -> Lease {
        Lease::Release(self.token)
    }

    /// Notes that a write has released the lease.
    pub(super) fn is_over(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The task may have ended.
            let _ = stop.send(false);
        }
    }
}

impl Drop for HeldLease {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // Before the task ends, which removes it.
            ABANDONED.add(&self.session);
            if stop.send(true).is_err() {
                ABANDONED.remove(&self.session);
            }
        }
    }
}

/// Task that keeps a lease.
struct Keeper {
    store: Arc<dyn Checkpointer>,
    session: Arc<str>,
    token: CheckpointId,
    term: Duration,
}

impl Keeper {
    async fn keep(self, mut stopped: oneshot::Receiver<bool>) {
        let mut pause = self.term / 3;
        let releases = loop {
            match timeout(pause, &mut stopped).await {
                Ok(stopped) => break stopped.unwrap_or(true),
                Err(_) => match self.renew(self.term).await {
                    // The run hears it at its next write.
                    Err(CheckpointError::LeaseLost { .. }) => return,
                    // The store may be back before the lease ends.
                    Err(_) => pause = self.term / 10,
                    Ok(()) => pause = self.term / 3,
                },
            }
        };
        if releases {
            // If this fails, the lease ends by itself.
            let _ = self.renew(Duration::ZERO).await;
        }
    }

    async fn renew(&self, term: Duration) -> Result<(), CheckpointError> {
        self.store.renew(&self.session, self.token, term).await
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        ABANDONED.remove(&self.session);
    }
}

/// Leases of dropped runs of this process that are being released. Whoever is refused because of one waits, and tries again.
static ABANDONED: Abandoned = Abandoned {
    sessions: Mutex::new(Vec::new()),
    change: Notify::const_new(),
};

struct Abandoned {
    /// Ids of sessions, each of which is its lease's own allocation: another store may have a session of the same id.
    sessions: Mutex<Vec<Arc<str>>>,
    change: Notify,
}

impl Abandoned {
    /// Locks the list. A poisoned lock is usable: no update is left half done under it.
    fn lock(&self) -> MutexGuard<'_, Vec<Arc<str>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, session: &Arc<str>) {
        self.lock().push(Arc::clone(session));
    }

    fn remove(&self, session: &Arc<str>) {
        self.lock().retain(|other| !Arc::ptr_eq(other, session));
        self.change.notify_waiters();
    }

    async fn none_is_of(&self, session: &str) {
        loop {
            let change = self.change.notified();
            if !is_releasing(session) {
                return;
            }
            change.await;
        }
    }
}

/// Returns true if a lease of a session with this id is being released in this process.
pub(super) fn is_releasing(session: &str) -> bool {
    ABANDONED.lock().iter().any(|other| **other == *session)
}

/// Waits until no lease of a session with this id is being released in this process. A release that takes longer than [`RELEASE`]
/// is not waited for: its store or its runtime may hang.
pub(super) async fn released(session: &str) {
    // Without a runtime no task releases a lease, and there is no timer.
    if Handle::try_current().is_ok() {
        let _ = timeout(RELEASE, ABANDONED.none_is_of(session)).await;
    }
}
