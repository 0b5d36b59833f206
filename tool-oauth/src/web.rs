//! Requests to authorization servers, and to what a server says of itself: bounded in bytes and time, and where a URL may
//! lead.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use http::{HeaderValue, Method, StatusCode, header};
use reqwest::redirect::Policy;
use reqwest::{Client, Request, RequestBuilder, Url};
use serde::de::DeserializeOwned;
use toolwright_http::error::describe;

/// A complete response.
type HttpResponse = http::Response<Vec<u8>>;

/// Path where a server names the authorization server that it trusts (RFC 9728).
pub(crate) const RESOURCE_METADATA: &str = "/.well-known/oauth-protected-resource";

/// Maximal size of a response.
const MAX_BYTES: usize = 256 * 1024;

/// Maximal length of a URL.
const MAX_URL: usize = 2_048;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// See the module.
#[derive(Debug)]
pub(crate) struct AuthHttp {
    client: Client,
    /// For this machine, where no proxy is between.
    direct: Client,
    /// The nearest network that may be asked.
    reach: Network,
    /// True if token answers are read only in the form of RFC 6749.
    pub(crate) is_strict: bool,
}

/// Where a URL leads, by its text alone: names are not resolved. A server in a far network has no business with what a nearer one
/// has, so its metadata must not lead there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Network {
    Public,
    /// An address of a private network, or of the link (RFC 1918, 3927, 4193, 4291, 6598).
    Private,
    ThisMachine,
}

impl Network {
    pub(crate) fn of(url: &Url) -> Self {
        if is_this_machine(url) {
            return Self::ThisMachine;
        }
        let host = url.host_str().unwrap_or_default();
        let ip = host.trim_start_matches('[').trim_end_matches(']').parse();
        let is_private = ip.is_ok_and(|ip: IpAddr| match ip.to_canonical() {
            IpAddr::V4(ip) => {
                let [first, second, ..] = ip.octets();
                let is_shared = first == 100 && second & 0xc0 == 64;
                ip.is_private() || ip.is_link_local() || is_shared
            }
            IpAddr::V6(ip) => ip.is_unique_local() || ip.is_unicast_link_local(),
        });
        if is_private {
            Self::Private
        } else {
            Self::Public
        }
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) struct WebError(pub(crate) String);

impl fmt::Display for WebError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WebError {}

impl AuthHttp {
    /// A request takes `limit` at most.
    pub(crate) fn new(reach: Network, limit: Duration, is_strict: bool) -> Result<Self, WebError> {
        // A redirect could lead to where no check has looked.
        let client = || Client::builder().redirect(Policy::none()).timeout(limit);
        let failed = |error| WebError(describe(error));
        Ok(Self {
            client: client().build().map_err(failed)?,
            direct: client().no_proxy().build().map_err(failed)?,
            reach,
            is_strict,
        })
    }

    /// Returns true if this URL may be asked, and a person be sent there.
    fn may_ask(&self, url: &Url) -> bool {
        is_safe(url) && Network::of(url) <= self.reach
    }

    /// Reads a URL that somebody else wrote, and that may be asked.
    pub(crate) fn checked(&self, text: &str, what: &str) -> Result<Url, WebError> {
        let url = checked(text, what)?;
        if self.may_ask(&url) {
            return Ok(url);
        }
        let to = match Network::of(&url) {
            Network::ThisMachine => "this machine",
            _ => "a private network",
        };
        let words = format!("the {what} leads to {to}, and the server is elsewhere");
        Err(WebError(format!("{words}: {text:?}")))
    }

    /// Sends a request: what all of them go through.
    pub(crate) async fn answer(&self, request: Request) -> Result<HttpResponse, WebError> {
        let url = request.url();
        if !self.may_ask(url) {
            return Err(WebError(format!("{} may not be asked", place(url))));
        }
        let client = if is_this_machine(url) {
            &self.direct
        } else {
            &self.client
        };
        answer(RequestBuilder::from_parts(client.clone(), request)).await
    }

    /// Gets JSON. The inner error says that it is not there.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        url: &Url,
    ) -> Result<Result<T, String>, WebError> {
        let mut request = Request::new(Method::GET, url.clone());
        request.headers_mut().insert(header::ACCEPT, JSON);
        let response = self.answer(request).await;
        let response = response.map_err(|error| WebError(format!("{}: {error}", place(url))))?;
        let status = response.status();
        let says = || format!("{}: {}", place(url), refusal(url, &response));
        if status.is_server_error() || is_later(status) {
            // What is there is not known: without it, less would be believed to be there.
            return Err(WebError(says()));
        }
        if !status.is_success() {
            return Ok(Err(says()));
        }
        let read = serde_json::from_slice(response.body());
        Ok(read.map_err(|error| format!("{}: {error}", place(url))))
    }

    /// Posts JSON.
    pub(crate) async fn post(&self, url: &Url, json: String) -> Result<HttpResponse, WebError> {
        let mut request = Request::new(Method::POST, url.clone());
        *request.body_mut() = Some(json.into());
        request.headers_mut().insert(header::CONTENT_TYPE, JSON);
        request.headers_mut().insert(header::ACCEPT, JSON);
        self.answer(request).await
    }
}

/// Describes an answer that is not a success, with the place of a redirect, since none is followed.
pub(crate) fn refusal(url: &Url, answer: &HttpResponse) -> String {
    let status = answer.status();
    let to = answer.headers().get(header::LOCATION);
    let to = to.and_then(|to| url.join(to.to_str().ok()?).ok());
    match to.filter(|_| status.is_redirection()) {
        Some(to) => format!(
            "HTTP {status}: a redirect to `{}`, which is not followed",
            place(&to)
        ),
        None => format!("HTTP {status}"),
    }
}

/// Returns true if the same request may be answered later.
fn is_later(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY
    )
}

async fn answer(request: RequestBuilder) -> Result<HttpResponse, WebError> {
    let failed = |error| WebError(describe(error));
    let mut response = request.send().await.map_err(failed)?;
    let mut body = Vec::new();
    while let Some(part) = response.chunk().await.map_err(failed)? {
        if body.len() + part.len() > MAX_BYTES {
            return Err(WebError(format!(
                "an answer of more than {MAX_BYTES} bytes"
            )));
        }
        body.extend_from_slice(&part);
    }
    // Readers of JSON in other languages skip a byte order mark.
    if body.starts_with(b"\xef\xbb\xbf") {
        body.drain(..3);
    }
    let mut answer = HttpResponse::new(body);
    *answer.status_mut() = response.status();
    *answer.headers_mut() = std::mem::take(response.headers_mut());
    Ok(answer)
}

/// Returns the URLs of an issuer's metadata: RFC 8414, section 3.1, and `OpenID` Connect Discovery, section 4.
pub(crate) fn issuer_places(issuer: &Url) -> impl Iterator<Item = Url> {
    let path = issuer.path().trim_end_matches('/').to_owned();
    let below = (!path.is_empty()).then(|| format!("{path}/.well-known/openid-configuration"));
    let places = [
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
    ];
    places
        .into_iter()
        .chain(below)
        .map(|path| at(issuer, &path))
}

/// The same origin, with this path.
pub(crate) fn at(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    url
}

/// A URL without what may be a secret.
pub(crate) fn place(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

/// Reads a URL that may be asked: `https`, or `http` on this machine.
pub(crate) fn checked(text: &str, what: &str) -> Result<Url, WebError> {
    let invalid = |why: &str| WebError(format!("the {what} {why}: {text:?}"));
    if text.len() > MAX_URL {
        return Err(WebError(format!("the {what} is too long")));
    }
    let url = Url::parse(text).map_err(|_| invalid("is not a URL"))?;
    if !is_safe(&url) {
        return Err(invalid("has to be `https`, or `http` on this machine"));
    }
    let is_name = |char: char| char.is_ascii_alphanumeric() || "-._:[]".contains(char);
    if !url.host_str().unwrap_or_default().chars().all(is_name) {
        return Err(invalid("has a host that is not a name"));
    }
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Err(WebError(format!("the {what} has a user or a fragment")));
    }
    Ok(url)
}

/// Returns true if nobody between can read what is sent there.
pub(crate) fn is_safe(url: &Url) -> bool {
    match url.scheme() {
        "https" => url.has_host(),
        "http" => is_loopback(url),
        _ => false,
    }
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let ip = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || ip.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// The same, and all other names that this machine has for itself.
pub(crate) fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let ip = host.trim_start_matches('[').trim_end_matches(']');
    let is_own = |ip: IpAddr| {
        let ip = ip.to_canonical();
        ip.is_loopback() || ip.is_unspecified()
    };
    host == "localhost" || host.ends_with(".localhost") || ip.parse().is_ok_and(is_own)
}

#[cfg(all(test, feature = "client"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::Duration;

    use oauth2::AsyncHttpClient;
    use reqwest::Url;
    use serde_json::Value;
    use tokio::net::TcpListener;
    use tokio::time::timeout;

    use super::{AuthHttp, Network};

    const LIMIT: Duration = Duration::from_secs(1);

    #[test]
    fn this_machine_is_asked_for_a_server_on_it_alone() {
        let (local, remote) = (
            AuthHttp::new(Network::ThisMachine, LIMIT, false).unwrap(),
            AuthHttp::new(Network::Public, LIMIT, false).unwrap(),
        );
        for (url, is_local) in [
            ("http://127.0.0.1:9200/x", true),
            ("http://127.8.0.1/", true),
            ("http://localhost:8080", true),
            ("https://LOCALHOST.", true),
            ("https://a.localhost", true),
            ("http://[::1]:1", true),
            ("https://[::ffff:127.0.0.1]", true),
            ("https://0.0.0.0", true),
            ("https://[::]", true),
            ("https://2130706433", true),
            ("https://a.example", false),
            ("https://localhost.example", false),
            ("https://192.0.2.1", false),
        ] {
            assert!(local.checked(url, "issuer").is_ok(), "{url}");
            assert_eq!(remote.checked(url, "issuer").is_err(), is_local, "{url}");
        }
        for url in ["http://a.example", "http://192.168.0.1", "file:///x"] {
            assert!(local.checked(url, "issuer").is_err(), "{url}");
        }
    }

    #[test]
    fn a_private_network_is_asked_for_a_server_in_one_alone() {
        let reach = |network| AuthHttp::new(network, LIMIT, false).unwrap();
        let [public, private] = [Network::Public, Network::Private].map(reach);
        for (url, is_private) in [
            ("https://10.0.0.1/x", true),
            ("https://172.16.0.1", true),
            ("https://172.31.255.255", true),
            ("https://192.168.1.1:8443", true),
            ("https://169.254.169.254/latest/meta-data", true),
            ("https://100.64.0.1", true),
            ("https://167772161", true),
            ("https://[fd00::1]", true),
            ("https://[fe80::1]", true),
            ("https://[::ffff:10.0.0.1]", true),
            ("https://172.32.0.1", false),
            ("https://100.128.0.1", false),
            ("https://192.0.2.1", false),
            ("https://[2001:db8::1]", false),
            ("https://10.example", false),
        ] {
            assert!(private.checked(url, "issuer").is_ok(), "{url}");
            assert_eq!(public.checked(url, "issuer").is_err(), is_private, "{url}");
        }
        assert!(private.checked("https://127.0.0.1", "issuer").is_err());
        for url in [
            "https://a$(x).example",
            "https://a'b.example",
            "https://a;b.example",
        ] {
            assert!(public.checked(url, "issuer").is_err(), "{url}");
        }
    }

    #[tokio::test]
    async fn nothing_is_sent_to_where_it_may_not() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/token", listener.local_addr().unwrap());
        let url = Url::parse(&url).unwrap();
        let web = AuthHttp::new(Network::Public, LIMIT, false).unwrap();
        assert!(web.get::<Value>(&url).await.is_err());
        assert!(web.post(&url, "{}".to_owned()).await.is_err());
        let request = http::Request::post(url.as_str()).body(Vec::new()).unwrap();
        assert!(web.call(request).await.is_err());
        let accepted = timeout(Duration::from_millis(50), listener.accept()).await;
        assert!(accepted.is_err(), "somebody was asked");
    }
}
