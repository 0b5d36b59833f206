//! An agent that works beside the one that called it.

use std::sync::Arc;

use serde_json::json;
use tokio::runtime::Handle;
use toolwright_runtime::{Encoder, Outcome, ToolCall, ToolError, ToolResult};

use super::errand::{Came, Errand};
use crate::agent::sub::Subs;
use crate::{Queue, Session, Status};

/// Lets the agent work by itself, and says so. Where the call is made again while it does, the same is
/// said, and no other begins.
pub(super) fn begin(
    errand: Errand,
    mut session: Session,
    subs: Option<Subs>,
    name: &str,
) -> Result<Outcome, ToolError> {
    let Some(subs) = subs else {
        let words =
            "the agent works by itself, and there is no conversation to tell what it comes to";
        return Err(ToolError::failed(words).permanent());
    };
    let Ok(runtime) = Handle::try_current() else {
        let words = "the agent works by itself, and there is no runtime for it";
        return Err(ToolError::failed(words).permanent());
    };
    let id = Arc::<str>::from(session.id());
    let errand = errand.cancelled_by(subs.stop().clone());
    if let Some(told) = Told::new(subs.queue().clone(), Arc::clone(&id), name) {
        runtime.spawn(async move {
            let came = errand.run(&mut session).await;
            told.ends(session, came);
        });
    }
    Ok(Outcome::value(json!({
        "task": &*id,
        "note": "it has begun; what it comes to will follow as a message",
    })))
}

/// Sees to it that the conversation is told of the end, whatever that is.
struct Told {
    queue: Queue,
    id: Arc<str>,
    name: String,
    is_over: bool,
}

impl Told {
    /// `None` where a task of this id is at work.
    fn new(queue: Queue, id: Arc<str>, name: &str) -> Option<Self> {
        queue.begins(&id).then(|| Self {
            queue,
            id,
            name: name.to_owned(),
            is_over: false,
        })
    }

    fn ends(mut self, session: Session, came: Came) {
        let (words, paused) = match came {
            Came::To(Ok(outcome)) => {
                let call = ToolCall::new(&*self.id, self.name.as_str(), "");
                let result = ToolResult::new(&call, Ok(outcome));
                let text = result.content(Encoder::auto()).into_owned();
                (format!("has come to its end:\n{text}"), None)
            }
            Came::To(Err(error)) => (format!("has failed:\n{error}"), None),
            Came::Waits => match session.status() {
                Status::AwaitingUser { question, .. } => {
                    (format!("asks:\n{question}"), Some(session))
                }
                _ => ("waits for somebody's decision".to_owned(), Some(session)),
            },
            Came::NotKept(_) => ("could not be kept".to_owned(), None),
        };
        self.tell(&words, paused);
    }

    fn tell(&mut self, words: &str, paused: Option<Session>) {
        self.is_over = true;
        let (name, id) = (&self.name, &self.id);
        let told = format!("The task `{id}` of `{name}` {words}");
        self.queue.ends(id, told, paused);
    }
}

/// The task was dropped, or the agent's own code panicked.
impl Drop for Told {
    fn drop(&mut self) {
        if !self.is_over {
            self.tell("has ended without a result", None);
        }
    }
}
