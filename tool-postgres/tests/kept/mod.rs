//! The stores that tests of agents run on: Postgres, without and with leases, each in a schema of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use toolwright::agent::store::Checkpointer;
use toolwright_postgres::{Database, PostgresCheckpointer};

pub(crate) type Store = Arc<dyn Checkpointer>;

/// Returns the number of random cases, each of which makes tables.
pub(crate) fn cases(_usual: u32) -> u32 {
    24
}

/// What a run was writing as it was dropped may reach the database after the next query.
pub(crate) const WRITES_COME_LATE: bool = true;

/// Where a store has its data.
pub(crate) struct Kept {
    schema: String,
    term: Option<Duration>,
}

impl Kept {
    async fn new(term: Option<Duration>) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        // Of this program alone. The server goes with the tests.
        let schema = format!("agents_{}_{next}", std::process::id());
        let kept = Self { schema, term };
        kept.database().migrate().await.unwrap();
        kept
    }

    fn database(&self) -> Database {
        let url = std::env::var("DATABASE_URL")
            .expect("`DATABASE_URL` names a server: see tests/outside/postgres.sh");
        Database::connect(&url)
            .unwrap()
            .schema(&self.schema)
            .unwrap()
    }

    /// Opens the store as another process does, with connections of its own.
    pub(crate) async fn open(&self) -> Store {
        let store = PostgresCheckpointer::open(self.database()).await.unwrap();
        Arc::new(store.with_lease(self.term))
    }
}

/// One without leases and one with them, empty.
pub(crate) async fn stores() -> Vec<(Store, Kept)> {
    let mut stores = stores_without_leases().await;
    let kept = Kept::new(Some(Duration::from_secs(30))).await;
    stores.push((kept.open().await, kept));
    stores
}

/// The same: here none is quick.
pub(crate) async fn quick_stores() -> Vec<(Store, Kept)> {
    stores().await
}

/// For tests in which somebody goes on with a session while its run is at work: a lease refuses that.
pub(crate) async fn stores_without_leases() -> Vec<(Store, Kept)> {
    let kept = Kept::new(None).await;
    vec![(kept.open().await, kept)]
}

/// Nothing, and one of each kind.
pub(crate) async fn none_and_stores() -> Vec<Option<(Store, Kept)>> {
    let stores = stores().await.into_iter().map(Some);
    std::iter::once(None).chain(stores).collect()
}
