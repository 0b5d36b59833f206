//! A session, or one request of a client without any.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{LazyLock, OnceLock};

#[derive(Default)]
pub(super) struct Session {
    /// Made where it is asked for: over HTTP a handler is made for each look at a tool's schema.
    id: OnceLock<String>,
    logs: AtomicBool,
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
}
