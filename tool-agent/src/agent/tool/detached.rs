//! Agents that run in a task of their own, detached from the call that started them.
//!
//! The call returns the session's id. The result goes to the queue of the outermost conversation, also if the task
//! panics or is dropped: otherwise a caller would wait for it forever.

use std::sync::Arc;

use serde_json::json;
use tokio::runtime::Handle;
use toolwright_provider::call::{Encoder, Outcome, ToolCall, ToolError, ToolResult};

use super::agent_call::{AgentCall, AgentCallResult};
use crate::agent::sub_sessions::SubSessions;
use crate::{Queue, Session, Status};

/// Starts the agent in a task and returns its session id. If the call is made again while the task runs, it returns the
/// same id and starts no other task.
pub(super) fn begin(
    agent_call: AgentCall,
    mut session: Session,
    subs: Option<SubSessions>,
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
    let agent_call = agent_call.cancelled_by(subs.stop().clone());
    if let Some(notice) = EndNotice::new(subs.queue().clone(), Arc::clone(&id), name) {
        runtime.spawn(async move {
            let result = agent_call.run(&mut session).await;
            notice.ends(session, result);
        });
    }
    Ok(Outcome::value(json!({
        "task": &*id,
        "note": "it has begun; what it comes to will follow as a message",
    })))
}

/// Pushes a message to the queue when the task ends, however it ends.
struct EndNotice {
    queue: Queue,
    id: Arc<str>,
    name: String,
    is_over: bool,
}

impl EndNotice {
    /// Returns `None` if a task of this id is running.
    fn new(queue: Queue, id: Arc<str>, name: &str) -> Option<Self> {
        queue.begins(&id).then(|| Self {
            queue,
            id,
            name: name.to_owned(),
            is_over: false,
        })
    }

    fn ends(mut self, session: Session, result: AgentCallResult) {
        let (words, paused) = match result {
            AgentCallResult::Ended(Ok(outcome)) => {
                let call = ToolCall::new(&*self.id, self.name.as_str(), "");
                let result = ToolResult::new(&call, Ok(outcome));
                let text = result.content(Encoder::auto()).into_owned();
                (format!("has come to its end:\n{text}"), None)
            }
            AgentCallResult::Ended(Err(error)) => (format!("has failed:\n{error}"), None),
            AgentCallResult::Paused => match session.status() {
                Status::AwaitingUser { question, .. } => {
                    (format!("asks:\n{question}"), Some(session))
                }
                _ => ("waits for somebody's decision".to_owned(), Some(session)),
            },
            AgentCallResult::NotSaved(_) => ("could not be kept".to_owned(), None),
        };
        self.send(&words, paused);
    }

    fn send(&mut self, words: &str, paused: Option<Session>) {
        self.is_over = true;
        let (name, id) = (&self.name, &self.id);
        let message = format!("The task `{id}` of `{name}` {words}");
        self.queue.ends(id, message, paused);
    }
}

/// Reports a task that was dropped, or whose agent panicked.
impl Drop for EndNotice {
    fn drop(&mut self) {
        if !self.is_over {
            self.send("has ended without a result", None);
        }
    }
}
