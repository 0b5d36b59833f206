//! Authorization of a client at a server behind a URL.
//!
//! `authorizer` sends requests with the current token. A refused request starts a `flow`, one at a time: `discovery` finds
//! the authorization server, the `store` may have tokens, `grant` renews them or asks a person.
//! `token_answer` reads the answers.

mod authorizer;
mod challenge;
mod discovery;
mod flow;
mod grant;
mod redirect;
mod store;
mod token_answer;

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use reqwest::Url;
use toolwright_runtime::tool::BoxFuture;
use toolwright_schema::text::Printable;

pub use self::authorizer::{AuthorizedRequest, Authorizer, BareRefusal, SendError};
use self::store::InMemory;
pub use self::store::{OAuthHostError, StoredTokens, TokenStore};
use crate::web::{self, WebError};

/// Why there is no authorization. It holds no secret.
#[derive(Debug, Clone)]
pub struct AuthError(pub String);

impl From<WebError> for AuthError {
    fn from(error: WebError) -> Self {
        Self::new(error.0)
    }
}

impl AuthError {
    fn new(words: impl AsRef<str>) -> Self {
        // A server's words may stand in it.
        Self(short(words.as_ref()))
    }
}

/// Cuts and escapes text of a server.
fn short(text: &str) -> String {
    const MAX_BYTES: usize = 512;
    Printable::new(text).at_most(MAX_BYTES).to_string()
}

/// Request to send a person to an authorization server: see [`OAuth::new`].
///
/// `Debug` does not show the query of the URL.
#[derive(Clone)]
#[non_exhaustive]
pub struct AuthorizationRequest {
    /// URL to open in the person's browser. Do not pass it through a shell: see [`OAuth::in_browser`].
    pub url: String,
    /// URI of the MCP server that wants to know who asks.
    pub server: String,
    /// Issuer of the authorization server that the URL belongs to.
    pub issuer: String,
    /// Scopes that are asked for.
    pub scopes: Vec<String>,
}

impl fmt::Debug for AuthorizationRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthorizationRequest")
            .field("server", &self.server)
            .field("issuer", &self.issuer)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

/// Authorization by OAuth 2.1, for `Connector::oauth`.
///
/// ```no_run
/// use toolwright::mcp::{self, OAuth};
///
/// # async fn run() -> Result<(), mcp::ConnectError> {
/// let oauth = OAuth::in_browser(|url| println!("Please open {url}")).client_name("My notes");
/// let client = mcp::connect("https://docs.example/mcp").oauth(oauth).await?;
/// # Ok(())
/// # }
/// ```
///
/// The first request that the server refuses starts the flow of the MCP specification: the server names its authorization
/// server, the client registers there if it has no id, and a person says yes in a browser. Until then nothing is sent to
/// anybody but the server. The connection's time limits do not run while the person is asked.
///
/// - Tokens are renewed before they expire, and when the server refuses them. A person is asked when that does not help, or
///   when a call needs more scopes. Calls that are refused at the same time ask once.
/// - Tokens belong to the authorization server that gave them. If the server names another one later, its tokens are
///   asked for anew.
/// - All URLs are `https`, or `http` on this machine. The authorization server has to support PKCE with `S256`.
/// - Without [`tokens`](Self::tokens) they are forgotten when the connection is closed.
#[derive(Clone)]
#[must_use = "it does nothing unless given to a connector"]
pub struct OAuth {
    grant: Consent,
    redirect_uri: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    client_metadata: Option<String>,
    client_name: String,
    issuer: Option<String>,
    scopes: Vec<String>,
    tokens: Arc<dyn TokenStore>,
}

type Ask = dyn Fn(AuthorizationRequest) -> BoxFuture<'static, Result<String, OAuthHostError>>
    + Send
    + Sync;
type Sign = dyn Fn(String) -> BoxFuture<'static, Result<String, OAuthHostError>> + Send + Sync;

/// Ways to consent.
#[derive(Clone)]
enum Consent {
    /// A person, to whom the host's program goes.
    Host(Arc<Ask>),
    /// A person, who comes back to a place that is listened at here.
    Browser(Arc<dyn Fn(&str) + Send + Sync>),
    /// Nobody: the program has credentials of its own.
    Secret,
    /// The same, with a key.
    Signed(Arc<Sign>),
}

impl OAuth {
    fn with(grant: Consent) -> Self {
        Self {
            grant,
            redirect_uri: None,
            client_id: None,
            client_secret: None,
            client_metadata: None,
            client_name: "toolwright".to_owned(),
            issuer: None,
            scopes: Vec::new(),
            tokens: Arc::new(InMemory::default()),
        }
    }

    /// Asks a person through a function of the host. It opens the [`url`](AuthorizationRequest::url) in a browser, and
    /// returns the URL to which the browser was redirected, which begins with the
    /// [`redirect_uri`](Self::redirect_uri). An error means no.
    ///
    /// ```no_run
    /// use toolwright::mcp::{self, OAuth};
    ///
    /// # async fn open_window(url: &str) -> Option<String> { None }
    /// # async fn run() -> Result<(), mcp::ConnectError> {
    /// let oauth = OAuth::new(|request| async move {
    ///     let back = open_window(&request.url).await;
    ///     back.ok_or_else(|| "the window was closed".into())
    /// });
    /// let oauth = oauth.redirect_uri("https://app.example/callback");
    /// let client = mcp::connect("https://docs.example/mcp").oauth(oauth).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn new<F, R>(ask: F) -> Self
    where
        F: Fn(AuthorizationRequest) -> R + Send + Sync + 'static,
        R: Future<Output = Result<String, OAuthHostError>> + Send + 'static,
    {
        Self::with(Consent::Host(Arc::new(move |request| {
            Box::pin(ask(request))
        })))
    }

    /// Asks a person in a browser on this machine. `open` gets the URL, and opens it or shows it. An authorization server that is
    /// not trusted wrote parts of the URL. Pass it to a program as an argument of its own, and never through a shell: quotes, `$(`
    /// and `;` are escaped, and `&` and `%` are not. The browser comes back to
    /// a free port of 127.0.0.1, or to the [`redirect_uri`](Self::redirect_uri), whose host and port the client listens at meanwhile. A
    /// person has 5 minutes.
    pub fn in_browser(open: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self::with(Consent::Browser(Arc::new(open)))
    }

    /// Authorizes the program itself by its id and secret, without a person (the grant `client_credentials`). It needs the
    /// [`issuer`](Self::issuer).
    ///
    /// ```no_run
    /// use toolwright::mcp::{self, OAuth};
    ///
    /// # async fn run(secret: &str) -> Result<(), mcp::ConnectError> {
    /// let oauth = OAuth::client_credentials("nightly-report", secret).issuer("https://auth.example");
    /// let client = mcp::connect("https://docs.example/mcp").oauth(oauth).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn client_credentials(id: impl Into<String>, secret: impl Into<String>) -> Self {
        Self::with(Consent::Secret)
            .client_id(id)
            .client_secret(secret)
    }

    /// Authorizes the program itself by a key, without a person. `sign` gets the audience, which is the issuer of the
    /// authorization server, and returns a signed JWT as of RFC 7523 whose `iss` and `sub` are the id. It needs the
    /// [`issuer`](Self::issuer).
    pub fn client_assertion<F, R>(id: impl Into<String>, sign: F) -> Self
    where
        F: Fn(String) -> R + Send + Sync + 'static,
        R: Future<Output = Result<String, OAuthHostError>> + Send + 'static,
    {
        let sign: Arc<Sign> = Arc::new(move |audience| Box::pin(sign(audience)));
        Self::with(Consent::Signed(sign)).client_id(id)
    }

    /// Sets the URI that the browser comes back to: `https`, or `http` on this machine. [`OAuth::new`] needs one.
    pub fn redirect_uri(mut self, uri: impl Into<String>) -> Self {
        self.redirect_uri = Some(uri.into());
        self
    }

    /// Sets the id of a client that is registered at the authorization server. It is used at one [`issuer`](Self::issuer)
    /// alone.
    pub fn client_id(mut self, id: impl Into<String>) -> Self {
        self.client_id = Some(id.into());
        self
    }

    /// Sets the secret that belongs to the [`client_id`](Self::client_id). It needs the [`issuer`](Self::issuer).
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.client_secret = Some(secret.into());
        self
    }

    /// Sets the URL of a client ID metadata document, which is the id of this client where the authorization server takes
    /// such documents. The document is yours to publish; it lists the [`redirect_uri`](Self::redirect_uri).
    pub fn client_metadata(mut self, url: impl Into<String>) -> Self {
        self.client_metadata = Some(url.into());
        self
    }

    /// Sets the name that people see where the client registers itself. Default: `toolwright`.
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.client_name = name.into();
        self
    }

    /// Sets the only authorization server that is used. A secret and an assertion need it, so that they go where they were
    /// made for. Without it a client with an id trusts the server for the first one.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Asks for these scopes, beside those that the server asks for.
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// Sets the store of tokens and registrations. By default they live as long as the connection.
    pub fn tokens(mut self, store: impl TokenStore + 'static) -> Self {
        self.tokens = Arc::new(store);
        self
    }

    /// Refuses settings that cannot be, before anything is sent.
    fn check(&self) -> Result<(), AuthError> {
        if self.client_secret.is_some() && self.client_id.is_none() {
            return Err(AuthError::new("a `client_secret` needs its `client_id`"));
        }
        // Else whoever the server names would get it.
        let credential = match &self.grant {
            Consent::Signed(_) => Some("client_assertion"),
            _ => self.client_secret.as_ref().map(|_| "client_secret"),
        };
        if let (Some(credential), None) = (credential, &self.issuer) {
            let words = format!("a `{credential}` needs the `issuer` that it is for");
            return Err(AuthError::new(words));
        }
        if let Some(url) = &self.client_metadata {
            let url = web::checked(url, "URL of the client's metadata")?;
            if url.scheme() != "https" || url.path() == "/" {
                return Err(AuthError::new(
                    "the URL of the client's metadata is `https`, with a path",
                ));
            }
        }
        let redirect_uri = self.read_redirect_uri()?;
        match &self.grant {
            Consent::Host(_) if redirect_uri.is_none() => {
                Err(AuthError::new("`OAuth::new` needs a `redirect_uri`"))
            }
            Consent::Browser(_)
                if redirect_uri
                    .is_some_and(|uri| uri.scheme() != "http" || !web::is_loopback(&uri)) =>
            {
                Err(AuthError::new(
                    "`OAuth::in_browser` needs a `redirect_uri` of this machine, such as of 127.0.0.1",
                ))
            }
            _ => Ok(()),
        }
    }

    fn read_redirect_uri(&self) -> Result<Option<Url>, AuthError> {
        let uri = self.redirect_uri.as_deref();
        let url = uri.map(|uri| web::checked(uri, "`redirect_uri`"));
        Ok(url.transpose()?)
    }
}

/// Shows no secret.
impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth")
            .field("client_id", &self.client_id)
            .field("issuer", &self.issuer)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}
