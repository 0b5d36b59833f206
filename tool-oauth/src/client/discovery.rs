//! Which authorization server a server trusts, and what that one can do (RFC 9728, RFC 8414, `OpenID` Connect Discovery).

use reqwest::Url;
use serde::Deserialize;

use super::AuthError;
use super::challenge::Challenge;
use crate::issuer::{is_same_issuer, issuer_key};
use crate::web::{AuthHttp, RESOURCE_METADATA, at, issuer_places, place};

/// Most entries that are read of a list that somebody else wrote.
const MOST: usize = 100;

/// The longest name of a scope.
const MOST_SCOPE: usize = 256;

/// A server, and the authorization server that gives tokens for it.
#[derive(Debug)]
pub(super) struct AuthServer {
    /// The URI that tokens are for.
    pub(super) resource: String,
    pub(super) server: Endpoints,
    /// All that the server knows of, if it says so.
    pub(super) scopes: Vec<String>,
}

/// The checked metadata of an authorization server.
// Each is a fact that metadata state for itself.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug)]
pub(super) struct Endpoints {
    /// As the authorization server writes it: it compares what others send with this text.
    pub(super) issuer: String,
    pub(super) authorization: Option<Url>,
    pub(super) token: Url,
    pub(super) registration: Option<Url>,
    pub(super) has_s256: bool,
    pub(super) says_issuer: bool,
    pub(super) takes_metadata_documents: bool,
    pub(super) has_offline_access: bool,
    /// Ways in which a client may authenticate. `None` where nothing is said.
    pub(super) auth_methods: Option<Vec<String>>,
}

/// RFC 9728.
#[derive(Deserialize)]
struct ResourceMetadata {
    resource: String,
    authorization_servers: Option<Vec<String>>,
    scopes_supported: Option<Vec<String>>,
}

/// RFC 8414.
#[derive(Deserialize)]
struct ServerMetadata {
    issuer: String,
    authorization_endpoint: Option<String>,
    token_endpoint: String,
    registration_endpoint: Option<String>,
    code_challenge_methods_supported: Option<Vec<String>>,
    authorization_response_iss_parameter_supported: Option<bool>,
    client_id_metadata_document_supported: Option<bool>,
    scopes_supported: Option<Vec<String>>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

impl AuthServer {
    /// Returns the key under which tokens are stored.
    pub(super) fn key(&self) -> String {
        // No URL holds a space.
        format!("{} {}", self.resource, issuer_key(&self.server.issuer))
    }

    /// Finds out. `is_wanted` chooses among several authorization servers.
    pub(super) async fn find(
        web: &AuthHttp,
        server: &Url,
        challenge: &Challenge,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Self, AuthError> {
        let Some((from, metadata)) = resource_metadata(web, server, challenge).await? else {
            return Self::before_metadata(web, server).await;
        };
        if !may_speak(&from, &metadata.resource, server) {
            let words = "the server's metadata are about another resource";
            return Err(AuthError::new(format!("{words}: {:?}", metadata.resource)));
        }
        let all = metadata.authorization_servers.unwrap_or_default();
        let wanted = all.iter().take(MOST).position(|issuer| is_wanted(issuer));
        let Some(issuer) = all.into_iter().nth(wanted.unwrap_or_default()) else {
            return Err(AuthError::new(
                "the server's metadata name no authorization server",
            ));
        };
        let base = web.checked(&issuer, "issuer")?;
        let found = endpoints(web, &base, &issuer).await?;
        Ok(Self {
            resource: metadata.resource,
            server: found.map_err(AuthError::new)?,
            scopes: scopes(
                metadata
                    .scopes_supported
                    .iter()
                    .flatten()
                    .map(String::as_str),
            ),
        })
    }

    /// A server as of 2025-03-26, which is its own authorization server, at places that are known.
    async fn before_metadata(web: &AuthHttp, server: &Url) -> Result<Self, AuthError> {
        let issuer = server.origin().ascii_serialization();
        let base = web.checked(&issuer, "issuer")?;
        let found = endpoints(web, &base, &issuer).await?;
        Ok(Self {
            resource: canonical(server),
            server: found.unwrap_or_else(|_| Endpoints {
                issuer,
                authorization: Some(at(&base, "/authorize")),
                token: at(&base, "/token"),
                registration: Some(at(&base, "/register")),
                // That version demands it, and there is no place to say so.
                has_s256: true,
                says_issuer: false,
                takes_metadata_documents: false,
                has_offline_access: false,
                auth_methods: None,
            }),
            scopes: Vec::new(),
        })
    }
}

impl Endpoints {
    fn of(web: &AuthHttp, metadata: ServerMetadata) -> Result<Self, AuthError> {
        let endpoint =
            |text: Option<String>, what| text.map(|text| web.checked(&text, what)).transpose();
        let has =
            |all: &Option<Vec<String>>, one: &str| all.iter().flatten().any(|found| found == one);
        Ok(Self {
            authorization: endpoint(metadata.authorization_endpoint, "authorization endpoint")?,
            token: web.checked(&metadata.token_endpoint, "token endpoint")?,
            issuer: metadata.issuer,
            registration: endpoint(metadata.registration_endpoint, "registration endpoint")?,
            has_s256: has(&metadata.code_challenge_methods_supported, "S256"),
            says_issuer: metadata.authorization_response_iss_parameter_supported == Some(true),
            takes_metadata_documents: metadata.client_id_metadata_document_supported == Some(true),
            has_offline_access: has(&metadata.scopes_supported, "offline_access"),
            auth_methods: metadata.token_endpoint_auth_methods_supported,
        })
    }
}

/// Returns a server's metadata about itself, and their place. `None` if it has none.
async fn resource_metadata(
    web: &AuthHttp,
    server: &Url,
    challenge: &Challenge,
) -> Result<Option<(Url, ResourceMetadata)>, AuthError> {
    if let Some(url) = &challenge.resource_metadata {
        let url = web.checked(url, "URL of the server's metadata")?;
        let found = web.get(&url).await?.map_err(AuthError::new)?;
        return Ok(Some((url, found)));
    }
    let path = server.path().trim_end_matches('/');
    if !path.is_empty() {
        let own = at(server, &format!("{RESOURCE_METADATA}{path}"));
        if let Ok(found) = web.get(&own).await? {
            return Ok(Some((own, found)));
        }
    }
    let root = at(server, RESOURCE_METADATA);
    Ok(web.get(&root).await?.ok().map(|found| (root, found)))
}

/// Returns the metadata of an authorization server. The inner error says that it has none.
async fn endpoints(
    web: &AuthHttp,
    base: &Url,
    issuer: &str,
) -> Result<Result<Endpoints, String>, AuthError> {
    let mut missing = Vec::new();
    for place in issuer_places(base) {
        match web.get::<ServerMetadata>(&place).await? {
            Ok(metadata) if !is_same_issuer(&metadata.issuer, issuer) => {
                let words = format!(
                    "the metadata of the authorization server {issuer:?} are of another one: {:?}",
                    metadata.issuer
                );
                return Err(AuthError::new(words));
            }
            Ok(metadata) => return Endpoints::of(web, metadata).map(Ok),
            Err(why) => missing.push(why),
        }
    }
    let words = "the authorization server does not say what it can do";
    Ok(Err(format!("{words} ({})", missing.join("; "))))
}

/// Returns the name of a server that does not give one itself (RFC 8707). A query may hold a secret, and is left out.
fn canonical(server: &Url) -> String {
    place(server).trim_end_matches('/').to_owned()
}

/// Returns true if tokens for this resource are for the server too: it has the same origin, and the path or one above.
pub(super) fn covers(resource: &str, server: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else {
        return false;
    };
    let path = resource.path().trim_end_matches('/');
    let below = server.path().strip_prefix(path);
    resource.origin() == server.origin()
        && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        && resource.fragment().is_none()
        && resource
            .query()
            .is_none_or(|query| server.query() == Some(query))
}

/// Returns true if metadata from there may name the server's authorization server (RFC 9728, section 3.3). Of what is
/// above the server, only its own well-known place says so: else any server could get the tokens of its neighbours.
fn may_speak(from: &Url, resource: &str, server: &Url) -> bool {
    if !covers(resource, server) {
        return false;
    }
    let Ok(resource) = Url::parse(resource) else {
        return false;
    };
    let path = resource.path().trim_end_matches('/');
    path == server.path().trim_end_matches('/')
        || from.origin() == server.origin()
            && from.query().is_none()
            && from.path() == format!("{RESOURCE_METADATA}{path}")
}

/// The names that are names of scopes, each once (RFC 6749, section 3.3).
pub(super) fn scopes<'s>(names: impl IntoIterator<Item = &'s str>) -> Vec<String> {
    let is_in = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    let is_scope = |name: &str| (1..=MOST_SCOPE).contains(&name.len()) && name.bytes().all(is_in);
    let mut scopes: Vec<String> = Vec::new();
    for name in names.into_iter().filter(|name| is_scope(name)) {
        if scopes.len() < MOST && !scopes.iter().any(|known| known == name) {
            scopes.push(name.to_owned());
        }
    }
    scopes
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use reqwest::Url;

    use super::{canonical, covers, may_speak, scopes};

    #[test]
    fn a_resource_covers_what_is_below_it() {
        let server = Url::parse("https://a.example/v1/mcp?key=1").unwrap();
        for (resource, is_covered) in [
            ("https://a.example/v1/mcp", true),
            ("https://A.example:443/v1/mcp/", true),
            ("https://a.example/v1", true),
            ("https://a.example", true),
            ("https://a.example/v1/mcp?key=1", true),
            ("https://a.example/v1/mcp?key=2", false),
            ("https://a.example/v1/mc", false),
            ("https://a.example/v1/mcp/more", false),
            ("https://a.example/v1/mcp#x", false),
            ("https://b.example/v1/mcp", false),
            ("http://a.example/v1/mcp", false),
            ("https://a.example:444/v1/mcp", false),
            ("/v1/mcp", false),
        ] {
            assert_eq!(covers(resource, &server), is_covered, "{resource}");
        }
        assert_eq!(canonical(&server), "https://a.example/v1/mcp");
        let root = Url::parse("https://a.example").unwrap();
        assert_eq!(canonical(&root), "https://a.example");
    }

    #[test]
    fn a_parent_speaks_at_its_own_place() {
        let server = Url::parse("https://a.example/v1/mcp/").unwrap();
        let own = "https://a.example/.well-known/oauth-protected-resource";
        for (from, resource, may) in [
            ("https://b.example/x", "https://a.example/v1/mcp", true),
            (own, "https://a.example", true),
            (own, "https://a.example/", true),
            (own, "https://a.example/v1", false),
            (&format!("{own}/v1"), "https://a.example/v1", true),
            (&format!("{own}/v1"), "https://a.example", false),
            (&format!("{own}/v1/mcp"), "https://a.example", false),
            (&format!("{own}?of=evil"), "https://a.example", false),
            ("https://a.example/v1/mcp/x", "https://a.example", false),
            (
                "https://b.example/.well-known/oauth-protected-resource",
                "https://a.example",
                false,
            ),
            (own, "https://b.example", false),
        ] {
            let from = Url::parse(from).unwrap();
            assert_eq!(
                may_speak(&from, resource, &server),
                may,
                "{from} {resource}"
            );
        }
    }

    #[test]
    fn scopes_are_names() {
        let long = "a".repeat(257);
        let names = ["a:b", "", "a b", "a:b", "\"c", "d", &long];
        assert_eq!(scopes(names), ["a:b", "d"]);
        let many: Vec<_> = (0..1_000).map(|number| number.to_string()).collect();
        assert_eq!(scopes(many.iter().map(String::as_str)).len(), 100);
    }
}
