//! One connection that is up, from its greeting to its end.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::answer::{Answered, ServerRefusal};
use super::connection::{Connection, Request, short};
use super::error::{ConnectError, ConnectErrorKind};
use super::handshake::{self, Greeting, Handshake, modern_meta};
use super::pages::{Pages, Then};
use super::server::Target;
use super::settings::Settings;
use super::stderr::Tail;

/// See the module.
#[derive(Clone)]
pub(super) struct McpSession {
    pub(super) connection: Arc<Connection>,
    /// The last output of its process.
    pub(super) tail: Tail,
}

/// Keeps a connection up until it is dropped.
pub(super) struct ConnectionGuard(Arc<Connection>);

impl ConnectionGuard {
    /// Waits for the end of the connection.
    pub(super) async fn ended(&self) {
        self.0.gone.cancelled().await;
    }

    /// Ends it.
    pub(super) fn stop(&self) {
        self.0.stop.cancel();
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.stop();
    }
}

impl McpSession {
    /// Opens a connection, and says hello.
    pub(super) async fn open(
        target: &Target,
        settings: &Settings,
    ) -> Result<(Self, ConnectionGuard), ConnectError> {
        let limit = settings.connect_limit;
        let mut tail = Tail::default();
        let opened = settings.asking.timeout(limit, async {
            let modern = settings.modern.load(Ordering::Relaxed);
            match Self::start(target, settings, modern, &tail).await? {
                Ok(opened) => return Ok(opened),
                Err(error) if target.is_http() || !modern => return Err(error),
                Err(_) => {}
            }
            // It is started once more, and from now on greeted as it wants to be.
            settings.modern.store(false, Ordering::Relaxed);
            tail = Tail::default();
            Self::start(target, settings, false, &tail).await?
        });
        let opened = opened
            .await
            .unwrap_or_else(|| Err(handshake::silent(limit)));
        match opened {
            Ok(opened) => Ok(opened),
            Err(error) => {
                // The process's last words arrive beside the end of its output.
                tokio::time::sleep(Duration::from_millis(50)).await;
                Err(error.with_stderr(tail.read()))
            }
        }
    }

    /// The inner error says how the newer greeting confused the server.
    async fn start(
        target: &Target,
        settings: &Settings,
        modern: bool,
        tail: &Tail,
    ) -> Result<Result<(Self, ConnectionGuard), ConnectError>, ConnectError> {
        let (connection, outgoing) = Connection::new(
            settings.asker.clone(),
            settings.events.clone(),
            settings.asking.clone(),
            settings.is_strict,
        );
        let running = ConnectionGuard(Arc::clone(&connection));
        target.start(&connection, outgoing, tail, settings)?;
        Ok(match handshake::greet(&connection, modern).await? {
            Greeting::Confused(error) => Err(error),
            Greeting::Done => {
                let tail = tail.clone();
                Ok((Self { connection, tail }, running))
            }
        })
    }

    pub(super) fn hello(&self) -> Option<&Handshake> {
        self.connection.hello.get()
    }

    /// A request, with what each says of itself.
    pub(super) fn request(&self, method: &str) -> Request {
        let mut request = Request::new(method);
        if self.connection.is_modern() {
            request.meta = modern_meta(request.meta, &self.connection.capabilities(true));
        }
        request
    }

    /// All tools, page after page, as the server wrote them.
    pub(super) async fn list(&self, settings: &Settings) -> Result<Vec<Box<str>>, ConnectError> {
        let limit = settings.list_limit;
        match settings.asking.timeout(limit, self.pages(settings)).await {
            Some(listed) => listed.map_err(|(kind, why)| {
                let words = format!("the list of the server's tools: {why}");
                ConnectError::new(kind, words).with_stderr(self.tail.read())
            }),
            None => Err(ConnectError::new(
                ConnectErrorKind::Timeout,
                format!("the server did not list its tools within {limit:?}"),
            )),
        }
    }

    async fn pages(
        &self,
        settings: &Settings,
    ) -> Result<Vec<Box<str>>, (ConnectErrorKind, String)> {
        let failed = |why| (ConnectErrorKind::List, why);
        let mut pages = Pages::new(settings);
        let mut cursor: Option<String> = None;
        loop {
            let mut request = self.request("tools/list");
            request.params = request.params.maybe_text("cursor", cursor.as_deref());
            // One list is read at a time, and calls of a new session wait for it.
            let mut pending = self.connection.send(request, None);
            match pending.answer().await {
                Some(Answered::Result(page)) => match pages.add(&page).map_err(failed)? {
                    Then::Page(next) => cursor = Some(next),
                    Then::End => return Ok(pages.into_tools()),
                    Then::OddCursor => {
                        self.connection
                            .bad("the list of tools ends at a `nextCursor` that is not a text");
                        return Ok(pages.into_tools());
                    }
                },
                Some(Answered::Error(_)) if !self.hello().is_some_and(|hello| hello.has_tools) => {
                    return Ok(pages.into_tools());
                }
                Some(Answered::Error(ServerRefusal { code, message, .. })) => {
                    let why = format!("{} (code {})", short(&message), short(&code));
                    return Err(failed(why));
                }
                Some(Answered::Broken(why) | Answered::NotStarted(why)) => return Err(failed(why)),
                #[cfg(feature = "client-http")]
                Some(Answered::Http(answer)) if answer.is_denied => {
                    return Err((ConnectErrorKind::Unauthorized, answer.words));
                }
                #[cfg(feature = "client-http")]
                Some(Answered::Http(answer))
                    if matches!(answer.status.as_u16(), 404 | 405 | 501)
                        && !self.hello().is_some_and(|hello| hello.has_tools) =>
                {
                    return Ok(pages.into_tools());
                }
                #[cfg(feature = "client-http")]
                Some(Answered::Http(answer)) => return Err(failed(answer.words)),
                #[cfg(feature = "client-http")]
                Some(Answered::Lost(why)) => return Err(failed(short(&why))),
                None => return Err(failed("the connection was lost".to_owned())),
            }
        }
    }
}
