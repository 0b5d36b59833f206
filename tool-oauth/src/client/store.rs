use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use auto_impl::auto_impl;
use serde::{Deserialize, Serialize};
use toolwright_runtime::tool::BoxFuture;

/// So many entries are kept in memory. Servers choose the keys.
const MOST_KEPT: usize = 256;

/// A token that ends so soon is renewed before it is sent.
const SOON: Duration = Duration::from_secs(30);

/// Error of a host's own code: of a [`TokenStore`], or of what asks a person.
pub type OAuthHostError = Box<dyn Error + Send + Sync>;

/// Store of tokens and client registrations, for [`OAuth::tokens`](super::OAuth::tokens).
///
/// A key stands for an MCP server and the authorization server that gave the tokens, so tokens of one authorization
/// server are never sent to another. Use one store per user. The values hold secrets: encrypt them, or keep them where
/// the operating system keeps passwords.
///
/// If the store fails, the client reports `ClientEvent::TokenStoreFailed` and
/// goes on without it.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::Mutex;
/// use toolwright::mcp::{OAuthHostError, StoredTokens, TokenStore};
/// use toolwright::call::BoxFuture;
///
/// #[derive(Default)]
/// struct Texts(Mutex<HashMap<String, String>>);
///
/// impl TokenStore for Texts {
///     fn load<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<StoredTokens>, OAuthHostError>> {
///         Box::pin(async move {
///             let text = self.0.lock().unwrap().get(key).cloned();
///             Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
///         })
///     }
///
///     fn save<'a>(&'a self, key: &'a str, tokens: &'a StoredTokens) -> BoxFuture<'a, Result<(), OAuthHostError>> {
///         Box::pin(async move {
///             let text = serde_json::to_string(tokens)?;
///             self.0.lock().unwrap().insert(key.to_owned(), text);
///             Ok(())
///         })
///     }
///
///     fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), OAuthHostError>> {
///         Box::pin(async move {
///             self.0.lock().unwrap().remove(key);
///             Ok(())
///         })
///     }
/// }
/// ```
#[auto_impl(Arc)]
pub trait TokenStore: Send + Sync {
    /// Returns what was saved under the key.
    ///
    /// # Errors
    /// If the store fails.
    fn load<'a>(
        &'a self,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredTokens>, OAuthHostError>>;

    /// Saves the tokens under the key, in the place of what was there.
    ///
    /// # Errors
    /// If the store fails.
    fn save<'a>(
        &'a self,
        key: &'a str,
        tokens: &'a StoredTokens,
    ) -> BoxFuture<'a, Result<(), OAuthHostError>>;

    /// Removes what was saved under the key. Does nothing if there is nothing.
    ///
    /// # Errors
    /// If the store fails.
    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), OAuthHostError>>;
}

/// Tokens and client registration at one authorization server: the value of a [`TokenStore`].
///
/// It is serializable, and its form may get more fields. `Debug` shows no secret.
#[derive(Clone, Serialize, Deserialize)]
pub struct StoredTokens {
    /// `None` where there is a registration and no token yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) access_token: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh_token: Option<String>,
    /// In seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expires_at: Option<u64>,
    /// All that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) scopes: Vec<String>,
    pub(super) client: Registered,
}

/// This program's registration at an authorization server.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Registered {
    pub(super) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<String>,
    /// The token endpoint's authentication method, if the registration names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) auth_method: Option<String>,
    /// The place that it was registered for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) redirect_uri: Option<String>,
    /// In seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) secret_expires_at: Option<u64>,
}

impl StoredTokens {
    pub(super) fn new(client: Registered) -> Self {
        Self {
            access_token: None,
            refresh_token: None,
            expires_at: None,
            scopes: Vec::new(),
            client,
        }
    }

    pub(super) fn ends_soon(&self) -> bool {
        self.expires_at
            .is_some_and(|at| at <= now().saturating_add(SOON.as_secs()))
    }
}

pub(super) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap_or_default().as_secs()
}

/// Shows which secrets there are, and no secret.
impl fmt::Debug for StoredTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredTokens")
            .field("access_token", &self.access_token.is_some())
            .field("refresh_token", &self.refresh_token.is_some())
            .field("expires_at", &self.expires_at)
            .field("scopes", &self.scopes)
            .field("client_id", &self.client.id)
            .finish_non_exhaustive()
    }
}

/// The store of a connector that was given none.
#[derive(Default)]
pub(super) struct InMemory(Mutex<HashMap<String, StoredTokens>>);

impl InMemory {
    fn with<T>(&self, change: impl FnOnce(&mut HashMap<String, StoredTokens>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl TokenStore for InMemory {
    fn load<'a>(
        &'a self,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredTokens>, OAuthHostError>> {
        Box::pin(async move { Ok(self.with(|all| all.get(key).cloned())) })
    }

    fn save<'a>(
        &'a self,
        key: &'a str,
        tokens: &'a StoredTokens,
    ) -> BoxFuture<'a, Result<(), OAuthHostError>> {
        Box::pin(async move {
            self.with(|all| {
                if all.len() >= MOST_KEPT {
                    all.clear();
                }
                all.insert(key.to_owned(), tokens.clone());
            });
            Ok(())
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), OAuthHostError>> {
        Box::pin(async move {
            self.with(|all| all.remove(key));
            Ok(())
        })
    }
}
