//! The keys of an authorization server, and the tokens that they signed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header, errors::ErrorKind};
use reqwest::{Client, Url, redirect::Policy};
use serde_json::{Map, Value};

use super::authorization::{AuthorizationError, LEEWAY, TokenError};

/// After so long keys are fetched anew.
const FRESH: Duration = Duration::from_mins(10);

/// So long they are used where the issuer cannot be reached.
const KEPT: Duration = Duration::from_hours(1);

/// So often the issuer is asked at most.
const PAUSE: Duration = Duration::from_secs(5);

/// So long a fetch takes at most.
const FETCH: Duration = Duration::from_secs(10);

/// The longest answer of the issuer, in bytes.
const MOST_BYTES: usize = 256 * 1024;

/// The most keys of an issuer, and the most that are tried for one token.
const MOST_KEYS: usize = 100;
const MOST_TRIED: usize = 8;

/// Those that anybody can check who knows no secret.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// See the module.
pub(super) struct Keys {
    source: Source,
    client: Client,
    known: Mutex<Known>,
    /// One fetch at a time.
    fetching: tokio::sync::Mutex<()>,
}

/// Where the keys are.
enum Source {
    /// As the metadata of this issuer say.
    Issuer(String),
    At(Url),
}

#[derive(Default)]
struct Known {
    keys: Option<(Arc<[Key]>, Instant)>,
    /// When the issuer was asked last.
    asked: Option<Instant>,
}

impl Known {
    fn may_ask(&self) -> bool {
        self.asked.is_none_or(|asked| asked.elapsed() >= PAUSE)
    }
}

struct Key {
    id: Option<String>,
    algorithm: Option<Algorithm>,
    public: DecodingKey,
}

impl Key {
    /// `None` for a key that signs no token of which we know.
    fn read(json: Value) -> Option<Self> {
        let jwk: Jwk = serde_json::from_value(json).ok()?;
        let signs = matches!(
            jwk.common.public_key_use,
            None | Some(PublicKeyUse::Signature)
        );
        let verifies = |all: &Vec<KeyOperations>| all.contains(&KeyOperations::Verify);
        let signs = signs && jwk.common.key_operations.as_ref().is_none_or(verifies);
        let is_public = !matches!(jwk.algorithm, AlgorithmParameters::OctetKey(_));
        let algorithm = match &jwk.common.key_algorithm {
            Some(said) => Some(said.to_string().parse().ok()?),
            None => None,
        };
        let public = DecodingKey::from_jwk(&jwk).ok()?;
        (signs && is_public).then_some(Self {
            id: jwk.common.key_id,
            algorithm,
            public,
        })
    }

    fn may_have_signed(&self, id: Option<&str>, algorithm: Algorithm) -> bool {
        let has_id = id.is_none_or(|id| self.id.as_deref() == Some(id));
        let is_of = self.algorithm.is_none_or(|own| own == algorithm);
        has_id && is_of && self.public.family() == algorithm.family()
    }
}

impl Keys {
    /// Those of an issuer, found by its metadata.
    pub(super) fn discovered(issuer: &str) -> Result<Self, AuthorizationError> {
        Self::from(Source::Issuer(issuer.to_owned()))
    }

    /// Those behind a URL.
    pub(super) fn at(url: &str) -> Result<Self, AuthorizationError> {
        Self::from(Source::At(safe_url(url)?))
    }

    fn from(source: Source) -> Result<Self, AuthorizationError> {
        // Where a program has several, it has to choose; this is the choice of one that did not.
        let _ = jsonwebtoken::crypto::aws_lc::DEFAULT_PROVIDER.install_default();
        let client = Client::builder().redirect(Policy::none()).timeout(FETCH);
        let client = client.build();
        Ok(Self {
            source,
            client: client.map_err(|error| AuthorizationError(error.to_string()))?,
            known: Mutex::default(),
            fetching: tokio::sync::Mutex::default(),
        })
    }

    /// The claims of a token that the issuer signed for one of the audiences.
    pub(super) async fn verify(
        self: &Arc<Self>,
        token: &str,
        issuer: &str,
        audiences: &[String],
    ) -> Result<Map<String, Value>, TokenError> {
        let invalid = |why: &str| TokenError::Invalid(why.to_owned());
        let head = decode_header(token).map_err(|_| invalid("the token is no JWT"))?;
        if !ALGORITHMS.contains(&head.alg) {
            return Err(invalid("the token is not signed by a public key's owner"));
        }
        if head.crit.is_some() {
            return Err(invalid("the token has a critical header that is not known"));
        }
        if head.typ.as_deref().is_some_and(is_other) {
            return Err(invalid("the token is no access token"));
        }
        let mut rules = Validation::new(head.alg);
        rules.set_audience(audiences);
        rules.set_issuer(&[issuer]);
        rules.set_required_spec_claims(&["exp", "iss", "aud"]);
        rules.validate_nbf = true;
        rules.leeway = LEEWAY.as_secs();
        let mut why = "the token's key is none of the issuer's";
        let id = head.kid.as_deref();
        let keys = self.find(id, head.alg).await?;
        let keys = keys.iter().filter(|key| key.may_have_signed(id, head.alg));
        for key in keys.take(MOST_TRIED) {
            match decode(token, &key.public, &rules) {
                Ok(token) => return of_a_bearer(token.claims),
                Err(error) => why = words(error.kind()),
            }
        }
        Err(invalid(why))
    }

    /// The keys, of which some may have signed it.
    async fn find(
        self: &Arc<Self>,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Arc<[Key]>, TokenError> {
        let known = self.known();
        if let Some((keys, age)) = known.filter(|(_, age)| *age < KEPT) {
            let is_known = keys.iter().any(|key| key.may_have_signed(id, algorithm));
            if is_known {
                if age > FRESH && self.fetching.try_lock().is_ok() && self.state().may_ask() {
                    // Whoever asks now does not wait for it.
                    let all = Arc::clone(self);
                    tokio::spawn(async move { all.refresh().await });
                }
                return Ok(keys);
            }
        }
        // It may be new. Whoever hangs up does not end the fetch for others.
        let all = Arc::clone(self);
        let _ = tokio::spawn(async move { all.refresh().await }).await;
        match self.known().filter(|(_, age)| *age < KEPT) {
            Some((keys, _)) => Ok(keys),
            None => Err(TokenError::Unavailable(
                "the token could not be checked: the authorization server's keys are not there"
                    .to_owned(),
            )),
        }
    }

    fn state(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The keys, and how old they are.
    fn known(&self) -> Option<(Arc<[Key]>, Duration)> {
        let known = self.state();
        let (keys, at) = known.keys.as_ref()?;
        Some((Arc::clone(keys), at.elapsed()))
    }

    /// Fetches the keys, unless the issuer was asked just now. What cannot be fetched changes nothing.
    async fn refresh(&self) {
        let _fetching = self.fetching.lock().await;
        if !self.state().may_ask() {
            return;
        }
        self.state().asked = Some(Instant::now());
        let fetched = self.fetch().await;
        let mut state = self.state();
        // Those who waited do not ask again.
        state.asked = Some(Instant::now());
        if let Some(keys) = fetched {
            state.keys = Some((keys, Instant::now()));
        }
    }

    async fn fetch(&self) -> Option<Arc<[Key]>> {
        let found;
        let url = match &self.source {
            Source::At(url) => url,
            Source::Issuer(issuer) => {
                found = self.discover(issuer).await?;
                &found
            }
        };
        let mut set = self.json(url.clone()).await?;
        let Some(Value::Array(keys)) = set.remove("keys") else {
            return None;
        };
        let keys = keys.into_iter().take(MOST_KEYS).filter_map(Key::read);
        Some(keys.collect())
    }

    /// The URL of the keys: RFC 8414, section 3.1, and `OpenID` Connect Discovery, section 4.
    async fn discover(&self, issuer: &str) -> Option<Url> {
        let url = Url::parse(issuer).ok()?;
        let path = url.path().trim_end_matches('/');
        let mut places = vec![
            format!("/.well-known/oauth-authorization-server{path}"),
            format!("/.well-known/openid-configuration{path}"),
        ];
        if !path.is_empty() {
            places.push(format!("{path}/.well-known/openid-configuration"));
        }
        for place in places {
            let mut at = url.clone();
            at.set_path(&place);
            let Some(metadata) = self.json(at).await else {
                continue;
            };
            let text = |name: &str| metadata.get(name).and_then(Value::as_str);
            // Whoever speaks for another issuer is not heard.
            if text("issuer") == Some(issuer)
                && let Some(keys) = text("jwks_uri")
            {
                return safe_url(keys).ok();
            }
        }
        None
    }

    async fn json(&self, url: Url) -> Option<Map<String, Value>> {
        let mut response = self.client.get(url).send().await.ok()?;
        if !response.status().is_success() {
            return None;
        }
        let mut text = Vec::new();
        while let Some(part) = response.chunk().await.ok()? {
            text.extend_from_slice(&part);
            if text.len() > MOST_BYTES {
                return None;
            }
        }
        serde_json::from_slice(&text).ok()
    }
}

/// A URL that nobody between can change: `https`, or this machine's.
pub(super) fn safe_url(said: &str) -> Result<Url, AuthorizationError> {
    let wrong = |why: &str| AuthorizationError(format!("the URL `{said}` {why}"));
    let url = Url::parse(said).map_err(|error| wrong(&format!("is none: {error}")))?;
    let is_here = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    if !(url.scheme() == "https" || (url.scheme() == "http" && is_here)) {
        return Err(wrong("has to be `https`, or `http` on this machine"));
    }
    if url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("has a fragment, or a user"));
    }
    Ok(url)
}

/// Whether a token says that it is something else: an answer about a token, a logout. Access tokens are `at+jwt` (RFC 9068,
/// section 2.1), or `JWT`.
fn is_other(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    let kind = kind.strip_prefix("application/").unwrap_or(&kind);
    kind.ends_with("+jwt") && kind != "at+jwt"
}

/// Whoever sends the token may use it, and sessions and tasks are for its subject.
fn of_a_bearer(claims: Map<String, Value>) -> Result<Map<String, Value>, TokenError> {
    let why = if claims.contains_key("cnf") {
        "the token is bound to a key of its client"
    } else if claims.get("sub").is_some_and(|sub| !sub.is_string()) {
        "the token's `sub` is no string"
    } else {
        return Ok(claims);
    };
    Err(TokenError::Invalid(why.to_owned()))
}

fn words(error: &ErrorKind) -> &'static str {
    match error {
        ErrorKind::ExpiredSignature => "the token has expired",
        ErrorKind::ImmatureSignature => "the token is not valid yet",
        ErrorKind::InvalidAudience => "the token is for another audience",
        ErrorKind::InvalidIssuer => "the token is of another issuer",
        ErrorKind::MissingRequiredClaim(_) => "the token lacks `exp`, `iss` or `aud`",
        ErrorKind::InvalidSignature => "the token's signature is wrong",
        _ => "the token cannot be read",
    }
}
