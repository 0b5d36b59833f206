//! Responses that refuse a request.

use bytes::BytesMut;
use http::{HeaderMap, StatusCode, header};
use reqwest::Response;

use super::{JSON, is_of};
use crate::client::answer::{Answered, Executed, HttpAnswer, ServerRefusal};
use crate::protocol::{Frame, Id};

/// Bytes of a body that are read, about.
const MOST: usize = 64 * 1024;

/// Bytes at the start of a body in which a server may say that it does not know the session.
const SESSION_WORDS: usize = 1024;

/// A response without an answer, and the start of its body.
pub(super) struct Refusal {
    status: StatusCode,
    headers: HeaderMap,
    body: BytesMut,
}

/// Grounds to believe that a server forgot the session.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum SessionLoss {
    /// The request was refused before its method was read.
    Certain,
    /// The words of the refusal speak of a session.
    Likely,
}

impl Refusal {
    pub(super) async fn read(mut response: Response) -> Self {
        let (status, headers) = (response.status(), response.headers().clone());
        let mut body = BytesMut::new();
        while body.len() < MOST
            && let Ok(Some(part)) = response.chunk().await
        {
            body.extend_from_slice(&part);
        }
        Self {
            status,
            headers,
            body,
        }
    }

    /// Returns whether the request with this id found its session forgotten. The protocol's sign is 404. SDKs and gateways
    /// also send 400 or 401: the official ones as an error whose id is `null` or a string, which no request of ours has.
    pub(super) fn session_loss(&self, id: u64, is_strict: bool) -> Option<SessionLoss> {
        match self.status {
            StatusCode::NOT_FOUND => return Some(SessionLoss::Certain),
            StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED
                if !is_strict && !self.headers.contains_key(header::WWW_AUTHENTICATE) => {}
            _ => return None,
        }
        let start = self.body.get(..SESSION_WORDS).unwrap_or(&self.body);
        let start = String::from_utf8_lossy(start).to_ascii_lowercase();
        if !start.contains("session") {
            return None;
        }
        let text = String::from_utf8_lossy(&self.body);
        match Frame::read(&text) {
            Ok(frame) if frame.jsonrpc.is_some() && frame.error.is_some() => {
                if frame.id().as_ref().and_then(Id::as_number) == Some(id) {
                    return None;
                }
                let is_number = frame
                    .id
                    .is_some_and(|id| id != "null" && !id.starts_with('"'));
                Some(if is_number {
                    SessionLoss::Likely
                } else {
                    SessionLoss::Certain
                })
            }
            _ => Some(SessionLoss::Likely),
        }
    }

    /// Returns the outcome of the request. `loss` says that the server forgot the session.
    pub(super) fn into_answer(self, loss: Option<SessionLoss>) -> Answered {
        let text = String::from_utf8_lossy(&self.body);
        let said = match Frame::read(&text) {
            Ok(frame) if is_of(&self.headers, JSON) => {
                frame.jsonrpc.and(frame.error).map(ServerRefusal::of)
            }
            _ => None,
        };
        let words = said.as_ref().map_or(&*text, |said| &*said.message);
        let mut answer = HttpAnswer::new(self.status, &self.headers, words);
        if loss == Some(SessionLoss::Certain) {
            answer.ran = Executed::NotNow;
        }
        match said {
            // What the server itself says of a request that it took is its answer.
            Some(said) if answer.ran == Executed::Perhaps => Answered::Error(said),
            _ => Answered::Http(answer),
        }
    }
}
