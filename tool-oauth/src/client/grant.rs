//! Requests to an authorization server, by the crate `oauth2`: a page for a person, a code's exchange, a renewal.

use std::fmt::Write;

use oauth2::basic::{BasicClient, BasicRequestTokenError, BasicTokenResponse, BasicTokenType};
use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointNotSet,
    EndpointSet, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RefreshToken, RequestTokenError,
    Scope, TokenResponse, TokenUrl,
};
use reqwest::Url;
use serde::Deserialize;
use serde_json::json;
use toolwright_http::token;

use super::discovery::AuthServer;
use super::store::{Registered, StoredTokens, now};
use super::token_answer::Members;
use super::{AuthError, short};
use crate::issuer::is_iss_of;
use crate::web::{AuthHttp, WebError, is_loopback, refusal};

const NONE: &str = "none";
const BASIC: &str = "client_secret_basic";
const POST: &str = "client_secret_post";

/// Type of the assertion of a client that signs (RFC 7523).
const ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

type Client =
    BasicClient<EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

/// The page where a person consents, and what is kept until they did.
pub(super) struct ConsentPage {
    pub(super) url: String,
    pub(super) state: CsrfToken,
    verifier: PkceCodeVerifier,
    redirect_uri: RedirectUrl,
}

fn client(place: &AuthServer, registered: &Registered) -> Client {
    let client = BasicClient::new(ClientId::new(registered.id.clone()))
        .set_token_uri(TokenUrl::from_url(place.server.token.clone()));
    match (auth_method(place, registered), &registered.secret) {
        (NONE, _) | (_, None) => client.set_auth_type(AuthType::RequestBody),
        (method, Some(secret)) => {
            let client = client.set_client_secret(ClientSecret::new(secret.clone()));
            client.set_auth_type(match method {
                POST => AuthType::RequestBody,
                _ => AuthType::BasicAuth,
            })
        }
    }
}

/// Returns this client's way to authenticate: as it was registered, else by what the authorization server takes (RFC 8414 has a
/// default where nothing is said).
fn auth_method(place: &AuthServer, registered: &Registered) -> &'static str {
    let known = |method: &str| {
        [NONE, BASIC, POST]
            .into_iter()
            .find(|known| *known == method)
    };
    if let Some(method) = registered.auth_method.as_deref().and_then(known) {
        return method;
    }
    let Some(methods) = &place.server.auth_methods else {
        return BASIC;
    };
    let takes = |method: &&str| methods.iter().any(|taken| taken == method);
    [BASIC, POST].into_iter().find(takes).unwrap_or(NONE)
}

fn all(scopes: &[String]) -> impl Iterator<Item = Scope> + '_ {
    scopes.iter().cloned().map(Scope::new)
}

/// Escapes the characters of a URL that mean something to a shell, whoever wrote them: hosts hand it to commands that open
/// browsers. `&`, `%` and `?` stay, since they are the URL's own.
fn without_shell_syntax(url: &Url) -> String {
    let mut escaped = String::new();
    for char in url.as_str().chars() {
        if "$`'\"\\;|()<>{}!*^~ ".contains(char) {
            // A string takes all that is written.
            let _ = write!(escaped, "%{:02X}", u32::from(char));
        } else {
            escaped.push(char);
        }
    }
    escaped
}

impl ConsentPage {
    pub(super) fn new(
        place: &AuthServer,
        registered: &Registered,
        redirect_uri: &str,
        scopes: &[String],
    ) -> Result<Self, AuthError> {
        if !place.server.has_s256 {
            let words = "the authorization server does not support PKCE with S256";
            return Err(AuthError::new(words));
        }
        let Some(authorization) = place.server.authorization.clone() else {
            return Err(AuthError::new(
                "the authorization server has no page for people",
            ));
        };
        let redirect_uri = RedirectUrl::new(redirect_uri.to_owned())
            .map_err(|_| AuthError::new("the `redirect_uri` is not a URL"))?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let client = client(place, registered)
            .set_auth_uri(AuthUrl::from_url(authorization))
            .set_redirect_uri(redirect_uri.clone());
        let mut request = client
            .authorize_url(CsrfToken::new_random)
            .add_scopes(all(scopes))
            .add_extra_param("resource", place.resource.clone())
            .set_pkce_challenge(challenge);
        if scopes.iter().any(|scope| scope == "offline_access") {
            // OpenID Connect passes over the scope otherwise.
            request = request.add_extra_param("prompt", "consent");
        }
        let (url, state) = request.url();
        Ok(Self {
            url: without_shell_syntax(&url),
            state,
            verifier,
            redirect_uri,
        })
    }

    /// Exchanges what the browser came back with.
    pub(super) async fn exchange(
        self,
        web: &AuthHttp,
        place: &AuthServer,
        registered: &Registered,
        back: &str,
    ) -> Result<BasicTokenResponse, AuthError> {
        let code = self.code(place, back)?;
        let secrets = [code.clone(), self.verifier.secret().clone()];
        let client = client(place, registered).set_redirect_uri(self.redirect_uri);
        let request = client
            .exchange_code(AuthorizationCode::new(code))
            .set_pkce_verifier(self.verifier)
            .add_extra_param("resource", place.resource.clone());
        let answer = request.request_async(web).await;
        answer.map_err(|error| failed(error, registered, &secrets).into_auth_error())
    }

    /// Returns the code of the URL, after a check of its place, its `state` and its `iss` (RFC 9207).
    pub(super) fn code(&self, place: &AuthServer, back: &str) -> Result<String, AuthError> {
        let url = Url::parse(back.trim());
        let url = url.map_err(|_| AuthError::new("the program gave back no URL"))?;
        let redirect_uri = self.redirect_uri.url();
        if url.origin() != redirect_uri.origin() || url.path() != redirect_uri.path() {
            return Err(AuthError::new(
                "the browser came back, and not with the `redirect_uri`",
            ));
        }
        let value = |name: &str| {
            let mut values = url.query_pairs().filter(|(key, _)| key == name);
            match (values.next(), values.next()) {
                (value, None) => Ok(value.map(|(_, value)| value.into_owned())),
                _ => Err(AuthError::new(format!(
                    "the browser came back with two `{name}`"
                ))),
            }
        };
        if value("state")?.as_ref() != Some(self.state.secret()) {
            let words =
                "the browser came back with another `state`: somebody else may have sent it";
            return Err(AuthError::new(words));
        }
        match value("iss")? {
            Some(iss) if !is_iss_of(&place.server.issuer, &iss) => {
                return Err(AuthError::new(
                    "the answer is of another authorization server",
                ));
            }
            None if place.server.says_issuer => {
                let words = "the answer does not say which authorization server it is of";
                return Err(AuthError::new(words));
            }
            _ => {}
        }
        if let Some(error) = value("error")? {
            let said = value("error_description")?.unwrap_or_default();
            let words = format!(
                "the authorization server said no: {} {}",
                short(&error),
                short(&said)
            );
            return Err(AuthError::new(words.trim_end()));
        }
        let code = value("code")?.filter(|code| !code.is_empty());
        code.ok_or_else(|| AuthError::new("the browser came back without a code"))
    }
}

/// Why there are no new tokens.
pub(super) enum GrantError {
    /// The tokens or the client are not known there any more.
    Unknown {
        is_client: bool,
        words: String,
    },
    Otherwise(String),
}

impl GrantError {
    pub(super) fn into_auth_error(self) -> AuthError {
        match self {
            Self::Unknown { words, .. } | Self::Otherwise(words) => AuthError::new(words),
        }
    }
}

fn failed(
    error: BasicRequestTokenError<WebError>,
    registered: &Registered,
    secrets: &[String],
) -> GrantError {
    let cannot = "the authorization server gave no token";
    match error {
        RequestTokenError::ServerResponse(said) => {
            let code = said.error().as_ref().to_owned();
            // Some repeat what they were asked for.
            let is_secret = |text: &str| {
                let mut all = secrets.iter().chain(&registered.secret);
                all.any(|secret| text.contains(secret.as_str()))
            };
            let shown = |text: &str| {
                if is_secret(text) {
                    "…".to_owned()
                } else {
                    short(text)
                }
            };
            let description = said
                .error_description()
                .map(|text| format!(" ({})", shown(text)));
            let words = format!(
                "{cannot}: {}{}",
                shown(&code),
                description.unwrap_or_default()
            );
            match code.as_str() {
                "invalid_grant" => GrantError::Unknown {
                    is_client: false,
                    words,
                },
                "invalid_client" | "unauthorized_client" => GrantError::Unknown {
                    is_client: true,
                    words,
                },
                _ => GrantError::Otherwise(words),
            }
        }
        RequestTokenError::Request(error) => GrantError::Otherwise(format!("{cannot}: {error}")),
        // It may hold tokens.
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => GrantError::Otherwise(
            format!("{cannot}: its answer is not of the form of RFC 6749"),
        ),
    }
}

/// Renews tokens.
pub(super) async fn refresh(
    web: &AuthHttp,
    place: &AuthServer,
    tokens: &StoredTokens,
    refresh_token: &str,
) -> Result<BasicTokenResponse, GrantError> {
    let secrets = [refresh_token.to_owned()];
    let refresh_token = RefreshToken::new(refresh_token.to_owned());
    let client = client(place, &tokens.client);
    let request = client
        .exchange_refresh_token(&refresh_token)
        .add_extra_param("resource", place.resource.clone());
    let answer = request.request_async(web).await;
    answer.map_err(|error| failed(error, &tokens.client, &secrets))
}

/// Gets tokens for the program itself, which shows its secret, or what it signed.
pub(super) async fn client_credentials(
    web: &AuthHttp,
    place: &AuthServer,
    registered: &Registered,
    scopes: &[String],
    assertion: Option<String>,
) -> Result<BasicTokenResponse, AuthError> {
    let client = client(place, registered);
    let mut request = client
        .exchange_client_credentials()
        .add_scopes(all(scopes))
        .add_extra_param("resource", place.resource.clone());
    let secrets: Vec<_> = assertion.iter().cloned().collect();
    if let Some(assertion) = assertion {
        request = request
            .add_extra_param("client_assertion_type", ASSERTION)
            .add_extra_param("client_assertion", assertion);
    }
    let answer = request.request_async(web).await;
    answer.map_err(|error| failed(error, registered, &secrets).into_auth_error())
}

/// Puts what an authorization server gave in the place of what was before.
pub(super) fn put(tokens: &mut StoredTokens, given: &BasicTokenResponse) -> Result<(), AuthError> {
    if *given.token_type() != BasicTokenType::Bearer {
        return Err(AuthError::new(
            "the authorization server gave a token that is not a bearer token",
        ));
    }
    let access_token = token::checked(given.access_token().secret());
    let access_token = access_token
        .map_err(|why| AuthError::new(format!("the authorization server gave a token: {why}")))?;
    tokens.access_token = Some(access_token.to_owned());
    tokens.expires_at = given
        .expires_in()
        .map(|lasts| now().saturating_add(lasts.as_secs()));
    // One that is not replaced stays good.
    if let Some(refresh_token) = given.refresh_token() {
        tokens.refresh_token = Some(refresh_token.secret().clone());
    }
    Ok(())
}

#[derive(Deserialize)]
struct RegistrationError {
    error: String,
    #[serde(default)]
    error_description: String,
}

/// Registers this program (RFC 7591).
pub(super) async fn register(
    web: &AuthHttp,
    place: &AuthServer,
    name: &str,
    redirect_uri: &str,
) -> Result<Registered, AuthError> {
    let Some(endpoint) = &place.server.registration else {
        let words = "the authorization server registers no clients; give a `client_id`";
        return Err(AuthError::new(words));
    };
    // A program on a machine of its user can keep no secret: none is asked for where that is taken.
    let methods = place.server.auth_methods.as_deref().unwrap_or_default();
    let takes = |method: &&str| methods.iter().any(|taken| taken == method);
    let method = [NONE, BASIC, POST].into_iter().find(takes);
    let is_native = Url::parse(redirect_uri).is_ok_and(|uri| is_loopback(&uri));
    let request = json!({
        "client_name": name,
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method.unwrap_or(NONE),
        "application_type": if is_native { "native" } else { "web" },
    });
    let cannot = "the authorization server did not register this client";
    let failed = |error: WebError| AuthError::new(format!("{cannot}: {error}"));
    let answer = web.post(endpoint, request.to_string()).await;
    let answer = answer.map_err(failed)?;
    if !answer.status().is_success() {
        let said = serde_json::from_slice::<RegistrationError>(answer.body());
        let said = said.map_or_else(
            |_| refusal(endpoint, &answer),
            |said| format!("{} {}", short(&said.error), short(&said.error_description)),
        );
        return Err(AuthError::new(format!("{cannot}: {}", said.trim_end())));
    }
    let registered = |said: &Members| {
        Ok(Registered {
            id: said.required("client_id")?,
            secret: said.text("client_secret")?,
            auth_method: said.text("token_endpoint_auth_method")?,
            redirect_uri: Some(redirect_uri.to_owned()),
            secret_expires_at: said.seconds("client_secret_expires_at")?,
        })
    };
    let said = Members::read(answer.body());
    said.and_then(|said| registered(&said)).map_err(failed)
}
