//! Answers of HTTP requests: one message, a stream of them, or none.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use http::request::Parts;
use http::{HeaderValue, Method, Request as HttpRequest, Response, StatusCode};
use tokio::time::sleep;
use toolwright_http::body::{self as request_body, BodyPermit, FullBody};
use toolwright_http::events::KEEP_ALIVE;
use toolwright_http::headers::single;
use toolwright_runtime::tool::Context;

use super::Inner;
use super::body::{Content, Events};
use super::head::{self, LAST_EVENT, SESSION};
use super::respond::{answered, empty, events, json, no_body, not_allowed, refused, status_of};
use super::scopes::{self, RequiredScopes};
use super::sessions::SessionGuard;
use super::stream::Stream;
use crate::outside::CANCEL_GRACE;
use crate::protocol::{Id, RpcError, Version, code, error_response, response};
use crate::server::caller::{self, RequestOrigin};
use crate::server::dispatch::{self, RpcAnswer};
use crate::server::incoming::{Incoming, ParseError, Request};
use crate::server::running::AbortOnDrop;
use crate::server::sink::Sink;

impl Inner {
    pub(super) async fn answer<B>(self: Arc<Self>, request: HttpRequest<B>) -> Response<Content>
    where
        B: http_body::Body + Send + 'static,
        B::Error: fmt::Display,
    {
        self.end_in_time();
        let (parts, body) = request.into_parts();
        match parts.method {
            Method::POST => self.post(parts, body).await,
            Method::GET => self.get(&parts),
            Method::DELETE => self.delete(&parts),
            _ => not_allowed(),
        }
    }

    async fn post<B>(self: Arc<Self>, parts: Parts, body: B) -> Response<Content>
    where
        B: http_body::Body + Send + 'static,
        B::Error: fmt::Display,
    {
        if let Err((status, words)) = head::check_post(&parts.headers) {
            return refused(status, &ParseError::new(code::INVALID_REQUEST, words));
        }
        let limits = &self.shared.limits;
        let whole = request_body::read(body, limits.message, limits.body, &self.budget).await;
        let FullBody { bytes, permit } = match whole {
            Ok(whole) => whole,
            Err(broken) => return no_body(broken, limits.message),
        };
        let incoming = Incoming::read(&bytes);
        if let Ok(Incoming::Request(request)) = &incoming
            && let Some(needs) = RequiredScopes::of(&self.shared, request, parts.extensions.get())
        {
            return needs.refused(Some(&request.id));
        }
        match incoming {
            Ok(Incoming::Request(request)) if request.is_modern() => {
                let cx = self.context(&parts);
                match head::check_modern(&self.shared, &parts.headers, &request, &cx) {
                    Ok(()) => self.stateless(&parts, &request, permit).await,
                    Err(error) => answered(StatusCode::BAD_REQUEST, &request.id, &Err(error)),
                }
            }
            Ok(Incoming::Request(request)) => {
                self.request(&parts, &request, bytes.len(), permit).await
            }
            Err(bad) => refused(StatusCode::BAD_REQUEST, &bad),
            Ok(other) => match self.session(&parts, None) {
                Ok(session) => {
                    session.peer.hear(&other);
                    empty(StatusCode::ACCEPTED)
                }
                Err(response) => *response,
            },
        }
    }

    /// Returns the context of a request outside of its session.
    fn context(&self, parts: &Parts) -> Context {
        caller::context(&self.shared, "", parts.extensions.get().cloned())
    }

    /// Returns the owner of the sessions that a request may go on with.
    fn owner(&self, parts: &Parts) -> Option<String> {
        scopes::grant(&self.shared, parts.extensions.get()).and_then(caller::owner)
    }

    /// A request of a client without a session: where nobody waits for it any more, it ends.
    async fn stateless(
        &self,
        parts: &Parts,
        request: &Request<'_>,
        permit: BodyPermit,
    ) -> Response<Content> {
        if !head::takes_events(&parts.headers) {
            return self.without_events(None, parts, request, permit).await;
        }
        let stream = Stream::new(1, None, &self.budget.answers);
        let origin = origin(None, Sink::Stream(Arc::clone(&stream)), parts);
        let stop = self.shared.stop_of(origin.own.as_ref());
        let id = request.id.clone();
        let mut later = match dispatch::begin(&self.shared, request, &origin, &stop) {
            RpcAnswer::Now(answer) => return answered(status_of(&answer), &id, &answer),
            RpcAnswer::Later(later) => later,
        };
        if let Poll::Ready(answer) = once(&mut later).await {
            let status = status_of(&answer);
            if stream.is_silent() {
                return answered(status, &id, &answer);
            }
            stream.answer(Some(response(&id, &answer)), status);
            return events(Events::new(&stream, 0, self.end.clone(), ()));
        }
        let to = Arc::clone(&stream);
        let task = AbortOnDrop::start(async move {
            let answer = later.await;
            to.answer(Some(response(&id, &answer)), status_of(&answer));
            drop(permit);
        });
        let mut body = Events::new(&stream, 0, self.end.clone(), task);
        let told = tokio::select! {
            told = body.first() => told,
            // So that nobody between takes the connection for dead.
            () = sleep(KEEP_ALIVE) => return events(body),
        };
        match told {
            // Of one message no stream is made.
            Some(told) if stream.is_over() => json(stream.status(), told.text),
            Some(told) => {
                body.begins_with(&told);
                events(body)
            }
            None => events(body),
        }
    }

    /// A request of the versions with sessions.
    async fn request(
        &self,
        parts: &Parts,
        request: &Request<'_>,
        bytes: usize,
        permit: BodyPermit,
    ) -> Response<Content> {
        let has_session = parts.headers.contains_key(&SESSION);
        if request.method == "initialize" && !has_session {
            return self.initialize(parts, request);
        }
        // It names an older version for itself, and has no session either.
        if request.meta.version().is_some() && !has_session {
            return match head::check_version(&parts.headers) {
                Ok(()) => self.stateless(parts, request, permit).await,
                Err(error) => answered(StatusCode::BAD_REQUEST, &request.id, &Err(error)),
            };
        }
        let session = match self.session(parts, Some(&request.id)) {
            Ok(session) => session,
            Err(response) => return *response,
        };
        if !head::takes_events(&parts.headers) {
            return self
                .without_events(Some((session, bytes)), parts, request, permit)
                .await;
        }
        let stream = session.stream(1, &self.budget.answers);
        let work = self.work(&session, &stream, parts, request, bytes, permit);
        let mut work = match work {
            Ok(work) => work,
            Err(error) => return answered(StatusCode::BAD_REQUEST, &request.id, &Err(error)),
        };
        // Most calls are over as soon as they are begun.
        match once(&mut work).await {
            Poll::Ready(Some(message)) if stream.is_silent() => json(StatusCode::OK, message),
            Poll::Ready(message) => {
                stream.answer(message, StatusCode::OK);
                self.stream(session, &stream, [])
            }
            Poll::Pending => self.stream(session, &stream, [work]),
        }
    }

    /// A request of a client that takes no stream of events, with the bytes that it holds in its session. It is answered in
    /// JSON, without progress. In a session it goes on if the client disconnects.
    async fn without_events(
        &self,
        session: Option<(SessionGuard, usize)>,
        parts: &Parts,
        request: &Request<'_>,
        permit: BodyPermit,
    ) -> Response<Content> {
        let id = request.id.clone();
        let origin = origin(
            session.as_ref().map(|(session, _)| session),
            Sink::Unheard,
            parts,
        );
        let stop = self.shared.stop_of(origin.own.as_ref());
        let ticket = match &session {
            None => None,
            Some((session, bytes)) => {
                if request.method == "tools/call" {
                    session.has_called();
                }
                let most = self.shared.limits.in_flight;
                match session.peer.requests.start(&id, *bytes, most, &stop) {
                    Ok(ticket) => Some(ticket),
                    Err(why) => {
                        let error = Err(RpcError::new(code::INVALID_REQUEST, why));
                        return answered(StatusCode::BAD_REQUEST, &id, &error);
                    }
                }
            }
        };
        let answer = match dispatch::begin(&self.shared, request, &origin, &stop) {
            RpcAnswer::Now(answer) => answer,
            RpcAnswer::Later(_) if request.method == "subscriptions/listen" => {
                Err(caller::not_acceptable())
            }
            RpcAnswer::Later(later) => {
                let work = async move {
                    let _held = (permit, session);
                    let answer = later.await;
                    ticket
                        .is_none_or(|mut ticket| ticket.begin_answer())
                        .then_some(answer)
                };
                let ended = if origin.peer.is_some() {
                    tokio::spawn(work).await
                } else {
                    AbortOnDrop::start(work).await
                };
                match ended {
                    Ok(Some(answer)) => answer,
                    // It was cancelled.
                    Ok(None) | Err(_) => return empty(StatusCode::ACCEPTED),
                }
            }
        };
        let status = match status_of(&answer) {
            status @ StatusCode::NOT_ACCEPTABLE => status,
            // Clients with a session take other statuses for those of HTTP.
            _ if origin.peer.is_some() => StatusCode::OK,
            status => status,
        };
        answered(status, &id, &answer)
    }

    /// A request in a session; `bytes` are those that it holds.
    fn work(
        &self,
        session: &SessionGuard,
        stream: &Arc<Stream>,
        parts: &Parts,
        request: &Request<'_>,
        bytes: usize,
        permit: impl Send + 'static,
    ) -> Result<Work, RpcError> {
        if request.method == "tools/call" {
            session.has_called();
        }
        let origin = origin(Some(session), Sink::Stream(Arc::clone(stream)), parts);
        let stop = self.shared.stop_of(origin.own.as_ref());
        let id = request.id.clone();
        let most = self.shared.limits.in_flight;
        let ticket = session.peer.requests.start(&id, bytes, most, &stop);
        let mut ticket = ticket.map_err(|why| RpcError::new(code::INVALID_REQUEST, why))?;
        Ok(
            match dispatch::begin(&self.shared, request, &origin, &stop) {
                RpcAnswer::Now(answer) => {
                    Box::pin(std::future::ready(Some(response(&id, &answer))))
                }
                RpcAnswer::Later(later) => Box::pin(async move {
                    let _held = permit;
                    let answer = later.await;
                    ticket.begin_answer().then(|| response(&id, &answer))
                }),
            },
        )
    }

    /// Goes on with what is left, whether the client stays or not: it may come back.
    fn stream(
        &self,
        session: SessionGuard,
        stream: &Arc<Stream>,
        left: impl IntoIterator<Item = Work>,
    ) -> Response<Content> {
        session.keep(stream);
        for work in left {
            let (stream, session) = (Arc::clone(stream), session.clone());
            tokio::spawn(async move {
                stream.answer(work.await, StatusCode::OK);
                drop(session);
            });
        }
        let is_primed = !session.peer.is_before(Version::V2025_11_25);
        let body = Events::new(stream, 0, self.end.clone(), session);
        events(if is_primed { body.primed() } else { body })
    }

    /// `initialize`, which opens a session.
    fn initialize(&self, parts: &Parts, request: &Request<'_>) -> Response<Content> {
        let Some((id, session)) = self.sessions.open_new(self.owner(parts)) else {
            let error = Err(too_many_sessions());
            return answered(StatusCode::SERVICE_UNAVAILABLE, &request.id, &error);
        };
        let origin = origin(Some(&session), Sink::Unheard, parts);
        let stop = self.shared.stop_of(None);
        let answer = match dispatch::begin(&self.shared, request, &origin, &stop) {
            RpcAnswer::Now(answer) => answer,
            RpcAnswer::Later(_) => Err(RpcError::method_not_found(&request.method)),
        };
        let mut response = answered(StatusCode::OK, &request.id, &answer);
        match HeaderValue::from_str(&id) {
            Ok(value) if answer.is_ok() => {
                response.headers_mut().insert(SESSION, value);
            }
            _ => {
                self.sessions.close(&id, self.owner(parts).as_deref());
            }
        }
        response
    }

    /// The session that the head names.
    ///
    /// # Errors
    /// What is answered where there is none.
    fn session(
        &self,
        parts: &Parts,
        id: Option<&Id>,
    ) -> Result<SessionGuard, Box<Response<Content>>> {
        let refuse_of = |id: Option<&Id>, status, error: &RpcError| {
            let text = error_response(id.map(Id::as_json), error);
            Err(Box::new(json(status, text)))
        };
        let refuse = |status, error: &RpcError| refuse_of(id, status, error);
        let words = match single(&parts.headers, &SESSION) {
            Ok(Some(id)) => match self.sessions.find(id, self.owner(parts).as_deref()) {
                Some(session) => {
                    return match head::check_version(&parts.headers) {
                        Ok(()) => Ok(session),
                        Err(error) => refuse(StatusCode::BAD_REQUEST, &error),
                    };
                }
                None => {
                    // Without an id, as the official SDKs answer: the request was not read, and can be sent again.
                    let error = RpcError::new(code::INVALID_REQUEST, "the session is over");
                    return refuse_of(None, StatusCode::NOT_FOUND, &error);
                }
            },
            Ok(None) => {
                "the request names no session, and `_meta` does not say what it takes to do without one"
            }
            Err(_) => "the request names more than one session",
        };
        // Of a version that is not spoken nothing else is said.
        let error = match head::check_version(&parts.headers) {
            Ok(()) => RpcError::invalid_params(words),
            Err(error) => error,
        };
        refuse(StatusCode::BAD_REQUEST, &error)
    }

    /// The stream of what a server says unasked, or what is left of another one.
    fn get(&self, parts: &Parts) -> Response<Content> {
        if !parts.headers.contains_key(&SESSION) {
            return not_allowed();
        }
        if let Err((status, words)) = head::check_get(&parts.headers) {
            return refused(status, &ParseError::new(code::INVALID_REQUEST, words));
        }
        let session = match self.session(parts, None) {
            Ok(session) => session,
            Err(response) => return *response,
        };
        let last = single(&parts.headers, &LAST_EVENT).ok().flatten();
        if let Some((stream, place)) = last.and_then(|last| session.after(last)) {
            return events(Events::new(&stream, place, self.end.clone(), session));
        }
        let stream = Stream::new(1, None, &self.budget.answers);
        let (to, shared) = (Arc::clone(&stream), Arc::clone(&self.shared));
        let (peer, cx) = (Arc::clone(&session.peer), self.context(parts));
        let task = AbortOnDrop::start(async move {
            let out = Sink::Stream(Arc::clone(&to));
            tokio::select! {
                () = dispatch::watch(shared, peer, cx.clone(), out) => {}
                () = caller::expires(&cx) => {}
            }
            to.answer(None, StatusCode::OK);
        });
        let stop = self.shared.stop.clone();
        events(Events::new(&stream, 0, stop, (task, session)))
    }

    fn delete(&self, parts: &Parts) -> Response<Content> {
        let Some(id) = single(&parts.headers, &SESSION).ok().flatten() else {
            return not_allowed();
        };
        let owner = self.owner(parts);
        if self.sessions.close(id, owner.as_deref()) {
            empty(StatusCode::NO_CONTENT)
        } else {
            empty(StatusCode::NOT_FOUND)
        }
    }

    /// Ends what is left some time after the server was told to stop.
    fn end_in_time(&self) {
        self.stops.call_once(|| {
            let (stop, grace) = (self.shared.stop.clone(), self.shared.limits.grace);
            let (end_calls, end) = (self.shared.end_calls.clone(), self.end.clone());
            tokio::spawn(async move {
                stop.cancelled().await;
                sleep(grace).await;
                end_calls.cancel();
                sleep(CANCEL_GRACE).await;
                end.cancel();
            });
        });
    }
}

/// A request on its way: the message that answers it, if somebody still waits for it.
type Work = Pin<Box<dyn Future<Output = Option<String>> + Send>>;

/// Goes on as far as it comes at once.
async fn once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    std::future::poll_fn(|task| Poll::Ready(Pin::new(&mut *future).poll(task))).await
}

fn origin(session: Option<&SessionGuard>, out: Sink, parts: &Parts) -> RequestOrigin {
    RequestOrigin {
        peer: session.map(|session| Arc::clone(&session.peer)),
        out,
        own: parts.extensions.get::<Context>().cloned(),
    }
}

fn too_many_sessions() -> RpcError {
    RpcError::new(code::INTERNAL_ERROR, "there are too many sessions")
}
