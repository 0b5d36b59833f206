//! Who may ask: by which name the server is reached, from which site, with which token.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;

use super::refused;

/// What a request has to say of itself.
#[derive(Clone, Default)]
pub(super) struct Guard {
    /// Or why it is none, and fits nobody.
    pub(super) token: Option<Result<String, &'static str>>,
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
}

/// The page may load nothing from elsewhere, and nobody may put it into a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; media-src data:; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

impl Guard {
    /// Routes behind the token, and routes without it; all behind the checks of host and origin.
    pub(super) fn around(self, closed: Router, open: Router) -> Router {
        let guard = Arc::new(self);
        closed
            .layer(from_fn_with_state(Arc::clone(&guard), token))
            .merge(open)
            .layer(from_fn_with_state(guard, site))
    }

    /// A page of another site can have the browser send requests here under a name that it owns
    /// (DNS rebinding): such a name is neither an address nor one of ours.
    fn is_host(&self, headers: &HeaderMap, uri_host: Option<&str>) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let told = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().ok(),
            (None, _) => uri_host,
            (Some(_), Some(_)) => None,
        };
        let Some(told) = told.map(str::to_ascii_lowercase) else {
            return false;
        };
        let name = without_port(&told);
        name == "localhost"
            || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
            || self.hosts.iter().any(|host| *host == told || *host == name)
    }

    fn is_origin(&self, headers: &HeaderMap) -> bool {
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        headers.get_all(header::ORIGIN).iter().all(|origin| {
            let Ok(origin) = origin.to_str().map(str::to_ascii_lowercase) else {
                return false;
            };
            let site = origin.split_once("://").map(|(_, site)| site);
            let is_own = match (site, host) {
                (Some(site), Some(host)) => site.eq_ignore_ascii_case(host),
                _ => false,
            };
            is_own || self.origins.contains(&origin)
        })
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let token = match &self.token {
            None => return true,
            Some(Ok(token)) => token,
            Some(Err(_)) => return false,
        };
        let given = headers
            .get(header::AUTHORIZATION)
            .map(HeaderValue::as_bytes);
        let given = given.and_then(|given| {
            let (scheme, token) = given.split_at_checked(b"Bearer ".len())?;
            scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
        });
        given.is_some_and(|given| is_same(given.trim_ascii(), token.as_bytes()))
    }
}

/// Takes as long wherever the two differ, so that nobody finds out a token byte by byte.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    let differing = a.iter().zip(b).fold(0, |sum, (a, b)| sum | (a ^ b));
    std::hint::black_box(differing) == 0 && a.len() == b.len()
}

/// `localhost` of `localhost:8080`; `[::1]` of `[::1]:8080`.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

async fn site(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    if !guard.is_host(request.headers(), request.uri().host()) {
        let words = "this server is not reached under that name; it has to be allowed";
        return refused(StatusCode::FORBIDDEN, "wrong_host", words);
    }
    if !guard.is_origin(request.headers()) {
        let words = "pages of that origin may not ask this server; it has to be allowed";
        return refused(StatusCode::FORBIDDEN, "wrong_origin", words);
    }
    next.run(request).await
}

async fn token(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    if guard.has_token(request.headers()) {
        return next.run(request).await;
    }
    let words = "this needs the server's token: `Authorization: Bearer …`";
    let mut response = refused(StatusCode::UNAUTHORIZED, "unauthorized", words);
    response
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// What every answer says to a browser.
pub(super) async fn harden(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
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

/// The token is for nobody's log.
impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("has_token", &self.token.is_some())
            .field("hosts", &self.hosts)
            .field("origins", &self.origins)
            .finish()
    }
}
