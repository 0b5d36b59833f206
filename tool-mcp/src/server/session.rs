//! A session, or one request of a client without any.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

use rmcp::model::RequestId;
use toolwright_runtime::tool::Cancel;

#[derive(Default)]
pub(super) struct Session {
    /// Made where it is asked for: over HTTP a handler is made for each look at a tool's schema.
    id: OnceLock<String>,
    logs: AtomicBool,
    /// What ends the calls that began before `rmcp` heard of them.
    begun: Mutex<Vec<(RequestId, Cancel)>>,
}

impl Session {
    /// What calls know it by: another one each time, in this process and in others.
    pub(super) fn id(&self) -> &str {
        self.id.get_or_init(|| {
            static LAST: AtomicU64 = AtomicU64::new(0);
            static PROCESS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
            let last = LAST.fetch_add(1, Ordering::Relaxed);
            format!("{:016x}", PROCESS.hash_one(last))
        })
    }

    /// Whether the client wants to read what calls say on their way.
    pub(super) fn logs(&self) -> bool {
        self.logs.load(Ordering::Relaxed)
    }

    pub(super) fn set_logs(&self, logs: bool) {
        self.logs.store(logs, Ordering::Relaxed);
    }

    /// Ends the call of this id, as its client says. `rmcp` ends those that it knows.
    pub(super) fn cancel(&self, id: &RequestId) {
        for (_, stop) in self.begun().iter().filter(|(begun, _)| begun == id) {
            stop.cancel();
        }
    }

    fn begun(&self) -> MutexGuard<'_, Vec<(RequestId, Cancel)>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that began before `rmcp` heard of it, until it ends.
pub(super) struct Early {
    session: Arc<Session>,
    id: RequestId,
}

impl Early {
    /// `stop` ends it.
    pub(super) fn new(session: &Arc<Session>, id: RequestId, stop: Cancel) -> Self {
        session.begun().push((id.clone(), stop));
        Self {
            session: Arc::clone(session),
            id,
        }
    }
}

impl Drop for Early {
    fn drop(&mut self) {
        let mut begun = self.session.begun();
        if let Some(at) = begun.iter().position(|(id, _)| *id == self.id) {
            begun.swap_remove(at);
        }
    }
}
