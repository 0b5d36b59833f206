//! Streams of a server: read to their end, and asked for again where they broke off.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use http::{HeaderValue, Method, StatusCode};
use reqwest::Response;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::redirect::HttpRequest;
use super::{EVENTS, Http, HttpSession, LAST_EVENT, VERSION, is_of};
use crate::client::answer::Answered;
use crate::client::connection::Connection;
use crate::client::events_stream::{Broken, Event, events};
use toolwright_http::error::describe;

/// Bounds of the pause that a server asks for before a stream is read on.
const SHORTEST_RETRY: Duration = Duration::from_millis(100);
const LONGEST_RETRY: Duration = Duration::from_mins(1);

/// Longest pause before a stream that brings nothing, where the server asks for a shorter one.
const IDLE_RETRY: Duration = Duration::from_secs(1);

/// Attempts to resume a stream that brings no event.
const MOST_TRIES: u32 = 8;

/// Time limit of finding out that a server speaks HTTP+SSE.
const HTTP_SSE_LIMIT: Duration = Duration::from_secs(2);

impl Http {
    /// Reads what a server says unasked, as long as there is the session.
    pub(super) async fn listen(
        &self,
        connection: &Arc<Connection>,
        session: &HttpSession,
        opens: oneshot::Sender<()>,
    ) {
        let (mut opens, mut tries, mut last) = (Some(opens), 0, None);
        loop {
            let response = self.get(connection, session, last.as_deref()).await;
            if let Some(opens) = opens.take() {
                let _ = opens.send(());
            }
            let response = match response {
                Ok(response) => response,
                // It has no such stream, or not for this client.
                Err(Some(status))
                    if status.is_client_error()
                        && status != StatusCode::TOO_MANY_REQUESTS
                        && !(status == StatusCode::UNAUTHORIZED && self.gets_tokens()) =>
                {
                    return;
                }
                Err(_) => {
                    sleep(self.backoff.before(tries)).await;
                    tries = tries.saturating_add(1);
                    continue;
                }
            };
            if last.is_none() {
                connection.listens();
            }
            let mut read = StreamEnd::of(session);
            self.read(connection, None, response, &mut read).await;
            if read.messages > 0 {
                tries = 0;
            }
            last = read.last.or(last);
            sleep(self.pause(read.retry, tries)).await;
            tries = tries.saturating_add(1);
        }
    }

    /// Returns true if a GET opens a stream whose first event is `endpoint`.
    ///
    /// Source: "Backwards Compatibility" of streamable HTTP in 2025-03-26.
    pub(super) async fn is_http_sse(&self, connection: &Connection) -> bool {
        let first = async {
            let session = HttpSession::default();
            let response = self.get(connection, &session, None).await.ok()?;
            let mut events = std::pin::pin!(events(response.bytes_stream(), self.most));
            events.next().await?.ok()?.kind
        };
        let first = timeout(HTTP_SSE_LIMIT, first).await;
        first.ok().flatten().as_deref() == Some("endpoint")
    }

    /// Returns true if a later token may answer a refusal of today.
    #[cfg_attr(not(feature = "oauth"), allow(clippy::unused_self))]
    fn gets_tokens(&self) -> bool {
        #[cfg(feature = "oauth")]
        return self.authorizer.is_some();
        #[cfg(not(feature = "oauth"))]
        false
    }

    /// Asks for a stream of the session. `Err` with the status, if there is one.
    async fn get(
        &self,
        connection: &Connection,
        session: &HttpSession,
        last: Option<&str>,
    ) -> Result<Response, Option<StatusCode>> {
        let mut headers = self.headers_of(session, EVENTS);
        let version = connection.hello.get().map(|hello| hello.version.as_str());
        if let Some(version) = version {
            headers.insert(VERSION, HeaderValue::from_static(version));
        }
        if let Some(last) = last.and_then(|last| HeaderValue::try_from(last).ok()) {
            headers.insert(LAST_EVENT, last);
        }
        let request = HttpRequest {
            method: Method::GET,
            headers,
            body: "",
            session,
        };
        let response = self.sent(connection, None, false, None, &request).await;
        let response = response.map_err(|_| None)?;
        let status = response.status();
        if !status.is_success() || !is_of(response.headers(), EVENTS) {
            let status = if status.is_success() {
                StatusCode::METHOD_NOT_ALLOWED
            } else {
                status
            };
            return Err(Some(status));
        }
        Ok(response)
    }

    /// Reads the stream of a request until its answer came. Where it broke off, and may be read on, it is.
    pub(super) async fn read_on(
        &self,
        connection: &Arc<Connection>,
        id: u64,
        session: &HttpSession,
        response: Response,
    ) -> Option<Answered> {
        let (mut response, mut last, mut tries) = (response, None, 0);
        loop {
            let mut read = StreamEnd::of(session);
            read.request = Some(id);
            if let Some(answered) = self.read(connection, Some(id), response, &mut read).await {
                return Some(answered);
            }
            if !connection.is_wanted(id) {
                return None;
            }
            if read.last.is_some() {
                (last, tries) = (read.last, 0);
            }
            let broken = || {
                Some(Answered::Lost(
                    "the stream of the answer broke off".to_owned(),
                ))
            };
            let Some(at) = last.as_deref().filter(|_| !connection.is_modern()) else {
                return broken();
            };
            response = loop {
                sleep(self.pause(read.retry, tries)).await;
                tries += 1;
                match self.get(connection, session, Some(at)).await {
                    Ok(response) => break response,
                    Err(Some(status)) if status.is_client_error() => return broken(),
                    Err(_) if tries >= MOST_TRIES => return broken(),
                    Err(_) => {}
                }
            };
            if tries >= MOST_TRIES {
                return broken();
            }
        }
    }

    /// Reads a stream to its end, or until the request of this id is answered. What it comes to, if not that.
    async fn read(
        &self,
        connection: &Arc<Connection>,
        id: Option<u64>,
        response: Response,
        read: &mut StreamEnd,
    ) -> Option<Answered> {
        let mut events = std::pin::pin!(events(response.bytes_stream(), self.most));
        while let Some(event) = events.next().await {
            match event {
                Ok(event) => read.hear(connection, event),
                Err(Broken::TooLarge(most)) => {
                    let why = format!("a message of more than {most} bytes");
                    connection.bad(&format!("a stream of events: {why}"));
                    return Some(Answered::Broken(why));
                }
                Err(Broken::Source(error)) => {
                    connection.bad(&format!("a stream of events: {}", describe(error)));
                    return None;
                }
            }
            if id.is_some_and(|id| !connection.is_wanted(id)) {
                return None;
            }
        }
        None
    }

    /// Returns the pause before a stream is asked for again: as the server says, within bounds of our own, and longer each
    /// time that it brought nothing.
    fn pause(&self, retry: Option<Duration>, tries: u32) -> Duration {
        match (retry, tries.checked_sub(1)) {
            (Some(retry), None) => retry.clamp(SHORTEST_RETRY, LONGEST_RETRY),
            (Some(retry), Some(before)) => {
                let retry = retry.clamp(SHORTEST_RETRY, LONGEST_RETRY);
                retry.max(self.backoff.before(before).min(IDLE_RETRY))
            }
            (None, _) => self.backoff.before(tries),
        }
    }
}

/// State of a stream at its end.
#[derive(Default)]
struct StreamEnd {
    /// Number of the stream's session.
    session: u64,
    /// Request of the stream, if it is of one.
    request: Option<u64>,
    messages: usize,
    /// The id of the last event that had one.
    last: Option<String>,
    retry: Option<Duration>,
}

impl StreamEnd {
    fn of(session: &HttpSession) -> Self {
        Self {
            session: session.number,
            ..Self::default()
        }
    }

    fn hear(&mut self, connection: &Arc<Connection>, event: Event) {
        self.last = event.id.or(self.last.take());
        self.retry = event.retry.map(Duration::from_millis).or(self.retry);
        let is_message = matches!(event.kind.as_deref(), None | Some("" | "message"));
        let data = event
            .data
            .filter(|data| is_message && !data.trim().is_empty());
        if let Some(data) = data {
            self.messages += 1;
            connection.incoming(self.session, self.request, &data);
        }
    }
}
