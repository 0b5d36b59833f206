//! Access tokens of OAuth 2.1.
//!
//! Sources: "Authorization" in the specification of MCP, RFC 6750 (how a token is sent and refused), RFC 9728 (where a
//! client finds the authorization server), RFC 9068 (what a token says).

use std::collections::BTreeSet;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use serde_json::{Map, Value};
use toolwright_http::headers::bearer;
use toolwright_http::site::allow_every_page;
use toolwright_http::token;
use toolwright_json::{ObjectWriter, list, quoted};
use toolwright_provider::call::ToolDef;
use toolwright_runtime::executor::Executor;
use toolwright_runtime::tool::{Context, Grant};

use super::body::Content;
use super::keys::IssuerKeys;
use super::respond::{empty, json, refused};
use super::scopes::RequiredScopes;
use crate::protocol::code;
use crate::server::Shared;
use crate::server::incoming::Bad;
use crate::web::{RESOURCE_METADATA, WebError, checked};

/// The longest token, in bytes.
const MOST_TOKEN: usize = 16 * 1024;

/// So far the clocks of the issuer and the server may be apart.
pub(super) const LEEWAY: Duration = Duration::from_secs(30);

/// Authorization of an MCP server over HTTP with access tokens, as an OAuth 2.1 resource server.
///
/// Each request needs `Authorization: Bearer` with a token that the issuer signed for this server. Other requests get 401 and
/// a link to the server's metadata, which name the issuer. Calls find the token's [`Grant`] in their context. Tools, prompts
/// and resources with `scopes(…)` are hidden from tokens without these scopes; calling one anyway gets 403
/// `insufficient_scope` with the required scopes. Sessions and tasks belong to the token's subject.
///
/// Mount the service at the path of the metadata too:
///
/// ```
/// use toolwright::Toolset;
/// use toolwright::mcp::{Authorization, AuthorizationError, HttpService, McpServer};
///
/// fn shop(tools: Toolset) -> Result<(HttpService, String), AuthorizationError> {
///     let url = "https://shop.example.com/mcp";
///     let authorization = Authorization::new(url, "https://login.example.com")?;
///     let path = authorization.metadata_path().to_owned();
///     Ok((McpServer::new(tools).http().authorization(authorization), path))
/// }
///
/// let (service, path) = shop(Toolset::default())?;
/// // axum: `Router::new().route_service("/mcp", service.clone()).route_service(&path, service)`
/// assert_eq!(path, "/.well-known/oauth-protected-resource/mcp");
/// # Ok::<(), AuthorizationError>(())
/// ```
///
/// # Tokens
/// A token is a JWT that the issuer signed with RSA, ECDSA or `EdDSA`. `iss` must be the issuer and `aud` must include the
/// server; `exp` and `nbf` are checked with 30 seconds of leeway. Scopes are read from `scope` or `scp`. The issuer's keys are
/// found through its metadata (RFC 8414 or `OpenID` Connect) and cached for 10 minutes. An unknown key refreshes them, at most
/// every 5 seconds. If the issuer is down, cached keys work for up to an hour; without keys requests get 503. For other kinds
/// of tokens, see [`verify_with`](Self::verify_with).
#[derive(Clone)]
pub struct Authorization(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    resource: String,
    /// Host of the resource, with the port.
    host: String,
    issuer: String,
    /// URL of the server's metadata, and its path.
    metadata_url: String,
    metadata_path: String,
    audiences: Vec<String>,
    verifier: Verifier,
    required: Vec<String>,
    supported: Option<Vec<String>>,
    implied: Vec<(String, Vec<String>)>,
}

#[derive(Clone)]
enum Verifier {
    Keys(Arc<IssuerKeys>),
    Own(Arc<Verify>),
}

type Verify = dyn Fn(String) -> Verifying + Send + Sync;
type Verifying = Pin<Box<dyn Future<Output = Result<Grant, TokenError>> + Send>>;

/// Why a token is not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TokenError {
    /// The token is not valid, and why: 401. The client is told.
    Invalid(String),
    /// The token could not be checked now, and why: 503. The client is not told why.
    Unavailable(String),
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(why) | Self::Unavailable(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for TokenError {}

/// A URL of an [`Authorization`] that is none, or not safe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationError(String);

impl From<WebError> for AuthorizationError {
    fn from(error: WebError) -> Self {
        Self(error.0)
    }
}

impl fmt::Display for AuthorizationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AuthorizationError {}

impl Authorization {
    /// Creates the authorization of a server. `resource` is its URL as clients write it, `issuer` the URL of its
    /// authorization server.
    ///
    /// # Errors
    /// Fails if a URL is none, is neither `https` nor `http` on this machine, or has a query or a fragment.
    pub fn new(resource: &str, issuer: &str) -> Result<Self, AuthorizationError> {
        let at = checked(resource, "URL of the server")?;
        let by = checked(issuer, "URL of the issuer")?;
        for (said, url) in [(resource, &at), (issuer, &by)] {
            if url.query().is_some() {
                return Err(AuthorizationError(format!("the URL has a query: {said:?}")));
            }
        }
        let origin = at.origin().ascii_serialization();
        let path = Some(at.path())
            .filter(|path| *path != "/")
            .unwrap_or_default();
        let metadata_path = format!("{RESOURCE_METADATA}{path}");
        // An audience is a text. The URL of a host is the same with a slash behind it.
        let mut audiences = vec![resource.to_owned()];
        if path.is_empty() {
            audiences.extend([origin.clone(), format!("{origin}/")]);
        }
        Ok(Self(Arc::new(Inner {
            resource: resource.to_owned(),
            issuer: issuer.to_owned(),
            host: at.authority().to_ascii_lowercase(),
            metadata_url: format!("{origin}{metadata_path}"),
            metadata_path,
            audiences,
            verifier: Verifier::Keys(Arc::new(IssuerKeys::discovered(issuer)?)),
            required: Vec::new(),
            supported: None,
            implied: Vec::new(),
        })))
    }

    fn change(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// Accepts tokens for this audience too. By default their `aud` has to be the server's URL, as RFC 8707 wants it.
    pub fn audience(self, audience: impl Into<String>) -> Self {
        self.change(|inner| inner.audiences.push(audience.into()))
    }

    /// Takes the issuer's keys from this URL, of a JSON Web Key Set, without asking for the issuer's metadata.
    ///
    /// # Errors
    /// Fails as [`new`](Self::new) does; a query is allowed.
    pub fn jwks_uri(self, url: &str) -> Result<Self, AuthorizationError> {
        let keys = IssuerKeys::at(url)?;
        Ok(self.change(|inner| inner.verifier = Verifier::Keys(Arc::new(keys))))
    }

    /// Checks tokens by this function, for example by asking the issuer (RFC 7662), in place of signatures. It decides
    /// alone: it must check that the token was issued for this server. Give the grant a subject: sessions and tasks belong
    /// to it. The expiry of the grant is checked after it.
    pub fn verify_with<F, R>(self, verify: F) -> Self
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Grant, TokenError>> + Send + 'static,
    {
        let verify: Arc<Verify> = Arc::new(move |token| Box::pin(verify(token)));
        self.change(|inner| inner.verifier = Verifier::Own(verify))
    }

    /// Sets scopes that every request needs.
    pub fn required_scopes<S: Into<String>>(self, scopes: impl IntoIterator<Item = S>) -> Self {
        let scopes = scopes.into_iter().map(Into::into).collect();
        self.change(|inner| inner.required = scopes)
    }

    /// Sets the scopes that the server's metadata list. Default: those that every request needs, and those of all tools,
    /// prompts and resources.
    pub fn scopes_supported<S: Into<String>>(self, scopes: impl IntoIterator<Item = S>) -> Self {
        let scopes = scopes.into_iter().map(Into::into).collect();
        self.change(|inner| inner.supported = Some(scopes))
    }

    /// Says that who has a broad scope has these narrower ones too.
    pub fn implies<S: Into<String>>(
        self,
        broad: impl Into<String>,
        narrow: impl IntoIterator<Item = S>,
    ) -> Self {
        let narrow = narrow.into_iter().map(Into::into).collect();
        self.change(|inner| inner.implied.push((broad.into(), narrow)))
    }

    /// Returns the path of the server's metadata: `/.well-known/oauth-protected-resource/mcp` for a server at `/mcp`.
    pub fn metadata_path(&self) -> &str {
        &self.0.metadata_path
    }

    /// The server's own host, with the port.
    pub(super) fn host(&self) -> &str {
        &self.0.host
    }

    /// Lets a request in, with the grant of its token, or says what to answer.
    pub(super) async fn admit<B>(
        &self,
        shared: &Shared,
        request: Request<B>,
    ) -> Result<Request<B>, Response<Content>> {
        let inner = &*self.0;
        if self.is_metadata(request.uri()) {
            return Err(self.metadata(shared, request.method()));
        }
        let grant = match self.grant(request.headers()).await {
            Ok(grant) => grant,
            Err(None) => return Err(self.unauthorized(None)),
            Err(Some(TokenError::Invalid(why))) => return Err(self.unauthorized(Some(&why))),
            Err(Some(TokenError::Unavailable(_))) => {
                let words = "the token could not be checked; try again later";
                let bad = Bad::new(code::INTERNAL_ERROR, words);
                return Err(refused(StatusCode::SERVICE_UNAVAILABLE, &bad));
            }
        };
        if !inner.required.iter().all(|scope| grant.has_scope(scope)) {
            let needs = RequiredScopes(inner.required.clone());
            return Err(self.challenged(needs.refused(None)));
        }
        let (mut parts, body) = request.into_parts();
        let own = parts.extensions.get::<Context>().cloned();
        parts.extensions.insert(own.unwrap_or_default().with(grant));
        Ok(Request::from_parts(parts, body))
    }

    /// The grant of the request's token. `Err(None)` if there is no token.
    async fn grant(&self, headers: &HeaderMap) -> Result<Grant, Option<TokenError>> {
        let invalid = |why: &str| Some(TokenError::Invalid(why.to_owned()));
        let token = bearer(headers)
            .map_err(|_| invalid("there is more than one `Authorization`"))?
            .ok_or(None)?;
        let token = token::checked(token).map_err(invalid)?;
        if token.len() > MOST_TOKEN {
            return Err(invalid("the token is too long"));
        }
        let grant = match &self.0.verifier {
            Verifier::Keys(keys) => {
                let claims = keys.verify(token, &self.0.issuer, &self.0.audiences).await;
                of_claims(&self.0.issuer, claims?)
            }
            Verifier::Own(verify) => {
                let verified = async { verify(token.to_owned()).await };
                let verified = AssertUnwindSafe(verified).catch_unwind().await;
                let panicked = |_| Err(TokenError::Unavailable("the check panicked".to_owned()));
                verified.unwrap_or_else(panicked)?
            }
        };
        if grant.expires_at().is_some_and(is_past) {
            return Err(invalid("the token has expired"));
        }
        let grant = match grant.issuer() {
            Some(_) => grant,
            None => grant.with_issuer(&self.0.issuer),
        };
        Ok(self.with_implied(grant))
    }

    fn with_implied(&self, mut grant: Grant) -> Grant {
        if grant.is_unlimited() {
            return grant;
        }
        // What is implied may imply more.
        for _ in &self.0.implied {
            let has = self.0.implied.iter();
            let has = has.filter(|(broad, _)| grant.has_scope(broad));
            let more: BTreeSet<&str> = has
                .flat_map(|(_, narrow)| narrow)
                .map(String::as_str)
                .filter(|scope| !grant.has_scope(scope))
                .collect();
            if more.is_empty() {
                break;
            }
            let scopes: Vec<String> = grant.scopes().chain(more).map(str::to_owned).collect();
            grant = grant.with_scopes(scopes);
        }
        grant
    }

    /// Returns true if the request is for the server's metadata, which pages of any site may read.
    pub(super) fn is_metadata(&self, uri: &Uri) -> bool {
        uri.path() == self.0.metadata_path
    }

    /// Answers with the authorization servers that the server trusts: RFC 9728, section 3.2. Pages of any site may read it.
    fn metadata(&self, shared: &Shared, method: &Method) -> Response<Content> {
        let allow = |mut response: Response<Content>| {
            allow_every_page(response.headers_mut());
            response
        };
        match *method {
            Method::GET | Method::HEAD => {}
            Method::OPTIONS => return allow(empty(StatusCode::NO_CONTENT)),
            _ => return empty(StatusCode::METHOD_NOT_ALLOWED),
        }
        let inner = &*self.0;
        let scopes = match &inner.supported {
            Some(scopes) => scopes.clone(),
            None => of_all(shared, &inner.required),
        };
        let text = ObjectWriter::new()
            .text("resource", &inner.resource)
            .json("authorization_servers", &list([quoted(&inner.issuer)]))
            .json(
                "scopes_supported",
                &list(scopes.iter().map(|one| quoted(one))),
            )
            .json("bearer_methods_supported", r#"["header"]"#)
            .text(
                "resource_name",
                shared.title.as_ref().unwrap_or(&shared.name),
            )
            .end();
        allow(json(StatusCode::OK, text))
    }

    /// 401, and where a token comes from.
    fn unauthorized(&self, why: Option<&str>) -> Response<Content> {
        let words = why.unwrap_or("the request has no access token");
        let mut response = refused(
            StatusCode::UNAUTHORIZED,
            &Bad::new(code::INVALID_REQUEST, words),
        );
        let mut challenge = format!("Bearer resource_metadata=\"{}\"", self.0.metadata_url);
        if !self.0.required.is_empty() {
            challenge.extend([", scope=\"", &self.0.required.join(" "), "\""]);
        }
        if let Some(why) = why {
            let begin = ", error=\"invalid_token\", error_description=\"";
            challenge.extend([begin, &plain(why), "\""]);
        }
        challenge_with(&mut response, &challenge);
        response
    }

    /// Adds to a refusal for lack of scopes which ones to ask for.
    pub(super) fn challenged(&self, mut response: Response<Content>) -> Response<Content> {
        if let Some(RequiredScopes(scopes)) = response.extensions().get() {
            let challenge = format!(
                "Bearer error=\"insufficient_scope\", scope=\"{}\", resource_metadata=\"{}\"",
                scopes.join(" "),
                self.0.metadata_url
            );
            challenge_with(&mut response, &challenge);
        }
        response
    }
}

fn challenge_with(response: &mut Response<Content>, challenge: &str) {
    if let Ok(challenge) = HeaderValue::from_str(challenge) {
        let headers = response.headers_mut();
        headers.insert(header::WWW_AUTHENTICATE, challenge);
    }
}

/// Words that a header can quote: RFC 6750, section 3.
fn plain(words: &str) -> String {
    let is_plain = |char: &char| matches!(char, ' '..='~') && !matches!(char, '"' | '\\');
    words.chars().filter(is_plain).take(200).collect()
}

fn is_past(at: SystemTime) -> bool {
    let end = at.checked_add(LEEWAY);
    end.is_some_and(|end| SystemTime::now() > end)
}

/// Reads a grant from a token's claims: RFC 9068, section 2.2. Some issuers list scopes in `scp`, or in an array.
fn of_claims(issuer: &str, claims: Map<String, Value>) -> Grant {
    let text = |name: &str| Some(claims.get(name)?.as_str()?.to_owned());
    let scopes = claims.get("scope").or_else(|| claims.get("scp"));
    let scopes: Vec<String> = match scopes {
        Some(Value::String(scopes)) => scopes.split_ascii_whitespace().map(str::to_owned).collect(),
        Some(Value::Array(scopes)) => scopes
            .iter()
            .filter_map(|scope| Some(scope.as_str()?.to_owned()))
            .collect(),
        _ => Vec::new(),
    };
    let mut grant = Grant::new().with_issuer(issuer).with_scopes(scopes);
    if let Some(subject) = text("sub") {
        grant = grant.with_subject(subject);
    }
    if let Some(client) = text("client_id").or_else(|| text("azp")) {
        grant = grant.with_client_id(client);
    }
    let seconds = claims.get("exp").and_then(Value::as_f64).unwrap_or(0.0);
    let end = Duration::try_from_secs_f64(seconds).ok();
    if let Some(end) = end.and_then(|end| UNIX_EPOCH.checked_add(end)) {
        grant = grant.with_expiry(end);
    }
    grant.with_claims(claims)
}

/// These scopes, and those of everything that the server has.
fn of_all(shared: &Shared, more: &[String]) -> Vec<String> {
    let catalogs = [&shared.prompts, &shared.resources].into_iter().flatten();
    let executors = catalogs.map(|catalog| &catalog.executor);
    let cx = shared.context.clone().with(Grant::unlimited());
    let of = |executor: &Executor| -> Vec<String> {
        let tools = executor.tools(&cx);
        let of = |def: &ToolDef| Grant::new().missing_scopes(def);
        tools.definitions().flat_map(of).collect()
    };
    let all: BTreeSet<String> = executors
        .chain([&shared.executor])
        .flat_map(of)
        .chain(more.iter().cloned())
        .collect();
    all.into_iter().collect()
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorization")
            .field("resource", &self.0.resource)
            .field("issuer", &self.0.issuer)
            .finish_non_exhaustive()
    }
}
