//! Checks of a request's host and origin. Without them a foreign page could call tools: by DNS rebinding, or from a
//! browser on this machine.

use std::net::IpAddr;

use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};

use crate::headers::single;

/// Seconds that a browser may keep the answer to a preflight.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// Response headers that a page reads, beside those that every page may read: the session of MCP, and where a token comes from.
const EXPOSED: HeaderValue = HeaderValue::from_static("mcp-session-id, www-authenticate");

/// Header that tells whether a page of the same origin asks (Fetch Metadata). Browsers send it over `https` and to this machine.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Which hosts and pages a server is reached by.
#[derive(Debug, Clone, Default)]
pub struct Site {
    /// Names, with a port or without, in lower case. `localhost` and all addresses are allowed anyway.
    hosts: Vec<String>,
    /// Pages, such as `https://app.example.com`, in lower case. Those of the server's own host are allowed anyway.
    origins: Vec<String>,
    /// Pages of this machine are allowed, of any port.
    local_pages: bool,
}

/// Why a request is refused with status 403.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteError {
    /// The host is not allowed.
    WrongHost,
    /// A page of this origin is not allowed.
    WrongOrigin,
}

impl SiteError {
    /// Explains the refusal to the client.
    pub fn message(self) -> &'static str {
        match self {
            Self::WrongHost => "this server is not reached under that name; it has to be allowed",
            Self::WrongOrigin => {
                "pages of that origin may not ask this server; it has to be allowed"
            }
        }
    }
}

impl Site {
    /// Allows pages of this machine, of any port.
    pub fn with_local_pages() -> Self {
        Self {
            local_pages: true,
            ..Self::default()
        }
    }

    /// Allows a host, with or without a port.
    pub fn allow_host(&mut self, host: impl Into<String>) {
        self.hosts.push(host.into().to_ascii_lowercase());
    }

    /// Allows pages of an origin, such as `https://app.example.com`. They may read the responses.
    pub fn allow_origin(&mut self, origin: impl Into<String>) {
        self.origins.push(origin.into().to_ascii_lowercase());
    }

    /// Answers a preflight of a listed origin, or the request by `answer`, and lets pages of listed origins read the response,
    /// whatever it is (CORS).
    pub async fn with_cors<B, R: Default, F: Future<Output = Response<R>>>(
        &self,
        request: Request<B>,
        answer: impl FnOnce(Request<B>) -> F,
    ) -> Response<R> {
        let headers = request.headers();
        let Some(cors) = self.cors(request.method(), headers) else {
            return answer(request).await;
        };
        let is_preflight = cors.asks.is_some() && cors.origin.is_some();
        let mut response = if is_preflight && self.check(headers, request.uri().host()).is_ok() {
            let mut response = Response::new(R::default());
            *response.status_mut() = StatusCode::NO_CONTENT;
            response
        } else {
            answer(request).await
        };
        cors.add_to(response.headers_mut());
        response
    }

    /// Returns what the response to a request says to a browser (CORS). `None` if no origin is listed.
    fn cors(&self, method: &Method, headers: &HeaderMap) -> Option<Cors> {
        if self.origins.is_empty() {
            return None;
        }
        let origin = single(headers, &header::ORIGIN).ok().flatten();
        let is_listed = |origin: &&str| self.origins.contains(&origin.to_ascii_lowercase());
        let origin = origin.filter(is_listed);
        let is_preflight = *method == Method::OPTIONS
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        Some(Cors {
            origin: origin.and_then(|origin| HeaderValue::from_str(origin).ok()),
            asks: is_preflight.then(|| {
                let asked = |name| headers.get(name).cloned();
                let names = asked(header::ACCESS_CONTROL_REQUEST_HEADERS);
                PreflightRequest {
                    method: asked(header::ACCESS_CONTROL_REQUEST_METHOD),
                    headers: names.unwrap_or(HeaderValue::from_static("content-type")),
                }
            }),
        })
    }

    /// Checks the host, then the origin.
    pub fn check(&self, headers: &HeaderMap, uri_host: Option<&str>) -> Result<(), SiteError> {
        self.check_host(headers, uri_host)?;
        if self.is_origin(headers) {
            Ok(())
        } else {
            Err(SiteError::WrongOrigin)
        }
    }

    /// Checks that the request names an allowed host. Under DNS rebinding, a browser sends the attacker's host name,
    /// which is neither an address nor one of ours.
    pub fn check_host(&self, headers: &HeaderMap, uri_host: Option<&str>) -> Result<(), SiteError> {
        let host = single(headers, &header::HOST).map_err(|_| SiteError::WrongHost)?;
        let host = host.or(uri_host).map(str::to_ascii_lowercase);
        let is_allowed = host.is_some_and(|host| {
            let name = without_port(&host);
            name == "localhost"
                || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
                || self.hosts.iter().any(|one| *one == host || *one == name)
        });
        if is_allowed {
            Ok(())
        } else {
            Err(SiteError::WrongHost)
        }
    }

    /// Returns true if each page that the request names is allowed.
    fn is_origin(&self, headers: &HeaderMap) -> bool {
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        headers.get_all(header::ORIGIN).iter().all(|origin| {
            let Ok(origin) = origin.to_str().map(str::to_ascii_lowercase) else {
                return false;
            };
            if self.origins.contains(&origin) {
                return true;
            }
            let site = origin
                .strip_prefix("https://")
                .or(origin.strip_prefix("http://"));
            let Some(site) = site else {
                return false;
            };
            // Of the server's own pages the scheme is not known here, as behind a proxy with TLS. The browser compares it.
            let is_same = headers
                .get(FETCH_SITE)
                .is_none_or(|site| site == "same-origin");
            (is_same && host.is_some_and(|host| site.eq_ignore_ascii_case(host)))
                || (self.local_pages && is_local(without_port(site)))
        })
    }
}

/// The headers by which a browser lets pages of listed origins read responses (CORS). Never with credentials: pages send tokens
/// themselves.
struct Cors {
    /// The origin that asks, if it is listed.
    origin: Option<HeaderValue>,
    /// What a preflight asks for.
    asks: Option<PreflightRequest>,
}

/// The method and the headers of the request that a preflight asks about.
struct PreflightRequest {
    method: Option<HeaderValue>,
    headers: HeaderValue,
}

impl Cors {
    /// Adds the headers to a response. Caches keep responses apart by `Vary`, whoever asks.
    fn add_to(self, headers: &mut HeaderMap) {
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
        let Some(origin) = self.origin else {
            return;
        };
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        // A route of the host's says itself what it exposes.
        let exposed = headers.entry(header::ACCESS_CONTROL_EXPOSE_HEADERS);
        exposed.or_insert(EXPOSED);
        if let Some(asked) = self.asks {
            if let Some(method) = asked.method {
                headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, method);
            }
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, asked.headers);
            headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        }
    }
}

/// Lets pages of any site read a response (CORS).
pub fn allow_every_page(headers: &mut HeaderMap) {
    let any = HeaderValue::from_static("*");
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any.clone());
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, any);
}

fn is_local(name: &str) -> bool {
    let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
    name == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Strips the port: `localhost` from `localhost:8080`, `[::1]` from `[::1]:8080`.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}
