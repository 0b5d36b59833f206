//! What `rmcp` asks a server.

use std::borrow::Cow;
use std::sync::Arc;

#[expect(
    deprecated,
    reason = "clients of the versions before 2026-07-28 know it"
)]
use rmcp::model::SetLevelRequestParams;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ErrorData, Implementation, JsonObject, ListPromptsRequestMethod,
    ListPromptsResult, ListResourceTemplatesRequestMethod, ListResourceTemplatesResult,
    ListResourcesRequestMethod, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use toolwright_runtime::tool::Cancel;

use super::session::Session;
use super::{Shared, begun, call, list, progress};

/// The versions of the protocol, oldest first.
const VERSIONS: &[ProtocolVersion] = &[
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

/// One session, or one request of a client without any.
pub(super) struct Handler {
    shared: Arc<Shared>,
    session: Arc<Session>,
    /// Fired when the session ends.
    ended: Cancel,
}

impl Handler {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            session: Arc::default(),
            ended: Cancel::new(),
        }
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let shared = &self.shared;
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        capabilities.logging = Some(JsonObject::new());
        let mut server = Implementation::new(&*shared.name, &*shared.version);
        server.title.clone_from(&shared.title);
        let mut info = ServerConfig::new(capabilities).with_server_info(server);
        info.instructions.clone_from(&shared.instructions);
        info
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(VERSIONS)
    }

    async fn list_tools(
        &self,
        params: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let parts = request.extensions.get::<http::request::Parts>();
        let cx = begun::context(&self.shared, self.session.id(), parts);
        list::page(
            &self.shared,
            &cx,
            request.protocol_version().as_ref(),
            params,
        )
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // It is large, and `rmcp` moves what it is given several times.
        let answer = call::answer(&self.shared, &self.session, params, request);
        Box::pin(answer).await
    }

    #[expect(
        deprecated,
        reason = "clients of the versions before 2026-07-28 know it"
    )]
    async fn set_level(
        &self,
        params: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.set_logs(progress::is_heard(params.level));
        Ok(())
    }

    // Without these `rmcp` would say that there are none, where the server knows nothing of them.

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<
            ListResourceTemplatesRequestMethod,
        >())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    /// A tool of which parameters are repeated in headers of HTTP, which `rmcp` compares; no other.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        if !self.shared.has_headers(name) {
            return None;
        }
        let tool = self.shared.registry.get(name)?;
        let schema = tool.def().input.as_json();
        let mut found = Tool::default();
        found.name = Cow::Owned(name.to_owned());
        found.input_schema = Arc::new(serde_json::from_str::<JsonObject>(schema).ok()?);
        Some(found)
    }

    /// Tells the client of changes, as long as the session lasts.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let mut changes = self.shared.registry.changes();
        let ended = self.ended.clone();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = changes.changed() => {}
                    () = ended.cancelled() => return,
                }
                if context.peer.notify_tool_list_changed().await.is_err() {
                    return;
                }
            }
        });
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.shared.registry.changes();
        loop {
            tokio::select! {
                () = changes.changed() => {}
                () = subscription.cancelled() => return Ok(()),
                () = self.shared.stop.cancelled() => return Ok(()),
                () = self.shared.hung_up.cancelled() => return Ok(()),
            }
            if subscription
                .sink()
                .notify_tool_list_changed()
                .await
                .is_err()
            {
                return Ok(());
            }
        }
    }
}
