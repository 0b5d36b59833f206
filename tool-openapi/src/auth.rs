//! Credentials: which ones a request carries, and nothing that shows them.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::sync::Mutex;
use toolwright::ToolError;
use toolwright::call::{BoxFuture, Grant};
use toolwright::json::Value;

use crate::client::{HttpClient, HttpRequest};
use crate::secrets::spellings;
use crate::text::{escape, readings, unescape};

/// Most answers of a host's `auth` that are kept.
const MOST_KEPT: usize = 1024;
/// A token is renewed so long before it ends.
const MARGIN: Duration = Duration::from_secs(30);

/// What a request carries to be authorized. `Debug` does not show it.
#[derive(Clone)]
pub struct Credential {
    kind: Kind,
    name: String,
    value: String,
    lasts: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Header,
    Query,
    Cookie,
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential")
            .field("kind", &self.kind)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Credential {
    fn new(kind: Kind, name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            value: value.into(),
            lasts: None,
        }
    }

    /// `Authorization: Bearer` with a token.
    pub fn bearer(token: &str) -> Self {
        Self::new(
            Kind::Header,
            "Authorization",
            format!("Bearer {}", token.trim()),
        )
    }

    /// `Authorization: Basic` with a name and a password.
    pub fn basic(user: &str, password: &str) -> Self {
        let encoded = STANDARD.encode(format!("{user}:{password}"));
        Self::new(Kind::Header, "Authorization", format!("Basic {encoded}"))
    }

    /// A header.
    pub fn header(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self::new(Kind::Header, name, value)
    }

    /// A parameter of the query.
    pub fn query(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self::new(Kind::Query, name, value)
    }

    /// A cookie.
    pub fn cookie(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self::new(Kind::Cookie, name, value)
    }

    /// Lets it be used again for the same caller and operation, for this time. Default: for one request.
    pub fn expires_in(mut self, time: Duration) -> Self {
        self.lasts = Some(time);
        self
    }

    fn is_sendable(&self) -> bool {
        let is_visible = |byte: u8| (b' '..=b'~').contains(&byte);
        !self.value.is_empty() && self.value.bytes().all(is_visible)
    }

    fn add(&self, request: &mut HttpRequest) {
        // A model must not send another value beside it, in any spelling of the name.
        let own = readings(&self.name);
        let is_same = |name: &str| {
            let is_own = |name: &String| !name.is_empty() && own.contains(name);
            unescape(name).eq_ignore_ascii_case(&self.name) || readings(name).iter().any(is_own)
        };
        let name_of = |pair: &str| pair.split('=').next().unwrap_or_default().to_owned();
        match self.kind {
            Kind::Header => {
                request.headers.retain(|(name, _)| !is_same(name));
                request
                    .headers
                    .push((self.name.clone(), self.value.clone()));
            }
            Kind::Query => {
                let (path, query) = request.url.split_once('?').unwrap_or((&request.url, ""));
                let pairs = query.split('&').filter(|pair| !pair.is_empty());
                let mut pairs: Vec<_> = pairs
                    .filter(|pair| !is_same(&name_of(pair)))
                    .map(str::to_owned)
                    .collect();
                pairs.push(format!("{}={}", escape(&self.name), escape(&self.value)));
                request.url = format!("{path}?{}", pairs.join("&"));
            }
            Kind::Cookie => {
                let is_cookie = |name: &str| name.eq_ignore_ascii_case("cookie");
                let all = request.headers.iter().filter(|(name, _)| is_cookie(name));
                let mut pairs: Vec<_> = all
                    .flat_map(|(_, value)| value.split("; "))
                    .filter(|pair| !is_same(&name_of(pair)))
                    .map(str::to_owned)
                    .collect();
                pairs.push(format!("{}={}", self.name, escape(&self.value)));
                request.headers.retain(|(name, _)| !is_cookie(name));
                request
                    .headers
                    .push(("Cookie".to_owned(), pairs.join("; ")));
            }
        }
    }

    /// Adds the texts that must not be shown.
    pub(crate) fn secrets(&self, out: &mut Vec<String>) {
        let bare = self
            .value
            .split_once(' ')
            .map_or(&*self.value, |(_, bare)| bare);
        let mut texts = vec![self.value.clone(), bare.to_owned()];
        if let Some(pair) = self
            .value
            .strip_prefix("Basic ")
            .and_then(|text| STANDARD.decode(text).ok())
        {
            let pair = String::from_utf8_lossy(&pair).into_owned();
            texts.extend(
                pair.split_once(':')
                    .map(|(_, password)| password.to_owned()),
            );
        }
        out.extend(texts.iter().flat_map(|text| spellings(text)));
    }
}

/// A call that needs a credential, for the host's `auth`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AuthRequest {
    /// The caller, if the call's context has a [`Grant`] that names one.
    pub subject: Option<String>,
    /// The grant of the call's context.
    pub grant: Option<Grant>,
    /// The name of the tool.
    pub operation: String,
    /// The names of the security schemes of which the operation takes one, in the document's order.
    pub schemes: Vec<String>,
}

pub(crate) type Provider =
    dyn Fn(AuthRequest) -> BoxFuture<'static, Result<Credential, ToolError>> + Send + Sync;

/// A kind of credential that a document asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scheme {
    Bearer,
    Basic,
    /// A key: where it is written, and its name.
    Key(SchemePlace, String),
    /// What this package does not write, such as `digest`.
    Other,
    /// The document does not say.
    Unsaid,
}

/// Where a key is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchemePlace {
    Header,
    Query,
    Cookie,
}

impl Scheme {
    pub(crate) fn read(value: &Value<'_>) -> Self {
        let text = |key| value.get(key).and_then(Value::as_str).unwrap_or_default();
        match (text("type"), &*text("scheme").to_ascii_lowercase()) {
            ("http", "basic") => Self::Basic,
            ("http", "bearer") | ("oauth2" | "openIdConnect", _) => Self::Bearer,
            ("apiKey", _) => {
                let place = match text("in") {
                    "query" => SchemePlace::Query,
                    "cookie" => SchemePlace::Cookie,
                    _ => SchemePlace::Header,
                };
                Self::Key(place, text("name").to_owned())
            }
            ("http" | "mutualTLS", _) => Self::Other,
            _ => Self::Unsaid,
        }
    }
}

/// Credentials of an import. `Debug` shows none of them.
#[derive(Default)]
pub(crate) struct Auth {
    pub(crate) bearer: Option<Credential>,
    pub(crate) basic: Option<Credential>,
    /// Keys by the names of their schemes.
    pub(crate) keys: Vec<(String, Credential)>,
    pub(crate) client: Option<ClientCredentials>,
    /// Parameters of the requests for a token, beside the grant.
    pub(crate) token_form: Vec<(String, String)>,
    pub(crate) provider: Option<Arc<Provider>>,
    kept: Mutex<Vec<Kept>>,
}

/// A credential that the host returned for one caller and operation.
struct Kept {
    grant: Option<Grant>,
    operation: String,
    until: Instant,
    credential: Credential,
}

/// A client of an authorization server, by the grant `client_credentials` of OAuth 2.
pub(crate) struct ClientCredentials {
    pub(crate) token_url: String,
    pub(crate) id: String,
    pub(crate) secret: String,
    pub(crate) token: Mutex<Option<(Instant, Credential)>>,
}

/// What an operation asks for: alternatives of schemes that are needed together. `None` if the document does not say.
pub(crate) type Requirement = Option<Vec<Vec<String>>>;

impl Auth {
    /// Adds an API key of a document's scheme.
    pub(crate) fn key(name: &str, place: SchemePlace, secret: &str) -> Credential {
        match place {
            SchemePlace::Header => Credential::header(name, secret.trim()),
            SchemePlace::Query => Credential::query(name, secret.trim()),
            SchemePlace::Cookie => Credential::cookie(name, secret.trim()),
        }
    }

    /// Adds credentials to a request. Returns the texts that must not be shown.
    pub(crate) async fn add(
        &self,
        request: &mut HttpRequest,
        required: &Requirement,
        schemes: &[(String, Scheme)],
        call: AuthRequest,
        client: &dyn HttpClient,
    ) -> Result<Vec<String>, ToolError> {
        // `security: []` asks for none.
        if required.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let all = match &self.provider {
            Some(provider) => vec![self.provided(provider, call).await?],
            None => self.chosen(required, schemes, client).await?,
        };
        let mut secrets = Vec::new();
        for credential in all {
            if !credential.is_sendable() {
                return Err(ToolError::failed("the host's credential cannot be sent").permanent());
            }
            credential.add(request);
            credential.secrets(&mut secrets);
        }
        Ok(secrets)
    }

    async fn provided(
        &self,
        provider: &Arc<Provider>,
        call: AuthRequest,
    ) -> Result<Credential, ToolError> {
        let now = Instant::now();
        let mut kept = self.kept.lock().await;
        kept.retain(|kept| kept.until > now);
        // Callers without a name cannot be told apart.
        let has_name = call.subject.is_some();
        let known = kept
            .iter()
            .find(|kept| has_name && kept.grant == call.grant && kept.operation == call.operation);
        if let Some(known) = known {
            return Ok(known.credential.clone());
        }
        // Callers do not wait for each other.
        drop(kept);
        let (grant, operation) = (call.grant.clone(), call.operation.clone());
        let credential = provider(call).await?;
        if let Some(lasts) = credential.lasts.filter(|_| has_name) {
            let mut kept = self.kept.lock().await;
            if kept.len() >= MOST_KEPT {
                kept.remove(0);
            }
            let until = now.checked_add(lasts).unwrap_or(now);
            kept.push(Kept {
                grant,
                operation,
                until,
                credential: credential.clone(),
            });
        }
        Ok(credential)
    }

    async fn chosen(
        &self,
        required: &Requirement,
        schemes: &[(String, Scheme)],
        client: &dyn HttpClient,
    ) -> Result<Vec<Credential>, ToolError> {
        let scheme = |name: &String| {
            let named = schemes.iter().find(|(known, _)| known == name);
            named.map_or(&Scheme::Unsaid, |(_, scheme)| scheme)
        };
        let has = |name: &String| match scheme(name) {
            Scheme::Bearer => self.bearer.is_some() || self.client.is_some(),
            Scheme::Basic => self.basic.is_some(),
            Scheme::Key(..) => self.keys.iter().any(|(known, _)| known == name),
            Scheme::Other | Scheme::Unsaid => false,
        };
        let mut out = Vec::new();
        let Some(required) = required else {
            out.extend(self.keys.iter().map(|(_, key)| key.clone()));
            out.extend(self.general((true, true), client).await?);
            return Ok(out);
        };
        // An alternative that needs something comes before `{}`, which needs nothing.
        let alternatives = || required.iter().filter(|all| all.iter().all(has));
        let chosen = alternatives()
            .find(|all| !all.is_empty())
            .or_else(|| alternatives().next());
        let Some(chosen) = chosen else {
            // What no scheme asks for is of no use, and says more than it should.
            let takes = |asks: fn(&Scheme) -> bool| {
                let named = required.iter().flatten().map(scheme);
                named.into_iter().any(|scheme| match scheme {
                    // Some documents call a token a key of `Authorization`.
                    Scheme::Key(_, key) => key.eq_ignore_ascii_case("authorization"),
                    Scheme::Unsaid => true,
                    scheme => asks(scheme),
                })
            };
            let asked_for = (
                takes(|scheme| *scheme == Scheme::Bearer),
                takes(|scheme| *scheme == Scheme::Basic),
            );
            out.extend(self.general(asked_for, client).await?);
            return Ok(out);
        };
        for name in chosen {
            match scheme(name) {
                Scheme::Key(..) => {
                    let key = self.keys.iter().find(|(known, _)| known == name);
                    out.extend(key.map(|(_, key)| key.clone()));
                }
                Scheme::Basic => out.extend(self.basic.clone()),
                _ => out.extend(self.token(client).await?),
            }
        }
        Ok(out)
    }

    /// Returns the token, else the name and the password, as far as each is taken.
    async fn general(
        &self,
        (takes_token, takes_basic): (bool, bool),
        client: &dyn HttpClient,
    ) -> Result<Option<Credential>, ToolError> {
        let token = if takes_token {
            self.token(client).await?
        } else {
            None
        };
        Ok(token.or_else(|| self.basic.clone().filter(|_| takes_basic)))
    }

    async fn token(&self, http: &dyn HttpClient) -> Result<Option<Credential>, ToolError> {
        match (&self.bearer, &self.client) {
            (Some(bearer), _) => Ok(Some(bearer.clone())),
            (None, Some(client)) => client.token(http, &self.token_form).await.map(Some),
            (None, None) => Ok(None),
        }
    }
}

impl ClientCredentials {
    async fn token(
        &self,
        http: &dyn HttpClient,
        form: &[(String, String)],
    ) -> Result<Credential, ToolError> {
        let mut token = self.token.lock().await;
        let now = Instant::now();
        if let Some((_, credential)) = token.as_ref().filter(|(until, _)| *until > now) {
            return Ok(credential.clone());
        }
        let mut headers = vec![
            (
                "Content-Type".to_owned(),
                "application/x-www-form-urlencoded".to_owned(),
            ),
            ("Accept".to_owned(), "application/json".to_owned()),
        ];
        // RFC 6749, section 2.3: a request authenticates the client in one way.
        let is_in_form = |(name, _): &(String, String)| name == "client_secret";
        if !form.iter().any(is_in_form) {
            // Section 2.3.1: name and secret are escaped first.
            let client = Credential::basic(&escape(&self.id), &escape(&self.secret));
            headers.push(("Authorization".to_owned(), client.value));
        }
        let mut body = "grant_type=client_credentials".to_owned();
        for (name, value) in form {
            body = format!("{body}&{}={}", escape(name), escape(value));
        }
        let request = HttpRequest {
            method: "POST".to_owned(),
            url: self.token_url.clone(),
            headers,
            body: Some(body.into_bytes()),
            timeout: Duration::from_secs(30),
            max_bytes: 64 << 10,
        };
        // Nothing of the answer is shown: it may hold the secret, or a token.
        let failed = || ToolError::failed("the authorization server gave the host no token");
        let response = http.send(request).await.map_err(|_| failed())?;
        let text = String::from_utf8_lossy(&response.body).into_owned();
        let answer = Value::parse(&text)
            .ok()
            .filter(|_| response.status == 200)
            .ok_or_else(failed)?;
        let bearer = answer
            .get("access_token")
            .and_then(Value::as_str)
            .ok_or_else(failed)?;
        let lasts = answer
            .get("expires_in")
            .and_then(Value::as_u128)
            .unwrap_or(60);
        let lasts = Duration::from_secs(u64::try_from(lasts).unwrap_or(60).min(86_400));
        let credential = Credential::bearer(bearer);
        *token = Some((now + lasts.saturating_sub(MARGIN), credential.clone()));
        Ok(credential)
    }
}
