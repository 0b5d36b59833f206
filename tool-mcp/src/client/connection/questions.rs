//! Requests of the server, and its questions to people.

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use toolwright_json::object;
use toolwright_runtime::tool::Cancel;
use toolwright_schema::panics::reported;

use super::guards::ServerRequest;
use super::outgoing::message;
use super::{Connection, MOST_ASKED, PauseGuard};
use crate::protocol::{Frame, Id, MessageParams, RpcError, error_response, response};

/// A question during a call, and the way of its answer.
pub(in crate::client) struct ServerQuestion {
    pub(in crate::client) params: Value,
    pub(in crate::client) answer: oneshot::Sender<Value>,
}

fn cancelled() -> Value {
    json!({"action": "cancel"})
}

impl Connection {
    /// Answers a request of the server's.
    pub(super) fn asks(
        self: &Arc<Self>,
        (session, of): (u64, Option<u64>),
        method: &str,
        id: &Id,
        frame: &Frame<'_>,
    ) {
        let stop = Cancel::new();
        let key = (session, id.clone());
        let refused = {
            let mut asked = self.asked();
            if asked.contains_key(&key) {
                Some("a request with the id of one without an answer".to_owned())
            } else if asked.len() >= MOST_ASKED {
                Some(format!("a request beside {MOST_ASKED} without an answer"))
            } else {
                asked.insert(key.clone(), stop.clone());
                None
            }
        };
        // Told behind the lock: the host may take its time.
        if let Some(why) = refused {
            self.bad(&why);
            return;
        }
        let asked = ServerRequest {
            connection: Arc::downgrade(self),
            key,
            stop: stop.clone(),
        };
        let answer = match method {
            "ping" => Ok("{}".to_owned()),
            "roots/list" => Ok(r#"{"roots":[]}"#.to_owned()),
            "elicitation/create" => {
                let params = match &frame.params {
                    MessageParams::Object(params) => object(params.iter()),
                    _ => "{}".to_owned(),
                };
                let params = self.readable(params);
                tokio::spawn(Arc::clone(self).elicit(of, params, asked, stop));
                return;
            }
            other => Err(RpcError::method_not_found(other)),
        };
        let text = match answer {
            Ok(result) => response(id, &Ok(result)),
            Err(error) => error_response(Some(id.as_json()), &error),
        };
        let _ = self.out.send(message(text, Some(asked)));
    }

    /// Asks the host's people, and answers the server.
    async fn elicit(
        self: Arc<Self>,
        of: Option<u64>,
        params: String,
        asked: ServerRequest,
        stop: Cancel,
    ) {
        let params = serde_json::from_str(&params).unwrap_or_default();
        let answer = tokio::select! {
            answer = self.answer(of, params) => answer,
            // The server does not wait any more, and hears nothing.
            () = stop.cancelled() => return,
        };
        let text = response(&asked.key.1, &Ok(answer.to_string()));
        let _ = self.out.send(message(text, Some(asked)));
    }

    /// Asks the caller of the call that the question is about, or else the handler.
    async fn answer(&self, of: Option<u64>, params: Value) -> Value {
        if let Some(call) = self.pauses_on_question(of) {
            let (answer, answered) = oneshot::channel();
            // A call that has ended drops the way of the answer.
            let _ = call.send(ServerQuestion { params, answer });
            return answered.await.unwrap_or_else(|_| cancelled());
        }
        if self.asker.pauses && !self.asker.is_there() {
            self.bad("a question that no call can wait for, which is declined");
        }
        // A panic of the host's is its own, and the server waits for an answer.
        let answer = AssertUnwindSafe(self.ask(&params)).catch_unwind();
        answer.await.unwrap_or_else(|panic| {
            let what = "the handler of an MCP server's questions";
            reported(what, || resume_unwind(panic)).unwrap_or_else(cancelled)
        })
    }

    /// Returns the way to the call that waits for the answer to a question: over HTTP the one on whose stream it came. Elsewhere a
    /// question does not say of which call it is, so there is none while several calls are under way, also calls that wait.
    fn pauses_on_question(&self, of: Option<u64>) -> Option<oneshot::Sender<ServerQuestion>> {
        let mut waiting = self.waiting();
        if let Some(of) = of {
            return waiting.get_mut(&of)?.question.take();
        }
        let mut calls = waiting.values_mut().filter(|call| call.context.is_some());
        let call = calls.next()?;
        calls.next().is_none().then(|| call.question.take())?
    }

    /// Asks the host's people what a server wants to know before it answers.
    pub(in crate::client) async fn ask(&self, params: &Value) -> Value {
        let _asking = self.asks_somebody();
        self.asker.ask(&self.server_name(), params).await
    }

    pub(in crate::client) fn asks_somebody(&self) -> PauseGuard<'_> {
        self.asking.begin();
        PauseGuard(self)
    }
}
