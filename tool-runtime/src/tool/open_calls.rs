//! Calls that stay open: the batch answers them with a note, their work continues, and their results follow.
//!
//! [`OpenCalls`] owns them. The list in memory is authoritative in this process; a store is written first. Each open
//! call has one owner here, its [`OpenCallHandle`], which ends it exactly once, however its code ends.

mod call;
mod entry;
mod error;
mod handle;
mod store;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tokio::runtime::Handle;
use tokio::sync::Notify;

pub(crate) use self::call::key_of;
pub use self::call::{OpenCall, OpenCallState};
use self::entry::{OpenCallEntry, published};
pub use self::error::OpenCallError;
pub use self::handle::OpenCallHandle;
use self::handle::Phase;
pub(crate) use self::handle::failed;
pub use self::store::OpenCallStore;
use super::{Cancel, Context};
use toolwright_provider::call::{ErrorKind, StoredOutcome, ToolCall, ToolError};

/// Default limit on the JSON of one result, in bytes.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// Default time limit of an open call.
const TIMEOUT: Duration = Duration::from_hours(24);

/// The open calls of a conversation or a host: lists them, takes their results, and cancels them. Cheap to clone; all
/// clones share the calls.
///
/// An executor that has one answers the call of a `background` tool at once with
/// [`Outcome::Open`](toolwright_provider::call::Outcome::Open). The tool's code continues in a task. A tool can also
/// decide while it runs: see [`Context::keep_open`]. Without one, `background` tools run like other tools. Each session
/// of an agent has one.
///
/// The list is in memory, and serializes; running code is not part of it. A [store](Self::store) keeps it beyond the
/// process.
///
/// ```
/// use toolwright::executor::{OpenCallState, OpenCalls};
/// use toolwright::{Context, Executor, Outcome, ToolCall, tool, tools};
///
/// /// Renders a film.
/// #[tool(background)]
/// async fn render(minutes: u32) -> String {
///     format!("film.mp4, {minutes} minutes")
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let open = OpenCalls::new();
/// let executor = Executor::serial(tools![render]).open_calls(&open);
/// let calls = [ToolCall::new("1", "render", r#"{"minutes": 3}"#)];
/// let batch = executor.run(&calls, &Context::new()).await;
/// assert!(matches!(batch.results().next().unwrap().outcome, Ok(Outcome::Open { .. })));
///
/// let ended = open.ended().await;
/// let OpenCallState::Ended(outcome) = ended.state else { panic!() };
/// let result = outcome.into_result(&ended.call);
/// assert_eq!(result.value(), Some("film.mp4, 3 minutes".into()));
/// # });
/// ```
#[derive(Clone)]
pub struct OpenCalls {
    shared: Arc<OpenCallsData>,
    store: Option<Arc<dyn OpenCallStore>>,
    timeout: Duration,
    max_bytes: usize,
    /// Token of the host, with which all calls that begin here are cancelled.
    stop: Option<Cancel>,
    /// Calls that are withdrawn stay open; see [`keeping`](Self::keeping).
    keeps: bool,
}

struct OpenCallsData {
    entries: Mutex<Vec<Arc<OpenCallEntry>>>,
    changed: Arc<Notify>,
}

impl Default for OpenCalls {
    fn default() -> Self {
        Self::new()
    }
}

impl OpenCalls {
    /// Makes an empty list.
    pub fn new() -> Self {
        Self {
            shared: Arc::new(OpenCallsData {
                entries: Mutex::default(),
                changed: Arc::default(),
            }),
            store: None,
            timeout: TIMEOUT,
            max_bytes: MAX_BYTES,
            stop: None,
            keeps: false,
        }
    }

    fn new_entry(&self, call: OpenCall, live: Option<Cancel>) -> Arc<OpenCallEntry> {
        OpenCallEntry::new(call, live, &self.shared.changed)
    }

    fn add(&self, call: OpenCall) {
        let entry = self.new_entry(call, None);
        self.entries().push(entry);
    }

    /// Publishes the calls under a name, so that other copies of this list in this process can [adopt](Self::adopt) them.
    pub fn publish(&self, name: &str) {
        let entries = self.entries().clone();
        let mut published = published();
        published.retain(|_, entry| entry.strong_count() > 0);
        for entry in entries.iter().filter(|entry| !entry.is_lost()) {
            let key = (name.to_owned(), entry.key.clone());
            published.insert(key, Arc::downgrade(entry));
        }
    }

    /// Reconnects [lost](Self::lost) calls that still run in this process, if a copy of this list was
    /// [published](Self::publish) under this name.
    pub fn adopt(&self, name: &str) {
        let published = published();
        for entry in self.entries().iter_mut().filter(|entry| entry.is_lost()) {
            let key = (name.to_owned(), entry.key.clone());
            if let Some(found) = published.get(&key).and_then(Weak::upgrade)
                && !Arc::ptr_eq(entry, &found)
                && !found.inner().is_withdrawn
            {
                found.inner().watch(&self.shared.changed);
                *entry = found;
            }
        }
    }

    /// Sets the store that calls are written to from here on; see [`restore`](Self::restore).
    pub fn store(self, store: impl OpenCallStore + 'static) -> Self {
        Self {
            store: Some(Arc::new(store)),
            ..self
        }
    }

    /// Sets the time limit of open calls. Default: a day. A tool's own `timeout` takes precedence. The limits of the
    /// executor and of its batches do not hold for open calls.
    pub fn timeout(self, limit: Duration) -> Self {
        Self {
            timeout: limit,
            ..self
        }
    }

    /// Sets the limit on the JSON of one result. Default: 16 MiB. The result of code that runs here becomes an error if
    /// it is larger.
    pub fn max_bytes(self, most: usize) -> Self {
        Self {
            max_bytes: most,
            ..self
        }
    }

    /// Sets the token that cancels the calls that begin from here on. Default: that of the batch's context.
    pub fn cancelled_by(self, stop: Cancel) -> Self {
        Self {
            stop: Some(stop),
            ..self
        }
    }

    /// Keeps a [withdrawn](Self::withdraw) call in the list as a [lost](Self::lost) one. For calls that are made again
    /// only to get their result.
    pub fn keeping(self) -> Self {
        Self {
            keeps: true,
            ..self
        }
    }

    pub(crate) fn time_limit(&self) -> Duration {
        self.timeout
    }

    /// Poisoning is harmless: no foreign code runs under this lock.
    fn entries(&self) -> MutexGuard<'_, Vec<Arc<OpenCallEntry>>> {
        let entries = &self.shared.entries;
        entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entry(&self, key: &str) -> Option<Arc<OpenCallEntry>> {
        let entries = self.entries();
        entries.iter().find(|entry| entry.key == key).cloned()
    }

    /// Returns all calls whose results were not taken, in the order in which they began.
    pub fn list(&self) -> Vec<OpenCall> {
        self.entries().iter().map(|entry| entry.call()).collect()
    }

    /// Returns the call with this key.
    pub fn get(&self, key: &str) -> Option<OpenCall> {
        Some(self.entry(key)?.call())
    }

    /// Returns the number of calls whose results were not taken.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Returns true if there is no call.
    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    /// Returns a list of the same calls, for a copy of their conversation. Both get the results.
    pub fn copied(&self) -> Self {
        let copy = Self::new();
        for entry in &*self.entries() {
            entry.inner().watch(&copy.shared.changed);
            copy.entries().push(Arc::clone(entry));
        }
        copy
    }

    /// Returns true if an open call runs in this process.
    pub fn is_live(&self) -> bool {
        self.entries()
            .iter()
            .any(|entry| entry.inner().live.is_some())
    }

    /// Returns the keys of open calls that do not run in this process. The process that ran them has ended, or is another
    /// one.
    pub fn lost(&self) -> Vec<String> {
        let entries = self.entries();
        let lost = entries.iter().filter(|entry| entry.is_lost());
        lost.map(|entry| entry.key.clone()).collect()
    }

    /// Takes the first call that has ended, if there is one.
    pub fn take_ended(&self) -> Option<OpenCall> {
        let mut entries = self.entries();
        let place = entries.iter().position(|entry| entry.has_ended())?;
        Some(entries.remove(place).call())
    }

    /// Returns true if a call has ended whose result was not taken.
    pub fn has_ended(&self) -> bool {
        self.entries().iter().any(|entry| entry.has_ended())
    }

    /// Waits until a call has ended, and takes it. Waits forever if none is open.
    pub async fn ended(&self) -> OpenCall {
        loop {
            self.until_ended().await;
            if let Some(ended) = self.take_ended() {
                return ended;
            }
        }
    }

    /// Waits until [`take_ended`](Self::take_ended) finds a call.
    pub async fn until_ended(&self) {
        loop {
            let changed = self.shared.changed.notified();
            let mut changed = std::pin::pin!(changed);
            // From here on, no end is missed.
            changed.as_mut().enable();
            if self.has_ended() {
                return;
            }
            changed.await;
        }
    }

    /// Waits until the call with this key has ended, or its outcome is unknown, and returns it. It stays in the list.
    /// `None` if there is no such call.
    pub async fn wait(&self, key: &str) -> Option<OpenCall> {
        loop {
            let changed = self.shared.changed.notified();
            let mut changed = std::pin::pin!(changed);
            // From here on, no end is missed.
            changed.as_mut().enable();
            let call = self.get(key)?;
            if !matches!(call.state, OpenCallState::Running) {
                return Some(call);
            }
            changed.await;
        }
    }

    /// Forgets a call whose result was taken, in the store.
    ///
    /// # Errors
    /// If the store fails. The store may list the call again then.
    pub async fn forget(&self, key: &str) -> Result<(), OpenCallError> {
        match &self.store {
            Some(store) => store.remove(key).await,
            None => Ok(()),
        }
    }

    /// Ends a call with its result from elsewhere, or with a person's.
    ///
    /// ```
    /// use toolwright::call::StoredOutcome;
    /// use toolwright::executor::{OpenCallError, OpenCalls};
    /// use toolwright::{Outcome, ToolCall};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let open = OpenCalls::new();
    /// let call = ToolCall::new("1", "render", "{}");
    /// let outcome = StoredOutcome::new(&call, &Ok(Outcome::value("film.mp4"))).unwrap();
    /// let error = open.end("run/0/0/1", outcome).await.unwrap_err();
    /// assert!(matches!(error, OpenCallError::NotOpen { .. }));
    /// # });
    /// ```
    ///
    /// # Errors
    /// If no call of this key is open, if it has ended before, if the result is too large, or if the store fails.
    /// Nothing changes then.
    pub async fn end(&self, key: &str, outcome: StoredOutcome) -> Result<(), OpenCallError> {
        self.end_entry(key, outcome).await.map(drop)
    }

    /// Ends calls in this list, and not in its store: all of them, or none on an error. A session stores its list itself.
    ///
    /// # Errors
    /// If no call of a key is open, if it has ended before, or if a key is there twice. Nothing changes then.
    #[doc(hidden)]
    pub fn end_all_here(
        &self,
        outcomes: impl IntoIterator<Item = (String, StoredOutcome)>,
    ) -> Result<(), OpenCallError> {
        let mut ends = BTreeMap::new();
        for (key, outcome) in outcomes {
            match self.entry(&key) {
                // All who lock several entries do so in this order.
                Some(entry) => match ends.entry(Arc::as_ptr(&entry)) {
                    Entry::Vacant(place) => drop(place.insert((entry, outcome))),
                    Entry::Occupied(_) => return Err(OpenCallError::Ended { key }),
                },
                None => return Err(OpenCallError::NotOpen { key }),
            }
        }
        let ends: Vec<_> = ends.into_values().collect();
        OpenCallEntry::settle_all(&ends)
    }

    async fn end_entry(
        &self,
        key: &str,
        outcome: StoredOutcome,
    ) -> Result<Option<Cancel>, OpenCallError> {
        let not_open = || OpenCallError::NotOpen {
            key: key.to_owned(),
        };
        let entry = self.entry(key).ok_or_else(not_open)?;
        entry.check()?;
        self.fits(key, &outcome)?;
        if let Some(store) = &self.store {
            store.end(key, &outcome).await?;
        }
        entry.settle(outcome)
    }

    /// Cancels a call: its token fires, and its result is a cancellation error.
    ///
    /// # Errors
    /// See [`end`](Self::end).
    pub async fn cancel(&self, key: &str) -> Result<(), OpenCallError> {
        let error = ToolError::new(ErrorKind::Cancelled, "the call was cancelled");
        let live = self.end_entry(key, StoredOutcome::of_error(&error)).await?;
        if let Some(stop) = live {
            stop.cancel();
        }
        Ok(())
    }

    /// Adds the store's calls that this list lacks, and ends those that have ended meanwhile. A call that is open then
    /// and runs in no process is [lost](Self::lost).
    ///
    /// # Errors
    /// If the store fails.
    pub async fn restore(&self) -> Result<(), OpenCallError> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        for key in self.lost() {
            let known = store.get(&key).await?;
            if let (Some(entry), Some(OpenCallState::Ended(outcome))) =
                (self.entry(&key), known.map(|call| call.state))
            {
                // It may have been ended here meanwhile.
                let _ = entry.settle(*outcome);
            }
        }
        for call in store.all().await? {
            if self.entry(&call.key).is_none() {
                self.add(call);
            }
        }
        self.shared.changed.notify_waiters();
        Ok(())
    }

    /// Marks a call that no longer runs as one of unknown outcome.
    pub fn mark_unknown(&self, key: &str, error: impl Into<String>) {
        if let Some(entry) = self.entry(key) {
            entry.mark_unknown(error.into());
        }
    }

    /// Removes a call that was answered in another way. If no copy of the list holds it, its code is cancelled and its
    /// result ignored.
    pub fn withdraw(&self, key: &str) {
        let Some(entry) = self.entry(key) else {
            return;
        };
        let mut call = entry.call();
        call.state = OpenCallState::Running;
        call.ended_ms = None;
        let again = self.keeps.then(|| self.new_entry(call, None));
        self.entries().retain_mut(|other| {
            let is_other = other.key != key;
            match &again {
                Some(again) if !is_other => {
                    *other = Arc::clone(again);
                    true
                }
                _ => is_other,
            }
        });
        // Whoever waits for the call waits for nothing.
        self.shared.changed.notify_waiters();
        let mut inner = entry.inner();
        if inner.unwatch(&self.shared.changed) {
            return;
        }
        inner.is_withdrawn = true;
        let live = inner.live.take();
        drop(inner);
        if let Some(stop) = live {
            stop.cancel();
        }
        if let (false, Some(store), Ok(runtime)) =
            (self.keeps, self.store.clone(), Handle::try_current())
        {
            let key = key.to_owned();
            runtime.spawn(async move { store.remove(&key).await });
        }
    }

    /// [Withdraws](Self::withdraw) the calls that began before `time`, whatever became of them.
    pub fn withdraw_begun_before(&self, time: SystemTime) {
        let time = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let is_old = |entry: &&Arc<OpenCallEntry>| {
            u128::from(entry.inner().call.began_ms) < time.as_millis()
        };
        let entries = self.entries();
        let old: Vec<_> = entries
            .iter()
            .filter(is_old)
            .map(|entry| entry.key.clone())
            .collect();
        drop(entries);
        for key in old {
            self.withdraw(&key);
        }
    }

    fn fits(&self, key: &str, outcome: &StoredOutcome) -> Result<(), OpenCallError> {
        let json = outcome.to_json();
        let json =
            json.map_err(|error| OpenCallError::store_with("it cannot be written", error))?;
        if json.len() <= self.max_bytes {
            return Ok(());
        }
        Err(OpenCallError::TooLarge {
            key: key.to_owned(),
            bytes: json.len(),
            most: self.max_bytes,
        })
    }

    /// Finds or adds the entry of a call that begins, and whether it is new. Returns `None` if it runs or has ended.
    fn enter(&self, call: &OpenCall, stop: &Cancel) -> Option<(Arc<OpenCallEntry>, bool)> {
        // Under one lock, so that of two who begin a call at once one does.
        let mut entries = self.entries();
        let Some(entry) = entries.iter().find(|entry| entry.key == call.key) else {
            let entry = self.new_entry(call.clone(), Some(stop.clone()));
            entries.push(Arc::clone(&entry));
            return Some((entry, true));
        };
        let mut inner = entry.inner();
        if inner.live.is_some() || matches!(inner.call.state, OpenCallState::Ended(_)) {
            return None;
        }
        inner.call.state = OpenCallState::Running;
        inner.call.ended_ms = None;
        inner.live = Some(stop.clone());
        drop(inner);
        Some((Arc::clone(entry), false))
    }

    /// Adds a call that begins. Returns `None` if it has begun before, and runs here or has ended.
    async fn begin(
        &self,
        call: OpenCall,
        stop: Cancel,
    ) -> Result<Option<OpenCallHandle>, OpenCallError> {
        let Some((entry, is_new)) = self.enter(&call, &stop) else {
            return Ok(None);
        };
        // If this future is dropped, the call did not begin.
        let mut handle = OpenCallHandle {
            open: self.clone(),
            entry,
            call,
            stop,
            phase: Phase::Begins { is_new },
        };
        if let Some(store) = &self.store {
            store.begin(&handle.call).await?;
        }
        handle.phase = Phase::Runs;
        Ok(Some(handle))
    }
}

impl OpenCalls {
    /// Adds the call of this context. Returns `None` if it has begun before.
    pub(crate) async fn keep(
        &self,
        call: &ToolCall,
        cx: &Context,
    ) -> Result<Option<OpenCallHandle>, ToolError> {
        let host = self.stop.as_ref().or_else(|| cx.host_cancel());
        let stop = host.map_or_else(Cancel::new, Cancel::child);
        let begun = self.begin(OpenCall::new(call, cx), stop);
        begun.await.map_err(|error| {
            let words = "the call did not begin, since it could not be recorded";
            ToolError::new(ErrorKind::NotStarted, words).with_source(error)
        })
    }
}

impl fmt::Debug for OpenCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Calls and results may be secret.
        let keys: Vec<_> = self.list().into_iter().map(|call| call.key).collect();
        f.debug_struct("OpenCalls")
            .field("keys", &keys)
            .finish_non_exhaustive()
    }
}

impl From<&OpenCalls> for OpenCalls {
    fn from(open: &OpenCalls) -> Self {
        open.clone()
    }
}

impl Serialize for OpenCalls {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.list().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OpenCalls {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let open = Self::new();
        for call in Vec::deserialize(deserializer)? {
            open.add(call);
        }
        Ok(open)
    }
}
