//! A server over streamable HTTP.

mod body;
mod heads;
mod responses;
mod sessions;

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Once};
use std::task::{Context as Task, Poll};

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, Method, Request, Response, StatusCode};
use http_body_util::Full;
use rmcp::model::ErrorCode;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use self::heads::Heads;
use super::begun::{self, Begun, First};
use super::handler::Handler;
use super::message::{Bad, Message};
use super::request::{CallRequest, Riding};
use super::{IN_FLIGHT, McpServer, NEEDS, Shared, has_headers};
use crate::body::{self as request_body, BodyBudget};
use crate::outside::CANCEL_GRACE;

pub use self::body::HttpBody;
pub(super) use self::heads::{Client, Way};
use self::responses::{no_body, over, refused};
pub(super) use self::sessions::Flight;
use self::sessions::{Sessions, Start};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// An [`McpServer`] as a tower service, for any HTTP server. In axum, mount it with `Router::route_service("/mcp",
/// service)`. [`McpServer::http`] creates it.
///
/// The service answers `POST` (messages), `GET` (the stream of notifications) and `DELETE` (the end of a session). It
/// refuses a request whose `Host` is not this machine, or whose `Origin` is another site, unless they are
/// [allowed](Self::allow_host).
///
/// A layer that puts a [`Context`](toolwright_runtime::tool::Context) into a request's extensions adds to the context of its
/// calls, for example the user. It takes precedence over [`McpServer::context`].
///
/// The HTTP server has to limit the time for a request's head and for reading a response. It should also set
/// `set_nodelay` on each connection (`axum::serve::ListenerExt::tap_io`). Otherwise the second piece of a streamed
/// answer waits for 40 ms.
#[derive(Clone)]
pub struct HttpService(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    service: StreamableHttpService<Handler, LocalSessionManager>,
    manager: Arc<LocalSessionManager>,
    sessions: Arc<Sessions>,
    heads: Arc<Heads>,
    /// How many sessions are being opened.
    opening: AtomicUsize,
    budget: BodyBudget,
    hosts: Vec<String>,
    origins: Vec<String>,
    is_guarded: bool,
    stops: Once,
}

impl McpServer {
    /// Creates an HTTP service of this server.
    pub fn http(self) -> HttpService {
        let hosts = ["localhost", "127.0.0.1", "::1"]
            .map(str::to_owned)
            .to_vec();
        let pages = ["localhost", "127.0.0.1", "[::1]"];
        let origins = pages
            .iter()
            .flat_map(|page| ["http", "https"].map(|scheme| format!("{scheme}://{page}:*")));
        HttpService::of(self.0.shared(), hosts, origins.collect(), false)
    }
}

impl HttpService {
    fn of(shared: Arc<Shared>, hosts: Vec<String>, origins: Vec<String>, is_guarded: bool) -> Self {
        let mut config = StreamableHttpServerConfig::default()
            .with_json_response(true)
            .with_max_request_body_bytes(shared.limits.message);
        config = if is_guarded {
            config.disable_allowed_hosts().disable_allowed_origins()
        } else {
            config
                .with_allowed_hosts(hosts.iter().cloned())
                .with_allowed_origins(origins.iter().cloned())
                .enforce_origin_validation()
        };
        let mut manager = LocalSessionManager::default();
        // Who waits for a person is not idle.
        let idle = shared.limits.idle.max(shared.limits.answer);
        // So long one may be used and `rmcp` hears nothing of it.
        let unheard = idle / 8;
        manager.session_config.keep_alive = Some(idle.saturating_add(unheard));
        let manager = Arc::new(manager);
        let handlers = Arc::clone(&shared);
        let service = StreamableHttpService::new(
            move || Ok(Handler::new(&handlers)),
            Arc::clone(&manager),
            config,
        );
        let heads = Arc::new(Heads::new(shared.limits.sessions, unheard));
        Self(Arc::new(Inner {
            shared,
            heads,
            service,
            manager,
            sessions: Arc::default(),
            opening: AtomicUsize::new(0),
            budget: BodyBudget::default(),
            hosts,
            origins,
            is_guarded,
            stops: Once::new(),
        }))
    }

    /// Allows requests to this host: `tools.example.com`, with or without a port.
    pub fn allow_host(self, host: impl Into<String>) -> Self {
        let mut hosts = self.0.hosts.clone();
        hosts.push(host.into());
        Self::of(
            Arc::clone(&self.0.shared),
            hosts,
            self.0.origins.clone(),
            self.0.is_guarded,
        )
    }

    /// Allows requests from pages of this origin: `https://app.example.com`.
    pub fn allow_origin(self, origin: impl Into<String>) -> Self {
        let mut origins = self.0.origins.clone();
        origins.push(origin.into());
        Self::of(
            Arc::clone(&self.0.shared),
            self.0.hosts.clone(),
            origins,
            self.0.is_guarded,
        )
    }

    /// Disables the checks of host and origin, for services behind layers that check them.
    pub fn guarded_elsewhere(self) -> Self {
        let Inner { hosts, origins, .. } = &*self.0;
        Self::of(
            Arc::clone(&self.0.shared),
            hosts.clone(),
            origins.clone(),
            true,
        )
    }
}

impl Inner {
    async fn answer<B>(self: Arc<Self>, request: Request<B>) -> Response<HttpBody>
    where
        B: http_body::Body + Send + 'static,
        B::Error: fmt::Display,
    {
        self.end_in_time();
        let method = request.method().clone();
        let (mut parts, body) = request.into_parts();
        let session = parts.headers.get(&SESSION).cloned();
        let session = session.as_ref().and_then(|session| session.to_str().ok());
        if let Some(session) = session {
            self.sessions.heard(session);
        }
        if method != Method::POST {
            let response = self
                .service
                .handle(Request::from_parts(parts, Full::<Bytes>::default()));
            let stop = (method == Method::GET).then(|| self.shared.stop.clone());
            let (parts, body) = response.await.into_parts();
            let mut response = Response::from_parts(parts, HttpBody::of(body, stop, None).await);
            // Clients that wait for the end of their session take 202 for something else.
            if method == Method::DELETE && response.status() == StatusCode::ACCEPTED {
                *response.status_mut() = StatusCode::NO_CONTENT;
            }
            return response;
        }
        let limits = &self.shared.limits;
        let whole = request_body::read(body, limits.message, limits.body, &self.budget).await;
        let request_body::FullBody {
            bytes: whole,
            permit: held,
        } = match whole {
            Ok(whole) => whole,
            Err(broken) => return no_body(broken, limits.message),
        };
        let message = match Message::read(&whole) {
            Ok(message) => message,
            Err(bad) => return refused(StatusCode::BAD_REQUEST, &bad),
        };
        let call = match message.call() {
            Ok(call) => call,
            Err(bad) => return refused(StatusCode::BAD_REQUEST, &bad),
        };
        // Who has no session and greets nobody needs none.
        let opens = parts.headers.get(&SESSION).is_none() && message.method() == Some("initialize");
        let opening = if opens { self.opens().await } else { None };
        if opens && opening.is_none() {
            let bad = message.bad(ErrorCode::INTERNAL_ERROR, "there are too many sessions");
            return refused(StatusCode::SERVICE_UNAVAILABLE, &bad);
        }
        let flight = match (&call, session) {
            (Some(call), Some(session)) => match self.sessions.start(session, &call.id) {
                Start::Flies(flight) => Some(flight),
                Start::Busy if self.is_open(session).await => {
                    let bad = message.bad(ErrorCode::INVALID_REQUEST, IN_FLIGHT);
                    return refused(StatusCode::BAD_REQUEST, &bad);
                }
                Start::Busy | Start::Unknown => None,
            },
            _ => None,
        };
        let begun = match &call {
            Some(call) => match self.begin(call, &parts).await {
                Some(First::Over(result)) => return over(call, &result),
                Some(First::Begun(begun)) => Some(*begun),
                None => None,
            },
            None => None,
        };
        let cancelled = message
            .cancelled()
            .and_then(|id| Some((self.heads.session(&parts.headers)?, id)));
        let bytes = match self.prepare(message, call, begun, flight, &whole, &mut parts) {
            Ok(bytes) => bytes,
            Err(bad) => return refused(StatusCode::BAD_REQUEST, &bad),
        };
        drop(whole);
        let request = Request::from_parts(parts, Full::new(bytes));
        let (parts, body) = self.service.handle(request).await.into_parts();
        if let Some(session) = parts.headers.get(&SESSION).filter(|_| opens)
            && let Ok(session) = session.to_str()
        {
            self.opened(session).await;
        }
        drop(opening);
        if let Some((session, id)) = cancelled
            && parts.status == StatusCode::ACCEPTED
        {
            session.cancel(&id);
        }
        Response::from_parts(parts, HttpBody::of(body, None, held).await)
    }

    /// Begins a call at once, where all that stands before it is known to come to nothing.
    async fn begin(&self, call: &CallRequest<'_>, parts: &Parts) -> Option<First> {
        let client = self.heads.client(parts, call)?;
        let tool = self.shared.registry.get(call.name())?;
        // Which headers say the same as arguments, `rmcp` knows.
        let asks = tool.def().meta.get(NEEDS).is_some() || has_headers(&*tool);
        if asks || !call.is_first() || self.service.config.cancellation_token.is_cancelled() {
            return None;
        }
        if !client.is_2026
            && !self
                .is_open(parts.headers.get(&SESSION)?.to_str().ok()?)
                .await
        {
            return None;
        }
        Some(begun::begin(&self.shared, &client, call, parts).await)
    }

    /// Whether the session is there; one that is over may still end its calls.
    async fn is_open(&self, session: &str) -> bool {
        self.manager.sessions.read().await.contains_key(session)
    }

    /// The body for `rmcp`, which gets a call's arguments beside it, and not in it: it would make a map
    /// of them.
    fn prepare(
        &self,
        message: Message<'_>,
        call: Option<CallRequest<'_>>,
        begun: Option<Begun>,
        flight: Option<Flight>,
        bytes: &[u8],
        parts: &mut Parts,
    ) -> Result<Bytes, Bad> {
        let Some(call) = call else {
            message.into_rmcp(bytes)?;
            return Ok(Bytes::copy_from_slice(bytes));
        };
        let without = call
            .without_arguments()
            .map_err(|error| message.no_call(error))?;
        parts.extensions.insert(Riding {
            arguments: call.arguments().into(),
            way: Some(Arc::new(Way::new(&self.heads, call.meta(), begun, flight))),
        });
        Ok(if self.shared.has_headers(call.name()) {
            Bytes::copy_from_slice(bytes)
        } else {
            without.into()
        })
    }

    /// A place for one more session. Where there are enough, one that is idle makes room; `None` where none is.
    async fn opens(&self) -> Option<Opening<'_>> {
        let opening = self.opening.fetch_add(1, Ordering::AcqRel);
        let place = Opening(&self.opening);
        let most = self.shared.limits.sessions;
        while opening + self.manager.sessions.read().await.len() >= most {
            let idle = self.sessions.take_idle()?;
            let ended = self.manager.sessions.write().await.remove(&idle);
            if let Some(session) = ended {
                // It may have to wait for a client that does not read.
                tokio::spawn(async move { session.close().await });
            }
        }
        Some(place)
    }

    async fn opened(&self, session: &str) {
        if self.sessions.len() >= self.shared.limits.sessions {
            let open = self.manager.sessions.read().await;
            self.sessions.retain(|session| open.contains_key(session));
        }
        self.sessions.opened(session);
    }

    /// Ends what is left of all sessions some time after the server was told to stop.
    fn end_in_time(&self) {
        self.stops.call_once(|| {
            let (stop, grace) = (self.shared.stop.clone(), self.shared.limits.grace);
            let end_calls = self.shared.end_calls.clone();
            let end = self.service.config.cancellation_token.clone();
            tokio::spawn(async move {
                stop.cancelled().await;
                tokio::time::sleep(grace).await;
                end_calls.cancel();
                tokio::time::sleep(CANCEL_GRACE).await;
                end.cancel();
            });
        });
    }
}

/// A session that is being opened.
struct Opening<'i>(&'i AtomicUsize);

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl<B> tower_service::Service<Request<B>> for HttpService
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
    B::Error: fmt::Display + Send,
{
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Task<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let inner = Arc::clone(&self.0);
        Box::pin(async move { Ok(inner.answer(request).await) })
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService")
            .field("name", &self.0.shared.name)
            .finish_non_exhaustive()
    }
}
