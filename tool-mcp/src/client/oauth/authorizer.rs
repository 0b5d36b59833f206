//! Sends requests with the token that there is, and gets another where it is refused.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{Shared, WeakShared};
use http::{HeaderValue, StatusCode, header};
use reqwest::{RequestBuilder, Response, Url};
use toolwright_runtime::tool::BoxFuture;

use super::challenge::Challenge;
use super::discovery::AuthServer;
use super::store::StoredTokens;
use super::{Denied, OAuth};
use crate::client::connection::Connection;
use crate::client::event::EventListener;
use crate::client::http::RequestFailure;
use crate::client::way::Way;
use crate::web::{Web, is_safe, is_this_machine};

/// A request is sent at most so many times.
const MOST_SENT: usize = 6;

/// A request to an authorization server takes at most so long.
const LIMIT: Duration = Duration::from_secs(20);

/// For one request a person is asked at most so many times.
const MOST_ASKED: usize = 3;

/// See the module. One per connector.
pub(in crate::client) struct Authorizer {
    pub(super) oauth: OAuth,
    pub(super) server: Url,
    pub(super) web: Web,
    pub(super) events: EventListener,
    state: Mutex<TokenState>,
    /// A refresh token is used once, by a flow, beside one, or by what one left behind.
    pub(super) renewing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
pub(super) struct TokenState {
    pub(super) current: Option<Current>,
    /// Number of flows that have ended.
    ended: u64,
    /// Why the last one got nothing.
    denied: Option<Denied>,
    running: Option<WeakShared<Flow>>,
    /// The authorization server at which the host's own client is registered.
    pub(super) issuer: Option<String>,
}

/// The tokens in use.
#[derive(Clone)]
pub(super) struct Current {
    pub(super) place: Arc<AuthServer>,
    pub(super) tokens: StoredTokens,
    /// Its scopes were asked for by this program, and not by one before it, and it was not renewed since.
    pub(super) is_asked_here: bool,
}

impl Current {
    /// Returns true if these are the same tokens.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.place.key() == other.place.key()
            && self.tokens.access_token == other.tokens.access_token
    }

    pub(super) fn is_good(&self) -> bool {
        self.tokens.access_token.is_some() && !self.tokens.ends_soon()
    }
}

type Flow = BoxFuture<'static, Result<Got, Denied>>;

/// Sources of a new token.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Got {
    /// Another request has seen to it.
    Known,
    Stored,
    Renewed,
    Asked,
}

/// Why another token is needed.
pub(super) enum Need {
    /// The one that there is ends soon.
    Soon,
    /// It was refused, or there is none. `renew` where a renewal was not refused too.
    Token { challenge: Challenge, renew: bool },
    /// It does not suffice.
    Scopes(Challenge),
}

/// The tokens of a request when it was sent.
struct SentTokens {
    token: Option<HeaderValue>,
    ended: u64,
    ends_soon: bool,
}

impl Authorizer {
    pub(in crate::client) fn new(
        oauth: OAuth,
        server: &Url,
        events: EventListener,
    ) -> Result<Arc<Self>, Denied> {
        oauth.check()?;
        if !is_safe(server) {
            return Err(Denied::new(
                "`oauth` needs a server at `https`, or at `http` on this machine",
            ));
        }
        let issuer = oauth.issuer.as_deref().map(Url::parse);
        let may_be_local = is_this_machine(server)
            || issuer.is_some_and(|url| url.is_ok_and(|url| is_this_machine(&url)));
        Ok(Arc::new(Self {
            web: Web::new(may_be_local, LIMIT)?,
            oauth,
            server: server.clone(),
            events,
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

    /// Puts the token there that there is.
    pub(in crate::client) fn sign(&self, request: RequestBuilder) -> RequestBuilder {
        with(request, self.used().token)
    }

    /// Sends a request until it is not refused for want of a token, or that does not help. `asks` is false for what goes on
    /// in the background: nobody is asked for it.
    pub(in crate::client) async fn send(
        self: &Arc<Self>,
        connection: &Connection,
        way: Option<&Way>,
        asks: bool,
        build: impl Fn() -> RequestBuilder + Send + Sync,
    ) -> Result<Response, RequestFailure> {
        let (mut renew, mut asked) = (true, 0);
        let mut last = None;
        for _ in 0..MOST_SENT {
            let mut used = self.used();
            if used.ends_soon {
                let _ = leave(way, self.renew(&used, Need::Soon)).await?;
                used = self.used();
            }
            let request = with(build(), used.token.clone());
            let response = request.send().await.map_err(RequestFailure::Http)?;
            let status = response.status();
            let challenge = Challenge::of(response.headers());
            let need = match status {
                StatusCode::UNAUTHORIZED if asked > 0 => {
                    let words = "the server refuses the token that was asked for";
                    return Err(RequestFailure::Denied(status, Denied::new(words)));
                }
                StatusCode::UNAUTHORIZED if asks => Need::Token { challenge, renew },
                StatusCode::FORBIDDEN
                    if asks && challenge.error.as_deref() == Some("insufficient_scope") =>
                {
                    if asked == MOST_ASKED {
                        let words = "the server wants more scopes again and again";
                        return Err(RequestFailure::Denied(status, Denied::new(words)));
                    }
                    Need::Scopes(challenge)
                }
                _ => return Ok(response),
            };
            drop(response);
            let asking = connection.asks_somebody();
            let got = leave(way, self.renew(&used, need)).await?;
            drop(asking);
            let got = got.map_err(|denied| RequestFailure::Denied(status, denied))?;
            renew &= !matches!(got, Got::Renewed | Got::Asked);
            asked += usize::from(got == Got::Asked);
            last = Some(status);
        }
        let words = format!("the server refused {MOST_SENT} requests in turn");
        Err(RequestFailure::Denied(
            last.unwrap_or(StatusCode::UNAUTHORIZED),
            Denied::new(words),
        ))
    }

    /// Gets another token than the one that was used, if nobody has since. What all who ask for it at once wait for.
    async fn renew(self: &Arc<Self>, used: &SentTokens, need: Need) -> Result<Got, Denied> {
        let flow = {
            let mut state = self.state();
            if state.ended != used.ended {
                return state.denied.clone().map_or(Ok(Got::Known), Err);
            }
            match state.running.as_ref().and_then(WeakShared::upgrade) {
                // It may wait for a person, which a renewal need not.
                Some(_) if matches!(need, Need::Soon) => None,
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
            None => Box::pin(self.run(Need::Soon)).await,
        }
    }

    async fn flow(self: Arc<Self>, need: Need) -> Result<Got, Denied> {
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

fn with(request: RequestBuilder, token: Option<HeaderValue>) -> RequestBuilder {
    match token {
        Some(token) => request.header(header::AUTHORIZATION, token),
        None => request,
    }
}

/// Waits while a request is not under way: it was refused before it ran, or was not sent yet.
async fn leave<T>(way: Option<&Way>, waits: impl Future<Output = T>) -> Result<T, RequestFailure> {
    let Some(way) = way else {
        return Ok(waits.await);
    };
    way.was_not_sent();
    let done = waits.await;
    if way.leaves() {
        Ok(done)
    } else {
        Err(RequestFailure::Withdrawn)
    }
}

impl fmt::Debug for Authorizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.oauth.fmt(f)
    }
}
