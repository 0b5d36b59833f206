//! Structured answers: one request for a conversation's result as a typed value.

use serde::de::DeserializeOwned;
use toolwright_provider::call::{ErrorKind, ToolError};
use toolwright_provider::wire::ToolChoice;
use toolwright_runtime::tool::{Call, Context};
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::decode::{Arena, Repairs};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::shape::Schema;

use super::Agent;
use super::engine::until;
use crate::model::{DeltaSink, ModelRequest};
use crate::run::{AgentError, RunEnd};
use crate::session::{Session, SessionError, Status};
use crate::span::AgentSpan;
use crate::thread::ThreadMessage;

/// Last message of the request. Providers expect a user's message at the end.
const ASKS: &str = "Now give your final answer, in the form that is asked for.";

impl Agent {
    /// Requests the conversation's result as a value. The request has no tools, and the answer must match the schema of
    /// `T`. The schema is sent in the model's dialect, and the answer is read as strictly as the arguments of a tool.
    /// `T` must serialize as an object.
    ///
    /// The session does not change, except for its usage.
    ///
    /// ```
    /// use toolwright::agent::{Agent, ModelResponse, Session, testing::ScriptedModel};
    /// use toolwright::{Context, Schema, Toolset};
    ///
    /// #[derive(serde::Deserialize, Schema)]
    /// struct Sum {
    ///     sum: i64,
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let model = ScriptedModel::new([
    ///     Ok(ModelResponse::text("It is 5.")),
    ///     Ok(ModelResponse::text(r#"{"sum": 5}"#)),
    /// ]);
    /// let agent = Agent::new(model, &Toolset::default());
    /// let mut session = Session::ask("What is 2 + 3?");
    /// agent.run(&mut session, &Context::new()).await.unwrap();
    /// let answer: Sum = agent.finalize(&mut session, &Context::new()).await.unwrap();
    /// assert_eq!(answer.sum, 5);
    /// assert_eq!(session.thread().len(), 2);
    /// # });
    /// ```
    ///
    /// # Errors
    /// Fails if the session waits for input or has failed, if the model fails, or if its response is not a whole answer
    /// ([`AgentError::Stopped`]). An answer that does not match the
    /// schema is an [`AgentError::Answer`], which says what is wrong.
    pub async fn finalize<T: Schema + DeserializeOwned>(
        &self,
        session: &mut Session,
        cx: &Context,
    ) -> Result<T, AgentError> {
        match session.status() {
            Status::Idle | Status::Completed => {}
            Status::Failed { message } => return Err(SessionError::Failed(message).into()),
            other => {
                let (status, tried) = (other.as_str(), "request for a final answer");
                return Err(SessionError::WrongStatus { status, tried }.into());
            }
        }
        let mut thread = session.thread().clone();
        thread.check()?;
        thread.push(ThreadMessage::user(ASKS));
        let (tools, schema) = (Toolset::default(), SchemaDoc::of::<T>());
        let active_agent = self.active_agent(session)?;
        let mut request = ModelRequest::new(&thread, &tools, &ToolChoice::None);
        request.system = active_agent.system.as_deref();
        request.schema = Some(&schema);
        let stop = cx.cancel();
        request.session = Some(session.id());
        request.cancel = Some(&stop);
        let spending = active_agent.spending(self, cx);
        let needs = spending.needs(&request);
        if let Some(RunEnd::Budget { left, needs }) = spending.reserve(&session.usage, needs)? {
            return Err(AgentError::Budget { left, needs });
        }
        let span = AgentSpan::of_model(Some(session.id()));
        let response = span.around(active_agent.model.respond(request, DeltaSink::NONE));
        let response = until(response, stop.cancelled()).await;
        let usage = spending.settle(needs, response.as_ref().and_then(|it| it.as_ref().ok()));
        session.usage.add(spending.model(), usage);
        let response = response.ok_or(AgentError::Cancelled)?;
        span.answered(&response);
        let response = response.map_err(AgentError::Model)?;
        if let Some(reason) = response.stopped() {
            return Err(AgentError::Stopped(reason.clone()));
        }
        read(&response.text, cx).map_err(AgentError::Answer)
    }
}

fn read<T: Schema + DeserializeOwned>(text: &str, cx: &Context) -> Result<T, ToolError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(ToolError::new(ErrorKind::InvalidArgs, "there is no answer"));
    }
    let (store, cx) = (Arena::default(), cx.clone().with_repairs(Repairs::None));
    Call::new(text, &store, &cx).decode()
}
