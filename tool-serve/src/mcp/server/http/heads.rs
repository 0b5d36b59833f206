//! Which requests need no second look.
//!
//! A request's `Host`, `Origin` and the rest of its head are judged by `rmcp`, once for each client: a call whose head says the
//! same, word for word, as one that came through to our code would come through too. So nothing of these rules stands here.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::SESSION;
use crate::mcp::server::begun::Begun;
use crate::mcp::server::request::CallRequest;
use crate::mcp::server::session::Session;

/// The tool's name, in requests since 2026-07-28.
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// What of a head is compared, beside all that is of the protocol.
const COMPARED: [HeaderName; 4] = [
    header::HOST,
    header::ORIGIN,
    header::ACCEPT,
    header::CONTENT_TYPE,
];

/// How many bytes of a head are kept at most.
const LARGEST: usize = 2048;

/// The heads of calls that came through.
pub(super) struct Heads {
    known: RwLock<HashMap<Box<[u8]>, Arc<Head>>>,
    /// How many are kept.
    most: usize,
    /// How long a head is known. Before a session has been idle for too long by `rmcp`'s books, which hear nothing of calls
    /// that did not come to it.
    kept: Duration,
}

/// Whose request it is.
#[derive(Clone)]
pub(super) enum Client<S> {
    Session(S),
    /// Of one without sessions, since 2026-07-28.
    Alone,
}

struct Head {
    fields: Vec<(HeaderName, HeaderValue)>,
    authority: Option<Authority>,
    meta: Option<Box<str>>,
    client: Client<Weak<Session>>,
    since: Instant,
}

impl Heads {
    pub(super) fn new(most: usize, idle: Duration) -> Self {
        Self {
            known: RwLock::default(),
            most,
            kept: idle / 2,
        }
    }

    /// Whose call it is, where one with the same head came through.
    pub(super) fn client(
        &self,
        parts: &Parts,
        call: &CallRequest<'_>,
    ) -> Option<Client<Arc<Session>>> {
        let key = key(&parts.headers, call.meta())?;
        let head = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.get(key)?)
        };
        if !head.is_of(parts, call) || !head.is_kept(self.kept) {
            return None;
        }
        match &head.client {
            Client::Session(session) => session.upgrade().map(Client::Session),
            Client::Alone => Some(Client::Alone),
        }
    }

    /// Notes the head of a call that came through.
    fn learn(&self, parts: &Parts, meta: Option<&str>, client: Client<Weak<Session>>) {
        let Some(key) = key(&parts.headers, meta) else {
            return;
        };
        let fields: Vec<_> = compared(&parts.headers)
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let size = fields.iter().map(|(_, value)| value.len()).sum::<usize>();
        // These are of one call's arguments.
        let has_params = |(name, _): &(HeaderName, _)| name.as_str().starts_with("mcp-param-");
        if fields.iter().any(has_params) || size + meta.map_or(0, str::len) > LARGEST {
            return;
        }
        let head = Head {
            fields,
            authority: parts.uri.authority().cloned(),
            meta: meta.map(Box::from),
            client,
            since: Instant::now(),
        };
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= self.most {
            known.retain(|_, head| head.is_kept(self.kept));
            if known.len() >= self.most {
                known.clear();
            }
        }
        known.insert(key.into(), Arc::new(head));
    }

    /// The session is over.
    pub(super) fn forget(&self, headers: &HeaderMap) {
        if let Some(key) = key(headers, None) {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            known.remove(key);
        }
    }
}

/// What a head is known by: its session, or what a client without one says of itself.
fn key<'h>(headers: &'h HeaderMap, meta: Option<&'h str>) -> Option<&'h [u8]> {
    let session = headers.get(&SESSION).map(HeaderValue::as_bytes);
    session.or(meta.map(str::as_bytes))
}

fn compared(headers: &HeaderMap) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
    let is_compared =
        |name: &HeaderName| COMPARED.contains(name) || name.as_str().starts_with("mcp-");
    headers.iter().filter(move |(name, _)| is_compared(name))
}

impl Head {
    fn is_of(&self, parts: &Parts, call: &CallRequest<'_>) -> bool {
        let mut others = compared(&parts.headers);
        let is_same = |(name, value): &(HeaderName, HeaderValue)| {
            others.next().is_some_and(|(other, said)| {
                name == other
                    && if *name == NAME {
                        said == call.name()
                    } else {
                        said == value
                    }
            })
        };
        self.meta.as_deref() == call.meta()
            && self.authority.as_ref() == parts.uri.authority()
            && self.fields.iter().all(is_same)
            && others.next().is_none()
    }

    /// Whether it is still known.
    fn is_kept(&self, kept: Duration) -> bool {
        let is_there = match &self.client {
            Client::Session(session) => session.strong_count() > 0,
            Client::Alone => true,
        };
        is_there && self.since.elapsed() <= kept
    }
}

/// What a call over HTTP brings to our code.
pub(in crate::mcp::server) struct Way {
    heads: Arc<Heads>,
    meta: Option<Box<str>>,
    begun: Mutex<Option<Begun>>,
}

impl Way {
    pub(super) fn new(heads: &Arc<Heads>, meta: Option<&str>, begun: Option<Begun>) -> Self {
        Self {
            heads: Arc::clone(heads),
            meta: meta.map(Box::from),
            begun: Mutex::new(begun),
        }
    }

    /// The call, where it runs already.
    pub(in crate::mcp::server) fn begun(&self) -> Option<Begun> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.take()
    }

    /// Notes that calls with this head come through, and need nobody who hears of them on their way. `session` is none where
    /// the client has none.
    pub(in crate::mcp::server) fn learn(&self, parts: &Parts, session: Option<&Arc<Session>>) {
        let client = session.map_or(Client::Alone, |session| {
            Client::Session(Arc::downgrade(session))
        });
        self.heads.learn(parts, self.meta.as_deref(), client);
    }
}

impl fmt::Debug for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Way").finish_non_exhaustive()
    }
}
