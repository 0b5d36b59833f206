mod canonical;

use std::collections::HashMap;
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

/// Longer arguments are not kept.
const LONGEST: usize = 64 * 1024;

/// What was written is counted in so many places, so that one conversation seldom disturbs another.
const SHELVES: usize = 64;

/// Keeps answers, and gives them again for the same tool and the same arguments.
///
/// - Only of tools that are `read_only`, and of those that [`always_for`](Self::always_for) names.
/// - Only successes: values, content, and values that go to the user. Not questions, ends, errors, nor
///   answers that [changed](crate::Context::update_state) what the conversation knows.
/// - For the conversation alone that they were made in, as
///   [`Context::with_session`](crate::Context::with_session) says: a tool may look at who asks. Where
///   the context names none, nothing is kept. [`shared`](Self::shared) keeps answers for all.
/// - Until their time is over (5 minutes if nothing is said), they make room for others, their tool is
///   replaced, or a tool that is not `read_only` is called in the same conversation: it may have
///   changed what was read.
/// - Arguments are the same if they are the same JSON value, whatever the order of keys and spaces.
///   Arguments of more than 64 KiB are not kept.
///
/// Two equal calls that run at once both run.
///
/// ```
/// use std::time::Duration;
/// use toolwright::layers::Cache;
/// use toolwright::{Executor, Toolset};
///
/// let cache = Cache::new(1_000).ttl(Duration::from_secs(60));
/// let executor = Executor::serial(&Toolset::default()).layer(cache);
/// ```
#[derive(Debug)]
pub struct Cache {
    most: usize,
    ttl: Duration,
    always: Names,
    is_shared: bool,
    keeps_after_writes: bool,
    hasher: RandomState,
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    answers: HashMap<Key, Answer>,
    /// Grows with every use.
    now: u64,
    /// How often something was written, by conversation.
    writes: [u64; SHELVES],
}

/// Whose answers these are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Reader {
    All,
    Session(Box<str>),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    reader: Reader,
    tool: ShortStr,
    arguments: String,
}

#[derive(Debug)]
struct Answer {
    outcome: Outcome,
    /// One that took its place is not answered for.
    tool: Weak<dyn Tool>,
    /// `None` where no clock counts that far.
    until: Option<Instant>,
    last: u64,
}

impl Cache {
    /// Keeps so many answers; one that was not used the longest makes room.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            ttl: Duration::from_mins(5),
            always: Names::new(),
            is_shared: false,
            keeps_after_writes: false,
            hasher: RandomState::default(),
            kept: Mutex::new(Kept {
                answers: HashMap::new(),
                now: 0,
                writes: [0; SHELVES],
            }),
        }
    }

    /// The same, which keeps an answer so long.
    pub fn ttl(self, ttl: Duration) -> Self {
        Self { ttl, ..self }
    }

    /// The same, for these tools whatever their annotations say. A call of one changes nothing, then.
    pub fn always_for<N: Into<Arc<str>>>(self, tools: impl IntoIterator<Item = N>) -> Self {
        Self {
            always: names(tools),
            ..self
        }
    }

    /// The same, which keeps answers for all conversations. Only for tools whose answers depend on
    /// their arguments alone: what one user was told, another one is told too.
    pub fn shared(self) -> Self {
        Self {
            is_shared: true,
            ..self
        }
    }

    /// The same, whose answers stay after calls of tools that are not `read_only`: for tools that read
    /// nothing that the others write.
    pub fn keep_after_writes(self) -> Self {
        Self {
            keeps_after_writes: true,
            ..self
        }
    }

    /// Nothing is left half done under this lock: no code of others runs there.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_for(&self, request: &Request<'_>) -> bool {
        request.annotations().read_only == Some(true) || lists(&self.always, &request.call().name)
    }

    /// `None` where nobody knows who reads.
    fn reader(&self, request: &Request<'_>) -> Option<Reader> {
        if self.is_shared {
            return Some(Reader::All);
        }
        Some(Reader::Session(request.context().session_id()?.into()))
    }

    fn shelf(&self, reader: &Reader) -> usize {
        let hash = self.hasher.hash_one(reader);
        usize::try_from(hash).unwrap_or_default() % SHELVES
    }

    fn key(&self, request: &Request<'_>) -> Option<Key> {
        let call = request.call();
        if call.arguments.len() > LONGEST {
            return None;
        }
        Some(Key {
            reader: self.reader(request)?,
            tool: call.name.clone(),
            arguments: canonical(&call.arguments)?,
        })
    }

    fn find(&self, key: &Key, tool: &Arc<dyn Tool>) -> Option<Outcome> {
        let mut kept = self.kept();
        kept.now += 1;
        let now = kept.now;
        let answer = kept.answers.get_mut(key)?;
        let is_over = answer.until.is_some_and(|until| until <= Instant::now());
        if is_over || !Weak::ptr_eq(&answer.tool, &Arc::downgrade(tool)) {
            kept.answers.remove(key);
            return None;
        }
        answer.last = now;
        Some(answer.outcome.clone())
    }

    fn writes(&self, reader: &Reader) -> u64 {
        let at = self.shelf(reader);
        let kept = self.kept();
        kept.writes.get(at).copied().unwrap_or_default()
    }

    /// Something may have been written.
    fn forget(&self, reader: &Reader) {
        let at = self.shelf(reader);
        let mut kept = self.kept();
        if let Some(writes) = kept.writes.get_mut(at) {
            *writes += 1;
        }
        kept.answers.retain(|key, _| key.reader != *reader);
    }

    /// Keeps an answer, if nothing was written since it was asked for.
    fn keep(&self, key: Key, tool: &Arc<dyn Tool>, outcome: &Outcome, writes: u64) {
        let at = self.shelf(&key.reader);
        let mut kept = self.kept();
        if kept.writes.get(at) != Some(&writes) || self.most == 0 {
            return;
        }
        kept.now += 1;
        let last = kept.now;
        if kept.answers.len() >= self.most && !kept.answers.contains_key(&key) {
            kept.make_room();
        }
        let answer = Answer {
            outcome: outcome.clone(),
            tool: Arc::downgrade(tool),
            until: Instant::now().checked_add(self.ttl),
            last,
        };
        kept.answers.insert(key, answer);
    }
}

impl Kept {
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

/// A call that may write, until it has ended or is dropped.
struct Writing<'a> {
    cache: &'a Cache,
    reader: Reader,
}

impl Drop for Writing<'_> {
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
                    .map(|reader| Writing {
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
