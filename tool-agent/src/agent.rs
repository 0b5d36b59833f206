//! Agents: the public type, its settings, and the code behind them.
//!
//! `engine` is the loop. It takes a session and a context, and returns a [`Run`]. The session holds all state, so that
//! a run can pause, be dropped or crash without losing a call.

mod begun_layer;
mod engine;
mod finalize;
mod handoff;
mod held_lease;
mod hooks;
mod persistence;
mod step;
mod stop;
mod sub_sessions;
mod tool;
mod waiting;

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use serde_json::Value;
use toolwright_provider::call::Encoder;
use toolwright_provider::wire::ToolChoice;
use toolwright_runtime::executor::{Executor, Source, UnknownOutcome};
use toolwright_runtime::tool::Context;

use self::engine::Engine;
pub use self::handoff::{HANDOFF, handoff};
pub use self::hooks::Hooks;
use self::persistence::Persistence;
pub use self::tool::AgentTool;
use crate::budget::Budget;
use crate::event::{EventFn, Listener, RunEvent};
use crate::model::Model;
use crate::run::{AgentError, Run, RunEnd};
use crate::session::{Node, Session};
use crate::span::AgentSpan;
use crate::store::Checkpointer;
use crate::thread::Assistant;

/// Default number of model calls in one run.
const MAX_TURNS: NonZeroU32 = NonZeroU32::MIN.saturating_add(15);
/// Default number of nodes that one run visits.
const MAX_STEPS: NonZeroU32 = NonZeroU32::MIN.saturating_add(99);

/// A model with tools. The agent calls the model, runs the calls that the model makes, and repeats until the model
/// makes no calls. A run also ends at a limit, or pauses if a person is needed.
///
/// An agent is cheap to clone. It holds nothing of a conversation, which is the [`Session`].
///
/// ```
/// use toolwright::agent::{Agent, ModelResponse, Session, testing::ScriptedModel};
/// use toolwright::{Context, ToolCall, tool, tools};
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// // In place of a provider's model, such as `Endpoint::openai_chat(url, "gpt-5", key)`.
/// let model = ScriptedModel::new([
///     Ok(ModelResponse::calls([ToolCall::new("c1", "add", r#"{"a": 2, "b": 3}"#)])),
///     Ok(ModelResponse::text("It is 5.")),
/// ]);
/// let agent = Agent::new(model, &tools![add]).system("You add.");
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let mut session = Session::ask("What is 2 + 3?");
/// let run = agent.run(&mut session, &Context::new()).await.unwrap();
/// assert_eq!(run.text(), Some("It is 5."));
/// assert_eq!(session.thread().len(), 4);
/// # });
/// ```
#[derive(Clone)]
pub struct Agent {
    name: Option<Arc<str>>,
    /// Agents that the conversation can be handed over to, by name.
    peers: BTreeMap<Arc<str>, Agent>,
    model: Arc<dyn Model>,
    executor: Executor,
    system: Option<Arc<str>>,
    choice: ToolChoice,
    required: Vec<Arc<str>>,
    encoder: Encoder,
    max_turns: NonZeroU32,
    max_tool_rounds: Option<NonZeroU32>,
    max_steps: NonZeroU32,
    budget: Option<Budget>,
    before: Vec<Node>,
    after: Vec<Node>,
    halt_when: Option<Arc<HaltCondition>>,
    hooks: Vec<Arc<dyn Hooks>>,
    listeners: Vec<Arc<dyn Listener>>,
    /// True if a listener hears deltas.
    streams: bool,
    reports_edits: bool,
    shares_thread: bool,
    persistence: Persistence,
}

/// Returns true if the run ends after this turn. Gets the session and the model's last message.
type HaltCondition = dyn Fn(&Session, &Assistant) -> bool + Send + Sync;

/// A limit of none would be an agent that does nothing.
#[track_caller]
fn at_least_one(most: u32) -> NonZeroU32 {
    match NonZeroU32::new(most) {
        Some(most) => most,
        None => panic!("a limit of an agent is at least 1"),
    }
}

impl Agent {
    /// Creates an agent from a model and tools. Calls run one after the other.
    ///
    /// # Panics
    /// When a tool refuses its own example, in a build with `debug_assertions`. Other builds warn by `tracing`.
    #[track_caller]
    pub fn new(model: impl Model + 'static, tools: impl Into<Source>) -> Self {
        Self::with_executor(model, Executor::serial(tools))
    }

    /// Creates an agent from a model and the executor of its calls.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    #[track_caller]
    pub fn with_executor(model: impl Model + 'static, executor: Executor) -> Self {
        if let Err(refused) = executor.check_examples() {
            panic!("the tools of an agent refuse their examples:\n{refused}");
        }
        Self {
            name: None,
            peers: BTreeMap::new(),
            model: Arc::new(model),
            executor,
            system: None,
            choice: ToolChoice::Auto,
            required: Vec::new(),
            encoder: Encoder::auto(),
            max_turns: MAX_TURNS,
            max_tool_rounds: None,
            max_steps: MAX_STEPS,
            budget: None,
            before: Vec::new(),
            after: Vec::new(),
            halt_when: None,
            hooks: Vec::new(),
            listeners: Vec::new(),
            streams: false,
            reports_edits: false,
            shares_thread: false,
            persistence: Persistence::default(),
        }
    }

    /// Sets the system prompt. It is sent with each request and never stored.
    #[doc(alias = "instructions", alias = "preamble")]
    pub fn system(self, prompt: impl Into<Arc<str>>) -> Self {
        Self {
            system: Some(prompt.into()),
            ..self
        }
    }

    /// Sets the tool choice of a run's first request. Default: automatic. Requests after the first round of tools are
    /// always automatic, since a forced choice would keep the run from ending.
    pub fn tool_choice(self, choice: impl Into<ToolChoice>) -> Self {
        Self {
            choice: choice.into(),
            ..self
        }
    }

    /// Requires tools, by their names. A request is not sent, and the run fails with
    /// [`AgentError::RequiredTool`], if one of them is not offered: since the set has no such tool, a rule hides it, or the
    /// model's provider refuses its schema. Other tools of others that the provider refuses are left out, with
    /// [an event](RunEvent::ToolLeftOut).
    pub fn requires<N: Into<Arc<str>>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.required.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Sets the encoder that turns results into the model's text.
    pub fn encoder(self, encoder: Encoder) -> Self {
        Self { encoder, ..self }
    }

    /// Limits the model calls of one run. Default: 16.
    ///
    /// # Panics
    /// If it is 0.
    #[track_caller]
    pub fn max_turns(self, most: u32) -> Self {
        Self {
            max_turns: at_least_one(most),
            ..self
        }
    }

    /// Limits the tool rounds of one run. Default: no limit. The model is called once more than this.
    ///
    /// # Panics
    /// If it is 0.
    #[track_caller]
    pub fn max_tool_rounds(self, most: u32) -> Self {
        Self {
            max_tool_rounds: Some(at_least_one(most)),
            ..self
        }
    }

    /// Limits the nodes that one run visits. Default: 100.
    ///
    /// # Panics
    /// If it is 0.
    #[track_caller]
    pub fn max_steps(self, most: u32) -> Self {
        Self {
            max_steps: at_least_one(most),
            ..self
        }
    }

    /// Returns true if a limit of a run is not the default.
    fn has_limits(&self) -> bool {
        let defaults = (MAX_TURNS, MAX_STEPS, None);
        (self.max_turns, self.max_steps, self.max_tool_rounds) != defaults
    }

    /// Limits what a session spends, in all of its runs. A request that the rest of the budget does not pay for is not
    /// sent, and calls are not run once nothing is left: the run ends with [`RunEnd::Budget`](crate::RunEnd::Budget),
    /// which says what was left. [`finalize`](Self::finalize) fails then. With a larger budget the session continues.
    ///
    /// What a request takes is [counted](Budget::tokenizer) before it is sent, its definitions and its conversation. What it
    /// will be answered is not known then, so the last response may take more than is left. If a provider does not report
    /// the usage, that count stays. Requests that fail count nothing.
    ///
    /// The budget also holds for the agents that the session's calls run, and for a [peer](Self::peer) that takes over, together
    /// with budgets of their own.
    pub fn budget(self, budget: Budget) -> Self {
        Self {
            budget: Some(budget),
            ..self
        }
    }

    /// Stops a run before it visits the node, once for each visit. The next run of the session continues there. Before
    /// the tools node, a person can [decide](Session::decide) about each call.
    pub fn interrupt_before(mut self, node: Node) -> Self {
        self.before.push(node);
        self
    }

    /// Stops a run after it has visited the node, once for each visit. The model node counts even if the model made no
    /// calls. The next run of the session continues from there.
    pub fn interrupt_after(mut self, node: Node) -> Self {
        self.after.push(node);
        self
    }

    /// Ends a run if the condition holds after a turn. The condition gets the session, with the answers to the turn's
    /// calls, and the model's message. Any other reason to end the run has priority. A panic in the condition
    /// propagates to the caller.
    ///
    /// ```
    /// # use toolwright::agent::Agent;
    /// # fn limited(agent: Agent) -> Agent {
    /// // No further request once the conversation has cost so much.
    /// agent.halt_when(|session, _| session.usage().total() > 50_000)
    /// # }
    /// ```
    pub fn halt_when(
        self,
        condition: impl Fn(&Session, &Assistant) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            halt_when: Some(Arc::new(condition)),
            ..self
        }
    }

    /// Adds host code around runs and model calls.
    pub fn hooks(mut self, hooks: impl Hooks + 'static) -> Self {
        self.hooks.push(Arc::new(hooks));
        self
    }

    /// Adds a closure that receives the events of runs. Models stream to it.
    ///
    /// ```
    /// use toolwright::wire::StreamEvent;
    /// use toolwright::agent::{Agent, RunEvent};
    ///
    /// # fn heard(agent: Agent) -> Agent {
    /// // Prints the model's text while it arrives.
    /// agent.on_event(|event| {
    ///     if let RunEvent::Delta { delta: StreamEvent::Text(text), .. } = event {
    ///         print!("{text}");
    ///     }
    /// })
    /// # }
    /// ```
    pub fn on_event(self, receive: impl Fn(&RunEvent<'_>) + Send + Sync + 'static) -> Self {
        self.listener(EventFn(receive))
    }

    /// Adds a listener for the events of runs. Models stream to it, unless it [hears no deltas](Listener::wants_deltas).
    ///
    /// A [`TraceStore`](toolwright_runtime::executor::TraceStore) is a listener that stores runs, model calls,
    /// hand-overs and calls.
    ///
    /// ```
    /// use toolwright::agent::{Agent, ModelResponse, Session, testing::ScriptedModel};
    /// use toolwright::executor::{TraceStore, Traced};
    /// use toolwright::{Context, ToolCall, tool, tools};
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// let model = ScriptedModel::new([
    ///     Ok(ModelResponse::calls([ToolCall::new("c1", "add", r#"{"a": 2, "b": 3}"#)])),
    ///     Ok(ModelResponse::text("It is 5.")),
    /// ]);
    /// let trace = TraceStore::new(1000);
    /// let agent = Agent::new(model, &tools![add]).listener(trace.clone());
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let mut session = Session::ask("What is 2 + 3?");
    /// agent.run(&mut session, &Context::new()).await.unwrap();
    /// // One conversation, in order: the run, two model calls, and a batch with one call between them.
    /// let events = trace.of_session(session.id());
    /// assert_eq!(events.len(), 10);
    /// assert!(matches!(events[0].what, Traced::RunStarted));
    /// assert!(matches!(&events[8].what, Traced::ModelFinished { text, .. } if text == "It is 5."));
    /// # });
    /// ```
    pub fn listener(mut self, listener: impl Listener + 'static) -> Self {
        self.streams |= listener.wants_deltas();
        self.listeners.push(Arc::new(listener));
        self
    }

    /// Sets the store of sessions. The agent saves a session when a run begins, after each node, and when the run ends
    /// or pauses. It records each call before and after it runs, so a run can [resume](Self::resume) after a crash.
    pub fn checkpointer(mut self, store: impl Checkpointer + 'static) -> Self {
        self.persistence.store = Some(Arc::new(store));
        self
    }

    /// Shows the model the arguments of a call that a person edited, also in agents that its calls run. They are appended
    /// to the answer, without secrets: as a sentence, or as the member `edited_arguments` where the
    /// [encoder](Encoder::is_json) writes JSON. An answer that goes directly to the user does not change, and an edit that
    /// changes nothing is not mentioned.
    ///
    /// Default: the model reads the result alone, and takes it for the result of the call that it made. The
    /// [`CallRecord`](crate::store::CallRecord) holds both arguments in any case.
    pub fn report_edits(self) -> Self {
        Self {
            reports_edits: true,
            ..self
        }
    }

    /// Lets the agent's tools read the [`Thread`](crate::Thread) by
    /// [`Context::conversation`](toolwright_runtime::tool::Context::conversation). It ends with the message that makes
    /// the calls. Calls share the thread, so that a tool that does not read it costs nothing.
    ///
    /// Default: tools see their arguments alone. A thread holds all that was said, and the arguments of all calls with
    /// their secrets, so share it only with tools that may know this.
    ///
    /// A tool reads the thread of the agent that calls it. An agent that is a [tool](crate::AgentTool) shares its own
    /// thread or none, never its caller's. After a [hand-over](Self::peer) the setting of the other agent counts.
    ///
    /// ```
    /// use toolwright::agent::testing::ScriptedModel;
    /// use toolwright::agent::{Agent, ModelResponse, Session, Thread};
    /// use toolwright::{Context, ToolCall, tool, tools};
    ///
    /// /// Repeats what the user said last.
    /// #[tool]
    /// fn echo(cx: &Context) -> Option<String> {
    ///     let thread = cx.conversation::<Thread>()?;
    ///     thread.last_input().map(str::to_owned)
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let model = ScriptedModel::new([
    ///     Ok(ModelResponse::calls([ToolCall::new("c1", "echo", "{}")])),
    ///     Ok(ModelResponse::text("You said hello.")),
    /// ]);
    /// let agent = Agent::new(model, tools![echo]).share_thread();
    /// let mut session = Session::ask("Hello!");
    /// agent.run(&mut session, &Context::new()).await.unwrap();
    /// assert!(format!("{:?}", session.thread().messages()[2]).contains("Hello!"));
    /// # });
    /// ```
    pub fn share_thread(self) -> Self {
        Self {
            shares_thread: true,
            ..self
        }
    }

    /// Sets the executor's policy for calls whose outcome is unknown: the process or the run ended before a call did, or a
    /// tool or a transport says so. Default: [`UnknownOutcome::Ask`]. See [`Executor::on_unknown_outcome`].
    pub fn on_unknown_outcome(self, policy: UnknownOutcome) -> Self {
        Self {
            executor: self.executor.on_unknown_outcome(policy),
            ..self
        }
    }

    /// Adds an entry to the metadata of each checkpoint that the agent writes.
    pub fn metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.persistence.metadata.insert(name.into(), value.into());
        self
    }

    /// Returns the [store](Self::checkpointer) of sessions.
    pub fn store(&self) -> Option<&Arc<dyn Checkpointer>> {
        self.persistence.store.as_ref()
    }

    /// Returns the executor that runs the calls.
    pub fn executor(&self) -> &Executor {
        &self.executor
    }

    /// Runs a session from its current state until it ends or pauses.
    ///
    /// # Context
    /// The context takes precedence over the session. This decides which tools are visible and what tools read: see [`Context::with_fallback`].
    /// State is merged by name. A value from the context overrides the session's in this run, and is not stored in
    /// the session. Values that tools [update](Context::update_state) are stored in the session.
    ///
    /// The agent's name and the user's input from the context replace the session's. Tools that the context lists as
    /// called are added to those of the session. Session, run and turn are always the session's own, since
    /// [idempotency keys](Context::idempotency_key) are made of them.
    ///
    /// A tool that runs an agent may pass on its call's context. It counts like a host's context, without the calling
    /// conversation's agent, session, run, turn, input, messages and called tools.
    ///
    /// # Versions of tools
    /// Unanswered calls of a stored session may be of other versions of the tools. They are read under the old names of tools
    /// and arguments (`#[tool(was("old_name"))]`). If a tool's name, description, hints or schema have changed, an approval of
    /// before does not count, and the call is pending again. A call that does not fit its tool any more is answered: by its
    /// outcome, if that is recorded, and otherwise with the faults.
    ///
    /// # Cancellation
    /// A run ends early when the context's [`Cancel`](toolwright_runtime::tool::Cancel) fires, or when the future is dropped,
    /// as `tokio::time::timeout` does. A cancellation answers calls that run or did not begin as cancelled, and leaves
    /// pending calls pending. A drop leaves the session as it was before the current request or calls: the request has
    /// no response, or the calls are pending again. With a [`checkpointer`](Self::checkpointer), use
    /// [`resume`](Self::resume) after a drop, since the stored session may be newer than this one.
    ///
    /// # Tracing
    /// With the feature `tracing`, the run is a span `invoke_agent`. It has a child span `step` for each request to the
    /// model and the calls of its response:
    ///
    /// ```text
    /// invoke_agent        gen_ai.conversation.id, gen_ai.usage.input_tokens, gen_ai.usage.output_tokens
    ///   step              gen_ai.conversation.id, toolwright.step = 0
    ///     chat            gen_ai.conversation.id, gen_ai.usage.input_tokens, gen_ai.usage.output_tokens
    ///     execute_tool    gen_ai.tool.name, gen_ai.tool.call.id
    ///   step              gen_ai.conversation.id, toolwright.step = 1
    ///     chat
    /// ```
    ///
    /// A run that continues with the calls of an earlier response has a `step` of the same number for them. What fails
    /// has `error.type`. Names follow [OpenTelemetry's
    /// conventions](https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/), which know no step. The
    /// conversation's id is that of the session.
    ///
    /// # Errors
    /// Fails if the session waits for input, if no provider would accept its thread, if the model fails at the first
    /// request, or if the session cannot be saved. A [conflict](crate::store::CheckpointError::Conflict) means that another
    /// process continues the session. No call ran here that does not run there.
    pub async fn run(&self, session: &mut Session, cx: &Context) -> Result<Run, AgentError> {
        let span = AgentSpan::of_run(session.id());
        let cx = toolwright_runtime::tool::inside_call(cx);
        let ran = span.around(self.run_all(session, &cx)).await;
        span.ran(&ran);
        ran
    }

    /// Runs the session, and again if a message came into its inbox between the last look of a run and the end of its lease.
    async fn run_all(&self, session: &mut Session, cx: &Context) -> Result<Run, AgentError> {
        let mut run = Engine::new(self, session, cx.clone()).run().await?;
        while matches!(run.end, RunEnd::Completed)
            && !cx.cancel().is_cancelled()
            && let Ok(Some(_)) = self.persistence.mail(session).await
        {
            // What a run takes from the queue is in memory alone.
            let before = session.queue().is_empty().then(|| session.same());
            // Boxed, because it is rare.
            match Box::pin(Engine::new(self, session, cx.clone()).run()).await {
                Ok(next) => run = run.before(next),
                Err(error) => {
                    // Another run takes the message. After any other error the session is as the run left it, and the next one
                    // reports the error if it stands.
                    if let AgentError::Checkpoint(error) = &error
                        && let Some(before) = before.filter(|_| error.is_conflict())
                    {
                        *session = before;
                    }
                    break;
                }
            }
        }
        Ok(run)
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("executor", &self.executor)
            .field("max_turns", &self.max_turns)
            .finish_non_exhaustive()
    }
}
