//! An agent as a tool of another one.

mod detached;
mod errand;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toolwright_runtime::{
    Answer, BuildError, Call, Context, NameError, Outcome, Schema, SchemaDoc, Tool, ToolDef,
    ToolError,
};

use self::errand::{Came, Errand};
use super::Agent;
use super::sub::{Subs, Working};
use crate::{AgentError, Session};

/// How long a call may take where nothing else is said: an agent has limits of its own.
const TIMEOUT: Duration = Duration::from_hours(1);

/// An agent that is a tool of another one: a call is a conversation of its own, which begins with the
/// argument `input`, and its result the agent's last words.
///
/// It knows what the calling conversation's state is, and nothing that was said there. What happens in it,
/// its own listeners are told. What its model calls cost is a part of the caller's. When the host says
/// stop, it stops. A limit that it comes to, or a failure of its model, is an error of the call.
///
/// Nothing is lost where it pauses. Called by an agent, its call is pending then, as
/// [`Why::Agent`](crate::Why::Agent), and its conversation is a part of the calling session, where people say
/// what it waits for: see [`Session::sub_session`]. With a checkpointer it is kept in the same store, under an
/// id of its own, if the agent has no other; so after a crash it goes on from where it stood, and no call of
/// it runs twice. Called by an executor alone, a question is the call's outcome, and any other pause an error.
///
/// ```
/// use toolwright::agent::testing::ScriptedModel;
/// use toolwright::agent::{Agent, AgentTool, Response, Session};
/// use toolwright::{Context, ToolCall, Toolset};
///
/// let historian = ScriptedModel::new([Ok(Response::text("In 1066."))]);
/// let historian = Agent::new(historian, Toolset::default()).system("You know all dates.");
/// let historian = AgentTool::new(historian, "historian", "Answers questions about history.");
///
/// let ask = ToolCall::new("c1", "historian", r#"{"input": "When was Hastings?"}"#);
/// let model = ScriptedModel::new([Ok(Response::calls([ask])), Ok(Response::text("1066."))]);
/// let agent = Agent::new(model, Toolset::new([historian.build().unwrap()]).unwrap());
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let run = agent.run(&mut Session::ask("Hastings?"), &Context::new()).await.unwrap();
/// assert_eq!(run.text(), Some("1066."));
/// # });
/// ```
#[must_use = "it is no tool until `build` is called"]
pub struct AgentTool {
    agent: Agent,
    def: ToolDef,
    finish: Option<Arc<Finish>>,
    detached: bool,
}

/// Asks an agent for the final answer of a conversation.
type Finish =
    dyn for<'a> Fn(&'a Agent, &'a mut Session, &'a Context) -> Finishing<'a> + Send + Sync;
type Finishing<'a> = Pin<Box<dyn Future<Output = Result<Outcome, AgentError>> + Send + 'a>>;

// Its docs would be the schema's description.
#[derive(Deserialize, Schema)]
#[schema(crate = ::toolwright_runtime)]
struct Input {
    /// Instructions for this agent
    input: String,
}

impl AgentTool {
    /// The agent, under a name and with a description for the model that calls it.
    pub fn new(agent: Agent, name: impl Into<String>, description: impl Into<String>) -> Self {
        let mut def = ToolDef::new(name.into(), description.into());
        def.input = SchemaDoc::of::<Input>();
        def.timeout = Some(TIMEOUT);
        Self {
            agent,
            def,
            finish: None,
            detached: false,
        }
    }

    /// The same tool, whose result is a value: when the agent has ended, it is asked for it; see
    /// [`Agent::finalize`].
    pub fn finalize<T>(mut self) -> Self
    where
        T: Schema + DeserializeOwned + Serialize + Send + 'static,
    {
        self.def.output = Some(SchemaDoc::of_output::<T>());
        self.finish = Some(Arc::new(|agent, session, cx| {
            Box::pin(async move { Ok(Outcome::value(agent.finalize::<T>(session, cx).await?)) })
        }));
        self
    }

    /// The same tool, which answers at once, with the id of the conversation that it begins. What that
    /// comes to is left as a message in the queue of the outermost conversation: an agent that still runs
    /// answers it after its turn, else the next run does ([`Queue::arrived`](crate::Queue::arrived) tells when).
    /// One that pauses is left there too, to be [taken](crate::Queue::take_paused). What its model calls cost
    /// is no part of the caller's.
    ///
    /// It works in a task of the runtime that calls it, until it ends or the host says stop, and ends with
    /// its program; see [`Queue::running`](crate::Queue::running).
    pub fn detached(self) -> Self {
        Self {
            detached: true,
            ..self
        }
    }

    /// The same tool, whose calls take no longer; an hour, if nothing is said. No limit on one that is
    /// [detached](Self::detached).
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.def.timeout = Some(limit);
        self
    }

    /// Makes the tool.
    ///
    /// # Errors
    /// When the name is none for a tool, or the description is empty.
    pub fn build(self) -> Result<Arc<dyn Tool>, BuildError> {
        NameError::check(&self.def.name).map_err(BuildError::Name)?;
        if self.def.description.trim().is_empty() {
            return Err(BuildError::Missing("description"));
        }
        Ok(Arc::new(self))
    }

    async fn run(&self, input: String, cx: Context) -> Result<Outcome, ToolError> {
        let subs = cx.get::<Subs>().cloned();
        let seated = subs.as_ref().and_then(|subs| subs.seat(&cx));
        let mut errand = Errand::new(self, subs.as_ref(), &cx);
        let kept = seated.as_ref().and_then(|seated| seated.kept.clone());
        let session = match errand.session(kept, input).await {
            Ok(session) => session,
            Err(error) => return Err(errand::not_kept(error, subs.as_ref())),
        };
        if self.detached {
            return detached::begin(errand, session, subs, &self.def.name);
        }
        let mut working = Working::new(session, seated);
        match errand.run(&mut working.session).await {
            Came::To(outcome) => outcome,
            Came::Waits => {
                let asks = working.session.status().clone();
                if working.pauses() {
                    return Err(ToolError::failed("the agent waits for somebody"));
                }
                errand::paused(asks)
            }
            Came::NotKept(error) => Err(errand::not_kept(error, subs.as_ref())),
        }
    }
}

impl Tool for AgentTool {
    fn def(&self) -> &ToolDef {
        &self.def
    }

    fn call<'a>(&'a self, call: Call<'a>) -> Answer<'a> {
        match call.decode::<Input>() {
            Ok(Input { input }) => Answer::later(self.run(input, call.context())),
            Err(error) => Answer::Ready(Err(error)),
        }
    }

    fn validate(&self, call: Call<'_>) -> Result<(), ToolError> {
        call.decode::<Input>().map(drop)
    }

    fn resumes(&self) -> bool {
        true
    }
}

impl fmt::Debug for AgentTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentTool")
            .field("name", &self.def.name)
            .field("agent", &self.agent)
            .field("detached", &self.detached)
            .finish_non_exhaustive()
    }
}
