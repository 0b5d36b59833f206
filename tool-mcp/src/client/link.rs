//! The connection that is up now, to which the tools of a server hold on.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::timeout;
use toolwright_provider::call::ToolError;
use toolwright_runtime::tool::Cancel;

use super::live_calls::LiveCalls;
use super::session::McpSession;
use super::settings::Settings;

/// The way from a tool to its server. The connection ends when the last of these is gone.
pub(super) struct Reconnector {
    pub(super) state: watch::Receiver<LinkState>,
    pub(super) settings: Arc<Settings>,
    pub(super) is_http: bool,
    pub(super) stop: Cancel,
    /// Calls that wait for people.
    pub(super) live_calls: LiveCalls,
}

/// States of a connection.
#[derive(Clone)]
pub(super) enum LinkState {
    /// With its number: a later one has a greater one.
    Up(u64, McpSession),
    /// There is none, and why. One is made.
    Down(String),
}

impl Drop for Reconnector {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Reconnector {
    /// Returns true if the connection is up, with a version without sessions.
    pub(super) fn is_modern(&self) -> bool {
        matches!(&*self.state.borrow(), LinkState::Up(_, session) if session.connection.is_modern())
    }

    /// The connection after that of the number `after`; waits for it as long as connecting may take.
    pub(super) async fn session(&self, after: u64) -> Result<(u64, McpSession), ToolError> {
        let mut state = self.state.clone();
        let up = async {
            loop {
                match &*state.borrow_and_update() {
                    LinkState::Up(number, session) if *number > after => {
                        return Some((*number, session.clone()));
                    }
                    _ => {}
                }
                state.changed().await.ok()?;
            }
        };
        let up = timeout(self.settings.connect_limit, up).await;
        up.ok().flatten().ok_or_else(|| self.not_connected())
    }

    fn not_connected(&self) -> ToolError {
        let why = match &*self.state.borrow() {
            LinkState::Down(why) => why.clone(),
            LinkState::Up(..) => "the connection was lost".to_owned(),
        };
        // What the server's process said is for the host.
        ToolError::failed("the MCP server is not connected; the call was not sent").with_debug(why)
    }
}
