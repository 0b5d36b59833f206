//! Access tokens of requests, and the keys that signed them.
//!
//! Sources: "Authorization" in the specification of MCP, RFC 6750 (how a token is sent and refused), RFC 9728 (where a
//! client finds the authorization server), RFC 9068 (what a token says).

mod keys;

use std::collections::BTreeSet;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::FutureExt;
use http::{HeaderMap, HeaderValue, Uri};
use serde_json::{Map, Value};
use toolwright_http::headers::bearer;
use toolwright_http::token;
use toolwright_json::{ObjectWriter, list, quoted};
use toolwright_runtime::tool::Grant;

use self::keys::IssuerKeys;
use crate::web::{RESOURCE_METADATA, WebError, checked};

/// Maximal length of a token in bytes.
const MAX_TOKEN: usize = 16 * 1024;

/// Maximal difference between the clocks of the issuer and the server.
const LEEWAY: Duration = Duration::from_secs(30);

/// Authorization of an MCP server over HTTP with access tokens, as an OAuth 2.1 resource server.
///
/// Each request needs `Authorization: Bearer` with a token that the issuer signed for this server. Other requests get 401 and
/// a link to the server's metadata, which name the issuer. Calls find the token's [`Grant`] in their context. Tools, prompts
/// and resources with `scopes(…)` are hidden from tokens without these scopes; calling one anyway gets 403
/// `insufficient_scope` with the required scopes. Sessions and tasks belong to the token's subject, or
/// to its client. A check of your own that names neither makes them everybody's.
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
/// A token is a JWT that the issuer signed with RSA, ECDSA or `EdDSA`. `iss` must be the issuer, but for a slash behind its origin, and `aud` must include the
/// server; `exp` and `nbf` are checked with 30 seconds of leeway. The token names a subject (`sub`) or a client (`client_id`),
/// to whom sessions and tasks belong. Scopes are read from `scope` or `scp`. The issuer's keys are
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

    /// Returns the server's own host, with the port.
    #[doc(hidden)]
    pub fn host(&self) -> &str {
        &self.0.host
    }

    /// Returns the grant of a request's token.
    #[doc(hidden)]
    pub async fn admit(&self, headers: &HeaderMap) -> Result<Grant, Refusal> {
        let grant = match self.grant(headers).await {
            Ok(grant) => grant,
            Err(None) => return Err(self.unauthorized(None)),
            Err(Some(TokenError::Invalid(why))) => return Err(self.unauthorized(Some(&why))),
            Err(Some(TokenError::Unavailable(_))) => return Err(Refusal::Unavailable),
        };
        let required = &self.0.required;
        if required.iter().all(|scope| grant.has_scope(scope)) {
            Ok(grant)
        } else {
            Err(Refusal::MissingScopes(required.clone()))
        }
    }

    /// The grant of the request's token. `Err(None)` if there is no token.
    async fn grant(&self, headers: &HeaderMap) -> Result<Grant, Option<TokenError>> {
        let invalid = |why: &str| Some(TokenError::Invalid(why.to_owned()));
        let token = bearer(headers)
            .map_err(|_| invalid("there is more than one `Authorization`"))?
            .ok_or(None)?;
        let token = token::checked(token).map_err(invalid)?;
        if token.len() > MAX_TOKEN {
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
    #[doc(hidden)]
    pub fn is_metadata(&self, uri: &Uri) -> bool {
        uri.path() == self.0.metadata_path
    }

    /// Returns the server's metadata as JSON: RFC 9728, section 3.2. `all_scopes` gets the scopes that every request
    /// needs, and adds those of what the server offers.
    #[doc(hidden)]
    pub fn metadata_json(
        &self,
        resource_name: &str,
        all_scopes: impl FnOnce(&[String]) -> Vec<String>,
    ) -> String {
        let inner = &*self.0;
        let scopes = match &inner.supported {
            Some(scopes) => scopes.clone(),
            None => all_scopes(&inner.required),
        };
        ObjectWriter::new()
            .text("resource", &inner.resource)
            .json("authorization_servers", &list([quoted(&inner.issuer)]))
            .json(
                "scopes_supported",
                &list(scopes.iter().map(|one| quoted(one))),
            )
            .json("bearer_methods_supported", r#"["header"]"#)
            .text("resource_name", resource_name)
            .end()
    }

    /// Refuses a request for lack of a valid token, and says where to get one.
    fn unauthorized(&self, why: Option<&str>) -> Refusal {
        let mut challenge = format!("Bearer resource_metadata=\"{}\"", self.0.metadata_url);
        if !self.0.required.is_empty() {
            challenge.extend([", scope=\"", &self.0.required.join(" "), "\""]);
        }
        if let Some(why) = why {
            let begin = ", error=\"invalid_token\", error_description=\"";
            challenge.extend([begin, &plain(why), "\""]);
        }
        Refusal::Unauthorized {
            message: why.unwrap_or("the request has no access token").to_owned(),
            challenge: HeaderValue::from_str(&challenge).ok(),
        }
    }

    /// Returns the `WWW-Authenticate` of a refusal for lack of scopes. `None` if no header can hold a scope.
    #[doc(hidden)]
    pub fn scope_challenge(&self, scopes: &[String]) -> Option<HeaderValue> {
        let challenge = format!(
            "Bearer error=\"insufficient_scope\", scope=\"{}\", resource_metadata=\"{}\"",
            scopes.join(" "),
            self.0.metadata_url
        );
        HeaderValue::from_str(&challenge).ok()
    }
}

/// Why a request is not admitted.
#[doc(hidden)]
#[derive(Debug)]
pub enum Refusal {
    /// 401: there is no valid token.
    Unauthorized {
        message: String,
        /// The `WWW-Authenticate` of the response.
        challenge: Option<HeaderValue>,
    },
    /// 403: the token lacks some of these scopes.
    MissingScopes(Vec<String>),
    /// 503: the token could not be checked now.
    Unavailable,
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
    if let Some(client) = client_id(&claims) {
        grant = grant.with_client_id(client);
    }
    let seconds = claims.get("exp").and_then(Value::as_f64).unwrap_or(0.0);
    let end = Duration::try_from_secs_f64(seconds).ok();
    if let Some(end) = end.and_then(|end| UNIX_EPOCH.checked_add(end)) {
        grant = grant.with_expiry(end);
    }
    grant.with_claims(claims)
}

/// Returns the id of the token's client: RFC 9068, or the names that Keycloak, Okta and Entra ID use.
fn client_id(claims: &Map<String, Value>) -> Option<&str> {
    let names = ["client_id", "azp", "cid", "appid"];
    let mut ids = names.iter().filter_map(|name| claims.get(*name)?.as_str());
    ids.find(|id| !id.is_empty())
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorization")
            .field("resource", &self.0.resource)
            .field("issuer", &self.0.issuer)
            .finish_non_exhaustive()
    }
}
