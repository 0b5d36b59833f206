use std::fmt::{self, Write as _};
use std::time::Duration;

use sha2::{Digest, Sha256};
use toolwright::agent::store::CheckpointError;

use crate::Database;
use crate::error::Done;

/// Store of texts that are too large for the messages of a fleet: arguments, results, and what people say.
///
/// `toolwright-fleet` takes it as a `PayloadStore`, with its feature `postgres`. A key is the SHA-256 of the content, so equal texts
/// are stored once. Nothing is deleted by itself: call [`prune`](Self::prune) now and then.
#[derive(Clone)]
pub struct PostgresPayloads {
    database: Database,
    sql: PayloadSql,
}

/// The statements, with the name of the schema.
#[derive(Clone)]
struct PayloadSql {
    put: String,
    get: String,
    delete: String,
    prune: String,
}

impl PostgresPayloads {
    /// Opens the store.
    ///
    /// # Errors
    /// If the database fails, or its tables have another version: see [`Database::migrate`].
    pub async fn open(database: Database) -> Result<Self, CheckpointError> {
        database.is_current().await?;
        let table = format!("{}.payload", database.schema_name());
        let sql = PayloadSql {
            // A writer that comes later needs it longer.
            put: format!(
                "INSERT INTO {table} (key, content) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET at = now()"
            ),
            get: format!("SELECT content FROM {table} WHERE key = $1"),
            delete: format!("DELETE FROM {table} WHERE key = $1"),
            prune: format!("DELETE FROM {table} WHERE at < now() - make_interval(secs => $1)"),
        };
        Ok(Self { database, sql })
    }

    /// Stores the bytes, and returns their key.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn put(&self, bytes: &[u8]) -> Result<String, CheckpointError> {
        Ok(self.try_put(bytes).await?)
    }

    async fn try_put(&self, bytes: &[u8]) -> Done<String> {
        let mut key = String::with_capacity(64);
        for byte in Sha256::digest(bytes) {
            // Writing to a string cannot fail.
            let _ = write!(key, "{byte:02x}");
        }
        let client = self.database.client().await?;
        let statement = client.prepare_cached(&self.sql.put).await?;
        client.execute(&statement, &[&key, &bytes]).await?;
        Ok(key)
    }

    /// Returns the bytes with this key, or `None` if there are none.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, CheckpointError> {
        Ok(self.try_get(key).await?)
    }

    async fn try_get(&self, key: &str) -> Done<Option<Vec<u8>>> {
        let client = self.database.client().await?;
        let statement = client.prepare_cached(&self.sql.get).await?;
        let row = client.query_opt(&statement, &[&key]).await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    /// Deletes the bytes with this key. Returns true if there were any.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn delete(&self, key: &str) -> Result<bool, CheckpointError> {
        Ok(self.try_delete(key).await?)
    }

    async fn try_delete(&self, key: &str) -> Done<bool> {
        let client = self.database.client().await?;
        Ok(client.execute(&self.sql.delete, &[&key]).await? > 0)
    }

    /// Deletes what was stored longer ago than this, and returns how much it was. The age must exceed the time in which calls and
    /// conversations are read again, such as the retention of a Temporal namespace.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn prune(&self, age: Duration) -> Result<u64, CheckpointError> {
        Ok(self.try_prune(age).await?)
    }

    async fn try_prune(&self, age: Duration) -> Done<u64> {
        let client = self.database.client().await?;
        Ok(client
            .execute(&self.sql.prune, &[&age.as_secs_f64()])
            .await?)
    }
}

impl fmt::Debug for PostgresPayloads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresPayloads")
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}
