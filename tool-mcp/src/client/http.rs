//! A server behind a URL: streamable HTTP.
//!
//! `rmcp` keeps sessions, resumes streams and opens them anew; here is what goes over the wire, since
//! bodies have to pass the [`Desk`], and are limited.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::BytesMut;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use reqwest::redirect::Policy;
use reqwest::{RequestBuilder, Response};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcRequest, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;

use super::desk::{Desk, number, piece};
use super::events_stream::{events, is_too_large};
use super::frame::{Answered, Frame, HttpAnswer, Ran};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// Of the body of an answer that says no, about so many bytes are read.
const MOST_OF_REFUSAL: usize = 64 * 1024;

type Failure = StreamableHttpError<HttpError>;

/// What sends requests.
#[derive(Clone)]
pub(super) struct Http {
    client: reqwest::Client,
    desk: Arc<Desk>,
    most: usize,
}

/// Why a request has no answer. The URL is not told: it may hold a secret.
#[derive(Debug)]
pub(super) struct HttpError(reqwest::Error);

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut error: &dyn std::error::Error = &self.0;
        write!(f, "{error}")?;
        while let Some(source) = error.source() {
            write!(f, ": {source}")?;
            error = source;
        }
        Ok(())
    }
}

impl std::error::Error for HttpError {}

fn failed(error: reqwest::Error) -> Failure {
    StreamableHttpError::Client(HttpError(error.without_url()))
}

fn unexpected(words: String) -> Failure {
    StreamableHttpError::UnexpectedServerResponse(words.into())
}

impl Http {
    /// Bodies and events of more than `most` bytes are refused.
    pub(super) fn new(desk: Arc<Desk>, most: usize, connect: Duration) -> reqwest::Result<Self> {
        let client = reqwest::Client::builder()
            // A header that was given for one server is for no other.
            .redirect(Policy::none())
            .connect_timeout(connect)
            .build()?;
        Ok(Self { client, desk, most })
    }

    async fn post(
        &self,
        url: &str,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let request = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request),
            _ => None,
        };
        // An answer to the server counts as none until its POST is over.
        let Some(mut outgoing) = self.desk.outgoing(&message)? else {
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        if let Some(request) = request
            && matches!(request.request, ClientRequest::InitializeRequest(_))
            && self.desk.said_hello.swap(true, Ordering::AcqRel)
        {
            // A new session in the place of one that the server forgot: it may be another server.
            self.desk.begins_anew();
        }
        if outgoing.slot.as_ref().is_some_and(|slot| !slot.leaves()) {
            return Err(unexpected(
                "nobody waits for the answer any more".to_owned(),
            ));
        }
        let sent = self
            .client
            .post(url)
            .header(header::ACCEPT, format!("{JSON}, {EVENTS}"))
            .header(header::CONTENT_TYPE, JSON)
            .body(std::mem::take(&mut outgoing.text));
        let has_session = session.is_some();
        let response = match with_headers(sent, session.as_deref(), headers).send().await {
            Ok(response) => response,
            Err(error) => {
                if let Some(slot) = outgoing.slot.filter(|_| error.is_connect()) {
                    slot.was_not_sent();
                }
                return Err(failed(error));
            }
        };
        let status = response.status();
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let session = response.headers().get(SESSION);
        let session = session.and_then(|id| id.to_str().ok()).map(str::to_owned);
        if !status.is_success() {
            let is_slotted = outgoing.slot.is_some();
            let refused = self.refused(response, &message, is_slotted).await?;
            return Ok(StreamableHttpPostResponse::Json(refused, session));
        }
        if is_of(response.headers(), EVENTS) {
            let id = request.and_then(|request| number(&request.id));
            let stream = self.stream(response, id);
            return Ok(StreamableHttpPostResponse::Sse(stream, session));
        }
        let Some(request) = request else {
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        if !is_of(response.headers(), JSON) && outgoing.slot.is_some() {
            let headers = response.headers().clone();
            let body = start(response).await;
            let answer = HttpAnswer::new(status, &headers, &String::from_utf8_lossy(&body));
            return Ok(StreamableHttpPostResponse::Json(
                self.told(request, answer)?,
                session,
            ));
        }
        if !is_of(response.headers(), JSON) {
            let kind = response.headers().get(header::CONTENT_TYPE);
            let kind = kind.map(|kind| String::from_utf8_lossy(kind.as_bytes()).into_owned());
            return Err(StreamableHttpError::UnexpectedContentType(kind));
        }
        let body = read(response, self.most).await?;
        let text = String::from_utf8_lossy(&body);
        match self.desk.incoming(&text) {
            Some(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
            None => {
                let why = "the body of the answer is no answer to the request";
                let told = number(&request.id).and_then(|id| self.desk.fail(id, why));
                let message = told.ok_or_else(|| unexpected(why.to_owned()))?;
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
        }
    }

    /// Whoever waits for this request is told what HTTP answered.
    fn told(
        &self,
        request: &JsonRpcRequest<ClientRequest>,
        answer: HttpAnswer,
    ) -> Result<ServerJsonRpcMessage, Failure> {
        let words = answer.words.clone();
        let told =
            number(&request.id).and_then(|id| self.desk.settle(id, Answered::Http(answer), &words));
        told.ok_or_else(|| unexpected(words))
    }

    /// What a refusal says: to whom a slot belongs all of it; to `rmcp` where it speaks JSON-RPC or is the way in which an
    /// older server says that it does not know the newer greeting.
    async fn refused(
        &self,
        response: Response,
        message: &ClientJsonRpcMessage,
        is_slotted: bool,
    ) -> Result<ServerJsonRpcMessage, Failure> {
        let (status, headers) = (response.status(), response.headers().clone());
        if !is_slotted {
            let challenge = headers.get(header::WWW_AUTHENTICATE);
            let challenge = challenge.map(|one| String::from_utf8_lossy(one.as_bytes()).into());
            let challenge = challenge.unwrap_or_default();
            if status == StatusCode::UNAUTHORIZED {
                let error = AuthRequiredError::new(challenge);
                return Err(StreamableHttpError::AuthRequired(error));
            }
            if status == StatusCode::FORBIDDEN {
                let error = InsufficientScopeError::new(challenge, None);
                return Err(StreamableHttpError::InsufficientScope(error));
            }
        }
        let body = start(response).await;
        let text = String::from_utf8_lossy(&body);
        let ClientJsonRpcMessage::Request(request) = message else {
            return Err(HttpStatusError::new(status.as_u16(), None).into());
        };
        let said = match serde_json::from_str::<Frame<'_>>(&text) {
            Ok(frame) if is_of(&headers, JSON) => frame.refusal(),
            _ => None,
        };
        if is_slotted {
            let words = said.as_ref().map_or(&*text, |said| &*said.message);
            let answer = HttpAnswer::new(status, &headers, words);
            // What the server itself says of a request that it took is its answer.
            if said.is_none() || answer.ran != Ran::Perhaps {
                return self.told(request, answer);
            }
        }
        let is_discover = matches!(request.request, ClientRequest::DiscoverRequest(_));
        let error = match said {
            Some(error) => error,
            None if is_discover && status.is_client_error() => {
                let words = format!("HTTP {status}: {}", piece(&text));
                ErrorData::invalid_request(words, None)
            }
            None if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
                return Err(HttpStatusError::new(status.as_u16(), None).into());
            }
            None => return Err(unexpected(format!("HTTP {status}: {}", piece(&text)))),
        };
        // The one way to the slot of a call is the desk.
        let id = Some(request.id.clone());
        let told = serde_json::to_string(&ServerJsonRpcMessage::error(error, id))?;
        let told = self.desk.incoming(&told);
        told.ok_or_else(|| unexpected(format!("HTTP {status}")))
    }

    /// The events of a body, as `rmcp` is to read them; of the answer to a request if there is an id.
    fn stream(
        &self,
        response: Response,
        id: Option<i64>,
    ) -> BoxStream<'static, Result<Sse, SseError>> {
        let desk = Arc::clone(&self.desk);
        let most = self.most;
        events(response.bytes_stream(), most)
            .filter_map(move |event| {
                let kept = match event {
                    Ok(event) => heard(&desk, event).map(Ok),
                    Err(error) => {
                        desk.bad(format!("a stream of events: {error}"));
                        let is_over = is_too_large::<reqwest::Error>(&error);
                        let why = format!("a message of more than {most} bytes");
                        let told = id.filter(|_| is_over);
                        let told = told.and_then(|id| as_event(&desk.fail(id, &why)?));
                        Some(told.ok_or(error))
                    }
                };
                std::future::ready(kept)
            })
            .boxed()
    }
}

fn as_event(message: &ServerJsonRpcMessage) -> Option<Sse> {
    let data = serde_json::to_string(message).ok()?;
    Some(Sse::default().data(data))
}

/// An event without data stays one: it may carry an id, or a time to wait.
fn heard(desk: &Desk, mut event: Sse) -> Option<Sse> {
    let is_message = matches!(event.event.as_deref(), None | Some("" | "message"));
    if let Some(data) = event.data.take().filter(|_| is_message)
        && !data.trim().is_empty()
        && let Some(message) = desk.incoming(&data)
    {
        event.data = serde_json::to_string(&message).ok();
    }
    let is_empty = event.data.is_none() && event.id.is_none() && event.retry.is_none();
    (!is_empty).then_some(event)
}

fn with_headers(
    request: RequestBuilder,
    session: Option<&str>,
    headers: HashMap<HeaderName, HeaderValue>,
) -> RequestBuilder {
    let headers: HeaderMap = headers.into_iter().collect();
    let request = request.headers(headers);
    match session {
        Some(session) => request.header(SESSION, session),
        None => request,
    }
}

fn is_of(headers: &HeaderMap, kind: &str) -> bool {
    let found = headers.get(header::CONTENT_TYPE);
    let found = found.and_then(|found| found.as_bytes().get(..kind.len()));
    found.is_some_and(|found| found.eq_ignore_ascii_case(kind.as_bytes()))
}

/// The start of a body that says no.
async fn start(mut response: Response) -> BytesMut {
    let mut start = BytesMut::new();
    while start.len() < MOST_OF_REFUSAL
        && let Ok(Some(part)) = response.chunk().await
    {
        start.extend_from_slice(&part);
    }
    start
}

/// A body of at most so many bytes.
async fn read(mut response: Response, most: usize) -> Result<BytesMut, Failure> {
    let too_large = StreamableHttpError::ResponseBodyTooLarge { max_size: most };
    let told = response.content_length().unwrap_or_default();
    if usize::try_from(told).map_or(true, |told| told > most) {
        return Err(too_large);
    }
    let mut body = BytesMut::new();
    while let Some(part) = response.chunk().await.map_err(failed)? {
        if body.len() + part.len() > most {
            return Err(too_large);
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

impl StreamableHttpClient for Http {
    type Error = HttpError;

    async fn post_message(
        &self,
        url: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.post(&url, message, session, headers).await
    }

    async fn delete_session(
        &self,
        url: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        let request = with_headers(self.client.delete(&*url), Some(&session), headers);
        request.send().await.map_err(failed)?;
        // Some servers keep their sessions; it is theirs to say.
        Ok(())
    }

    async fn get_stream(
        &self,
        url: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let mut request = self.client.get(&*url).header(header::ACCEPT, EVENTS);
        let is_new = last.is_none();
        if let Some(last) = last {
            request = request.header(LAST_EVENT, last);
        }
        let request = with_headers(request, session.as_deref(), headers);
        let response = request.send().await.map_err(failed)?;
        let status = response.status();
        match status {
            StatusCode::METHOD_NOT_ALLOWED => {
                return Err(StreamableHttpError::ServerDoesNotSupportSse);
            }
            StatusCode::UNAUTHORIZED => {
                let error = AuthRequiredError::new(String::new());
                return Err(StreamableHttpError::AuthRequired(error));
            }
            _ if !status.is_success() => {
                return Err(HttpStatusError::new(status.as_u16(), None).into());
            }
            _ if !is_of(response.headers(), EVENTS) => {
                return Err(StreamableHttpError::UnexpectedContentType(None));
            }
            _ => {}
        }
        if is_new && self.desk.listened.swap(true, Ordering::AcqRel) {
            // What was said while nobody listened is not known.
            self.desk.changed.notify_one();
        }
        Ok(self.stream(response, None))
    }
}
