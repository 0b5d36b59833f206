//! Which requests need no second look.
//!
//! A request's `Host`, `Origin` and the rest of its head are judged by `rmcp`, once for each client: a call whose head says the
//! same, word for word, as one that came through to our code would come through too. So of its rules only those stand here that
//! depend on the call: that `Mcp-Name` is the tool's, and that `Mcp-Param-…` says what arguments say.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::Flight;
use super::SESSION;
use crate::server::begun::Begun;
use crate::server::request::CallRequest;
use crate::server::session::Session;

/// The tool's name, in requests since 2026-07-28.
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// What of a head is compared, beside all that is of the protocol.
const COMPARED: [HeaderName; 4] = [
    header::HOST,
    header::ORIGIN,
    header::ACCEPT,
    header::CONTENT_TYPE,
];

/// What stands before a call's token of progress, as most write it.
const TOKEN: &str = r#""progressToken":"#;

/// How many bytes of a head are kept at most.
const LARGEST: usize = 2048;

/// The heads of calls that came through.
pub(super) struct Heads {
    known: RwLock<HashMap<Box<[u8]>, Arc<Head>>>,
    /// How many are kept.
    most: usize,
    /// How long a head is known. Then `rmcp` hears of its session again, whose idle time it counts.
    kept: Duration,
}

/// Who makes a call.
pub(in crate::server) struct Client {
    /// Of one without sessions another one each time.
    pub(in crate::server) session: Arc<Session>,
    /// It has no sessions, and its results are those of 2026-07-28.
    pub(in crate::server) is_2026: bool,
    /// It wants to hear of the call's progress.
    pub(in crate::server) has_token: bool,
}

/// All of it copies: what came is a part of the connection's buffer, with all else that came.
struct Head {
    /// The names and values that are compared, in their order.
    fields: Vec<(Box<str>, Box<[u8]>)>,
    authority: Option<Box<str>>,
    /// What stands before and behind a token.
    meta: Option<[Box<str>; 2]>,
    /// `None` of a client without sessions.
    session: Option<Weak<Session>>,
    since: Instant,
}

impl Heads {
    pub(super) fn new(most: usize, kept: Duration) -> Self {
        Self {
            known: RwLock::default(),
            most,
            kept,
        }
    }

    /// Whose call it is, where one with the same head came through.
    pub(super) fn client(&self, parts: &Parts, call: &CallRequest<'_>) -> Option<Client> {
        let meta = call.meta().map(Meta::read);
        let key = key(&parts.headers, meta.as_ref())?;
        let head = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.get(key)?)
        };
        if !head.is_of(parts, call.name(), meta.as_ref()) || !head.is_kept(self.kept) {
            return None;
        }
        Some(Client {
            session: match &head.session {
                Some(session) => session.upgrade()?,
                None => Arc::default(),
            },
            is_2026: head.session.is_none(),
            has_token: meta.is_some_and(|meta| meta.has_token),
        })
    }

    /// Notes the head of a call that came through.
    fn learn(&self, parts: &Parts, meta: Option<&str>, session: Option<Weak<Session>>) {
        let read = meta.map(Meta::read);
        let Some(key) = key(&parts.headers, read.as_ref()) else {
            return;
        };
        let authority = parts.uri.authority().map(Authority::as_str);
        let mut size = meta.map_or(0, str::len) + authority.map_or(0, str::len);
        for (name, value) in compared(&parts.headers) {
            // These are of one call's arguments.
            if name.as_str().starts_with("mcp-param-") {
                return;
            }
            size += name.as_str().len() + value.len();
        }
        if size > LARGEST {
            return;
        }
        let fields = compared(&parts.headers);
        let head = Head {
            fields: fields
                .map(|(name, value)| (name.as_str().into(), value.as_bytes().into()))
                .collect(),
            authority: authority.map(Box::from),
            meta: read.as_ref().map(|meta| meta.around.map(Box::from)),
            session,
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

    /// The session of this request, if one of its calls came through.
    pub(super) fn session(&self, headers: &HeaderMap) -> Option<Arc<Session>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let head = known.get(key(headers, None)?)?;
        head.session.as_ref()?.upgrade()
    }
}

/// What a client says of itself, beside the token of progress, which is another one for each call.
struct Meta<'m> {
    around: [&'m str; 2],
    has_token: bool,
}

impl<'m> Meta<'m> {
    /// `text` is an object's. What looks like the token and is none, in a key or in an object inside, is one more thing that is
    /// not compared, and no more, since `rmcp` alone says what the token is.
    fn read(text: &'m str) -> Self {
        let cut = || {
            let before = text.find(TOKEN)? + TOKEN.len();
            let token = text.get(before..)?;
            let digits = token.bytes().take_while(u8::is_ascii_digit).count();
            // So that it is a number for whoever reads it.
            let has_token = (1..=15).contains(&digits);
            has_token.then_some([text.get(..before)?, token.get(digits..)?])
        };
        let around = cut();
        Self {
            has_token: around.is_some(),
            around: around.unwrap_or([text, ""]),
        }
    }
}

/// What a head is known by: its session, or most of what a client without one says of itself.
fn key<'h>(headers: &'h HeaderMap, meta: Option<&Meta<'h>>) -> Option<&'h [u8]> {
    let session = headers.get(&SESSION).map(HeaderValue::as_bytes);
    session.or_else(|| {
        let [before, behind] = meta?.around;
        let longer = if before.len() >= behind.len() {
            before
        } else {
            behind
        };
        Some(longer.as_bytes())
    })
}

fn compared(headers: &HeaderMap) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
    let is_compared =
        |name: &HeaderName| COMPARED.contains(name) || name.as_str().starts_with("mcp-");
    headers.iter().filter(move |(name, _)| is_compared(name))
}

impl Head {
    fn is_of(&self, parts: &Parts, tool: &str, meta: Option<&Meta<'_>>) -> bool {
        let mut others = compared(&parts.headers);
        let is_same = |(name, value): &(Box<str>, Box<[u8]>)| {
            others.next().is_some_and(|(other, said)| {
                **name == *other.as_str()
                    && if *other == NAME {
                        said == tool
                    } else {
                        said.as_bytes() == &**value
                    }
            })
        };
        let is_same_meta = match (&self.meta, meta) {
            (None, None) => true,
            (Some(known), Some(meta)) => known.iter().map(|part| &**part).eq(meta.around),
            _ => false,
        };
        is_same_meta
            && self.authority.as_deref() == parts.uri.authority().map(Authority::as_str)
            && self.fields.iter().all(is_same)
            && others.next().is_none()
    }

    /// Whether it is still known.
    fn is_kept(&self, kept: Duration) -> bool {
        let is_there = |session: &Weak<Session>| session.strong_count() > 0;
        let is_there = self.session.as_ref().is_none_or(is_there);
        is_there && self.since.elapsed() <= kept
    }
}

/// What a call over HTTP brings to our code.
pub(in crate::server) struct Way {
    heads: Arc<Heads>,
    /// Of one that is too long nothing, and so it is not learned.
    meta: Option<Box<str>>,
    begun: Mutex<Option<Begun>>,
    flight: Mutex<Option<Flight>>,
}

impl Way {
    pub(super) fn new(
        heads: &Arc<Heads>,
        meta: Option<&str>,
        begun: Option<Begun>,
        flight: Option<Flight>,
    ) -> Self {
        Self {
            heads: Arc::clone(heads),
            meta: meta.filter(|meta| meta.len() <= LARGEST).map(Box::from),
            begun: Mutex::new(begun),
            flight: Mutex::new(flight),
        }
    }

    /// What is held until the call has its answer.
    pub(in crate::server) fn flight(&self) -> Option<Flight> {
        let mut flight = self.flight.lock().unwrap_or_else(PoisonError::into_inner);
        flight.take()
    }

    /// The call, where it runs already.
    pub(in crate::server) fn begun(&self) -> Option<Begun> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.take()
    }

    /// Notes that calls with this head come through. `session` is none where the client has none.
    pub(in crate::server) fn learn(&self, parts: &Parts, session: Option<&Arc<Session>>) {
        let session = session.map(Arc::downgrade);
        self.heads.learn(parts, self.meta.as_deref(), session);
    }
}

impl fmt::Debug for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Way").finish_non_exhaustive()
    }
}
