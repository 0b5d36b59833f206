//! Questions of servers to people.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::elicit::ElicitResult;

/// Question of a server to a person, during a call: see
/// [`Connector::on_elicitation`](super::Connector::on_elicitation).
///
/// Its texts come from the server. Show which server asks, and send nothing of the user's before the user agrees.
/// [Accepting](ElicitResult::Accept) a URL takes no values.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Elicitation {
    /// The server's name for itself.
    pub server: String,
    /// Text of the question.
    pub message: String,
    /// JSON Schema of the answer: a flat object. `None` if the person goes to [`url`](Self::url).
    pub schema: Option<Value>,
    /// URL that the person visits outside of the program. Accepting means that they went there.
    pub url: Option<String>,
}

/// The host's way to ask people.
type Ask = dyn Fn(Elicitation) -> Pin<Box<dyn Future<Output = ElicitResult> + Send>> + Send + Sync;

/// The host's way to ask people, if it has one.
#[derive(Clone, Default)]
pub(super) struct ElicitationHandler {
    ask: Option<Arc<Ask>>,
    /// True if a call waits for the answer where it can: see [`PausedInput`](super::paused_input::PausedInput).
    pub(super) pauses: bool,
}

impl ElicitationHandler {
    pub(super) fn set<F, R>(&mut self, ask: F)
    where
        F: Fn(Elicitation) -> R + Send + Sync + 'static,
        R: Future<Output = ElicitResult> + Send + 'static,
    {
        self.ask = Some(Arc::new(move |question| Box::pin(ask(question))));
    }

    pub(super) fn is_there(&self) -> bool {
        self.ask.is_some()
    }

    /// The answer as the protocol has it; without anybody to ask the server is told no.
    pub(super) async fn ask(&self, server: &str, params: &Value) -> Value {
        let answer = match &self.ask {
            Some(ask) => ask(read(server, params)).await,
            None => ElicitResult::Decline,
        };
        response(params, answer)
    }
}

/// Returns the answer as the protocol has it.
pub(super) fn response(params: &Value, answer: ElicitResult) -> Value {
    match answer {
        ElicitResult::Accept(values) if params.get("url").is_none() => {
            json!({"action": "accept", "content": values})
        }
        ElicitResult::Accept(_) => json!({"action": "accept"}),
        ElicitResult::Decline => json!({"action": "decline"}),
        ElicitResult::Cancel => json!({"action": "cancel"}),
    }
}

pub(super) fn read(server: &str, params: &Value) -> Elicitation {
    let text = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
    Elicitation {
        server: server.to_owned(),
        message: text("message").unwrap_or_default(),
        schema: params.get("requestedSchema").cloned(),
        url: text("url"),
    }
}

impl fmt::Debug for ElicitationHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_there() { "asks" } else { "declines" })
    }
}
