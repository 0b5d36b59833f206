//! Keeps a connection up, and the list of its tools true.

use std::convert::Infallible;
use std::error::Error;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use toolwright_runtime::tool::Cancel;
use toolwright_schema::text::Printable;

use super::error::ConnectErrorKind;
use super::event::ClientEvent;
use super::link::{LinkState, Reconnector};
use super::lists::Lists;
#[cfg(feature = "lock")]
use super::lock::{LockFile, Reading};
use super::remote::tools;
use super::server::Target;
use super::session::{ConnectionGuard, McpSession};
use super::settings::Settings;

/// Changes that are told in a burst are read once; a server that tells them without end is read ever
/// less often, down to once in the longest pause.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Time that a connection has to end.
const END: Duration = Duration::from_secs(8);

pub(super) struct Supervisor {
    pub(super) target: Target,
    pub(super) settings: Arc<Settings>,
    pub(super) state: watch::Sender<LinkState>,
    pub(super) stop: Cancel,
    /// Neither is kept alive from here: a tool that nobody can call any more needs no connection, and
    /// a list that nobody looks at is not read.
    pub(super) link: Weak<Reconnector>,
    pub(super) lists: Weak<Lists>,
}

impl Supervisor {
    /// Runs until the last tool and the client are gone, or the client is closed.
    pub(super) async fn run(self, mut session: McpSession, mut running: ConnectionGuard) {
        let mut tries = 0;
        for number in 1.. {
            let since = Instant::now();
            tokio::select! {
                () = running.ended() => {}
                never = self.keep(number, &session) => match never {},
                () = self.stop.cancelled() => {
                    running.stop();
                    let _ = timeout(END, running.ended()).await;
                    return;
                }
            }
            if self.settings.backoff.is_good(since.elapsed()) {
                tries = 0;
            }
            #[cfg(feature = "lock")]
            if let Some(lock) = &self.settings.lock {
                lock.begins_session();
            }
            let why = self.why(&session).await;
            self.state.send_replace(LinkState::Down(why.clone()));
            self.settings.events.tell(&ClientEvent::Lost(why));
            let again = tokio::select! {
                again = self.reconnect(&mut tries) => again,
                () = self.stop.cancelled() => return,
            };
            (session, running) = again;
        }
    }

    /// Works as long as a connection is up. The first one was told by who made it.
    async fn keep(&self, number: u64, session: &McpSession) -> Infallible {
        if number > 1 {
            self.refresh(session).await;
            self.state
                .send_replace(LinkState::Up(number, session.clone()));
            self.settings.events.tell(&ClientEvent::Reconnected);
        }
        self.follow(session).await
    }

    async fn why(&self, session: &McpSession) -> String {
        // The last words arrive beside the end.
        sleep(Duration::from_millis(20)).await;
        let said = session.tail.read();
        match said.trim_end().lines().next_back() {
            Some(line) => {
                let line = Printable::new(line);
                format!("the server went away; it wrote last: {line}")
            }
            None => "the server went away".to_owned(),
        }
    }

    async fn reconnect(&self, tries: &mut u32) -> (McpSession, ConnectionGuard) {
        loop {
            sleep(self.settings.backoff.before(*tries)).await;
            *tries = tries.saturating_add(1);
            match McpSession::open(&self.target, &self.settings).await {
                Ok(opened) => return opened,
                Err(error) => {
                    if error.kind() == ConnectErrorKind::Unauthorized {
                        // A person may have said no, and is not asked again at once.
                        *tries = u32::MAX;
                    }
                    let why = error.to_string();
                    self.state.send_replace(LinkState::Down(why.clone()));
                    let event = ClientEvent::ReconnectFailed(why);
                    self.settings.events.tell(&event);
                }
            }
        }
    }

    /// Reads the list again whenever the server says that it has changed.
    async fn follow(&self, session: &McpSession) -> Infallible {
        let changes = async {
            let (mut pause, mut last) = (PAUSE, Instant::now());
            loop {
                session.connection.changed.notified().await;
                pause = if last.elapsed() > LONGEST_PAUSE {
                    PAUSE
                } else {
                    pause
                };
                sleep(pause).await;
                pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
                self.refresh(session).await;
                last = Instant::now();
            }
        };
        let (never, ()) = tokio::join!(changes, self.listen(session));
        never
    }

    /// Asks for notes where they come to nobody who did not (protocol 2026-07-28).
    async fn listen(&self, session: &McpSession) {
        let tells = session.hello().is_some_and(|hello| hello.tells_of_tools);
        if !session.connection.is_modern() || !tells {
            return;
        }
        let mut tries = 0;
        loop {
            let since = Instant::now();
            let mut request = session.request("subscriptions/listen");
            let wants = r#"{"toolsListChanged":true}"#;
            request.params = request.params.json("notifications", wants);
            // The answer is the end of it.
            session.connection.request(request).await.answer().await;
            if self.settings.backoff.is_good(since.elapsed()) {
                tries = 0;
            }
            sleep(self.settings.backoff.before(tries)).await;
            tries = tries.saturating_add(1);
        }
    }

    async fn refresh(&self, session: &McpSession) {
        self.read_list(session).await;
        #[cfg(feature = "lock")]
        if let Some(lock) = &self.settings.lock
            && !lock.is_compared()
        {
            // Calls wait for it.
            session.connection.changed.notify_one();
        }
    }

    async fn read_list(&self, session: &McpSession) {
        #[cfg(feature = "lock")]
        let has_lock = self.settings.lock.is_some();
        #[cfg(not(feature = "lock"))]
        let has_lock = false;
        if self.lists.strong_count() == 0 && !has_lock {
            return;
        }
        let events = &self.settings.events;
        let failed = |error: &dyn Error| events.tell(&ClientEvent::ListFailed(error.to_string()));
        #[cfg(feature = "lock")]
        let counted = self.settings.lock.as_ref().map_or(0, LockFile::session);
        let listed = match session.list(&self.settings).await {
            Ok(listed) => listed,
            Err(error) => return failed(&error),
        };
        let Some(link) = self.link.upgrade() else {
            return;
        };
        let list = tools(&listed, &self.settings, &link);
        #[cfg(feature = "lock")]
        let list = match list.hold(&self.settings, counted, Reading::Later).await {
            Ok(list) => list,
            Err(error) => return failed(&error),
        };
        if let Some(lists) = self.lists.upgrade()
            && lists.put(list.tools, list.notices)
        {
            events.tell(&ClientEvent::ToolsChanged);
        }
    }
}
