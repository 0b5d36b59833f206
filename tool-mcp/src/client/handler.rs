//! What the server asks of us.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::FutureExt;
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation, ProtocolVersion,
    UrlElicitationCapability,
};
use rmcp::service::{RequestContext, RoleClient};
use serde_json::Value;
use toolwright_schema::panics::reported;

use super::desk::Desk;
use super::elicit::Asker;

/// Answers the server's requests; all but questions to people as `rmcp` does.
pub(super) struct Host {
    pub(super) asker: Asker,
    pub(super) desk: Arc<Desk>,
}

/// Somebody is being asked for as long as it lives.
pub(super) struct Asking<'a>(&'a Desk);

impl<'a> Asking<'a> {
    pub(super) fn begin(desk: &'a Desk) -> Self {
        desk.asking.fetch_add(1, Ordering::AcqRel);
        Self(desk)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.asking.fetch_sub(1, Ordering::AcqRel);
    }
}

impl ClientHandler for Host {
    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        cx: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let _asking = Asking::begin(&self.desk);
        let params = serde_json::to_value(&request)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let info = cx.peer.peer_info();
        let server = info
            .as_ref()
            .and_then(|info| info.server_info.as_ref())
            .map_or("", |server| server.name.as_str());
        // A panic of the host's is its own, and the server waits for an answer.
        let asked = AssertUnwindSafe(self.asker.ask(server, &params)).catch_unwind();
        let answer = tokio::select! {
            answer = asked => answer.unwrap_or_else(|panic| {
                reported("who answers questions of an MCP server", || resume_unwind(panic)).unwrap_or_default()
            }),
            // The server does not wait any more, and hears nothing.
            () = cx.ct.cancelled() => return Ok(ElicitResult::new(ElicitationAction::Cancel)),
        };
        let action = match answer.get("action").and_then(Value::as_str) {
            Some("accept") => ElicitationAction::Accept,
            Some("decline") => ElicitationAction::Decline,
            _ => ElicitationAction::Cancel,
        };
        let result = ElicitResult::new(action);
        Ok(match answer.get("content") {
            Some(content) => result.with_content(content.clone()),
            None => result,
        })
    }

    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.asker.is_there() {
            let elicitation = ElicitationCapability::new()
                .with_form(FormElicitationCapability::default())
                .with_url(UrlElicitationCapability::default());
            capabilities.elicitation = Some(elicitation);
        }
        let own = Implementation::new("toolwright", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, own)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}
