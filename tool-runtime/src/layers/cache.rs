mod canonical;

use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use foldhash::fast::RandomState;
use tokio::time::Instant;

use self::canonical::canonical;
use super::{Names, lists, names};
use crate::executor::{Handled, Layer, Next, Request};
use crate::tool::{BoxFuture, Tool};
use toolwright_provider::call::Outcome;
use toolwright_schema::text::ShortStr;

/// Longest arguments that are cached.
const LONGEST: usize = 64 * 1024;

/// Number of write counters, so that conversations seldom share one.
const BUCKETS: usize = 64;

/// Caches answers by tool and arguments.
///
/// - Only of tools that are `read_only`, and of those that [`always_for`](Self::always_for) names.
/// - Never of tools that [need an approval](toolwright_provider::call::ToolDef::needs_approval).
/// - Only successes: values, content, and values that go to the user. Not questions, ends, errors, nor
///   answers that [changed](crate::tool::Context::update_state) what the conversation knows.
/// - For the conversation alone that they were made in, as
///   [`Context::with_session`](crate::tool::Context::with_session) says: a tool may look at who asks. Where
///   the context names none, nothing is cached. [`shared`](Self::shared) keeps answers for all.
/// - Until their time is over (5 minutes if nothing is said), they make room for others, their tool is
///   replaced, or a tool that is not `read_only` is called in the same conversation: it may have
///   changed what was read.
/// - Arguments are the same if they are the same JSON value, whatever the order of keys and spaces.
///   Calls with arguments of more than 64 KiB are not cached.
///
/// Two equal calls that run at once both run.
///
/// ```
/// use std::time::Duration;
/// use toolwright::layers::Cache;
/// use toolwright::{Executor, tool, tools};
///
/// /// Searches the handbook.
/// #[tool(read_only)]
/// fn search(query: &str) -> Vec<String> {
///     vec![query.to_owned()]
/// }
///
/// let cache = Cache::new(1_000).ttl(Duration::from_secs(60));
/// let executor = Executor::serial(&tools![search]).layer(cache);
/// ```
#[derive(Debug)]
pub struct Cache {
    most: usize,
    ttl: Duration,
    always: Names,
    is_shared: bool,
    keeps_after_writes: bool,
    hasher: RandomState,
    state: Mutex<CacheState>,
}

#[derive(Debug)]
struct CacheState {
    answers: HashMap<Key, CachedAnswer>,
    /// Logical time; grows with every use.
    now: u64,
    /// Number of writes, by conversation.
    writes: [u64; BUCKETS],
}

/// Conversation that may read an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Reader {
    All,
    Session(Box<str>),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    reader: Reader,
    tool: ShortStr,
    arguments: String,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Arguments may be secret.
        f.debug_struct("Key")
            .field("reader", &self.reader)
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct CachedAnswer {
    outcome: Outcome,
    /// The tool that answered; a replacement does not share its answers.
    tool: Weak<dyn Tool>,
    /// `None` beyond the clock's range.
    until: Option<Instant>,
    last: u64,
}

impl Cache {
    /// Sets the number of answers; the least recently used one makes room.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            ttl: Duration::from_mins(5),
            always: Names::new(),
            is_shared: false,
            keeps_after_writes: false,
            hasher: RandomState::default(),
            state: Mutex::new(CacheState {
                answers: HashMap::new(),
                now: 0,
                writes: [0; BUCKETS],
            }),
        }
    }

    /// Sets how long an answer is kept. Default: 5 minutes.
    pub fn ttl(self, ttl: Duration) -> Self {
        Self { ttl, ..self }
    }

    /// Caches these tools whatever their annotations say; calls of them do not count as writes.
    pub fn always_for<N: Into<Arc<str>>>(self, tools: impl IntoIterator<Item = N>) -> Self {
        Self {
            always: names(tools),
            ..self
        }
    }

    /// Shares answers between all conversations. Use it only for tools whose answers depend on their arguments alone.
    pub fn shared(self) -> Self {
        Self {
            is_shared: true,
            ..self
        }
    }

    /// Keeps answers after calls of tools that are not `read_only`: for tools that read nothing that the others write.
    pub fn keep_after_writes(self) -> Self {
        Self {
            keeps_after_writes: true,
            ..self
        }
    }

    /// Poisoning is harmless: no foreign code runs under this lock.
    fn state(&self) -> MutexGuard<'_, CacheState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_for(&self, request: &Request<'_>) -> bool {
        request.annotations().read_only == Some(true) || lists(&self.always, &request.call().name)
    }

    /// `None` if the conversation is unknown.
    fn reader(&self, request: &Request<'_>) -> Option<Reader> {
        if self.is_shared {
            return Some(Reader::All);
        }
        Some(Reader::Session(request.context().session_id()?.into()))
    }

    fn bucket(&self, reader: &Reader) -> usize {
        let hash = self.hasher.hash_one(reader);
        usize::try_from(hash).unwrap_or_default() % BUCKETS
    }

    fn key(&self, request: &Request<'_>) -> Option<Key> {
        let call = request.call();
        // An answer is for those who approved the call.
        if call.arguments.len() > LONGEST || request.needs_approval() {
            return None;
        }
        Some(Key {
            reader: self.reader(request)?,
            tool: call.name.clone(),
            arguments: canonical(&call.arguments)?,
        })
    }

    fn find(&self, key: &Key, tool: &Arc<dyn Tool>) -> Option<Outcome> {
        let mut state = self.state();
        state.now += 1;
        let now = state.now;
        let answer = state.answers.get_mut(key)?;
        let is_over = answer.until.is_some_and(|until| until <= Instant::now());
        if is_over || !Weak::ptr_eq(&answer.tool, &Arc::downgrade(tool)) {
            state.answers.remove(key);
            return None;
        }
        answer.last = now;
        Some(answer.outcome.clone())
    }

    fn writes(&self, reader: &Reader) -> u64 {
        let at = self.bucket(reader);
        let state = self.state();
        state.writes.get(at).copied().unwrap_or_default()
    }

    /// Drops a conversation's answers, since a call may have written.
    fn forget(&self, reader: &Reader) {
        let at = self.bucket(reader);
        let mut state = self.state();
        if let Some(writes) = state.writes.get_mut(at) {
            *writes += 1;
        }
        state.answers.retain(|key, _| key.reader != *reader);
    }

    /// Caches an answer, if nothing was written since the call began.
    fn keep(&self, key: Key, tool: &Arc<dyn Tool>, outcome: &Outcome, writes: u64) {
        let at = self.bucket(&key.reader);
        let mut state = self.state();
        if state.writes.get(at) != Some(&writes) || self.most == 0 {
            return;
        }
        state.now += 1;
        let last = state.now;
        if state.answers.len() >= self.most && !state.answers.contains_key(&key) {
            state.make_room();
        }
        let answer = CachedAnswer {
            outcome: outcome.clone(),
            tool: Arc::downgrade(tool),
            until: Instant::now().checked_add(self.ttl),
            last,
        };
        state.answers.insert(key, answer);
    }
}

impl CacheState {
    fn make_room(&mut self) {
        let now = Instant::now();
        self.answers
            .retain(|_, answer| answer.until.is_none_or(|until| until > now));
        let oldest = self.answers.iter().min_by_key(|(_, answer)| answer.last);
        if let Some(key) = oldest.map(|(key, _)| key.clone()) {
            self.answers.remove(&key);
        }
    }
}

/// Drops the conversation's answers once a call that may write has ended.
struct WriteGuard<'a> {
    cache: &'a Cache,
    reader: Reader,
}

impl Drop for WriteGuard<'_> {
    fn drop(&mut self) {
        self.cache.forget(&self.reader);
    }
}

fn may_be_kept(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Value(_) | Outcome::Content(_) | Outcome::ReturnDirect(_)
    )
}

impl Layer for Cache {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            if !self.is_for(&request) {
                let _writing = self
                    .reader(&request)
                    .filter(|_| !self.keeps_after_writes)
                    .map(|reader| WriteGuard {
                        cache: self,
                        reader,
                    });
                return next.run(request).await;
            }
            let Some(key) = self.key(&request) else {
                return next.run(request).await;
            };
            let (tool, cx) = (request.tool(), request.context());
            if let Some(outcome) = self.find(&key, tool) {
                return outcome.into();
            }
            let (writes, updates) = (self.writes(&key.reader), cx.update_count());
            let handled = next.run(request).await;
            if let Handled::Done(Ok(outcome)) = &handled
                && may_be_kept(outcome)
                && cx.update_count() == updates
            {
                self.keep(key, tool, outcome, writes);
            }
            handled
        })
    }
}
