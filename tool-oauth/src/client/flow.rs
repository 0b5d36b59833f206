//! Ways to a token: from the store, by a renewal, from a person, or by the program's own credentials.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::Arc;

use futures_util::FutureExt;
use toolwright_runtime::tool::BoxFuture;
use toolwright_schema::panics::reported;

use super::authorizer::{ActiveTokens, Authorizer, TokenNeed, TokenSource};
use super::challenge::Challenge;
use super::discovery::{AuthServer, scopes};
use super::grant::{ConsentPage, GrantError, client_credentials, put, refresh, register};
use super::redirect::Redirect;
use super::store::{Registered, StoredTokens, now};
use super::{AuthError, AuthorizationRequest, Consent, OAuthHostError};
use crate::issuer::is_same_issuer;

impl Authorizer {
    /// Gets another token.
    pub(super) async fn run(self: &Arc<Self>, need: TokenNeed) -> Result<TokenSource, AuthError> {
        let current = self.state().current.clone();
        let (challenge, renew, more) = match need {
            TokenNeed::Soon => {
                if let Some(soon) = current
                    && self.renewed(soon.clone()).await.is_err()
                    && let Some(current) = &mut self.state().current
                    && current.is(&soon)
                {
                    // It is not tried again: the server says whether the token is still good.
                    current.tokens.expires_at = None;
                }
                return Ok(TokenSource::Known);
            }
            TokenNeed::Token { challenge, renew } => (challenge, renew, false),
            TokenNeed::Scopes(challenge) => (challenge, false, true),
        };
        let place = Arc::new(self.find(&challenge, current.as_ref()).await?);
        let current = current.filter(|current| current.place.key() == place.key());
        if current.is_none() {
            // What another authorization server gave is not for this one.
            self.state().current = None;
        }
        let is_new = current.is_none();
        let known = match current {
            Some(current) => Some(current),
            None => self.load(&place).await,
        };
        let challenged = scopes(challenge.scope.as_deref().unwrap_or_default().split(' '));
        let has_all = |known: &ActiveTokens| {
            let mut all = challenged.iter();
            known.is_asked_here && all.all(|scope| known.tokens.scopes.contains(scope))
        };
        if more && known.as_ref().is_some_and(has_all) {
            let words = match challenged.join(" ") {
                none if none.is_empty() => {
                    "the server wants more scopes, and does not say which".to_owned()
                }
                scopes => {
                    format!("the server wants scopes that were asked for and not given: {scopes}")
                }
            };
            return Err(AuthError::new(words));
        }
        let known = match known {
            Some(known) if is_new && !more && known.is_good() => {
                self.state().current = Some(known);
                return Ok(TokenSource::Stored);
            }
            // What is stored was not refused by anybody yet.
            Some(known) if renew || is_new && !more => match self.renewed(known).await? {
                Ok(()) => return Ok(TokenSource::Renewed),
                Err(tokens) => Some(tokens),
            },
            known => known.map(|known| known.tokens),
        };
        let challenged = Some(challenged).filter(|scopes| !scopes.is_empty());
        let mut wanted = challenged.unwrap_or_else(|| place.scopes.clone());
        wanted.extend(self.oauth.scopes.iter().cloned());
        wanted.extend(known.iter().flat_map(|known| known.scopes.iter().cloned()));
        self.ask(place, known, wanted).await?;
        Ok(TokenSource::Asked)
    }

    /// Finds the authorization server. The host's own client is known at one alone.
    async fn find(
        &self,
        challenge: &Challenge,
        current: Option<&ActiveTokens>,
    ) -> Result<AuthServer, AuthError> {
        let bound = self
            .oauth
            .issuer
            .clone()
            .or_else(|| self.state().issuer.clone());
        let wanted = bound
            .as_deref()
            .or(current.map(|current| &*current.place.server.issuer));
        let is_wanted = |issuer: &str| wanted.is_some_and(|wanted| is_same_issuer(wanted, issuer));
        let place = AuthServer::find(&self.web, &self.server, challenge, is_wanted).await?;
        match bound {
            Some(bound) if !is_same_issuer(&bound, &place.server.issuer) => {
                let words = "this client is not for the authorization server that the server names";
                Err(AuthError::new(format!(
                    "{words}: {:?}",
                    place.server.issuer
                )))
            }
            _ => {
                if self.oauth.client_id.is_some() {
                    self.state().issuer = Some(place.server.issuer.clone());
                }
                Ok(place)
            }
        }
    }

    /// The client that the host says this is.
    fn given(&self, place: &AuthServer) -> Option<Registered> {
        let document = self.oauth.client_metadata.as_ref();
        let document = document.filter(|_| place.server.takes_metadata_documents);
        Some(Registered {
            id: self.oauth.client_id.as_ref().or(document)?.clone(),
            secret: self.oauth.client_secret.clone(),
            auth_method: None,
            redirect_uri: None,
            secret_expires_at: None,
        })
    }

    /// Returns the stored tokens, if they are of this client.
    async fn load(&self, place: &Arc<AuthServer>) -> Option<ActiveTokens> {
        let stored = self.oauth.tokens.load(&place.key()).await;
        let mut stored = self.report_store_error(stored).flatten()?;
        if let Some(given) = self.given(place) {
            if given.id != stored.client.id {
                return None;
            }
            stored.client = given;
        }
        Some(ActiveTokens {
            place: Arc::clone(place),
            tokens: stored,
            is_asked_here: false,
        })
    }

    async fn save(&self, place: &AuthServer, tokens: &StoredTokens) {
        let mut tokens = tokens.clone();
        if self.oauth.client_secret.is_some() {
            // The host has it.
            tokens.client.secret = None;
        }
        let saved = self.oauth.tokens.save(&place.key(), &tokens).await;
        self.report_store_error(saved);
    }

    fn report_store_error<T>(&self, stored: Result<T, OAuthHostError>) -> Option<T> {
        let failed = |error: OAuthHostError| (self.on_store_error)(error.to_string());
        stored.map_err(failed).ok()
    }

    /// Renews tokens without a person. Where the authorization server does not take them any more, the inner error is what
    /// is left of them.
    async fn renewed(
        self: &Arc<Self>,
        known: ActiveTokens,
    ) -> Result<Result<(), StoredTokens>, AuthError> {
        let Some(refresh_token) = known.tokens.refresh_token.clone() else {
            return Ok(Err(known.tokens));
        };
        let authorizer = Arc::clone(self);
        let was_current = self.state().current.is_some();
        // The answer may hold the only refresh token that is still good, so it is heard whoever waits for it.
        let renewed =
            tokio::spawn(
                async move { authorizer.refresh(known, &refresh_token, was_current).await },
            );
        let ended = |_| Err(AuthError::new("the program ends"));
        renewed.await.unwrap_or_else(ended)
    }

    async fn refresh(
        &self,
        mut known: ActiveTokens,
        refresh_token: &str,
        was_current: bool,
    ) -> Result<Result<(), StoredTokens>, AuthError> {
        let _renewing = self.renewing.lock().await;
        let place = Arc::clone(&known.place);
        let old = known.clone();
        // Somebody else may have seen to it meanwhile: then what they got stays.
        let is_still = |current: Option<&ActiveTokens>| match current {
            Some(current) => current.is(&old),
            None => !was_current,
        };
        let set = |new: ActiveTokens| {
            let mut state = self.state();
            if is_still(state.current.as_ref()) {
                state.current = Some(new);
            }
        };
        if !is_still(self.state().current.as_ref()) {
            return Ok(Ok(()));
        }
        if let Some(stored) = self.load(&place).await
            && stored.tokens.access_token != known.tokens.access_token
            && stored.is_good()
        {
            // Somebody else who shares the store has renewed them, and ours may be used up.
            set(stored);
            return Ok(Ok(()));
        }
        match refresh(&self.web, &place, &known.tokens, refresh_token).await {
            Ok(given) => {
                put(&mut known.tokens, &given)?;
                // It may be for less than what was asked for.
                known.is_asked_here = false;
                // They are kept even where they are not used: the store goes by the authorization server.
                self.save(&place, &known.tokens).await;
                set(known);
                Ok(Ok(()))
            }
            Err(GrantError::Unknown { is_client, .. }) => {
                known.tokens.refresh_token = None;
                let mut left = known.tokens.clone();
                left.access_token = None;
                set(known);
                if is_client {
                    // It is registered anew.
                    left.client.redirect_uri = None;
                    let removed = self.oauth.tokens.remove(&place.key()).await;
                    self.report_store_error(removed);
                } else {
                    self.save(&place, &left).await;
                }
                Ok(Err(left))
            }
            Err(failed) => Err(failed.into_auth_error()),
        }
    }

    /// Asks for tokens: a person, or as the program itself.
    async fn ask(
        &self,
        place: Arc<AuthServer>,
        known: Option<StoredTokens>,
        wanted: Vec<String>,
    ) -> Result<(), AuthError> {
        let redirect = match &self.oauth.grant {
            Consent::Browser(_) => {
                let redirect = Redirect::bind(self.oauth.redirect_uri.as_deref()).await;
                Some(redirect.map_err(|error| {
                    AuthError::new(format!("the client cannot listen for the browser: {error}"))
                })?)
            }
            _ => None,
        };
        let mut wanted = scopes(wanted.iter().map(String::as_str));
        let (client, given) = match &self.oauth.grant {
            Consent::Secret | Consent::Signed(_) => {
                let no_client = || AuthError::new("there is no `client_id`");
                let client = self.given(&place).ok_or_else(no_client)?;
                let assertion = match &self.oauth.grant {
                    Consent::Signed(sign) => {
                        Some(hosts(|| sign(place.server.issuer.clone())).await?)
                    }
                    _ => None,
                };
                let given =
                    client_credentials(&self.web, &place, &client, &wanted, assertion).await?;
                (client, given)
            }
            Consent::Host(_) | Consent::Browser(_) => {
                let uri = match &redirect {
                    Some(redirect) => Some(redirect.uri().to_owned()),
                    None => self.oauth.redirect_uri.clone(),
                };
                let uri = uri.ok_or_else(|| AuthError::new("there is no `redirect_uri`"))?;
                if place.server.has_offline_access && !wanted.is_empty() {
                    wanted = scopes(wanted.iter().map(String::as_str).chain(["offline_access"]));
                }
                let client = self.client(&place, known.as_ref(), &uri).await?;
                let question = ConsentPage::new(&place, &client, &uri, &wanted)?;
                let back = self.question(&place, &question, redirect, &wanted).await;
                // Who said no knows this client.
                let is_no = |back: &String| question.code(&place, back).is_err();
                let is_known = back.as_ref().is_ok_and(is_no);
                let given = match back {
                    Ok(back) => question.exchange(&self.web, &place, &client, &back).await,
                    Err(denied) => Err(denied),
                };
                if let (Err(_), false, Some(known)) = (&given, is_known, known) {
                    self.forget_registration(&place, known).await;
                }
                (client, given?)
            }
        };
        let mut tokens = StoredTokens::new(client);
        put(&mut tokens, &given)?;
        tokens.scopes = wanted;
        // What is being renewed is older than this, and comes before it.
        let _renewing = self.renewing.lock().await;
        self.save(&place, &tokens).await;
        self.state().current = Some(ActiveTokens {
            place,
            tokens,
            is_asked_here: true,
        });
        Ok(())
    }

    /// Returns this client's registration there: the host's, an earlier one, or a new one.
    async fn client(
        &self,
        place: &AuthServer,
        known: Option<&StoredTokens>,
        uri: &str,
    ) -> Result<Registered, AuthError> {
        if let Some(given) = self.given(place) {
            return Ok(given);
        }
        let is_good = |client: &&Registered| {
            client.redirect_uri.as_deref() == Some(uri)
                && client.secret_expires_at.is_none_or(|at| at > now())
        };
        if let Some(client) = known.map(|known| &known.client).filter(is_good) {
            return Ok(client.clone());
        }
        let client = register(&self.web, place, &self.oauth.client_name, uri).await?;
        if known.is_none_or(|known| known.access_token.is_none()) {
            // A person who says no does not let it be registered once more.
            self.save(place, &StoredTokens::new(client.clone())).await;
        }
        Ok(client)
    }

    /// Registers this client anew next time. Of one that is not known any more a person hears, and not this program.
    async fn forget_registration(&self, place: &AuthServer, mut known: StoredTokens) {
        let _renewing = self.renewing.lock().await;
        known.client.redirect_uri = None;
        if let Some(current) = &mut self.state().current {
            current.tokens.client.redirect_uri = None;
            if current.place.key() == place.key() && current.tokens.refresh_token.is_some() {
                // They may have been renewed beside the question.
                known = current.tokens.clone();
            }
        }
        self.save(place, &known).await;
    }

    /// Sends a person to the authorization server, and returns the URL with which they come back.
    async fn question(
        &self,
        place: &AuthServer,
        question: &ConsentPage,
        redirect: Option<Redirect>,
        scopes: &[String],
    ) -> Result<String, AuthError> {
        match (&self.oauth.grant, redirect) {
            (Consent::Browser(open), Some(redirect)) => {
                let opens = || open(&question.url);
                if reported("who opens a browser for an MCP client", opens).is_none() {
                    return Err(AuthError::new("no browser was opened: it panicked"));
                }
                let back = redirect.wait(question.state.secret()).await;
                back.map_err(|error| {
                    AuthError::new(format!("the browser did not come back: {error}"))
                })
            }
            (Consent::Host(ask), _) => {
                let request = AuthorizationRequest {
                    url: question.url.clone(),
                    server: place.resource.clone(),
                    issuer: place.server.issuer.clone(),
                    scopes: scopes.to_vec(),
                };
                hosts(|| ask(request)).await
            }
            _ => Err(AuthError::new("nobody can be asked")),
        }
    }
}

/// Runs the host's own code. A panic of its is its own, and calls wait for an answer.
async fn hosts(
    call: impl FnOnce() -> BoxFuture<'static, Result<String, OAuthHostError>>,
) -> Result<String, AuthError> {
    let answer = AssertUnwindSafe(async { call().await })
        .catch_unwind()
        .await;
    let answer = answer.unwrap_or_else(|panic| {
        let what = "who authorizes an MCP client";
        reported(what, || resume_unwind(panic)).unwrap_or_else(|| Err("it panicked".into()))
    });
    answer.map_err(|error| AuthError::new(format!("nobody said yes: {error}")))
}
