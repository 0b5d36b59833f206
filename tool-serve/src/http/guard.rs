//! Checks of requests: host, origin and token.
//!
//! The checks come before all routes, the host's own included. Without the host check, a foreign page could call tools
//! by DNS rebinding.

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;

use toolwright_http::body::read_to_end;
use toolwright_http::headers::{TRANSFER_REFUSED, bearer, has_known_transfer};
use toolwright_http::site::{Site, SiteError};

use super::refused;

/// Settings of the checks.
#[derive(Clone, Default)]
pub(super) struct Guard {
    /// Token, or the error of an invalid one, which matches no request.
    pub(super) token: Option<Result<String, &'static str>>,
    pub(super) site: Site,
}

/// Lets the page load nothing from elsewhere, and nobody embed it.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; media-src data:; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

impl Guard {
    /// Puts the token check before `closed`, and the checks of host and origin before both, and before `no_method`, which
    /// answers other methods.
    pub(super) fn protect<H, T>(self, closed: Router, open: Router, no_method: H) -> Router
    where
        H: Handler<T, ()>,
        T: 'static,
    {
        let guard = Arc::new(self);
        closed
            .layer(from_fn_with_state(Arc::clone(&guard), check_token))
            .merge(open)
            .method_not_allowed_fallback(no_method)
            .layer(from_fn_with_state(Arc::clone(&guard), check_site))
            .layer(from_fn_with_state(guard, add_cors))
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let token = match &self.token {
            None => return true,
            Some(Ok(token)) => token,
            Some(Err(_)) => return false,
        };
        let given = bearer(headers).ok().flatten();
        given.is_some_and(|given| {
            is_equal_in_constant_time(given.trim_ascii().as_bytes(), token.as_bytes())
        })
    }
}

/// Compares in constant time, so that a token cannot be guessed byte by byte.
fn is_equal_in_constant_time(a: &[u8], b: &[u8]) -> bool {
    let differing = a.iter().zip(b).fold(0, |sum, (a, b)| sum | (a ^ b));
    std::hint::black_box(differing) == 0 && a.len() == b.len()
}

async fn check_site(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let Err(error) = guard.site.check(request.headers(), request.uri().host()) else {
        return next.run(request).await;
    };
    let kind = match error {
        SiteError::WrongHost => "wrong_host",
        SiteError::WrongOrigin => "wrong_origin",
    };
    refused(StatusCode::FORBIDDEN, kind, error.message())
}

/// Lets pages of listed origins read each response (CORS), and answers their preflights.
async fn add_cors(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let site = &guard.site;
    site.with_cors(request, |request| next.run(request)).await
}

/// Refuses a body in a transfer coding that is not undone here.
pub(super) async fn check_transfer(request: Request, next: Next) -> Response {
    if has_known_transfer(request.headers()) {
        return next.run(request).await;
    }
    let status = StatusCode::NOT_IMPLEMENTED;
    refused(status, "transfer_encoding", TRANSFER_REFUSED)
}

/// Reads what an early response left of a request's body.
pub(super) async fn read_body_to_end(request: Request, next: Next) -> Response {
    read_to_end(request, |request| next.run(request.map(Body::new))).await
}

async fn check_token(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    if guard.has_token(request.headers()) {
        return next.run(request).await;
    }
    let message = "this needs the server's token: `Authorization: Bearer …`";
    let mut response = refused(StatusCode::UNAUTHORIZED, "unauthorized", message);
    response
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// Adds the security headers of all responses.
pub(super) async fn add_security_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Omits the token, which belongs in no log.
impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("has_token", &self.token.is_some())
            .field("site", &self.site)
            .finish()
    }
}
