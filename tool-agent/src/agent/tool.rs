//! Agents as tools of other agents.
//!
//! `agent_call` runs an agent for one call. The session of an agent that pauses goes
//! back to the caller, so a restart of the caller does not run its calls twice.

mod agent_call;

use std::any::Any;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toolwright_provider::call::{Outcome, ToolDef, ToolError};
use toolwright_runtime::dyn_tool::BuildError;
use toolwright_runtime::executor::PausedCall;
use toolwright_runtime::tool::{Answer, BoxFuture, Call, Context, Tool};
use toolwright_schema::render::SchemaDoc;
use toolwright_schema::shape::{Field, Schema, Shape};
use toolwright_schema::text::NameError;

use self::agent_call::{AgentCall, AgentCallResult};
use super::Agent;
use super::sub_sessions::{RunningSession, SubSessions};
use crate::run::AgentError;
use crate::session::Session;

/// Default time limit of a call. It is long, since an agent has its own limits.
const TIMEOUT: Duration = Duration::from_hours(1);

/// An agent as a tool of another agent. Each call is a conversation of its own. It begins with the argument `input`,
/// and the agent's last text is the result.
///
/// The conversation starts with the state of the calling conversation, and with none of its messages. Its events go to
/// the agent's own listeners. Its usage is part of the caller's. The host's cancellation of the run cancels it. A limit
/// that it reaches, a budget of its own that is spent, a failure of its model, or a response that is not a whole answer is an error of the call. A tool that ends its
/// conversation ends the caller's for the same reason; so does one that hands over to an agent that only the caller knows, and an
/// answer that goes directly to the user. [Budgets](Agent::budget) of its callers hold for
/// it too: if one of them does not pay, the call stays pending, and the agent goes on where it stood when the session runs again with
/// a larger budget.
///
/// # Pauses
///
/// If the agent pauses in a call by another agent, the call becomes pending as
/// [`PendingReason::Agent`](toolwright_runtime::executor::PendingReason::Agent). Its conversation is part of the calling session,
/// where people give the input that it waits for: see [`Session::sub_session`]. With a checkpointer, it is saved in the
/// same store under its own id, unless the agent has another store. After a crash it continues from there, and none of
/// its calls runs twice.
///
/// A server over HTTP or MCP asks about a call of the agent as about any other: the call of the agent is pending, shows the call
/// inside, and the decision applies to that one. If it cannot be carried out, since the tool was replaced for example, the call waits on
/// and shows the error. In a call by an executor alone, and for an agent with
/// [interrupts](Agent::interrupt_before), no question can be asked. There an agent is refused before anything runs if a tool
/// of it is manual or requires an approval, or a layer of it may leave calls [pending](toolwright_runtime::executor::Layer::may_hold). A
/// question is the call's outcome, unless its tool goes on with the answer: such a question is asked as about a call inside, and
/// declined where nothing keeps the agent's session.
///
/// ```
/// use toolwright::agent::testing::ScriptedModel;
/// use toolwright::agent::{Agent, AgentTool, ModelResponse, Session};
/// use toolwright::{Context, ToolCall, Toolset};
///
/// let historian = ScriptedModel::new([Ok(ModelResponse::text("In 1066."))]);
/// let historian = Agent::new(historian, Toolset::default()).system("You know all dates.");
/// let historian = AgentTool::new(historian, "historian", "Answers questions about history.");
///
/// let ask = ToolCall::new("c1", "historian", r#"{"input": "When was Hastings?"}"#);
/// let model = ScriptedModel::new([Ok(ModelResponse::calls([ask])), Ok(ModelResponse::text("1066."))]);
/// let agent = Agent::new(model, Toolset::new([historian.build().unwrap()]).unwrap());
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let run = agent.run(&mut Session::ask("Hastings?"), &Context::new()).await.unwrap();
/// assert_eq!(run.text(), Some("1066."));
/// # });
/// ```
#[must_use = "it is not a tool until `build` is called"]
pub struct AgentTool {
    agent: Agent,
    def: ToolDef,
    finish: Option<Arc<FinalizeFn>>,
}

/// Requests the final answer of a conversation.
type FinalizeFn = dyn for<'a> Fn(
        &'a Agent,
        &'a mut Session,
        &'a Context,
    ) -> BoxFuture<'a, Result<Outcome, AgentError>>
    + Send
    + Sync;

/// The arguments of an agent that is a tool.
#[derive(Deserialize)]
struct Input {
    input: String,
}

// By hand, so that this crate does not wait for the macros.
impl Schema for Input {
    const SHAPE: &'static Shape<'static> = &Shape::object(&[Field::new(
        "input",
        "Instructions for this agent",
        String::SHAPE,
    )]);
}

impl AgentTool {
    /// Creates a tool from an agent, with a name and a description for the model that calls it.
    pub fn new(agent: Agent, name: impl Into<String>, description: impl Into<String>) -> Self {
        let mut def = ToolDef::new(name.into(), description.into());
        def.input = SchemaDoc::of::<Input>();
        def.options.timeout = Some(TIMEOUT);
        Self {
            agent,
            def,
            finish: None,
        }
    }

    /// Makes the result a value: once the agent has ended, it is asked for its final answer. See [`Agent::finalize`].
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

    /// Makes the tool one that goes on in the [background](toolwright_provider::call::ToolOptions::background): its calls stay
    /// [open](crate::Session::open), and the model of the outermost conversation reads the result later. The host
    /// cancels the agent with that conversation's token, or by the call's key.
    ///
    /// An executor with [open calls](toolwright_runtime::executor::Executor::open_calls) of its own, such as a server with tasks, has
    /// nobody to ask: see [Pauses](Self#pauses).
    ///
    /// If the agent asks somebody, the question is the call's result. Its session is left in the queue then: see
    /// [`Queue::take_paused`](crate::session::Queue::take_paused). Its usage is not part of the caller's, whose
    /// [budget](Agent::budget) does not hold for it. With a checkpointer it
    /// goes on in another process where it stood.
    pub fn detached(mut self) -> Self {
        self.def.options.background = true;
        self.def.options.timeout = None;
        self
    }

    /// Sets the time limit of a call. Default: one hour, and that of open calls for [detached](Self::detached) agents.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.def.options.timeout = Some(limit);
        self
    }

    /// Builds the tool.
    ///
    /// # Errors
    /// Fails if the name is not valid for a tool, or the description is empty.
    pub fn build(self) -> Result<Arc<dyn Tool>, BuildError> {
        NameError::check(&self.def.name).map_err(BuildError::Name)?;
        if self.def.description.trim().is_empty() {
            return Err(BuildError::Missing("description"));
        }
        Ok(Arc::new(self))
    }

    /// Returns the session with which a paused call goes on, before and after the decision; none for a call that begins.
    async fn resume(
        &self,
        call: &PausedCall,
        cx: &Context,
    ) -> ControlFlow<Result<Outcome, ToolError>, Option<(Session, Session)>> {
        let (mut session, decision) = match call.resume::<Session>() {
            Ok(Some(resumed)) => resumed,
            Ok(None) => return ControlFlow::Continue(None),
            Err(error) => return ControlFlow::Break(Err(error)),
        };
        // A write may have gone on after its call was dropped, or another process went on with the session.
        if let Some(newer) = self.agent.persistence.newer(&session).await {
            if newer.is_failed() {
                let error = "the agent's conversation was stopped, or failed elsewhere";
                return ControlFlow::Break(Err(ToolError::failed(error).permanent()));
            }
            let shown = self.agent.first_waiting(&session, cx);
            match self.agent.first_waiting(&newer, cx) {
                // The decision was about something else.
                Some(waits) if shown.as_ref() != Some(&waits) => {
                    return ControlFlow::Break(pauses(&self.agent, call, newer, None, cx));
                }
                None if shown.is_some() => {
                    return ControlFlow::Continue(Some((newer.same(), newer)));
                }
                _ => session = newer,
            }
        }
        let before = session.same();
        match self.agent.decide_first(&mut session, decision.clone(), cx) {
            Err(error) => {
                let error = error.to_string();
                ControlFlow::Break(pauses(&self.agent, call, session, Some(&error), cx))
            }
            Ok(true) => ControlFlow::Continue(Some((before, session))),
            // Nothing waits inside, so the decision is about the agent itself.
            Ok(false) => match decision.without_tool() {
                Some(outcome) => ControlFlow::Break(outcome),
                None => ControlFlow::Continue(Some((before, session))),
            },
        }
    }

    async fn run(&self, input: String, cx: Context) -> Result<Outcome, ToolError> {
        let subs = cx.get::<SubSessions>().cloned();
        let in_background = cx.open_call().is_some();
        let slot = subs.as_ref().filter(|_| !in_background);
        let slot = slot.and_then(|subs| subs.slot(&cx));
        let ledger = slot
            .as_ref()
            .and(subs.as_ref())
            .and_then(SubSessions::ledger);
        let mut agent_call = AgentCall::new(self, subs.as_ref(), ledger.cloned(), &cx);
        let mut kept = slot.as_ref().and_then(|slot| slot.kept.clone());
        // In the background of a session, the session keeps an agent that pauses.
        let is_alone = slot.is_none() && !(in_background && subs.is_some());
        let paused_call = PausedCall::of(&cx).filter(|call| is_alone && call.is_agent());
        agent_call.is_attended(!is_alone || paused_call.is_some());
        if is_alone && self.agent.may_wait(&cx, paused_call.is_some()) {
            return Err(agent_call::nobody());
        }
        let mut undecided = None;
        if let Some(call) = &paused_call {
            // Boxed, because it is rare, and it would hold two sessions.
            match Box::pin(self.resume(call, &cx)).await {
                ControlFlow::Break(outcome) => return outcome,
                ControlFlow::Continue(Some((before, session))) => {
                    (undecided, kept) = (Some(before), Some(session));
                }
                ControlFlow::Continue(None) => {}
            }
        }
        let session = match agent_call.session(kept, input).await {
            Ok(session) => session,
            Err(error) => match undecided.zip(paused_call.as_ref()) {
                Some((session, call)) => {
                    let error = agent_call::not_saved(error, None).to_string();
                    return pauses(&self.agent, call, session, Some(&error), &cx);
                }
                None => return Err(agent_call::not_saved(error, subs.as_ref())),
            },
        };
        let mut running = RunningSession::new(session, slot);
        if let (true, Some(call)) = (undecided.is_some(), &paused_call) {
            let (agent, call, cx) = (self.agent.clone(), call.clone(), cx.clone());
            running.keeps_if_dropped(move |session| {
                let _ = pauses(&agent, &call, session, None, &cx);
            });
        }
        let ended = agent_call.run(&mut running.session).await;
        running.is_not_dropped();
        let keeper = Keeper {
            agent: &self.agent,
            paused_call: paused_call.as_ref(),
            subs: subs.as_ref(),
            in_background,
            cx: &cx,
        };
        keeper.outcome(ended, running, undecided)
    }
}

/// What keeps the session of an agent that pauses: a server's call, the visit of the caller's tools, or the outermost session.
struct Keeper<'a> {
    agent: &'a Agent,
    paused_call: Option<&'a PausedCall>,
    subs: Option<&'a SubSessions>,
    in_background: bool,
    cx: &'a Context,
}

impl Keeper<'_> {
    /// Returns the outcome of the call, and keeps the session if it goes on. `undecided` is the session of a resumed call before its
    /// decision.
    fn outcome(
        &self,
        ended: AgentCallResult,
        mut running: RunningSession,
        undecided: Option<Session>,
    ) -> Result<Outcome, ToolError> {
        match ended {
            AgentCallResult::Ended(outcome) => outcome,
            AgentCallResult::Paused => self.pauses(running),
            AgentCallResult::Spent(end) => {
                if running.pauses()
                    && let Some(subs) = self.subs
                {
                    subs.spends(end);
                }
                Err(agent_call::spent())
            }
            AgentCallResult::Refused(error) => {
                if let Some(call) = self.paused_call {
                    // A decision that was not carried out is not for later.
                    let mut session = std::mem::take(&mut running.session);
                    session.take_back_decisions();
                    return pauses(self.agent, call, session, Some(&error.to_string()), self.cx);
                }
                let failed = agent_call::failed(error.clone());
                if running.pauses()
                    && let (Some(subs), Some(index)) = (self.subs, self.cx.call_index())
                {
                    subs.refuses(error.at(index));
                }
                Err(failed)
            }
            AgentCallResult::NotSaved(error) => {
                let error = agent_call::not_saved(error, self.subs);
                match self.paused_call.zip(undecided) {
                    Some((call, session)) => {
                        pauses(self.agent, call, session, Some(&error.to_string()), self.cx)
                    }
                    None => Err(error),
                }
            }
        }
    }

    fn pauses(&self, mut running: RunningSession) -> Result<Outcome, ToolError> {
        let asks = running.session.status();
        if let Some(call) = self.paused_call
            && (self.agent.model.__is_computed() || !running.session.asks_for_result())
        {
            let session = std::mem::take(&mut running.session);
            return pauses(self.agent, call, session, None, self.cx);
        }
        if let (true, Some(subs)) = (self.in_background, self.subs) {
            let session = std::mem::take(&mut running.session);
            subs.queue().keep_paused(session);
            return Ok(agent_call::asks(asks));
        }
        if running.pauses() {
            return Err(ToolError::failed("the agent waits for somebody"));
        }
        agent_call::paused(asks)
    }
}

/// Makes the call of a server pending with this session, and shows the first call that waits in it.
fn pauses(
    agent: &Agent,
    call: &PausedCall,
    session: Session,
    error: Option<&str>,
    cx: &Context,
) -> Result<Outcome, ToolError> {
    let waits = agent.first_waiting(&session, cx);
    let shown = serde_json::to_value(waits).unwrap_or_default();
    let bytes = serde_json::to_vec(&session).map_or(0, |stored| stored.len());
    call.pause(shown, error, session, bytes);
    Err(ToolError::failed("the agent waits for somebody"))
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

    fn __agent(&self) -> Option<&(dyn Any + Send + Sync)> {
        Some(&self.agent)
    }
}

impl fmt::Debug for AgentTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentTool")
            .field("name", &self.def.name)
            .field("agent", &self.agent)
            .finish_non_exhaustive()
    }
}
