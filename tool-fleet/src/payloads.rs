//! Payloads that are too large for Temporal, and where they are.

use std::collections::HashMap;
use std::error::Error;
use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use auto_impl::auto_impl;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use toolwright::call::BoxFuture;

use crate::FleetError;
use crate::wire::JsonPayload;

/// Length from which payloads go to the store, by default.
pub(crate) const LIMIT: usize = 256 * 1024;

/// Length of the largest payload without a store. Temporal's own limit is 2 MiB for all payloads of a request.
const MOST: usize = 2 * 1024 * 1024 - 64 * 1024;

/// Store of payloads that are too large to be sent: arguments, results, and what people say.
///
/// All machines of a fleet share it. A key is made by the store, best of the content, so that equal payloads are stored once.
/// The fleet deletes nothing: a payload is needed as long as a call or conversation that has it may be read again, so delete
/// payloads by their age, beyond the namespace's retention.
///
/// ```
/// use toolwright_fleet::{MemoryPayloads, PayloadStore};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let store = MemoryPayloads::new();
/// let key = store.put(b"a long text").await?;
/// assert_eq!(store.get(&key).await?, b"a long text");
/// assert!(store.delete(&key).await?);
/// # Ok::<(), toolwright_fleet::PayloadError>(())
/// # }).unwrap();
/// ```
#[diagnostic::on_unimplemented(
    note = "`toolwright_postgres::PostgresPayloads` is one with this package's feature `postgres`"
)]
#[auto_impl(Arc)]
pub trait PayloadStore: Send + Sync {
    /// Stores the bytes, and returns their key.
    fn put<'a>(&'a self, bytes: &'a [u8]) -> BoxFuture<'a, Result<String, PayloadError>>;

    /// Returns the bytes with this key.
    ///
    /// # Errors
    /// [`PayloadError::Missing`] if there are none.
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Vec<u8>, PayloadError>>;

    /// Deletes the bytes with this key. Returns true if there were any.
    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<bool, PayloadError>>;
}

/// Error of a [`PayloadStore`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum PayloadError {
    /// There is no payload with this key. It may have been deleted.
    Missing {
        /// The key.
        key: String,
    },
    /// A payload came by reference, and this machine has no store.
    NoStore,
    /// The store failed.
    Store {
        /// Message of the store.
        message: String,
        /// Cause of the failure.
        source: Option<Arc<dyn Error + Send + Sync>>,
    },
}

impl PayloadError {
    /// Creates an error for a failure of the store.
    pub fn store(message: impl Into<String>) -> Self {
        Self::Store {
            message: message.into(),
            source: None,
        }
    }

    /// Creates an error for a failure of the store, with its cause.
    pub fn store_with(
        message: impl Into<String>,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self::Store {
            message: message.into(),
            source: Some(Arc::from(source.into())),
        }
    }
}

impl fmt::Display for PayloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { key } => write!(f, "the store of payloads has none with the key `{key}`"),
            Self::NoStore => f.write_str(
                "a payload is in a store, and this machine has none\nhelp: `FleetBuilder::payloads`, with the store of the other machines",
            ),
            Self::Store { message, .. } => write!(f, "the store of payloads failed: {message}"),
        }
    }
}

impl Error for PayloadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Store { source, .. } => source.as_deref().map(|source| source as _),
            _ => None,
        }
    }
}

/// Payloads in memory, for tests. Clones share their content.
#[derive(Clone, Default)]
pub struct MemoryPayloads(Arc<Mutex<HashMap<String, Vec<u8>>>>);

impl MemoryPayloads {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of payloads.
    pub fn len(&self) -> usize {
        self.with(|payloads| payloads.len())
    }

    /// Returns true if there are no payloads.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashMap<String, Vec<u8>>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for MemoryPayloads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryPayloads")
            .field("len", &self.len())
            .finish()
    }
}

impl PayloadStore for MemoryPayloads {
    fn put<'a>(&'a self, bytes: &'a [u8]) -> BoxFuture<'a, Result<String, PayloadError>> {
        Box::pin(async move {
            let key = sha256(bytes);
            self.with(|payloads| payloads.insert(key.clone(), bytes.to_vec()));
            Ok(key)
        })
    }

    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Vec<u8>, PayloadError>> {
        Box::pin(async move {
            let found = self.with(|payloads| payloads.get(key).cloned());
            found.ok_or_else(|| missing(key))
        })
    }

    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<bool, PayloadError>> {
        Box::pin(async move { Ok(self.with(|payloads| payloads.remove(key)).is_some()) })
    }
}

/// Keeps payloads in Postgres. [`prune`](toolwright_postgres::PostgresPayloads::prune) deletes those that are old.
#[cfg(feature = "postgres")]
impl PayloadStore for toolwright_postgres::PostgresPayloads {
    fn put<'a>(&'a self, bytes: &'a [u8]) -> BoxFuture<'a, Result<String, PayloadError>> {
        Box::pin(async move { Self::put(self, bytes).await.map_err(in_database) })
    }

    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Vec<u8>, PayloadError>> {
        Box::pin(async move {
            let found = Self::get(self, key).await.map_err(in_database)?;
            found.ok_or_else(|| missing(key))
        })
    }

    fn delete<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<bool, PayloadError>> {
        Box::pin(async move { Self::delete(self, key).await.map_err(in_database) })
    }
}

#[cfg(feature = "postgres")]
fn in_database(error: toolwright::agent::store::CheckpointError) -> PayloadError {
    PayloadError::store_with(error.to_string(), error)
}

fn missing(key: &str) -> PayloadError {
    PayloadError::Missing {
        key: key.to_owned(),
    }
}

/// Returns the SHA-256 of the bytes, in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A JSON text, or the place where it is stored.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Packed {
    Inline(Box<RawValue>),
    Stored { key: String, bytes: usize },
}

impl Packed {
    /// Returns the length of what is sent.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Inline(text) => text.get().len(),
            Self::Stored { key, .. } => key.len(),
        }
    }
}

/// The store, and from which length on it is used.
#[derive(Clone)]
pub(crate) struct Payloads {
    pub(crate) store: Option<Arc<dyn PayloadStore>>,
    pub(crate) limit: usize,
}

impl Payloads {
    /// Packs a value for its way. `what` names it in errors.
    pub(crate) async fn pack<T: Serialize>(
        &self,
        what: &'static str,
        value: &T,
    ) -> Result<Packed, FleetError> {
        let text = serde_json::value::to_raw_value(value);
        let text = text.map_err(|error| FleetError::unreadable(what, error))?;
        let bytes = text.get().len();
        match &self.store {
            Some(store) if bytes > self.limit => {
                let key = store.put(text.get().as_bytes()).await?;
                Ok(Packed::Stored { key, bytes })
            }
            None if bytes > MOST => Err(FleetError::TooLarge {
                what,
                bytes,
                most: MOST,
            }),
            _ => Ok(Packed::Inline(text)),
        }
    }

    /// Fetches and reads a value.
    pub(crate) async fn unpack<T: DeserializeOwned>(
        &self,
        what: &'static str,
        packed: &Packed,
    ) -> Result<T, FleetError> {
        let read = match packed {
            Packed::Inline(text) => serde_json::from_str(text.get()),
            Packed::Stored { key, .. } => {
                let store = self.store.as_ref().ok_or(PayloadError::NoStore)?;
                serde_json::from_slice(&store.get(key).await?)
            }
        };
        read.map_err(|error| FleetError::unreadable(what, error))
    }

    /// Packs a value into a payload of its own.
    pub(crate) async fn send<T: Serialize>(
        &self,
        what: &'static str,
        value: &T,
    ) -> Result<JsonPayload, FleetError> {
        to_wire(what, &self.pack(what, value).await?)
    }

    /// Reads a payload of its own.
    pub(crate) async fn receive<T: DeserializeOwned>(
        &self,
        what: &'static str,
        wire: &JsonPayload,
    ) -> Result<T, FleetError> {
        self.unpack(what, &from_wire(what, wire)?).await
    }
}

/// Writes a value that is small.
pub(crate) fn to_wire<T: Serialize>(
    what: &'static str,
    value: &T,
) -> Result<JsonPayload, FleetError> {
    let text = serde_json::to_string(value).map(JsonPayload);
    text.map_err(|error| FleetError::unreadable(what, error))
}

pub(crate) fn from_wire<T: DeserializeOwned>(
    what: &'static str,
    wire: &JsonPayload,
) -> Result<T, FleetError> {
    serde_json::from_str(&wire.0).map_err(|error| FleetError::unreadable(what, error))
}
