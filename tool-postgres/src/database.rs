use std::fmt;
use std::str::FromStr;

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Config, NoTls, Socket};
use toolwright::agent::store::CheckpointError;

use crate::error::{Done, Failure};

/// The migrations, in order, each with its name.
const MIGRATIONS: [(&str, &str); 3] = [
    (
        "0001_sessions",
        include_str!("../migrations/0001_sessions.sql"),
    ),
    (
        "0002_payloads",
        include_str!("../migrations/0002_payloads.sql"),
    ),
    ("0003_inbox", include_str!("../migrations/0003_inbox.sql")),
];

/// The schema without a name of the host's.
const SCHEMA: &str = "toolwright";

/// Key of the lock under which migrations run: "Twrt".
const LOCK: i64 = 0x5477_7274;

/// A Postgres database, with a pool of connections. Cheap to clone; all clones share the pool.
///
/// Nothing is connected before it is needed. The tables are in the schema `toolwright`, or in that of
/// [`schema`](Self::schema).
#[derive(Clone)]
pub struct Database {
    pool: Pool,
    schema: String,
}

/// A change of the tables: a file of the folder `migrations`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Migration {
    /// Number, from 1.
    pub number: i32,
    /// Name of the file, without its ending: `0001_sessions`.
    pub name: String,
}

impl Database {
    /// Makes a pool for a database on this machine, or behind a trusted network, by its URL or its `key=value` settings.
    ///
    /// The connections have no TLS, so a host that is not this machine is refused unless the URL says
    /// `sslmode=disable`. See [`connect_with`](Self::connect_with).
    ///
    /// # Errors
    /// If the URL cannot be read, or TLS is needed. A database that cannot be reached is noticed when it is used.
    pub fn connect(url: &str) -> Result<Self, CheckpointError> {
        // Errors of the parser repeat no part of the URL, which has a password.
        let config = Config::from_str(url).map_err(|error| {
            CheckpointError::store_with("the database's URL cannot be read", error)
        })?;
        if config.get_ssl_mode() != SslMode::Disable
            && let Some(host) = config.get_hosts().iter().find_map(far)
        {
            return Err(CheckpointError::store(format!(
                "the database on `{host}` would be used without TLS\nhelp: give `Database::connect_with` a TLS connector, or \
                 write `sslmode=disable` into the URL"
            )));
        }
        Self::connect_with(config, NoTls)
    }

    /// Makes a pool with settings and a TLS connector of the host's, such as that of `tokio-postgres-rustls`.
    ///
    /// # Errors
    /// If the pool cannot be made.
    pub fn connect_with<T>(config: Config, tls: T) -> Result<Self, CheckpointError>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + Sync,
        T::TlsConnect: Send + Sync,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let manager = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let pool = Pool::builder(Manager::from_config(config, tls, manager)).build();
        let pool =
            pool.map_err(|error| CheckpointError::store_with("no pool of connections", error))?;
        Ok(Self::from_pool(pool))
    }

    /// Uses a pool of the host's.
    pub fn from_pool(pool: Pool) -> Self {
        Self {
            pool,
            schema: SCHEMA.to_owned(),
        }
    }

    /// Puts the tables into this schema. Its name has 1 to 63 lower-case letters, digits and `_`, and begins with no digit.
    ///
    /// # Errors
    /// If the name is another.
    pub fn schema(self, name: &str) -> Result<Self, CheckpointError> {
        let is_plain = |at: usize, char: char| {
            char == '_' || char.is_ascii_lowercase() || (at > 0 && char.is_ascii_digit())
        };
        let is_good = (1..=63).contains(&name.len())
            && name
                .chars()
                .enumerate()
                .all(|(at, char)| is_plain(at, char));
        if !is_good {
            return Err(CheckpointError::store(format!(
                "`{name}` is not a name of a schema: it has lower-case letters, digits and `_`, and begins with no digit"
            )));
        }
        Ok(Self {
            schema: name.to_owned(),
            ..self
        })
    }

    /// Makes the tables, or brings those of an older version up to date. Returns what it did, in order. Several programs may do it
    /// at once.
    ///
    /// # Errors
    /// If the database fails, or its tables are of a newer version. Nothing is changed then.
    pub async fn migrate(&self) -> Result<Vec<Migration>, CheckpointError> {
        Ok(self.migrated().await?)
    }

    async fn migrated(&self) -> Done<Vec<Migration>> {
        let schema = &self.schema;
        let mut client = self.client().await?;
        let transaction = client.transaction().await?;
        transaction
            .execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])
            .await?;
        let tables = format!(
            "CREATE SCHEMA IF NOT EXISTS {schema};
             CREATE TABLE IF NOT EXISTS {schema}.migration (
                 number integer PRIMARY KEY,
                 name text NOT NULL,
                 at timestamptz NOT NULL DEFAULT now()
             )"
        );
        transaction.batch_execute(&tables).await?;
        let newest = format!("SELECT coalesce(max(number), 0) FROM {schema}.migration");
        let newest: i32 = transaction.query_one(&newest, &[]).await?.try_get(0)?;
        self.is_known(newest)?;
        let mut done = Vec::new();
        for migration in migrations().filter(|migration| migration.0.number > newest) {
            let (migration, sql) = migration;
            transaction
                .batch_execute(&sql.replace("{schema}", schema))
                .await?;
            let note = format!("INSERT INTO {schema}.migration (number, name) VALUES ($1, $2)");
            transaction
                .execute(&note, &[&migration.number, &migration.name])
                .await?;
            done.push(migration);
        }
        transaction.commit().await?;
        Ok(done)
    }

    /// Returns the migrations that the database lacks.
    ///
    /// # Errors
    /// If the database fails, or its tables are of a newer version.
    pub async fn pending(&self) -> Result<Vec<Migration>, CheckpointError> {
        Ok(self.lacking().await?)
    }

    async fn lacking(&self) -> Done<Vec<Migration>> {
        let client = self.client().await?;
        let schema = &self.schema;
        let exists = client
            .query_one(
                "SELECT to_regclass($1) IS NOT NULL",
                &[&format!("{schema}.migration")],
            )
            .await?;
        let mut newest = 0;
        if exists.try_get(0)? {
            let sql = format!("SELECT coalesce(max(number), 0) FROM {schema}.migration");
            newest = client.query_one(&sql, &[]).await?.try_get(0)?;
        }
        self.is_known(newest)?;
        let lacking = migrations().map(|(migration, _)| migration);
        Ok(lacking.filter(|one| one.number > newest).collect())
    }

    /// Refuses tables that a newer version made.
    fn is_known(&self, newest: i32) -> Done<()> {
        let known = migrations().map(|(migration, _)| migration.number).max();
        if known.is_some_and(|known| newest <= known) {
            return Ok(());
        }
        let schema = &self.schema;
        let words = format!(
            "the tables in the schema `{schema}` are of a newer version: migration {newest} is unknown here"
        );
        Err(Failure::Checkpoint(CheckpointError::Unreadable(words)))
    }

    /// Fails unless the tables are there, in this version.
    pub(crate) async fn is_current(&self) -> Result<(), CheckpointError> {
        let lacking = self.lacking().await?;
        let Some(first) = lacking.first() else {
            return Ok(());
        };
        let (schema, name) = (&self.schema, &first.name);
        Err(CheckpointError::Unreadable(format!(
            "the tables in the schema `{schema}` lack `{name}`\nhelp: call `Database::migrate`, or run `toolwright-postgres migrate`"
        )))
    }

    pub(crate) fn schema_name(&self) -> &str {
        &self.schema
    }

    pub(crate) async fn client(&self) -> Done<Object> {
        Ok(self.pool.get().await?)
    }
}

/// All migrations with their texts.
fn migrations() -> impl Iterator<Item = (Migration, &'static str)> {
    (1..).zip(MIGRATIONS).map(|(number, (name, sql))| {
        let name = name.to_owned();
        (Migration { number, name }, sql)
    })
}

/// Returns the name of a host that is not this machine.
fn far(host: &Host) -> Option<&str> {
    match host {
        Host::Tcp(name) if ["localhost", "127.0.0.1", "::1"].contains(&name.as_str()) => None,
        Host::Tcp(name) => Some(name),
        #[cfg(unix)]
        Host::Unix(_) => None,
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The pool's settings have the password.
        f.debug_struct("Database")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
