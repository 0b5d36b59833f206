//! A call's progress, told to the client while it runs.

use rmcp::RoleServer;
#[expect(deprecated, reason = "clients that ask for it are told")]
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use toolwright_runtime::tool::Progress;

/// Tells the client; a client that is gone hears nothing.
pub(super) async fn tell(peer: &Peer<RoleServer>, token: &ProgressToken, progress: &Progress) {
    let mut param = ProgressNotificationParam::new(token.clone(), progress.done);
    param.total = progress.total.filter(|total| total.is_finite());
    param.message = progress.message.as_deref().map(str::to_owned);
    let _ = peer.notify_progress(param).await;
}

/// Tells the client the words alone, as what a server logs.
#[expect(deprecated, reason = "clients that ask for it are told")]
pub(super) async fn log(peer: &Peer<RoleServer>, tool: &str, progress: &Progress) {
    let Some(message) = progress.message.as_deref() else {
        return;
    };
    let mut param = LoggingMessageNotificationParam::new(LoggingLevel::Info, message.into());
    param.logger = Some(tool.to_owned());
    let _ = peer.notify_logging_message(param).await;
}

/// Whether a client that asks for this level and above reads what calls say on their way.
#[expect(deprecated, reason = "clients that ask for it are told")]
pub(super) fn is_heard(level: LoggingLevel) -> bool {
    matches!(level, LoggingLevel::Debug | LoggingLevel::Info)
}
