//! Sends requests with the current token, and gets another if it is refused.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{Shared, WeakShared};
use http::{HeaderValue, StatusCode, header};
use reqwest::{Response, Url};
use toolwright_runtime::tool::BoxFuture;

use super::challenge::Challenge;
use super::discovery::{AuthServer, covers};
use super::store::StoredTokens;
use super::{AuthError, OAuth};
use crate::web::{AuthHttp, Network, is_safe};

/// Attempts to send a request.
const MOST_SENT: usize = 6;

/// Time limit of a request to an authorization server.
const LIMIT: Duration = Duration::from_secs(20);

/// Maximal number of times that a person is asked for one request.
const MOST_ASKED: usize = 3;

/// The tokens of one connection to a server, and how to get others.
pub struct Authorizer {
    pub(super) oauth: OAuth,
    pub(super) server: Url,
    pub(super) web: AuthHttp,
    pub(super) on_store_error: Box<dyn Fn(String) + Send + Sync>,
    state: Mutex<TokenState>,
    /// A refresh token is used once, by a flow, beside one, or by what one left behind.
    pub(super) renewing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
pub(super) struct TokenState {
    pub(super) current: Option<ActiveTokens>,
    /// Number of flows that have ended.
    ended: u64,
    /// Why the last one got nothing.
    denied: Option<AuthError>,
    running: Option<WeakShared<Flow>>,
    /// The authorization server at which the host's own client is registered.
    pub(super) issuer: Option<String>,
}

/// The tokens in use.
#[derive(Clone)]
pub(super) struct ActiveTokens {
    pub(super) place: Arc<AuthServer>,
    pub(super) tokens: StoredTokens,
    /// Its scopes were asked for by this program, and not by one before it, and it was not renewed since.
    pub(super) is_asked_here: bool,
}

impl ActiveTokens {
    /// Returns true if these are the same tokens.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.place.key() == other.place.key()
            && self.tokens.access_token == other.tokens.access_token
    }

    pub(super) fn is_good(&self) -> bool {
        self.tokens.access_token.is_some() && !self.tokens.ends_soon()
    }
}

type Flow = BoxFuture<'static, Result<TokenSource, AuthError>>;

/// Sources of a new token.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum TokenSource {
    /// Another request has seen to it.
    Known,
    Stored,
    Renewed,
    Asked,
}

/// Why another token is needed.
pub(super) enum TokenNeed {
    /// The one that there is ends soon.
    Soon,
    /// It was refused, or there is none. `renew` where a renewal was not refused too.
    Token { challenge: Challenge, renew: bool },
    /// It does not suffice.
    Scopes(Challenge),
}

/// A request that is sent until a token admits it.
pub trait AuthorizedRequest: Sync {
    /// Sends the request with the value of `Authorization`, if there is a token.
    fn send(
        &self,
        authorization: Option<HeaderValue>,
    ) -> impl Future<Output = Result<Response, reqwest::Error>> + Send;

    /// Waits, while the request counts as not sent. Its time limits do not run if `asks`, since a person may be asked.
    /// `None` if the request is no longer wanted.
    fn pause<T: Send>(
        &self,
        asks: bool,
        waits: impl Future<Output = T> + Send,
    ) -> impl Future<Output = Option<T>> + Send;

    /// Looks at a 401 without `WWW-Authenticate` to a request with a token.
    fn look_at(&self, response: Response) -> impl Future<Output = BareRefusal> + Send;
}

/// A 401 without `WWW-Authenticate`.
#[derive(Debug)]
pub struct BareRefusal {
    /// The response.
    pub response: Response,
    /// True if it refuses the request for another reason than its token. It is then the answer.
    pub is_other: bool,
}

/// Why a request has no response.
#[derive(Debug)]
pub enum SendError {
    /// The request failed.
    Http(reqwest::Error),
    /// The request is no longer wanted, and was not sent.
    Withdrawn,
    /// The server refused the request with this status, and authorization did not help.
    Denied(StatusCode, AuthError),
}

/// The tokens of a request when it was sent.
struct SentTokens {
    token: Option<HeaderValue>,
    ended: u64,
    ends_soon: bool,
}

impl Authorizer {
    /// Checks the settings. `is_strict` admits token answers only in the form of RFC 6749. `on_store_error` is called when the
    /// [`TokenStore`](super::TokenStore) fails, with its words.
    pub fn new(
        oauth: OAuth,
        server: &Url,
        is_strict: bool,
        on_store_error: impl Fn(String) + Send + Sync + 'static,
    ) -> Result<Arc<Self>, AuthError> {
        oauth.check()?;
        if !is_safe(server) {
            return Err(AuthError::new(
                "`oauth` needs a server at `https`, or at `http` on this machine",
            ));
        }
        // The host's own word for the issuer counts as that for the server.
        let issuer = oauth.issuer.as_deref().map(Url::parse);
        let issuer = issuer.and_then(Result::ok).as_ref().map(Network::of);
        let reach = issuer.max(Some(Network::of(server)));
        Ok(Arc::new(Self {
            web: AuthHttp::new(reach.unwrap_or(Network::Public), LIMIT, is_strict)?,
            oauth,
            server: server.clone(),
            on_store_error: Box::new(on_store_error),
            state: Mutex::default(),
            renewing: tokio::sync::Mutex::default(),
        }))
    }

    pub(super) fn state(&self) -> MutexGuard<'_, TokenState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn used(&self) -> SentTokens {
        let state = self.state();
        let tokens = state.current.as_ref().map(|current| &current.tokens);
        SentTokens {
            token: tokens.and_then(bearer),
            ended: state.ended,
            ends_soon: tokens
                .is_some_and(|tokens| tokens.refresh_token.is_some() && tokens.ends_soon()),
        }
    }

    /// Returns true if the current token is for this URL too, by the resource that it was requested for.
    pub fn covers(&self, url: &Url) -> bool {
        let state = self.state();
        let current = state.current.as_ref();
        current.is_some_and(|current| covers(&current.place.resource, url))
    }

    /// Returns the value of `Authorization` with the current token.
    pub fn authorization(&self) -> Option<HeaderValue> {
        self.used().token
    }

    /// Sends a request, and repeats it with other tokens if it is refused for lack of one. `asks` is false for requests in
    /// the background, for which no person is asked.
    pub async fn send(
        self: &Arc<Self>,
        request: &impl AuthorizedRequest,
        asks: bool,
    ) -> Result<Response, SendError> {
        let (mut renew, mut asked) = (true, 0);
        let mut last = None;
        for _ in 0..MOST_SENT {
            let mut used = self.used();
            if used.ends_soon {
                let renewed = request.pause(false, self.renew(&used, TokenNeed::Soon));
                let _ = renewed.await.ok_or(SendError::Withdrawn)?;
                used = self.used();
            }
            let response = request.send(used.token.clone()).await;
            let mut response = response.map_err(SendError::Http)?;
            let status = response.status();
            let challenge = Challenge::of(response.headers());
            let is_bare = !response.headers().contains_key(header::WWW_AUTHENTICATE);
            if status == StatusCode::UNAUTHORIZED && is_bare && used.token.is_some() {
                let looked_at = request.look_at(response).await;
                if looked_at.is_other {
                    return Ok(looked_at.response);
                }
                response = looked_at.response;
            }
            let need = match status {
                StatusCode::UNAUTHORIZED if asked > 0 => {
                    let words = "the server refuses the token that was asked for";
                    return Err(SendError::Denied(status, AuthError::new(words)));
                }
                StatusCode::UNAUTHORIZED if asks => TokenNeed::Token { challenge, renew },
                StatusCode::FORBIDDEN
                    if asks && challenge.error.as_deref() == Some("insufficient_scope") =>
                {
                    if asked == MOST_ASKED {
                        let words = "the server wants more scopes again and again";
                        return Err(SendError::Denied(status, AuthError::new(words)));
                    }
                    TokenNeed::Scopes(challenge)
                }
                _ => return Ok(response),
            };
            drop(response);
            let got = request.pause(true, self.renew(&used, need)).await;
            let got = got.ok_or(SendError::Withdrawn)?;
            let got = got.map_err(|denied| SendError::Denied(status, denied))?;
            renew &= !matches!(got, TokenSource::Renewed | TokenSource::Asked);
            asked += usize::from(got == TokenSource::Asked);
            last = Some(status);
        }
        let words = format!("the server refused {MOST_SENT} requests in turn");
        Err(SendError::Denied(
            last.unwrap_or(StatusCode::UNAUTHORIZED),
            AuthError::new(words),
        ))
    }

    /// Gets another token than the one that was used, if nobody has since. What all who ask for it at once wait for.
    async fn renew(
        self: &Arc<Self>,
        used: &SentTokens,
        need: TokenNeed,
    ) -> Result<TokenSource, AuthError> {
        let flow = {
            let mut state = self.state();
            if state.ended != used.ended {
                return state.denied.clone().map_or(Ok(TokenSource::Known), Err);
            }
            match state.running.as_ref().and_then(WeakShared::upgrade) {
                // It may wait for a person, which a renewal need not.
                Some(_) if matches!(need, TokenNeed::Soon) => None,
                Some(running) => Some(running),
                None => {
                    let flow: Flow = Box::pin(Arc::clone(self).flow(need));
                    let flow: Shared<Flow> = flow.shared();
                    state.running = flow.downgrade();
                    Some(flow)
                }
            }
        };
        match flow {
            Some(flow) => flow.await,
            None => Box::pin(self.run(TokenNeed::Soon)).await,
        }
    }

    async fn flow(self: Arc<Self>, need: TokenNeed) -> Result<TokenSource, AuthError> {
        let got = self.run(need).await;
        let mut state = self.state();
        state.running = None;
        state.ended += 1;
        state.denied = got.as_ref().err().cloned();
        got
    }
}

fn bearer(tokens: &StoredTokens) -> Option<HeaderValue> {
    let token = tokens.access_token.as_ref()?;
    let mut value = HeaderValue::try_from(format!("Bearer {token}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl fmt::Debug for Authorizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.oauth.fmt(f)
    }
}
