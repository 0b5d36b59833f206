//! A server behind a URL: streamable HTTP.
//!
//! Each message is a POST of its own. Up to 2025-11-25 there is a session, which is opened anew where the server forgot it,
//! a stream of the server's own notes (GET), and streams that are read on where they broke off. Since 2026-07-28 there is
//! none of it, and the end of a POST cancels its request.

mod cookies;
mod redirect;
mod refusal;
mod sending;
mod streams;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::BytesMut;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use reqwest::redirect::Policy;
use reqwest::{Response, Url};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::{sleep, timeout};
use toolwright_runtime::tool::Cancel;

use self::cookies::Cookies;
use self::redirect::HttpRequest;
use self::refusal::{Refusal, SessionLoss};
use self::sending::RequestFailure;
use super::answer::Answered;
#[cfg(feature = "oauth")]
use super::answer::HttpAnswer;
use super::connection::{Connection, Outgoing};
use super::error::{ConnectError, ConnectErrorKind};
use super::handshake;
#[cfg(feature = "lock")]
use super::lock::LockFile;
use super::settings::{Backoff, Settings};
use toolwright_http::error::describe;
#[cfg(feature = "oauth")]
use toolwright_oauth::client::Authorizer;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// So many requests are under way at once; others wait.
const MOST_AT_ONCE: usize = 1_024;

/// Sent when both sides have said hello.
const INITIALIZED: &str = "notifications/initialized";

/// Waits for what the server says unasked, since 2026-07-28.
const LISTEN: &str = "subscriptions/listen";

/// So long the stream of what a server says unasked may take to open.
const OPENS: Duration = Duration::from_millis(500);

/// So long a server may take to take what is not a request.
const TAKEN: Duration = Duration::from_secs(30);

/// Time limit of telling a server that its session is over.
const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// Added to the refusal of a server with the transport of 2024-11-05.
const HTTP_SSE: &str = "; a GET opens a stream of HTTP+SSE, the transport of 2024-11-05, which is not supported: give the \
    server's URL of streamable HTTP (often `/mcp` in place of `/sse`), or the command `npx mcp-remote URL`";

/// Time for which a cancelled call's stream stays open.
const LATE: Duration = Duration::from_secs(1);

/// See the module.
struct Http {
    client: reqwest::Client,
    url: Url,
    headers: HeaderMap,
    most: usize,
    backoff: Backoff,
    connect_limit: Duration,
    #[cfg(feature = "oauth")]
    authorizer: Option<Arc<Authorizer>>,
    is_strict: bool,
    #[cfg(feature = "lock")]
    lock: Option<LockFile>,
    session: Mutex<HttpSession>,
    /// A session whose greeting is not over. It takes the place of the other when it is.
    candidate: Mutex<Option<HttpSession>>,
    /// Number of the last session.
    last: AtomicU64,
    /// One session is opened at a time.
    opening: tokio::sync::Mutex<()>,
    capacity: Arc<Semaphore>,
}

/// A session at the server, with an id or without.
#[derive(Clone, Default)]
struct HttpSession {
    /// Number of the session, counted by this client: 0 until the first one.
    number: u64,
    id: Option<HeaderValue>,
    cookies: Arc<Cookies>,
    /// Fired when it is over.
    over: Cancel,
}

/// Connects to a URL.
pub(super) fn start(
    url: &Url,
    connection: &Arc<Connection>,
    mut outgoing: mpsc::UnboundedReceiver<Outgoing>,
    settings: &Settings,
) -> Result<(), ConnectError> {
    let client = reqwest::Client::builder()
        .redirect(Policy::none())
        .referer(false)
        // Before a call is silent for too long, so that it is known not to have been sent.
        .connect_timeout(settings.connect_limit.min(settings.call_limit / 2))
        .build()
        .map_err(|error| ConnectError::new(ConnectErrorKind::Invalid, describe(error)))?;
    let http = Arc::new(Http {
        client,
        url: url.clone(),
        headers: settings.headers.iter().cloned().collect(),
        most: settings.most_bytes,
        backoff: settings.backoff,
        connect_limit: settings.connect_limit,
        #[cfg(feature = "oauth")]
        authorizer: settings.authorizer.clone(),
        is_strict: settings.is_strict,
        #[cfg(feature = "lock")]
        lock: settings.lock.clone(),
        session: Mutex::default(),
        candidate: Mutex::default(),
        last: AtomicU64::new(0),
        opening: tokio::sync::Mutex::default(),
        capacity: Arc::new(Semaphore::new(MOST_AT_ONCE)),
    });
    let connection = Arc::clone(connection);
    tokio::spawn(async move {
        // Answers and greetings go out whatever else waits, and so does the list that calls of a new session wait for.
        let mut requests = VecDeque::new();
        loop {
            let (next, capacity) = tokio::select! {
                biased;
                () = connection.stop.cancelled() => break,
                next = outgoing.recv() => match next {
                    None => break,
                    Some(next) if next.request.is_some() && !next.head.is_awaited() => {
                        requests.push_back(next);
                        continue;
                    }
                    Some(next) => (next, None),
                },
                capacity = Arc::clone(&http.capacity).acquire_owned(), if !requests.is_empty() => {
                    let Some(next) = requests.pop_front() else { continue };
                    (next, capacity.ok())
                }
            };
            let (http, connection) = (Arc::clone(&http), Arc::clone(&connection));
            tokio::spawn(async move {
                tokio::select! {
                    () = http.send(&connection, next) => {}
                    () = connection.stop.cancelled() => {}
                }
                drop(capacity);
            });
        }
        http.close_session(&connection).await;
        connection.end();
    });
    Ok(())
}

impl Http {
    fn session(&self) -> MutexGuard<'_, HttpSession> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn candidate(&self) -> MutexGuard<'_, Option<HttpSession>> {
        let candidate = self.candidate.lock();
        candidate.unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message, and hears what comes of it.
    async fn send(self: &Arc<Self>, connection: &Arc<Connection>, mut outgoing: Outgoing) {
        outgoing.capacity = None;
        let Some((id, way)) = outgoing.request.clone() else {
            let method = &*outgoing.head.method;
            if method == INITIALIZED {
                self.install(connection);
            }
            // Of a cancellation the end of the request's own POST tells, in versions without sessions.
            if !(connection.is_modern() && method == "notifications/cancelled") {
                let taken = self.post(connection, &outgoing, None);
                let _ = connection.asking.timeout(TAKEN, taken).await;
            }
            if method == INITIALIZED {
                self.hear(connection).await;
            }
            if let Some(done) = outgoing.done.take() {
                let _ = done.send(());
            }
            return;
        };
        if !way.leaves() {
            return;
        }
        // The end of the request's stream cancels a call. Its answer may be on its way, with the id of a task.
        let unwanted = async {
            way.gone.cancelled().await;
            if !way.is_sent() {
                // A person may be giving a token for it, which serves other requests.
                std::future::pending::<()>().await;
            }
            if way.may_be_task {
                sleep(LATE).await;
            }
        };
        let answered = tokio::select! {
            answered = self.post(connection, &outgoing, Some(id)) => answered,
            () = unwanted => return,
        };
        if let Some(answered) = answered {
            connection.settle(id, answered);
        }
    }

    /// Returns the outcome of a POST, unless it was told already.
    async fn post(
        self: &Arc<Self>,
        connection: &Arc<Connection>,
        outgoing: &Outgoing,
        id: Option<u64>,
    ) -> Option<Answered> {
        for again in [false, true] {
            let session = match self.session_for(outgoing).await {
                Ok(session) => session,
                Err(answered) => return answered,
            };
            let request = HttpRequest {
                method: Method::POST,
                headers: self.headers_of_message(connection, outgoing, &session),
                body: &outgoing.text,
                session: &session,
            };
            let way = outgoing.request.as_ref().map(|(_, way)| &**way);
            let asks = outgoing.head.method != LISTEN;
            let in_session = id.filter(|_| session.id.is_some());
            let response = match self.sent(connection, way, asks, in_session, &request).await {
                Ok(response) => response,
                #[cfg(feature = "oauth")]
                Err(RequestFailure::Withdrawn) => return None,
                #[cfg(feature = "oauth")]
                Err(RequestFailure::Denied(status, denied)) => {
                    let answer = HttpAnswer::denied(status, &denied.0);
                    return Some(Answered::Http(answer));
                }
                Err(RequestFailure::Http(error)) => {
                    if let Some((_, way)) = outgoing.request.as_ref().filter(|_| error.is_connect())
                    {
                        way.was_not_sent();
                    }
                    connection.health.set_reached(false);
                    return Some(Answered::Lost(describe(error)));
                }
            };
            let session = match &*outgoing.head.method {
                "initialize" => self.begin(connection, &session, &response),
                _ => session,
            };
            if response.status().is_success() {
                return self
                    .answer(connection, outgoing, id, &session, response)
                    .await;
            }
            // What is not a request is about the session that is over.
            let id = id?;
            let refusal = Refusal::read(response).await;
            let may_reconnect = session.id.is_some() && !again;
            let loss = refusal.session_loss(id, connection.is_strict);
            if loss.is_none() && refusal.is_about(id) {
                connection.health.set_reached(true);
            }
            let (Some(loss), Some(way)) = (loss.filter(|_| may_reconnect), way) else {
                let loss = loss.filter(|_| session.id.is_some());
                return Some(
                    self.explained(connection, outgoing, refusal.into_answer(id, loss))
                        .await,
                );
            };
            let repeats = loss == SessionLoss::Certain || outgoing.is_repeatable;
            if repeats {
                way.was_not_sent();
            }
            let is_connected = tokio::select! {
                opened = self.reconnect(connection, &session) => opened.is_ok(),
                // Others need not wait for a greeting of its.
                () = way.gone.cancelled() => return None,
            };
            connection.health.set_reached(is_connected);
            if !is_connected || !repeats {
                return Some(refusal.into_answer(id, Some(loss)));
            }
            if !way.leaves() {
                return None;
            }
        }
        None
    }

    /// Returns the session in which a message goes out: that of the server's request, for an answer, and none for a greeting.
    /// A call waits until the list of its session is compared with the lock. The error is the outcome, if there is one.
    #[cfg_attr(not(feature = "lock"), allow(clippy::unused_async))]
    async fn session_for(&self, outgoing: &Outgoing) -> Result<HttpSession, Option<Answered>> {
        if outgoing.head.method == "initialize" {
            return Ok(HttpSession::default());
        }
        if let Some(asked) = &outgoing.asked {
            let is_asked = |session: &HttpSession| session.number == asked.key.0;
            let session = self.session().clone();
            let session = Some(session).filter(is_asked);
            let candidate = || self.candidate().clone().filter(is_asked);
            return session.or_else(candidate).ok_or(None);
        }
        #[cfg(feature = "lock")]
        if let (Some(lock), Some((_, way)), Some(tool)) =
            (&self.lock, &outgoing.request, outgoing.head.called_tool())
        {
            way.was_not_sent();
            loop {
                let checked = lock.check(tool, self.connect_limit).await;
                checked.map_err(|why| Some(Answered::NotStarted(why)))?;
                let session = self.session();
                // Another session may have begun since.
                if lock.accepts(tool) {
                    let session = session.clone();
                    return if way.leaves() { Ok(session) } else { Err(None) };
                }
            }
        }
        Ok(self.session().clone())
    }

    /// Adds to the refusal of a greeting that the server speaks an older transport.
    async fn explained(
        &self,
        connection: &Connection,
        outgoing: &Outgoing,
        mut answered: Answered,
    ) -> Answered {
        if outgoing.head.method == "initialize"
            && let Answered::Http(answer) = &mut answered
            && matches!(answer.status.as_u16(), 404 | 405)
            && self.is_http_sse(connection).await
        {
            answer.words += HTTP_SSE;
        }
        answered
    }

    /// Hears the answer to a POST.
    async fn answer(
        self: &Arc<Self>,
        connection: &Arc<Connection>,
        outgoing: &Outgoing,
        id: Option<u64>,
        session: &HttpSession,
        response: Response,
    ) -> Option<Answered> {
        let status = response.status();
        let id = id?;
        let opens = connection.hello.get().is_none() || outgoing.head.method == "initialize";
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) && !opens {
            // The answer comes on the stream of the session, if it comes.
            return None;
        }
        connection.health.set_reached(true);
        if is_of(response.headers(), EVENTS) {
            return self.read_on(connection, id, session, response).await;
        }
        if !is_of(response.headers(), JSON) {
            return Some(Refusal::read(response).await.into_answer(id, None));
        }
        match whole(response, self.most).await {
            Ok(body) => {
                let body = String::from_utf8_lossy(&body);
                connection.incoming(session.number, Some(id), &body);
            }
            Err(answered) => return Some(answered),
        }
        let why = "the body of the answer is not an answer to the request";
        Some(Answered::Broken(why.to_owned()))
    }

    /// Keeps what the head of a greeting's response says of the new session. A candidate before it was not greeted.
    fn begin(
        self: &Arc<Self>,
        connection: &Arc<Connection>,
        greeting: &HttpSession,
        response: &Response,
    ) -> HttpSession {
        let session = HttpSession {
            number: self.last.fetch_add(1, Ordering::Relaxed) + 1,
            id: response.headers().get(SESSION).cloned(),
            cookies: Arc::clone(&greeting.cookies),
            over: Cancel::new(),
        };
        let before = self.candidate().replace(session.clone());
        self.discard(connection, before);
        session
    }

    /// Ends a session at the server whose greeting failed.
    fn discard(self: &Arc<Self>, connection: &Arc<Connection>, candidate: Option<HttpSession>) {
        if let Some(candidate) = candidate {
            let (http, connection) = (Arc::clone(self), Arc::clone(connection));
            tokio::spawn(async move { http.delete(&connection, &candidate).await });
        }
    }

    /// Puts a new session in the place of the one before, once its greeting is over.
    fn install(&self, connection: &Connection) {
        let Some(session) = self.candidate().take() else {
            return;
        };
        connection.forget_asked(Some(session.number));
        let before = {
            let mut current = self.session();
            // In one step, so that no call goes out in the new session by the list of the one before.
            #[cfg(feature = "lock")]
            if let Some(lock) = &self.lock {
                lock.begins_session();
            }
            std::mem::replace(&mut *current, session)
        };
        before.over.cancel();
        if before.id.is_some() {
            // Calls wait for the list, whatever becomes of the call that opened the session.
            connection.changed.notify_one();
        }
    }

    /// Begins to hear what the server says unasked. A question of a session that belongs to no stream is lost where nobody
    /// listens yet.
    async fn hear(self: &Arc<Self>, connection: &Arc<Connection>) {
        let session = self.session().clone();
        let has_session = session.id.is_some();
        let (opens, opened) = oneshot::channel();
        let (http, connection) = (Arc::clone(self), Arc::clone(connection));
        tokio::spawn(async move {
            tokio::select! {
                () = http.listen(&connection, &session, opens) => {}
                () = session.over.cancelled() => {}
                () = connection.stop.cancelled() => {}
            }
        });
        if has_session {
            // Some servers answer only with their first words.
            let _ = timeout(OPENS, opened).await;
        }
    }

    /// Opens a new session at a server that forgot the one before. It may be another server, with other tools.
    async fn reconnect(
        self: &Arc<Self>,
        connection: &Arc<Connection>,
        before: &HttpSession,
    ) -> Result<(), ConnectError> {
        let _opening = self.opening.lock().await;
        if self.session().number != before.number {
            return Ok(());
        }
        let hello = Box::pin(handshake::initialize(connection));
        let hello = connection.asking.timeout(self.connect_limit, hello).await;
        let hello = hello.ok_or_else(|| handshake::silent(self.connect_limit));
        let hello = hello.flatten().inspect_err(|_| {
            let candidate = self.candidate().take();
            self.discard(connection, candidate);
        })?;
        if connection
            .hello
            .get()
            .is_some_and(|known| known.version != hello.version)
        {
            connection.stop.cancel();
        }
        let _ = connection.notify(INITIALIZED, "{}").await;
        Ok(())
    }

    /// Tells the server that the session is over, and one whose greeting did not end.
    async fn close_session(&self, connection: &Connection) {
        let session = std::mem::take(&mut *self.session());
        session.over.cancel();
        self.delete(connection, &session).await;
        let candidate = self.candidate().take();
        if let Some(candidate) = candidate {
            self.delete(connection, &candidate).await;
        }
    }

    /// Tells the server that a session is over, if it has an id.
    async fn delete(&self, connection: &Connection, session: &HttpSession) {
        if session.id.is_none() {
            return;
        }
        let mut headers = self.headers_of(session, "*/*");
        if let Some(hello) = connection.hello.get() {
            headers.insert(VERSION, HeaderValue::from_static(hello.version.as_str()));
        }
        let request = HttpRequest {
            method: Method::DELETE,
            headers,
            body: "",
            session,
        };
        #[cfg(feature = "oauth")]
        let authorizer = self.authorizer.as_ref();
        #[cfg(feature = "oauth")]
        let authorization = authorizer.and_then(|authorizer| authorizer.authorization());
        #[cfg(not(feature = "oauth"))]
        let authorization = None;
        // Some servers keep their sessions; it is theirs to say.
        let _ = timeout(CLOSE_LIMIT, self.follow(&request, authorization)).await;
    }
}

fn is_of(headers: &HeaderMap, kind: &str) -> bool {
    let found = headers.get(header::CONTENT_TYPE);
    let found = found.and_then(|found| found.as_bytes().get(..kind.len()));
    found.is_some_and(|found| found.eq_ignore_ascii_case(kind.as_bytes()))
}

/// A body of at most so many bytes.
async fn whole(mut response: Response, most: usize) -> Result<BytesMut, Answered> {
    let too_large = || Answered::Broken(format!("a message of more than {most} bytes"));
    let told = response.content_length().unwrap_or_default();
    if usize::try_from(told).map_or(true, |told| told > most) {
        return Err(too_large());
    }
    let mut body = BytesMut::new();
    loop {
        match response.chunk().await {
            Ok(Some(part)) if body.len() + part.len() > most => return Err(too_large()),
            Ok(Some(part)) => body.extend_from_slice(&part),
            Ok(None) => return Ok(body),
            Err(error) => return Err(Answered::Lost(describe(error))),
        }
    }
}
