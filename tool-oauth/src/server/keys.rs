//! The keys of an authorization server, and the tokens that they signed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, KeyOperations, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header, errors::ErrorKind};
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{AuthorizationError, LEEWAY, TokenError, client_id};
use crate::issuer::is_same_issuer;
use crate::web::{AuthHttp, Network, checked, issuer_places};

/// Age at which keys are refreshed.
const FRESH: Duration = Duration::from_mins(10);

/// How long stale keys are used.
const KEPT: Duration = Duration::from_hours(1);

/// Minimum time between fetches.
const PAUSE: Duration = Duration::from_secs(5);

/// Time limit of a request.
const FETCH: Duration = Duration::from_secs(10);

/// Maximal number of an issuer's keys.
const MAX_KEYS: usize = 100;

/// Maximal number of keys that are tried for one token.
const MAX_TRIED: usize = 8;

/// Asymmetric algorithms.
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
pub(super) struct IssuerKeys {
    source: Source,
    web: AuthHttp,
    known: Mutex<KeyCache>,
    /// One fetch at a time.
    fetching: tokio::sync::Mutex<()>,
}

/// Place of the keys.
enum Source {
    /// As the metadata of this issuer say.
    Issuer {
        name: String,
        url: Url,
    },
    At(Url),
}

#[derive(Default)]
struct KeyCache {
    keys: Option<(Arc<[Key]>, Instant)>,
    /// When the issuer was asked last.
    asked: Option<Instant>,
}

impl KeyCache {
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

impl IssuerKeys {
    /// Those of an issuer, found by its metadata.
    pub(super) fn discovered(issuer: &str) -> Result<Self, AuthorizationError> {
        let url = checked(issuer, "URL of the issuer")?;
        let name = issuer.to_owned();
        Self::from(Network::of(&url), Source::Issuer { name, url })
    }

    /// Those behind a URL.
    pub(super) fn at(url: &str) -> Result<Self, AuthorizationError> {
        let url = checked(url, "URL of the keys")?;
        Self::from(Network::of(&url), Source::At(url))
    }

    fn from(reach: Network, source: Source) -> Result<Self, AuthorizationError> {
        // Where a program has several, it has to choose; this is the choice of one that did not.
        let _ = jsonwebtoken::crypto::aws_lc::DEFAULT_PROVIDER.install_default();
        Ok(Self {
            source,
            web: AuthHttp::new(reach, FETCH, false)?,
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
        let head = decode_header(token).map_err(|_| invalid("the token is not a JWT"))?;
        if !ALGORITHMS.contains(&head.alg) {
            return Err(invalid("the token is not signed by a public key's owner"));
        }
        if head.crit.is_some() {
            return Err(invalid("the token has a critical header that is not known"));
        }
        if head.typ.as_deref().is_some_and(is_other) {
            return Err(invalid("the token is not an access token"));
        }
        let mut rules = Validation::new(head.alg);
        rules.set_audience(audiences);
        // `iss` is compared by our own rule: the crate takes any element of an array.
        rules.set_required_spec_claims(&["exp", "iss", "aud"]);
        rules.validate_nbf = true;
        rules.leeway = LEEWAY.as_secs();
        let mut why = "the token's key is none of the issuer's";
        let id = head.kid.as_deref();
        let keys = self.find(id, head.alg).await?;
        let keys = keys.iter().filter(|key| key.may_have_signed(id, head.alg));
        for key in keys.take(MAX_TRIED) {
            match decode(token, &key.public, &rules) {
                Ok(token) => return of_a_bearer(token.claims, issuer),
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

    fn state(&self) -> MutexGuard<'_, KeyCache> {
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
        let url = match &self.source {
            Source::At(url) => url.clone(),
            Source::Issuer { name, url } => self.discover(name, url).await?,
        };
        let set: KeySet = self.web.get(&url).await.ok()?.ok()?;
        let keys = set.keys.into_iter().take(MAX_KEYS).filter_map(Key::read);
        Some(keys.collect())
    }

    /// The URL of the keys, as the issuer's metadata say. Metadata of another issuer is ignored.
    async fn discover(&self, name: &str, url: &Url) -> Option<Url> {
        for place in issuer_places(url) {
            let found = self.web.get::<Metadata>(&place).await.ok()?;
            if let Ok(metadata) = found {
                let keys =
                    Some(metadata.jwks_uri).filter(|_| is_same_issuer(&metadata.issuer, name))?;
                return self.web.checked(&keys, "URL of the keys").ok();
            }
        }
        None
    }
}

/// The parts of an issuer's metadata that are read.
#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

/// RFC 7517, section 5.
#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

/// Returns true if a token says that it is something else: an answer about a token, a logout. Access tokens are `at+jwt` (RFC 9068,
/// section 2.1), or `JWT`.
fn is_other(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    let kind = kind.strip_prefix("application/").unwrap_or(&kind);
    kind.ends_with("+jwt") && kind != "at+jwt"
}

/// Checks the claims of a signed token: its issuer is ours, its bearer may use it, and it names an owner of sessions and tasks.
fn of_a_bearer(claims: Map<String, Value>, issuer: &str) -> Result<Map<String, Value>, TokenError> {
    let issued_by = claims.get("iss").and_then(Value::as_str);
    let why = if issued_by.is_none() {
        "the token's `iss` is not a string"
    } else if !issued_by.is_some_and(|by| is_same_issuer(by, issuer)) {
        "the token is of another issuer"
    } else if claims.contains_key("cnf") {
        "the token is bound to a key of its client"
    } else if claims.get("sub").is_some_and(|sub| !sub.is_string()) {
        "the token's `sub` is not a string"
    } else if claims.get("sub") == Some(&Value::from("")) {
        "the token's `sub` is empty"
    } else if !claims.contains_key("sub") && client_id(&claims).is_none() {
        // Sessions and tasks belong to somebody (RFC 9068, section 2.2).
        "the token names neither a subject nor a client"
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
        ErrorKind::MissingRequiredClaim(_) => "the token lacks `exp`, `iss` or `aud`",
        ErrorKind::InvalidSignature => "the token's signature is wrong",
        _ => "the token cannot be read",
    }
}
