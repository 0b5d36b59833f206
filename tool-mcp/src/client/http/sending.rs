//! One request, with the token that there is for it.

#[cfg(feature = "oauth")]
use http::StatusCode;
use reqwest::{RequestBuilder, Response};
#[cfg(feature = "oauth")]
use toolwright_oauth::client::{AuthError, BareRefusal, PausedRequest, SendError};

use super::Http;
#[cfg(feature = "oauth")]
use super::refusal::Refusal;
use crate::client::connection::Connection;
use crate::client::in_flight::InFlight;

/// Why a request has no answer.
pub(super) enum RequestFailure {
    Http(reqwest::Error),
    /// Nobody wants one any more, and it was not sent.
    #[cfg(feature = "oauth")]
    Withdrawn,
    /// It was refused with this status, and authorization did not help.
    #[cfg(feature = "oauth")]
    Denied(StatusCode, AuthError),
}

#[cfg(feature = "oauth")]
impl From<SendError> for RequestFailure {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Http(error) => Self::Http(error),
            SendError::Withdrawn => Self::Withdrawn,
            SendError::Denied(status, error) => Self::Denied(status, error),
        }
    }
}

/// A request while its client gets a token for it: it was refused before it ran, or was not sent yet.
#[cfg(feature = "oauth")]
struct SentRequest<'c> {
    connection: &'c Connection,
    way: Option<&'c InFlight>,
    in_session: Option<u64>,
}

#[cfg(feature = "oauth")]
impl PausedRequest for SentRequest<'_> {
    async fn pause<T: Send>(&self, asks: bool, waits: impl Future<Output = T> + Send) -> Option<T> {
        let _asking = asks.then(|| self.connection.asks_somebody());
        let Some(way) = self.way else {
            return Some(waits.await);
        };
        way.was_not_sent();
        let done = waits.await;
        way.leaves().then_some(done)
    }

    async fn look_at(&self, response: Response) -> BareRefusal {
        let Some(id) = self.in_session else {
            return BareRefusal {
                response,
                is_other: false,
            };
        };
        let refusal = Refusal::read(response).await;
        let loss = refusal.session_loss(id, self.connection.is_strict);
        BareRefusal {
            is_other: loss.is_some(),
            response: refusal.into_response(),
        }
    }
}

impl Http {
    /// Sends a request, with the token that there is for it. `asks` is false for what goes on in the background.
    /// `in_session` is the id of a request in a session, which the server may have forgotten.
    #[cfg_attr(not(feature = "oauth"), allow(unused_variables, clippy::unused_self))]
    pub(super) async fn sent(
        &self,
        connection: &Connection,
        way: Option<&InFlight>,
        asks: bool,
        in_session: Option<u64>,
        build: impl Fn() -> RequestBuilder + Send + Sync,
    ) -> Result<Response, RequestFailure> {
        #[cfg(feature = "oauth")]
        if let Some(authorizer) = &self.authorizer {
            let paused = SentRequest {
                connection,
                way,
                in_session,
            };
            return Ok(authorizer.send(&paused, asks, build).await?);
        }
        build().send().await.map_err(RequestFailure::Http)
    }
}
