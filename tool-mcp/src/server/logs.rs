//! A call's progress, told to the client while it runs.

use std::borrow::Cow;

use toolwright_json::{ObjectWriter, quoted};
use toolwright_runtime::tool::Progress;

use super::caller::Caller;
use crate::protocol::notification;

/// Returns whether a client that asks for this level and above reads what calls say on their way. `None` if there is no such
/// level.
pub(super) fn is_heard(level: &str) -> Option<bool> {
    match level {
        "debug" | "info" => Some(true),
        "notice" | "warning" | "error" | "critical" | "alert" | "emergency" => Some(false),
        _ => None,
    }
}

/// Tells the client, in the ways that it asked for.
pub(super) async fn tell(caller: &Caller, tool: &str, progress: &Progress) {
    // The protocol has no parts of a result.
    let item = progress.item.as_ref();
    let item = || {
        item.map(|item| {
            item.as_str()
                .map_or_else(|| item.to_string().into(), Cow::from)
        })
    };
    let message = progress.message.as_deref().map(Cow::from).or_else(item);
    let message = message.as_deref();
    if let Some(token) = &caller.token {
        let number = |number: f64| serde_json::Value::from(number).to_string();
        let total = progress.total.filter(|total| total.is_finite()).map(number);
        let params = ObjectWriter::new()
            .json("progressToken", token)
            .json("progress", &number(progress.done))
            .maybe_json("total", total.as_deref())
            .maybe_text("message", message);
        let note = notification("notifications/progress", &params.end());
        caller.out.say(note).await;
    }
    if caller.logs
        && let Some(message) = message
    {
        let params = ObjectWriter::new()
            .text("level", "info")
            .text("logger", tool)
            .json("data", &quoted(message));
        let note = notification("notifications/message", &params.end());
        caller.out.say(note).await;
    }
}
