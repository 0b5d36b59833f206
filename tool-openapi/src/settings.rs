//! An API on the way to a toolset, and its settings.

use std::fmt;
use std::future::Future;
#[cfg(feature = "lock")]
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use toolwright::json::Value;
use toolwright::{ToolError, ToolOptions};
use url::Url;

use crate::answer::Trim;
use crate::auth::{Auth, AuthRequest, ClientCredentials, Credential};
use crate::client::HttpClient;
use crate::document::{Document, Documents, MAX_BYTES};
use crate::notice::ImportError;
use crate::operation::{Operation, Parameter};
use crate::server::given;

type ParameterRule = Box<dyn Fn(&Parameter<'_>) -> bool + Send + Sync>;
type OperationRule = Box<dyn Fn(&Operation<'_>) -> bool + Send + Sync>;
type Annotate = Box<dyn Fn(&Operation<'_>, ToolOptions) -> ToolOptions + Send + Sync>;

/// Settings that decide what the model sees.
pub(crate) struct Settings {
    pub(crate) presets: Vec<(String, Value<'static>)>,
    pub(crate) hides: Vec<ParameterRule>,
    pub(crate) offers: Vec<ParameterRule>,
    pub(crate) filters: Vec<OperationRule>,
    pub(crate) annotates: Vec<Annotate>,
    pub(crate) slashes: Vec<(String, String)>,
    pub(crate) prefix: String,
    pub(crate) defer_above: usize,
    pub(crate) max_schema_bytes: usize,
    pub(crate) timeout: Duration,
    pub(crate) max_bytes: usize,
    pub(crate) trim: Trim,
    pub(crate) is_strict: bool,
    #[cfg(feature = "lock")]
    pub(crate) lock: Option<PathBuf>,
}

/// An API, as its document describes it, on the way to a [`Toolset`](toolwright::Toolset).
///
/// See [the crate](crate) for an example.
#[must_use = "`toolset` makes the tools"]
pub struct OpenApi<'t> {
    pub(crate) documents: Documents<'t>,
    pub(crate) settings: Settings,
    pub(crate) base: Option<Url>,
    pub(crate) allowed: Vec<Url>,
    pub(crate) auth: Auth,
    pub(crate) client: Option<Arc<dyn HttpClient>>,
    /// Keys by scheme, before the schemes are read.
    pub(crate) keys: Vec<(String, String)>,
}

/// Shows no credential.
impl fmt::Debug for OpenApi<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = self.base.as_ref().map(Url::as_str);
        f.debug_struct("OpenApi")
            .field("title", &self.title())
            .field("base_url", &base)
            .finish_non_exhaustive()
    }
}

impl<'t> OpenApi<'t> {
    /// Parses a document of `OpenAPI` 3.0, 3.1 or 3.2 in JSON, of at most 64 MiB.
    ///
    /// # Errors
    /// Fails if the text is not JSON or the version is another one. Parts that cannot be read are [notices](Self::notices).
    pub fn parse(text: &'t str) -> Result<Self, ImportError> {
        Self::parse_at_most(text, MAX_BYTES)
    }

    /// Parses a document of at most `bytes`.
    ///
    /// # Errors
    /// See [`parse`](Self::parse).
    pub fn parse_at_most(text: &'t str, bytes: usize) -> Result<Self, ImportError> {
        Self::new(parsed(text, bytes)?)
    }

    /// Parses a document in YAML, of at most 64 MiB.
    ///
    /// # Errors
    /// See [`parse`](Self::parse).
    #[cfg(feature = "yaml")]
    pub fn parse_yaml(text: &str) -> Result<Self, ImportError> {
        Self::new(crate::yaml::parse(text, MAX_BYTES)?)
    }

    /// Takes a document that is parsed already.
    ///
    /// # Errors
    /// Fails if its version is not `OpenAPI` 3.0, 3.1 or 3.2.
    pub fn new(document: Value<'t>) -> Result<Self, ImportError> {
        let settings = Settings {
            presets: Vec::new(),
            hides: Vec::new(),
            offers: Vec::new(),
            filters: Vec::new(),
            annotates: Vec::new(),
            slashes: Vec::new(),
            prefix: String::new(),
            defer_above: 40,
            max_schema_bytes: 64 << 10,
            timeout: Duration::from_secs(30),
            max_bytes: 1 << 20,
            trim: Trim::default(),
            is_strict: false,
            #[cfg(feature = "lock")]
            lock: None,
        };
        Ok(Self {
            documents: Documents::new(document)?,
            settings,
            base: None,
            allowed: Vec::new(),
            auth: Auth::default(),
            client: None,
            keys: Vec::new(),
        })
    }

    /// Returns the title of the API.
    pub fn title(&self) -> &str {
        let info = self
            .documents
            .all
            .first()
            .and_then(|document| document.root.get("info"));
        info.and_then(|info| info.get("title"))
            .and_then(Value::as_str)
            .unwrap_or("API")
    }

    /// Adds another document that `$ref`s lead to, under its URI. Nothing is fetched.
    ///
    /// # Errors
    /// Fails if the text is not JSON.
    pub fn document(mut self, uri: impl Into<String>, text: &'t str) -> Result<Self, ImportError> {
        self.documents
            .all
            .push(Document::new(uri, parsed(text, MAX_BYTES)?));
        Ok(self)
    }

    /// Sets the URL before all paths. Its path is kept. Required unless the document names exactly one absolute `https`
    /// server without variables. Only here may it be `http` or in a private network. Credentials go to its origin alone.
    ///
    /// # Errors
    /// Fails unless it is an absolute `http` or `https` URL without a user, a query and a fragment.
    pub fn base_url(mut self, url: &str) -> Result<Self, ImportError> {
        self.base = Some(given(url)?);
        Ok(self)
    }

    /// Allows operations whose own servers have this origin. Their requests carry no credential.
    ///
    /// # Errors
    /// See [`base_url`](Self::base_url).
    pub fn allow_origin(mut self, url: &str) -> Result<Self, ImportError> {
        self.allowed.push(given(url)?);
        Ok(self)
    }

    /// Sends `Authorization: Bearer` with this token where the document asks for a bearer token, OAuth or `OpenID` Connect,
    /// or does not say what it asks for.
    pub fn bearer(mut self, token: &str) -> Self {
        self.auth.bearer = Some(Credential::bearer(token));
        self
    }

    /// Sends `Authorization: Basic` where the document asks for it, or does not say what it asks for.
    pub fn basic(mut self, user: &str, password: &str) -> Self {
        self.auth.basic = Some(Credential::basic(user, password));
        self
    }

    /// Sends this key where the document asks for the security scheme of this name.
    pub fn api_key(mut self, scheme: impl Into<String>, key: impl Into<String>) -> Self {
        self.keys.push((scheme.into(), key.into()));
        self
    }

    /// Gets tokens from an authorization server, by the grant `client_credentials` of OAuth 2, and sends them as
    /// [`bearer`](Self::bearer) does. The document's own `tokenUrl` is not trusted.
    ///
    /// # Errors
    /// See [`base_url`](Self::base_url).
    pub fn client_credentials(
        mut self,
        token_url: &str,
        id: impl Into<String>,
        secret: impl Into<String>,
    ) -> Result<Self, ImportError> {
        let token_url = given(token_url)?.into();
        let (id, secret, token) = (id.into(), secret.into(), Mutex::new(None));
        self.auth.client = Some(ClientCredentials {
            token_url,
            id,
            secret,
            token,
        });
        Ok(self)
    }

    /// Adds a parameter to the requests of [`client_credentials`](Self::client_credentials), such as `scope` or `audience`. A
    /// server that takes the client's secret in the form (`client_secret_post`) gets `client_id` and `client_secret` by it:
    /// a request with a `client_secret` has no `Authorization`.
    pub fn token_parameter(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.auth.token_form.push((name.into(), value.into()));
        self
    }

    /// Sets a function that returns the credential of each call, instead of the settings above. One that
    /// [expires](Credential::expires_in) is used again for the same caller and operation, and never for another caller.
    pub fn auth<F, R>(mut self, auth: F) -> Self
    where
        F: Fn(AuthRequest) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Credential, ToolError>> + Send + 'static,
    {
        self.auth.provider = Some(Arc::new(move |request| Box::pin(auth(request))));
        self
    }

    /// Sends this value for all parameters and properties of this name, which is spelled as in the document; headers have no
    /// case. The model does not see them. One whose name is that of a credential goes to the origin of the base URL alone.
    pub fn preset(mut self, name: impl Into<String>, value: impl Into<Value<'static>>) -> Self {
        self.settings.presets.push((name.into(), value.into()));
        self
    }

    /// Hides parameters and properties from the model. Without a [preset](Self::preset), they are not sent.
    pub fn hide(mut self, hides: impl Fn(&Parameter<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.settings.hides.push(Box::new(hides));
        self
    }

    /// Offers parameters to the model although their names look like those of secrets.
    pub fn offer(
        mut self,
        offers: impl Fn(&Parameter<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.settings.offers.push(Box::new(offers));
        self
    }

    /// Keeps only the operations for which the predicate returns true.
    pub fn filter(
        mut self,
        keeps: impl Fn(&Operation<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.settings.filters.push(Box::new(keeps));
        self
    }

    /// Changes the options of tools, which follow from the method otherwise: `GET`, `HEAD`, `OPTIONS` and `QUERY` are
    /// `read_only`, `PUT` and `DELETE` idempotent and destructive, all others destructive, and all `open_world`.
    pub fn annotate(
        mut self,
        annotate: impl Fn(&Operation<'_>, ToolOptions) -> ToolOptions + Send + Sync + 'static,
    ) -> Self {
        self.settings.annotates.push(Box::new(annotate));
        self
    }

    /// Lets a parameter of a path have several segments: its slashes are sent as slashes. `operation` is an `operationId`, or
    /// a path, which stands for all its operations. A name that no operation has is a [notice](Self::notices).
    pub fn slashes(mut self, operation: impl Into<String>, parameter: impl Into<String>) -> Self {
        self.settings
            .slashes
            .push((operation.into(), parameter.into()));
        self
    }

    /// Adds a prefix to the names of all tools, such as `shop_`.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.settings.prefix = prefix.into();
        self
    }

    /// Defers the tools in groups if there are more than `tools`: by their first tag, else by the first segment of the path.
    /// Default: 40. See [`Toolset::defer`](toolwright::Toolset::defer).
    pub fn defer_by_tag(mut self, tools: usize) -> Self {
        self.settings.defer_above = tools;
        self
    }

    /// Limits the bytes that are read of an answer. Default: 1 MiB.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.settings.max_bytes = bytes;
        self
    }

    /// Limits the bytes of one tool's schema. Default: 64 KiB, of which a request to a model holds few. Parts of a longer one admit any value, with a notice.
    pub fn max_schema_bytes(mut self, bytes: usize) -> Self {
        self.settings.max_schema_bytes = bytes;
        self
    }

    /// Sets the time limit of a call. Default: 30 s.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Sets how much of an answer the model reads.
    pub fn trim(mut self, trim: Trim) -> Self {
        self.settings.trim = trim;
        self
    }

    /// Holds the tools to a lock file, as the MCP client does with a server's: a tool that is new, or whose description, schema or
    /// hints differ from the file, is left out with a [notice](crate::NoticeKind::LockMismatch). With the environment variable
    /// `TOOLS_LOCK=update`, an import writes the file, and with `accept-major` even if a change breaks callers. A missing file
    /// is an error of the import.
    #[cfg(feature = "lock")]
    pub fn lock(mut self, file: impl Into<PathBuf>) -> Self {
        self.settings.lock = Some(file.into());
        self
    }

    /// Makes each notice an error of [`toolset`](Self::toolset).
    pub fn strict(mut self) -> Self {
        self.settings.is_strict = true;
        self
    }

    /// Sets the client that sends requests. Default: one of `reqwest`.
    pub fn client(mut self, client: impl HttpClient + 'static) -> Self {
        self.client = Some(Arc::new(client));
        self
    }
}

fn parsed(text: &str, most: usize) -> Result<Value<'_>, ImportError> {
    if text.len() > most {
        return Err(ImportError::TooLong(most));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Value::parse(text).map_err(|error| ImportError::Syntax(error.to_string()))
}
