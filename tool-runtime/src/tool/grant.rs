use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::{Map, Value};
use toolwright_provider::call::{Meta, SCOPES, ToolDef};

use crate::tool::Scope;

/// Who calls, and with which scopes: from a verified access token, or from the host's own authentication.
///
/// With a grant in the [`Context`](crate::tool::Context), tools whose `#[tool(scopes(…))]` it lacks are
/// [hidden](crate::tool::Tool::visible). Without a grant, all tools are available. An MCP server over HTTP gives each request
/// a grant: that of its token, or one without scopes.
///
/// ```
/// use toolwright::call::Grant;
/// use toolwright::{Context, ToolCall, tool, tools};
///
/// /// Cancels an order.
/// #[tool(scopes("orders:write"))]
/// fn cancel_order(id: u32, cx: &Context) -> String {
///     let by = cx.get::<Grant>().and_then(Grant::subject).unwrap_or("somebody");
///     format!("{id} is cancelled by {by}")
/// }
///
/// let tools = tools![cancel_order];
/// let call = ToolCall::new("1", "cancel_order", r#"{"id": 7}"#);
///
/// let ann = Grant::new().with_subject("ann").with_scopes(["orders:read"]);
/// let result = tools.call_blocking(&call, &Context::new().with(ann.clone()));
/// assert!(result.outcome.is_err());
///
/// let ann = ann.with_scopes(["orders:read", "orders:write"]);
/// let result = tools.call_blocking(&call, &Context::new().with(ann));
/// assert_eq!(result.value(), Some("7 is cancelled by ann".into()));
/// ```
#[derive(Clone, PartialEq)]
pub struct Grant(Arc<GrantData>);

#[derive(Clone, Default, PartialEq)]
struct GrantData {
    issuer: Option<String>,
    subject: Option<String>,
    client_id: Option<String>,
    /// `None` if there is no limit.
    scopes: Option<BTreeSet<String>>,
    expires_at: Option<SystemTime>,
    claims: Map<String, Value>,
}

impl Default for Grant {
    fn default() -> Self {
        Self::new()
    }
}

impl Grant {
    /// Creates a grant without scopes.
    pub fn new() -> Self {
        Self(Arc::new(GrantData {
            scopes: Some(BTreeSet::new()),
            ..GrantData::default()
        }))
    }

    /// Creates a grant that has every scope.
    pub fn unlimited() -> Self {
        Self(Arc::default())
    }

    fn change(mut self, change: impl FnOnce(&mut GrantData)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// Gives every scope.
    pub fn with_every_scope(self) -> Self {
        self.change(|content| content.scopes = None)
    }

    /// Sets the scopes. Replaces earlier ones.
    pub fn with_scopes<S: Into<String>>(self, scopes: impl IntoIterator<Item = S>) -> Self {
        let scopes = scopes.into_iter().map(Into::into).collect();
        self.change(|content| content.scopes = Some(scopes))
    }

    /// Sets who issued the token: the URL of an authorization server.
    pub fn with_issuer(self, issuer: impl Into<String>) -> Self {
        self.change(|content| content.issuer = Some(issuer.into()))
    }

    /// Sets for whom the call is made: the user's id at the issuer.
    pub fn with_subject(self, subject: impl Into<String>) -> Self {
        self.change(|content| content.subject = Some(subject.into()))
    }

    /// Sets the id of the program that calls.
    pub fn with_client_id(self, id: impl Into<String>) -> Self {
        self.change(|content| content.client_id = Some(id.into()))
    }

    /// Sets when the grant ends.
    pub fn with_expiry(self, at: SystemTime) -> Self {
        self.change(|content| content.expires_at = Some(at))
    }

    /// Sets all claims of the token.
    pub fn with_claims(self, claims: Map<String, Value>) -> Self {
        self.change(|content| content.claims = claims)
    }

    /// Returns true if the grant has this scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        let scopes = self.0.scopes.as_ref();
        scopes.is_none_or(|scopes| scopes.contains(scope))
    }

    /// Returns true if the grant has every scope.
    pub fn is_unlimited(&self) -> bool {
        self.0.scopes.is_none()
    }

    /// Returns the scopes, sorted. Empty for an unlimited grant.
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        self.0.scopes.iter().flatten().map(String::as_str)
    }

    /// Returns who issued the token.
    pub fn issuer(&self) -> Option<&str> {
        self.0.issuer.as_deref()
    }

    /// Returns for whom the call is made.
    pub fn subject(&self) -> Option<&str> {
        self.0.subject.as_deref()
    }

    /// Returns the id of the program that calls.
    pub fn client_id(&self) -> Option<&str> {
        self.0.client_id.as_deref()
    }

    /// Returns when the grant ends.
    pub fn expires_at(&self) -> Option<SystemTime> {
        self.0.expires_at
    }

    /// Returns a claim of the token, such as `email`.
    pub fn claim(&self, name: &str) -> Option<&Value> {
        self.0.claims.get(name)
    }

    /// Returns the scopes that the tool needs and the grant lacks, in the tool's order.
    pub fn missing_scopes(&self, tool: &ToolDef) -> Vec<String> {
        let needed = tool.meta.get(SCOPES).and_then(Value::as_array);
        let needed = needed.into_iter().flatten().filter_map(Value::as_str);
        needed
            .filter(|scope| !self.has_scope(scope))
            .map(str::to_owned)
            .collect()
    }

    /// Returns true if callers of this tool need no scope that the grant lacks. Attributes that are not a list of
    /// scopes admit only an unlimited grant.
    pub fn admits(&self, tool: &ToolDef) -> bool {
        self.admits_attributes(&tool.meta)
    }

    fn admits_attributes(&self, attributes: &Meta) -> bool {
        match attributes.get(SCOPES) {
            None => true,
            Some(_) if self.0.scopes.is_none() => true,
            Some(Value::Array(needed)) => needed
                .iter()
                .all(|scope| scope.as_str().is_some_and(|scope| self.has_scope(scope))),
            Some(_) => false,
        }
    }
}

impl Grant {
    /// Returns true if a conversation's grant, if it has one, admits a tool with these attributes.
    pub(crate) fn is_given(scope: &Scope<'_>, attributes: &Meta) -> bool {
        let grant = scope.get::<Self>();
        grant.is_none_or(|grant| grant.admits_attributes(attributes))
    }
}

/// Without the claims, which may be personal.
impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GrantData {
            issuer,
            subject,
            client_id,
            scopes,
            expires_at,
            claims: _,
        } = &*self.0;
        f.debug_struct("Grant")
            .field("issuer", issuer)
            .field("subject", subject)
            .field("client_id", client_id)
            .field("scopes", scopes)
            .field("expires_at", expires_at)
            .finish_non_exhaustive()
    }
}
