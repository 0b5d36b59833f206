//! The stores that tests of agents run on: in memory, without and with leases, and in a file.
// A test that finds less than it expects has failed. Another program takes more of it.
#![allow(clippy::unwrap_used, dead_code)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use toolwright::agent::store::Checkpointer;
use toolwright::agent::{MemoryCheckpointer, SqliteCheckpointer};

pub(crate) type Store = Arc<dyn Checkpointer>;

/// Returns the number of random cases: `TOOLWRIGHT_CASES`, or `usual` if it is not set.
pub(crate) fn cases(usual: u32) -> u32 {
    let asked = std::env::var("TOOLWRIGHT_CASES");
    asked.map_or(usual, |cases| cases.parse().unwrap())
}

/// What a run was writing as it was dropped is written before anything else.
pub(crate) const WRITES_COME_LATE: bool = false;

/// Where a store has its data, for as long as this is there.
pub(crate) enum Kept {
    Memory(Store),
    File(Dir),
}

impl Kept {
    /// Opens the store as another process does.
    #[allow(clippy::unused_async)] // A database is slower.
    pub(crate) async fn open(&self) -> Store {
        match self {
            Self::Memory(store) => Arc::clone(store),
            Self::File(dir) => Arc::new(SqliteCheckpointer::open(dir.file()).unwrap()),
        }
    }
}

fn memory(term: Option<Duration>) -> (Store, Kept) {
    let store: Store = Arc::new(MemoryCheckpointer::new().with_lease(term));
    (Arc::clone(&store), Kept::Memory(store))
}

async fn file() -> (Store, Kept) {
    let kept = Kept::File(Dir::new());
    (kept.open().await, kept)
}

/// One of each kind, empty.
pub(crate) async fn stores() -> Vec<(Store, Kept)> {
    let mut stores = quick_stores().await;
    stores.push(file().await);
    stores
}

/// Those that hundreds of cases of a property take no time on.
#[allow(clippy::unused_async)] // A database is slower.
pub(crate) async fn quick_stores() -> Vec<(Store, Kept)> {
    vec![memory(None), memory(Some(Duration::from_secs(30)))]
}

/// Nothing, and one of each kind.
pub(crate) async fn none_and_stores() -> Vec<Option<(Store, Kept)>> {
    let stores = stores().await.into_iter().map(Some);
    std::iter::once(None).chain(stores).collect()
}

/// For tests in which somebody goes on with a session while its run is at work: a lease refuses that.
pub(crate) async fn stores_without_leases() -> Vec<(Store, Kept)> {
    vec![memory(None), file().await]
}

/// A directory that goes with the test.
pub(crate) struct Dir(pub(crate) PathBuf);

impl Dir {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toolwright-kept-{}-{next}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir(&dir).unwrap();
        Self(dir)
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("sessions.db")
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
