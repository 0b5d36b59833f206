mod canonical;

use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasher;
use std::iter;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use foldhash::fast::RandomState;
use tokio::time::Instant;

use self::canonical::canonical;
use super::{Names, lists, names};
use crate::executor::{Handled, Layer, Next, Request};
use crate::tool::{BoxFuture, Context, Identity, Tool};
use toolwright_provider::call::Outcome;
use toolwright_schema::text::ShortStr;

/// Longest arguments that are cached.
const LONGEST: usize = 64 * 1024;

/// Number of write counters, so that conversations seldom share one.
const BUCKETS: usize = 64;

/// Caches answers by tool and arguments.
///
/// - Only of tools that are `read_only`, and of those that [`always_for`](Self::always_for) names.
/// - Never of tools that [need an approval](toolwright_provider::call::ToolOptions::needs_approval), and never of searches
///   for tools.
/// - Only successes: values, content, and values that go to the user. Not questions, ends, errors, nor
///   answers that [changed](crate::tool::Context::update_state) the conversation's state.
/// - For the conversation and the caller that they were made for: the
///   [session](crate::tool::Context::with_session), the [agent](crate::tool::Context::with_agent), the
///   [`Grant`](crate::tool::Grant), the [`State`](crate::tool::State) and the [host's values](crate::tool::Context::with),
///   which are the same only if they are one value. Where the context names no session, nothing is cached.
///   [`shared_for`](Self::shared_for) names the tools whose answers are for everybody. The user's input and the turn do not
///   count: a tool that reads them may get the answer of an earlier turn.
/// - An approval inside of the cache is not asked again for an equal call. Add an
///   [`Approval`](crate::layers::Approval) before the cache where each call needs one.
/// - Until their time is over (5 minutes if nothing is said), they make room for others, their tool is
///   replaced, or a tool that is not `read_only` is called in the same conversation: it may have
///   changed the data.
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
    shared: Names,
    keeps_after_writes: bool,
    hasher: RandomState,
    state: Mutex<CacheState>,
}

#[derive(Debug)]
struct CacheState {
    answers: HashMap<CacheKey, CachedAnswer>,
    /// Logical time; grows with every use.
    now: u64,
    /// Number of writes, by conversation.
    writes: [u64; BUCKETS],
}

/// Conversation that may read an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum CacheScope {
    All,
    Session(Box<str>),
}

impl CacheScope {
    /// `None` if the conversation is unknown.
    fn of(cx: &Context) -> Option<Self> {
        Some(Self::Session(cx.session_id()?.into()))
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct CacheKey {
    reader: CacheScope,
    tool: ShortStr,
    arguments: String,
}

impl fmt::Debug for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Arguments may be secret.
        f.debug_struct("CacheKey")
            .field("reader", &self.reader)
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct CachedAnswer {
    outcome: Outcome,
    /// `None` if the answer is shared.
    caller: Option<Identity>,
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
            shared: Names::new(),
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
    pub fn always_for<N: Into<Arc<str>>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.always = names(tools);
        self
    }

    /// Shares the cached answers of these tools between all conversations and callers. Name only tools whose answers
    /// depend on their arguments alone.
    ///
    /// Answers of a tool that [reads the context](crate::tool::Tool::reads_context) stay with their caller, also if it is named
    /// here. That is a function with a parameter `&Context`, and any tool that does not say otherwise: a closure
    /// ([`DynToolBuilder::reads_context`](crate::dyn_tool::DynToolBuilder::reads_context)), an agent, a tool of an MCP server.
    /// A `#[state]` parameter does not count: it is the toolset's, and the same for every caller.
    pub fn shared_for<N: Into<Arc<str>>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.shared = names(tools);
        self
    }

    /// Keeps answers after calls of tools that are not `read_only`: for tools that read nothing that the others write.
    pub fn keep_after_writes(mut self) -> Self {
        self.keeps_after_writes = true;
        self
    }

    /// Poisoning is harmless: no foreign code runs under this lock.
    fn state(&self) -> MutexGuard<'_, CacheState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_for(&self, request: &Request<'_>) -> bool {
        request.annotations().read_only == Some(true) || lists(&self.always, request.def())
    }

    fn is_shared(&self, request: &Request<'_>) -> bool {
        lists(&self.shared, request.def()) && !request.reads_context()
    }

    fn bucket(&self, reader: &CacheScope) -> usize {
        let hash = self.hasher.hash_one(reader);
        usize::try_from(hash).unwrap_or_default() % BUCKETS
    }

    fn key(&self, request: &Request<'_>) -> Option<CacheKey> {
        let call = request.call();
        // An answer is for those who approved the call.
        if call.arguments.len() > LONGEST || request.needs_approval() || request.finds_tools() {
            return None;
        }
        let reader = if self.is_shared(request) {
            CacheScope::All
        } else {
            CacheScope::of(request.context())?
        };
        Some(CacheKey {
            reader,
            tool: call.name.clone(),
            arguments: canonical(&call.arguments)?,
        })
    }

    fn find(&self, key: &CacheKey, tool: &Arc<dyn Tool>, cx: &Context) -> Option<Outcome> {
        let mut state = self.state();
        state.now += 1;
        let now = state.now;
        let answer = state.answers.get_mut(key)?;
        let is_over = answer.until.is_some_and(|until| until <= Instant::now());
        if is_over || !Weak::ptr_eq(&answer.tool, &Arc::downgrade(tool)) {
            state.answers.remove(key);
            return None;
        }
        if answer
            .caller
            .as_ref()
            .is_some_and(|caller| !caller.is_of(cx))
        {
            return None;
        }
        answer.last = now;
        Some(answer.outcome.clone())
    }

    fn writes(&self, reader: &CacheScope) -> u64 {
        let at = self.bucket(reader);
        let state = self.state();
        state.writes.get(at).copied().unwrap_or_default()
    }

    /// Drops a conversation's answers and the shared ones, since a call may have written.
    fn forget(&self, session: Option<&CacheScope>) {
        let mut state = self.state();
        for reader in iter::once(&CacheScope::All).chain(session) {
            if let Some(writes) = state.writes.get_mut(self.bucket(reader)) {
                *writes += 1;
            }
            state.answers.retain(|key, _| key.reader != *reader);
        }
    }

    /// Caches an answer, if nothing was written since the call began.
    fn keep(
        &self,
        key: CacheKey,
        (tool, cx): (&Arc<dyn Tool>, &Context),
        outcome: &Outcome,
        writes: u64,
    ) {
        let caller = (key.reader != CacheScope::All).then(|| Identity::of(cx));
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
            caller,
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

/// Drops answers once a call that may write has ended.
struct WriteGuard<'a> {
    cache: &'a Cache,
    session: Option<CacheScope>,
}

impl Drop for WriteGuard<'_> {
    fn drop(&mut self) {
        self.cache.forget(self.session.as_ref());
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
                let _writing = (!self.keeps_after_writes).then(|| WriteGuard {
                    cache: self,
                    session: CacheScope::of(request.context()),
                });
                return next.run(request).await;
            }
            let Some(key) = self.key(&request) else {
                return next.run(request).await;
            };
            let (tool, cx) = (request.tool(), request.context());
            if let Some(outcome) = self.find(&key, tool, cx) {
                return outcome.into();
            }
            let (writes, updates) = (self.writes(&key.reader), cx.update_count());
            let handled = next.run(request).await;
            if let Handled::Done(Ok(outcome)) = &handled
                && may_be_kept(outcome)
                && cx.update_count() == updates
            {
                self.keep(key, (tool, cx), outcome, writes);
            }
            handled
        })
    }
}
