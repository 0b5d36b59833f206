//! A server over streamable HTTP.

mod answer;
#[cfg(feature = "oauth")]
mod authorization;
mod body;
mod head;
mod respond;
mod scopes;
mod sessions;
mod stream;

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Once};
use std::task::{Context as Task, Poll};

use http::{Request as HttpRequest, Response, StatusCode};
use toolwright_http::body::{Budget, read_to_end};
use toolwright_http::headers::{TRANSFER_REFUSED, has_known_transfer};
use toolwright_http::site::{Site, SiteError};
use toolwright_runtime::tool::{Cancel, Grant};

use self::body::Content;
use self::respond::refused;
use self::sessions::SessionTable;
pub(super) use self::stream::Stream;
use super::incoming::ParseError;
use super::{McpServer, Shared};
use crate::protocol::code;

pub use self::body::HttpBody;
#[cfg(feature = "oauth")]
pub use toolwright_oauth::server::{Authorization, AuthorizationError, TokenError};

/// An [`McpServer`] as a tower service, for any HTTP server. In axum, mount it with `Router::route_service("/mcp",
/// service)`. [`McpServer::http`] creates it.
///
/// The service answers `POST` (messages), `GET` (the stream of notifications) and `DELETE` (the end of a session). It
/// refuses a request whose `Host` is a name of another machine, or whose `Origin` is another site, unless they are
/// [allowed](Self::allow_host).
///
/// A layer that puts a [`Context`](toolwright_runtime::tool::Context) into a request's extensions adds to the context of its
/// calls, for example the user. It takes precedence over [`McpServer::context`].
///
/// Tools, prompts and resources with `scopes(…)` are for callers with a [`Grant`] that has these scopes: one that such a
/// layer put into its context, that of [`McpServer::context`], or that of an access token: see `HttpService::authorization`
/// (feature `oauth`). For all others they are hidden, and a call of one is answered by 403.
///
/// The service sets no timeouts of connections: configure limits for reading heads and for writing responses in the HTTP
/// server. Enable `TCP_NODELAY` (`axum::serve::ListenerExt::tap_io`), or the second piece of a streamed answer is delayed by
/// about 40 ms.
#[derive(Clone)]
pub struct HttpService {
    /// `None` where others check it.
    site: Option<Arc<Site>>,
    #[cfg(feature = "oauth")]
    authorization: Option<Authorization>,
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
    sessions: SessionTable,
    budget: Budget,
    /// Ends all that is left of streams.
    end: Cancel,
    stops: Once,
}

impl McpServer {
    /// Creates an HTTP service of this server.
    pub fn http(mut self) -> HttpService {
        // Nobody has a scope that nobody gave.
        let context = &self.0.context;
        if context.get::<Grant>().is_none() {
            self.0.context = context.clone().with(Grant::new());
        }
        let shared = self.0.shared();
        HttpService {
            site: Some(Arc::new(Site::with_local_pages())),
            #[cfg(feature = "oauth")]
            authorization: None,
            inner: Arc::new(Inner {
                sessions: SessionTable::new(shared.limits.sessions, shared.limits.idle),
                shared,
                budget: Budget::default(),
                end: Cancel::new(),
                stops: Once::new(),
            }),
        }
    }
}

impl HttpService {
    /// Allows requests to this host: `tools.example.com`, with or without a port.
    pub fn allow_host(self, host: impl Into<String>) -> Self {
        self.allow(|site| site.allow_host(host))
    }

    /// Allows requests from pages of this origin: `https://app.example.com`. Their browser lets them read the responses (CORS):
    /// preflights are answered, and `Mcp-Session-Id` and `WWW-Authenticate` are exposed. Cookies are not sent.
    pub fn allow_origin(self, origin: impl Into<String>) -> Self {
        self.allow(|site| site.allow_origin(origin))
    }

    /// Requires access tokens. The host of the server's URL is allowed.
    #[cfg(feature = "oauth")]
    pub fn authorization(self, authorization: Authorization) -> Self {
        let host = authorization.host().to_owned();
        Self {
            authorization: Some(authorization),
            ..self.allow_host(host)
        }
    }

    fn allow(mut self, change: impl FnOnce(&mut Site)) -> Self {
        if let Some(site) = &mut self.site {
            change(Arc::make_mut(site));
        }
        self
    }

    /// Disables the checks of host and origin, for services behind layers that check them.
    pub fn guarded_elsewhere(self) -> Self {
        Self { site: None, ..self }
    }
}

impl<B> tower_service::Service<HttpRequest<B>> for HttpService
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

    fn call(&mut self, request: HttpRequest<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            let answers = service.inner.budget.answers.clone();
            let response = read_to_end(request, |request| service.answer(request)).await;
            Ok(response.map(|content| HttpBody::new(content, &answers)))
        })
    }
}

impl HttpService {
    /// Answers, and lets pages of listed origins read the answer, whatever it is.
    async fn answer<B>(self, request: HttpRequest<B>) -> Response<Content>
    where
        B: http_body::Body + Send + 'static,
        B::Error: fmt::Display,
    {
        match self.site.clone() {
            Some(site) => {
                site.with_cors(request, |request| self.answer_any(request))
                    .await
            }
            None => self.answer_any(request).await,
        }
    }

    async fn answer_any<B>(self, request: HttpRequest<B>) -> Response<Content>
    where
        B: http_body::Body + Send + 'static,
        B::Error: fmt::Display,
    {
        if !has_known_transfer(request.headers()) {
            let bad = ParseError::new(code::INVALID_REQUEST, TRANSFER_REFUSED);
            return refused(StatusCode::NOT_IMPLEMENTED, &bad);
        }
        if let Err(error) = self.check_site(&request) {
            let bad = ParseError::new(code::INVALID_REQUEST, error.message());
            return refused(StatusCode::FORBIDDEN, &bad);
        }
        #[cfg(feature = "oauth")]
        if let Some(authorization) = self.authorization {
            return match authorization::admit(&authorization, &self.inner.shared, request).await {
                Ok(request) => {
                    let response = self.inner.answer(request).await;
                    authorization::challenged(&authorization, response)
                }
                Err(response) => response,
            };
        }
        self.inner.answer(request).await
    }

    fn check_site<B>(&self, request: &HttpRequest<B>) -> Result<(), SiteError> {
        let Some(site) = &self.site else {
            return Ok(());
        };
        let (headers, host) = (request.headers(), request.uri().host());
        // Pages of any site may read the metadata.
        #[cfg(feature = "oauth")]
        if let Some(authorization) = &self.authorization
            && authorization.is_metadata(request.uri())
        {
            return site.check_host(headers, host);
        }
        site.check(headers, host)
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService")
            .field("name", &self.inner.shared.name)
            .finish_non_exhaustive()
    }
}
