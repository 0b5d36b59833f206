//! One connection, from its greeting to its end.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    ClientRequest, GetExtensions, ListToolsRequest, PaginatedRequestParams, ProtocolVersion,
    ServerPeerInfo,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, Peer, PeerRequestOptions,
    RequestHandle, RoleClient, RunningService, ServiceError,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::abandoned::Abandoned;
use super::desk::{Desk, short};
use super::error::{ConnectError, ConnectErrorKind};
use super::frame::{Answered, Refusal};
use super::handler::Host;
use super::http::Http;
use super::pages::{Pages, Then};
use super::server::Target;
use super::settings::Settings;
use super::slot::{Carried, Slot};
use super::stderr::Tail;

/// A connection that is up.
#[derive(Clone)]
pub(super) struct Session {
    pub(super) peer: Peer<RoleClient>,
    pub(super) desk: Arc<Desk>,
    /// What its process said last.
    pub(super) tail: Tail,
}

/// What keeps it up, and ends when it does.
pub(super) type Running = RunningService<RoleClient, Host>;

impl Session {
    /// Says hello. The newer greeting is tried first where the host did not say otherwise.
    pub(super) async fn open(
        target: &Target,
        settings: &Settings,
    ) -> Result<(Self, Running), ConnectError> {
        let desk = Desk::new(settings.events.clone());
        let tail = Tail::default();
        let host = Host {
            asker: settings.asker.clone(),
            desk: Arc::clone(&desk),
        };
        let mode = if settings.modern {
            ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            }
        } else {
            ClientLifecycleMode::Initialize
        };
        let greeted = async {
            match target {
                Target::Command(command) => {
                    let process = command.start(&desk, &tail, settings.most_bytes)?;
                    let running = host.serve_with_lifecycle(process, mode).await;
                    running.map_err(|error| not_greeted(&error))
                }
                Target::Url(url) => {
                    let http = http(url, settings, &desk)?;
                    let running = host.serve_with_lifecycle(http, mode).await;
                    running.map_err(|error| not_greeted(&error))
                }
            }
        };
        let limit = settings.connect_limit;
        let running = match timeout(limit, greeted).await {
            Ok(running) => running,
            Err(_) => Err(ConnectError::new(
                ConnectErrorKind::Timeout,
                format!("the server did not say hello within {limit:?}"),
            )),
        };
        let running = match running {
            Ok(running) => running,
            Err(error) => {
                // The process's last words arrive beside the end of its output.
                tokio::time::sleep(Duration::from_millis(50)).await;
                return Err(error.with_stderr(tail.read()));
            }
        };
        let peer = running.peer().clone();
        Ok((Self { peer, desk, tail }, running))
    }

    pub(super) fn info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.peer.peer_info()
    }

    /// Whether notes come only to who asks for them.
    pub(super) fn is_modern(&self) -> bool {
        let info = self.info();
        info.is_some_and(|info| !info.protocol_version.has_initialize())
    }

    /// Sends a request that carries its slot, when there is room: a server that does not read is not
    /// written to without end. A request that is dropped here is not sent.
    pub(super) async fn send(
        &self,
        mut request: ClientRequest,
        slot: &Arc<Slot>,
    ) -> Result<RequestHandle<RoleClient>, ServiceError> {
        let room = Arc::clone(&self.desk.room).acquire_owned().await;
        slot.waits_in(room.ok());
        request.extensions_mut().insert(Carried(Arc::clone(slot)));
        let options = PeerRequestOptions::no_options();
        self.peer.send_request_with_option(request, options).await
    }

    /// All tools, page after page, as the server wrote them.
    pub(super) async fn list(
        &self,
        settings: &Settings,
    ) -> Result<Vec<Box<RawValue>>, ConnectError> {
        let limit = settings.list_limit;
        match timeout(limit, self.pages(settings)).await {
            Ok(listed) => listed.map_err(|why| {
                let words = format!("the list of the server's tools: {why}");
                ConnectError::new(ConnectErrorKind::List, words).with_stderr(self.tail.read())
            }),
            Err(_) => Err(ConnectError::new(
                ConnectErrorKind::Timeout,
                format!("the server did not list its tools within {limit:?}"),
            )),
        }
    }

    async fn pages(&self, settings: &Settings) -> Result<Vec<Box<RawValue>>, String> {
        let mut pages = Pages::new(settings);
        let mut cursor = None;
        loop {
            let slot = self.page(cursor.take()).await?;
            match slot.answer.get() {
                Some(Answered::Result(page)) => match pages.add(page)? {
                    Then::Page(next) => cursor = Some(next),
                    Then::End => return Ok(pages.into_tools()),
                },
                Some(Answered::Error(Refusal { code, message })) => {
                    return Err(format!("{} (code {})", short(message), short(code)));
                }
                Some(Answered::Broken(why)) => return Err(why.clone()),
                Some(Answered::Http(answer)) => return Err(answer.words.clone()),
                None => return Err("the answer is missing".to_owned()),
            }
        }
    }

    /// Asks for a page, whose text is in the slot.
    async fn page(&self, cursor: Option<String>) -> Result<Arc<Slot>, String> {
        let slot = Slot::list();
        let mut request = ListToolsRequest::default();
        if cursor.is_some() {
            request.params = Some(PaginatedRequestParams::default().with_cursor(cursor));
        }
        let handle = self.send(ClientRequest::ListToolsRequest(request), &slot);
        let mut handle = handle.await.map_err(|error| said(&error))?;
        let mut abandoned = Abandoned::new(&handle, &slot, &Handle::current());
        let answered = (&mut handle.rx).await;
        abandoned.disarm();
        match answered {
            _ if slot.answer.get().is_some() => Ok(slot),
            Ok(Err(error)) => Err(said(&error)),
            _ => Err("the connection was lost".to_owned()),
        }
    }
}

fn http(
    url: &Arc<str>,
    settings: &Settings,
    desk: &Arc<Desk>,
) -> Result<StreamableHttpClientTransport<Http>, ConnectError> {
    let invalid = |error: reqwest::Error| {
        ConnectError::new(ConnectErrorKind::Invalid, error.without_url().to_string())
    };
    let http = Http::new(
        Arc::clone(desk),
        settings.most_bytes,
        settings.connect_limit,
    );
    let mut config = StreamableHttpClientTransportConfig::with_uri(Arc::clone(url))
        .custom_headers(settings.headers.iter().cloned().collect())
        .max_sse_event_size(settings.most_bytes)
        .max_concurrent_requests(1_024);
    let mut again = ExponentialBackoff::default();
    again.base_duration = settings.backoff.first;
    again.max_delay = Some(settings.backoff.longest);
    config.retry_config = Arc::new(again);
    Ok(StreamableHttpClientTransport::with_client(
        http.map_err(invalid)?,
        config,
    ))
}

fn not_greeted(error: &ClientInitializeError) -> ConnectError {
    if error.is_authorization_required() || error.auth_challenge().is_some() {
        let words = "the server wants to know who asks, or asks somebody else (HTTP 401 or 403); give a token or a header";
        return ConnectError::new(ConnectErrorKind::Unauthorized, words);
    }
    ConnectError::new(ConnectErrorKind::Handshake, ungreeted(error))
}

/// Why the server did not say hello, without the names of `rmcp`'s types.
fn ungreeted(error: &ClientInitializeError) -> String {
    let words = match error {
        ClientInitializeError::ConnectionClosed(_) => {
            return "the server went away before it said hello".to_owned();
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => return ungreeted(fallback),
        ClientInitializeError::TransportError { error, .. } => error.error.to_string(),
        error => error.to_string(),
    };
    let words = words.strip_prefix("Client error: ").unwrap_or(&words);
    format!("the server did not say hello: {}", short(words))
}

/// What went wrong with a request, in a few words.
pub(super) fn said(error: &ServiceError) -> String {
    match error {
        ServiceError::TransportClosed => "the connection was lost".to_owned(),
        ServiceError::TransportSend(error) => short(&error.error.to_string()),
        ServiceError::McpError(error) => short(&error.message),
        error => short(&error.to_string()),
    }
}
