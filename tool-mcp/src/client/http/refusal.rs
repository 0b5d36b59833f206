//! Responses that refuse a request.

use bytes::BytesMut;
use http::{HeaderMap, StatusCode, header};
use reqwest::Response;
use toolwright_json::strip_bom;

use super::{JSON, is_of};
use crate::client::answer::{Answered, Executed, HttpAnswer};
use crate::protocol::{Frame, Id, MessageKind, PartialMessage};

/// Bytes of a body that are read, about.
const MOST: usize = 64 * 1024;

/// Bytes at the start of a body in which a server may say that it does not know the session.
const SESSION_WORDS: usize = 1024;

/// A response that is not a success, or no message, and the start of its body.
pub(super) struct Refusal {
    status: StatusCode,
    headers: HeaderMap,
    body: BytesMut,
    answer: Option<RefusalAnswer>,
}

/// An answer of JSON-RPC in a body.
struct RefusalAnswer {
    id: AnswerId,
    answered: Answered,
}

/// The request that an answer is about.
#[derive(Clone, Copy, PartialEq)]
enum AnswerId {
    Absent,
    /// `null`, or a text that is not an id of ours.
    Unread,
    Number(u64),
    Other,
}

/// Grounds to believe that a server forgot the session.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum SessionLoss {
    /// The request was refused before its method was read.
    Certain,
    /// The request may have been read.
    Likely,
}

impl RefusalAnswer {
    fn read(body: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(body);
        let text = strip_bom(&text);
        let Ok(frame) = Frame::read(text) else {
            let torn = PartialMessage::read(text)?;
            return (torn.kind == MessageKind::Answer).then(|| Self {
                id: torn
                    .id
                    .as_number()
                    .map_or(AnswerId::Other, AnswerId::Number),
                answered: Answered::Broken("its end is missing".to_owned()),
            });
        };
        frame.jsonrpc?;
        frame.result.or(frame.error)?;
        let id = match (frame.id().as_ref().and_then(Id::as_number), frame.id) {
            (Some(number), _) => AnswerId::Number(number),
            (None, None) => AnswerId::Absent,
            (None, Some(id)) if id == "null" || id.starts_with('"') => AnswerId::Unread,
            (None, Some(_)) => AnswerId::Other,
        };
        let answered = Answered::of(&frame);
        Some(Self { id, answered })
    }
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
            answer: RefusalAnswer::read(&body),
            body,
        }
    }

    /// Returns the response again, with the start of its body.
    #[cfg(feature = "oauth")]
    pub(super) fn into_response(self) -> Response {
        let mut response = http::Response::new(self.body.freeze());
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response.into()
    }

    /// Returns whether the request with this id found its session forgotten. The protocol's sign is 404. SDKs and gateways
    /// also send 400 or 401: the official ones as an error whose id is `null` or a string, which no request of ours has.
    /// An answer to this id is no such sign, but for an error with 404 in words about a session.
    pub(super) fn session_loss(&self, id: u64, is_strict: bool) -> Option<SessionLoss> {
        let is_not_found = self.status == StatusCode::NOT_FOUND;
        match self.status {
            StatusCode::NOT_FOUND => {}
            StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED
                if !is_strict && !self.headers.contains_key(header::WWW_AUTHENTICATE) => {}
            _ => return None,
        }
        let start = self.body.get(..SESSION_WORDS).unwrap_or(&self.body);
        let start = String::from_utf8_lossy(start).to_ascii_lowercase();
        let is_about_session = start.contains("session");
        match &self.answer {
            Some(answer) if self.is_about(id) => {
                let is_error = matches!(answer.answered, Answered::Error(_));
                (is_not_found && is_error && is_about_session).then_some(SessionLoss::Likely)
            }
            _ if is_not_found => Some(SessionLoss::Certain),
            _ if !is_about_session => None,
            Some(RefusalAnswer {
                id: AnswerId::Unread,
                answered: Answered::Error(_),
            }) => Some(SessionLoss::Certain),
            _ => Some(SessionLoss::Likely),
        }
    }

    /// Returns true if the body answers the request with this id.
    pub(super) fn is_about(&self, id: u64) -> bool {
        let answer = self.answer.as_ref();
        answer.is_some_and(|answer| answer.id == AnswerId::Number(id))
    }

    /// Returns the outcome of the request with this id. `loss` says that the server forgot the session.
    pub(super) fn into_answer(self, id: u64, loss: Option<SessionLoss>) -> Answered {
        let answer = self.answer.filter(|_| is_of(&self.headers, JSON));
        let said = match answer {
            // The request ran, whatever the status.
            Some(RefusalAnswer {
                id: about,
                answered: Answered::Result(result),
            }) if about == AnswerId::Number(id) => return Answered::Result(result),
            Some(RefusalAnswer {
                answered: Answered::Error(said),
                ..
            }) => Some(said),
            _ => None,
        };
        let text = String::from_utf8_lossy(&self.body);
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
