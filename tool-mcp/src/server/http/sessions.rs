//! Sessions over HTTP, of the versions that have them, in the order in which they may go.

use std::collections::{HashMap, VecDeque};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolwright_http::answer::UnreadAnswers;
use toolwright_http::random;

use super::stream::Stream;
use crate::server::peer::Peer;

/// So many answers are kept for clients that lost their connection.
const MOST_STREAMS: usize = 16;

/// Most bytes in all, beside the newest.
const MOST_BYTES: usize = 1024 * 1024;

pub(super) struct SessionTable {
    open: Mutex<HashMap<Arc<str>, Arc<ServerSession>>>,
    most: usize,
    idle: Duration,
    /// Numbers what is heard.
    now: AtomicU64,
}

#[derive(Default)]
pub(super) struct ServerSession {
    pub(super) peer: Arc<Peer>,
    /// For whom it was opened: nobody else may go on with it.
    owner: Option<String>,
    has_called: AtomicBool,
    /// Number of its requests and streams.
    uses: AtomicUsize,
    heard: Mutex<Heard>,
    streams: Mutex<Streams>,
}

/// When it was last heard of.
struct Heard {
    number: u64,
    at: Instant,
}

impl Default for Heard {
    fn default() -> Self {
        Self {
            number: 0,
            at: Instant::now(),
        }
    }
}

/// The streams to which a client may come back.
#[derive(Default)]
struct Streams {
    last: u64,
    kept: VecDeque<Arc<Stream>>,
}

/// A session that is not idle, until this is dropped.
pub(super) struct SessionGuard {
    session: Arc<ServerSession>,
}

impl SessionTable {
    pub(super) fn new(most: usize, idle: Duration) -> Self {
        Self {
            open: Mutex::default(),
            most,
            idle,
            now: AtomicU64::new(0),
        }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<ServerSession>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a session, and returns its id. Where there are enough, one without a request makes room: one that never
    /// called if there is one, of these the one that is idle the longest. `None` if each waits for an answer.
    pub(super) fn open_new(&self, owner: Option<String>) -> Option<(Arc<str>, SessionGuard)> {
        let mut open = self.open();
        open.retain(|_, session| !session.is_over(self.idle));
        if open.len() >= self.most {
            let idle = open.iter().filter(|(_, one)| one.peer.requests.is_empty());
            let (id, _) = idle.min_by_key(|(_, one)| {
                let has_called = one.has_called.load(Ordering::Relaxed);
                (has_called, one.heard().number)
            })?;
            let id = Arc::clone(id);
            if let Some(session) = open.remove(&id) {
                session.peer.hung_up.cancel();
            }
        }
        let session = Arc::new(ServerSession {
            owner,
            ..ServerSession::default()
        });
        let id: Arc<str> = random::id().into();
        open.insert(Arc::clone(&id), Arc::clone(&session));
        drop(open);
        Some((id, self.using(session)))
    }

    /// The owner's session of this id, which is heard of now.
    pub(super) fn find(&self, id: &str, owner: Option<&str>) -> Option<SessionGuard> {
        let mut open = self.open();
        let session = Arc::clone(open.get(id).filter(|one| one.owner.as_deref() == owner)?);
        if session.is_over(self.idle) {
            open.remove(id);
            return None;
        }
        drop(open);
        Some(self.using(session))
    }

    /// Ends the owner's session, and what it waits for. False if there is none.
    pub(super) fn close(&self, id: &str, owner: Option<&str>) -> bool {
        let mut open = self.open();
        let closed = match open.get(id) {
            Some(session) if session.owner.as_deref() == owner => open.remove(id),
            _ => None,
        };
        drop(open);
        let Some(session) = closed else {
            return false;
        };
        session.peer.hung_up.cancel();
        session.peer.requests.cancel_all();
        true
    }

    fn using(&self, session: Arc<ServerSession>) -> SessionGuard {
        session.uses.fetch_add(1, Ordering::AcqRel);
        let number = self.now.fetch_add(1, Ordering::Relaxed);
        session.heard().number = number;
        SessionGuard { session }
    }
}

impl ServerSession {
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if it was idle for so long.
    fn is_over(&self, idle: Duration) -> bool {
        self.uses.load(Ordering::Acquire) == 0 && self.heard().at.elapsed() > idle
    }

    pub(super) fn has_called(&self) {
        self.has_called.store(true, Ordering::Relaxed);
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A stream on which so many requests are answered.
    pub(super) fn stream(&self, writers: usize, answers: &UnreadAnswers) -> Arc<Stream> {
        let mut streams = self.streams();
        streams.last += 1;
        Stream::new(writers, Some(streams.last), answers)
    }

    /// Keeps a stream, so that the client may come back to it.
    pub(super) fn keep(&self, stream: &Arc<Stream>) {
        let mut streams = self.streams();
        streams.kept.push_back(Arc::clone(stream));
        let is_too_much = |kept: &VecDeque<Arc<Stream>>| {
            let bytes: usize = kept.iter().map(|stream| stream.bytes()).sum();
            kept.len() > MOST_STREAMS || (kept.len() > 1 && bytes > MOST_BYTES)
        };
        // Those that are answered go first.
        while is_too_much(&streams.kept) {
            let over = streams.kept.iter().position(|one| one.is_over());
            streams.kept.remove(over.unwrap_or_default());
        }
    }

    /// Returns the place where a client goes on that has read up to this event: the stream, and the place in it.
    pub(super) fn after(&self, event: &str) -> Option<(Arc<Stream>, u64)> {
        let (number, place) = event.split_once('-')?;
        let (number, place) = (number.parse().ok()?, place.parse().ok()?);
        let streams = self.streams();
        let kept = streams
            .kept
            .iter()
            .find(|one| one.kept_as() == Some(number));
        Some((Arc::clone(kept?), place))
    }
}

impl Clone for SessionGuard {
    fn clone(&self) -> Self {
        self.session.uses.fetch_add(1, Ordering::AcqRel);
        Self {
            session: Arc::clone(&self.session),
        }
    }
}

impl Deref for SessionGuard {
    type Target = ServerSession;

    fn deref(&self) -> &ServerSession {
        &self.session
    }
}

impl Drop for SessionGuard {
    fn drop(&mut self) {
        self.session.heard().at = Instant::now();
        self.session.uses.fetch_sub(1, Ordering::AcqRel);
    }
}
