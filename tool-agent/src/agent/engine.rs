//! The loop of an agent: visits nodes until the run ends or pauses.
//!
//! An [`Engine`] borrows an agent and a session for one run. Every node saves the session before the next one starts,
//! so a crash between nodes loses no call and repeats none. The nodes of a model that computes its responses are saved with the
//! record of the next call, before it runs: a crash repeats the request alone.

mod context;
mod model;
mod open;
mod saving;
mod spending;
mod stored;
mod tools;
mod tools_visit;

use std::collections::HashSet;
use std::sync::Arc;

use tokio::time::Instant;
use toolwright_provider::dialect::Dialect;
use toolwright_provider::wire::{FinishReason, Usage};
use toolwright_runtime::tool::Context;
use toolwright_schema::panics::reported;

use super::Agent;
use super::held_lease::HeldLease;
use super::sub_sessions::SubSessions;
use crate::event::{Listener, RunEvent};
use crate::run::{AgentError, Run, RunEnd};
use crate::session::{Node, Session, SessionError, Status, StoredEnd};
use crate::span::AgentSpan;
use crate::store::Written;
use crate::store::journal::{Journal, Unsaved};
use crate::thread::ThreadMessage;

/// One run of one session.
pub(super) struct Engine<'a> {
    agent: &'a Agent,
    session: &'a mut Session,
    host: Context,
    usage: Usage,
    turns: u32,
    rounds: u32,
    text: Option<String>,
    /// Number of responses in a row that the provider paused.
    pauses: u32,
    /// Reason why calls of the last response did not run: the run ends once the others have.
    stopped: Option<FinishReason>,
    /// True for a single step. Only the thread of its session is kept.
    is_step: bool,
    /// Sub-sessions of the last visit of the tools node.
    subs: Option<SubSessions>,
    /// Span of the current step: of the last request, until the next one.
    step: Option<AgentSpan>,
    /// Checkpoint of the last response, which the next visit of the tools writes.
    unsaved: Option<Box<Unsaved>>,
    /// Journal of the last visit of the tools.
    journal: Option<Journal>,
    /// Lease of the session, if its store has leases.
    lease: Option<HeldLease>,
    /// Tools whose omission was reported, each with the dialect.
    left_out: HashSet<(String, Dialect)>,
}

/// Adds the usage of inner agents to the session of an agent that was called itself, however that call ends. Its caller
/// counts it from there. The outermost session may continue where it stood, and gets that usage then.
impl Drop for Engine<'_> {
    fn drop(&mut self) {
        self.note_saved();
        if self.host.get::<SubSessions>().is_some() {
            self.count();
        }
    }
}

/// Result of visiting a node: `Some` if the run ends here.
type VisitResult = Result<Option<RunEnd>, AgentError>;

impl<'a> Engine<'a> {
    pub(super) fn new(agent: &'a Agent, session: &'a mut Session, host: Context) -> Self {
        Self {
            agent,
            session,
            host,
            usage: Usage::default(),
            turns: 0,
            rounds: 0,
            text: None,
            pauses: 0,
            stopped: None,
            is_step: false,
            subs: None,
            step: None,
            unsaved: None,
            journal: None,
            lease: None,
            left_out: HashSet::new(),
        }
    }

    /// Adds the usage of called agents to the run and the session.
    fn count(&mut self) {
        let cost = self
            .subs
            .as_ref()
            .map(SubSessions::take_cost)
            .unwrap_or_default();
        self.usage += cost.total();
        self.session.usage += cost;
    }

    /// Makes one request and, if `tools` is set, visits the tools node once.
    pub(super) async fn step(mut self, tools: bool) -> Result<Run, AgentError> {
        self.is_step = true;
        let guards = self.guards();
        if self.host.cancel().is_cancelled() {
            return Ok(self.make_run(RunEnd::Cancelled));
        }
        // A request alone is not a step: the host runs its calls.
        let mut end = if tools {
            self.visit_inside(Node::Model).await?
        } else {
            self.visit_model().await?
        };
        if end.is_none() && self.session.at.node == Node::Tools && tools {
            end = self.visit_inside(Node::Tools).await?;
        }
        if end.is_none() && self.halts(guards) {
            end = Some(RunEnd::HaltWhen);
        }
        let node = self.session.at.node;
        Ok(self.make_run(end.unwrap_or(match node {
            Node::End => RunEnd::Completed,
            node => RunEnd::Interrupted { node, after: false },
        })))
    }

    /// Returns the agent that answers in this session: this one, or the peer that took over.
    fn active_agent(&self) -> &'a Agent {
        // `begin` refuses a session whose agent is unknown.
        self.agent.active_agent(self.session).unwrap_or(self.agent)
    }

    /// Returns the agents whose interrupts, budgets, conditions and hooks for the model hold: the agent of the run, and the peer that
    /// took over.
    fn guards(&self) -> impl DoubleEndedIterator<Item = &'a Agent> + Clone + use<'a> {
        let active = self.active_agent();
        let is_peer = !std::ptr::eq(active, self.agent);
        std::iter::once(self.agent).chain(is_peer.then_some(active))
    }

    /// Returns the name of the agent that answers in this session.
    fn agent_name(&self) -> Option<&Arc<str>> {
        self.session.agent.as_ref().or(self.agent.name.as_ref())
    }

    pub(super) async fn run(mut self) -> Result<Run, AgentError> {
        self.begin().await?;
        self.read_stored().await?;
        for hook in &self.agent.hooks {
            hook.before_run(self.session);
        }
        self.save(Written::Start).await?;
        let run_id = &self.session.run_id();
        let began = Instant::now();
        self.emit(&RunEvent::RunStarted {
            session: self.session.id(),
            run_id,
        });
        // The host may have answered the calls that the hand-over waited for.
        self.emit_handed_over();
        let ran = self.visit_all().await;
        self.step = None;
        let (run_id, duration) = (&self.session.run_id(), began.elapsed());
        let session = self.session.id();
        self.emit(&match &ran {
            Ok(run) => RunEvent::RunFinished {
                session,
                run_id,
                run,
                duration,
            },
            Err(error) => RunEvent::RunFailed {
                session,
                run_id,
                error,
                duration,
            },
        });
        ran
    }

    /// Visits nodes until the run ends.
    async fn visit_all(&mut self) -> Result<Run, AgentError> {
        if self.recover_open().await? {
            self.wake();
        }
        loop {
            let (node, agent) = (self.session.at.node, self.active_agent());
            let visited = self.visit().await;
            self.note_saved();
            match visited {
                Ok(None) if self.session.at.node == Node::End => {}
                Ok(None) if self.saves_later(node, agent)? => {}
                Ok(None) => self.save(Written::Node).await?,
                Ok(Some(end)) => {
                    let run = self.end(end);
                    self.save(Written::End).await?;
                    return Ok(run);
                }
                Err(error) => {
                    if !self.session.waits.is_empty() {
                        self.session.end = Some(StoredEnd::interrupted(Node::Tools));
                    }
                    // Other processes can continue only from a saved session.
                    if !matches!(error, AgentError::Checkpoint(_)) {
                        self.save(Written::End).await?;
                    }
                    return Err(error);
                }
            }
        }
    }

    /// Prepares the session for a run. Fails if the session is not in a state that can run.
    async fn begin(&mut self) -> Result<(), AgentError> {
        if !self.session.goes_on() {
            return Err(match self.session.status() {
                Status::Failed { message } => SessionError::Failed(message),
                status => SessionError::WrongStatus {
                    status: status.as_str(),
                    tried: "run",
                },
            }
            .into());
        }
        self.agent.active_agent(self.session)?;
        self.wake();
        if self.session.at.node == Node::End
            && let Some(message) = self.take_mail().await?
        {
            self.session.begin(message);
            self.wake();
        }
        if self.session.at.node == Node::End && self.session.thread.messages().is_empty() {
            return Err(SessionError::NoInput.into());
        }
        if self.session.at.node == Node::Model {
            self.session.thread.check()?;
            let agent = self.active_agent();
            if !agent.required.is_empty() {
                self.left_out(&agent.executor.tools(&self.context()))?;
            }
        }
        Ok(())
    }

    /// Starts a new run if there is something to process.
    fn wake(&mut self) {
        self.session.wake(self.agent.encoder);
        // A session at its end is stored as completed, because this run may be dropped.
        if self.session.at.node != Node::End || self.session.status() != Status::Completed {
            self.session.end = None;
        }
        if self.session.at.node != Node::End {
            self.session.result = None;
        }
    }

    fn end(&mut self, end: RunEnd) -> Run {
        let is_open = !self.session.thread.unanswered().is_empty();
        if is_open {
            // The caller can then decide about each of them.
            self.show_calls();
        }
        let is_over = !is_open && self.session.awaited().is_none();
        let ends = matches!(
            end,
            RunEnd::Completed | RunEnd::Halt { .. } | RunEnd::ReturnDirect(_)
        );
        self.session.end = Some(StoredEnd::of(&end));
        if is_over && ends {
            self.session.ended(Node::End);
        } else if is_over && matches!(end, RunEnd::ToolError(_)) {
            // The next run lets the model read the failure.
            self.session.ended(Node::Model);
        }
        if end.is_limit() {
            self.session.at.allow_again();
        }
        let run = self.make_run(end);
        self.session.result = match &run.end {
            RunEnd::Halt { value, .. } if is_over => Some(value.to_plain().into_owned()),
            RunEnd::Completed | RunEnd::HaltWhen | RunEnd::ReturnDirect(_) => {
                let before = self.session.result.take();
                let text = run
                    .text()
                    .or(run.text.as_deref())
                    .map(str::to_owned)
                    .or(before);
                text.or_else(|| self.session.thread.last_text().map(str::to_owned))
            }
            _ => None,
        };
        for hook in self.agent.hooks.iter().rev() {
            hook.after_run(self.session, &run);
        }
        run
    }

    fn make_run(&self, end: RunEnd) -> Run {
        Run {
            end,
            text: self.text.clone(),
            turns: self.turns,
            rounds: self.rounds,
            usage: self.usage,
            left: self.left(),
        }
    }

    fn emit(&self, event: &RunEvent<'_>) {
        emit(&self.agent.listeners, event);
    }

    fn emit_handed_over(&mut self) {
        if let Some(agent) = self.session.take_handed_over() {
            let run_id = &self.session.run_id();
            self.emit(&RunEvent::HandedOver {
                session: self.session.id(),
                run_id,
                agent: &agent,
            });
        }
    }

    /// Visits the next node, unless a cancellation, an interrupt or a limit comes before it.
    async fn visit(&mut self) -> VisitResult {
        let node = self.session.at.node;
        if node == Node::End {
            return Ok(Some(RunEnd::Completed));
        }
        // A visit may hand over to an agent that has others.
        let mut guards = self.guards();
        if self.host.cancel().is_cancelled() {
            return Ok(Some(RunEnd::Cancelled));
        }
        if !self.session.at.passed && self.guards().any(|agent| agent.before.contains(&node)) {
            self.session.at.passed = true;
            return Ok(Some(self.interrupted(node, false)));
        }
        if let Some(limit) = self.limit(node) {
            return Ok(Some(limit));
        }
        if node == Node::Tools
            && let Some(spent) = self.is_spent()?
        {
            return Ok(Some(spent));
        }
        let run_id = &self.session.run_id();
        self.emit(&RunEvent::NodeStarted {
            session: self.session.id(),
            run_id,
            node,
        });
        let end = self.visit_inside(node).await?;
        let run_id = &self.session.run_id();
        self.emit(&RunEvent::NodeFinished {
            session: self.session.id(),
            run_id,
            node,
        });
        self.session.at.steps += 1;
        if end.is_some() {
            return Ok(end);
        }
        self.session.at.passed = false;
        if self.halts(guards.clone()) {
            return Ok(Some(RunEnd::HaltWhen));
        }
        if guards.any(|agent| agent.after.contains(&node)) {
            return Ok(Some(self.interrupted(node, true)));
        }
        Ok(None)
    }

    /// Visits a node inside the span of its step. The model begins a step, and so do tools that a run begins with.
    async fn visit_inside(&mut self, node: Node) -> VisitResult {
        if node == Node::Model {
            self.step = None;
        }
        let open = self.step.take();
        let span = open.unwrap_or_else(|| AgentSpan::of_step(self.conversation(), self.turn()));
        let visited = span
            // Boxed, because the future of a run would hold it several times.
            .around(Box::pin(async {
                match node {
                    Node::Model => self.visit_model().await,
                    Node::Tools => {
                        let end = self.visit_tools().await?;
                        Ok(end.or_else(|| self.stopped.take().map(RunEnd::Stopped)))
                    }
                    Node::End => Ok(None),
                }
            }))
            .await;
        span.visited(&visited);
        self.step = Some(span);
        visited
    }

    /// Returns the id of the conversation. The session of a single step is made for the step alone.
    fn conversation(&self) -> Option<&str> {
        if self.is_step {
            self.host.session_id()
        } else {
            Some(self.session.id())
        }
    }

    /// Returns the current turn of the run.
    fn turn(&self) -> u32 {
        if self.is_step {
            self.host.turn()
        } else {
            self.session.turn()
        }
    }

    fn interrupted(&mut self, node: Node, after: bool) -> RunEnd {
        if self.session.at.node == Node::Tools {
            self.show_calls();
        }
        RunEnd::Interrupted { node, after }
    }

    /// Evaluates `halt_when`, once the calls of a turn are done and the model would be called again.
    fn halts(&self, guards: impl Iterator<Item = &'a Agent>) -> bool {
        let mut conditions = guards.filter_map(|agent| agent.halt_when.as_ref());
        let messages = self.session.thread.messages().iter().rev();
        let said = messages.filter_map(|message| match message {
            ThreadMessage::Assistant(said) => Some(said),
            _ => None,
        });
        match said.into_iter().next() {
            Some(said) if self.session.at.node == Node::Model => {
                conditions.any(|condition| condition(self.session, said))
            }
            _ => false,
        }
    }

    fn limit(&self, node: Node) -> Option<RunEnd> {
        let (agent, at) = (self.agent, self.session.at);
        let spent = at.spent();
        let (turns, steps) = (agent.max_turns.get(), agent.max_steps.get());
        if spent.steps >= steps {
            return Some(RunEnd::MaxSteps(steps));
        }
        match node {
            Node::Model if spent.turns >= turns => Some(RunEnd::MaxTurns(turns)),
            // A turn that continues after a pause belongs to a round that is already counted.
            Node::Tools if at.counted == Some(at.turn) => None,
            Node::Tools => {
                let rounds = agent.max_tool_rounds?.get();
                (spent.rounds >= rounds).then_some(RunEnd::MaxToolRounds(rounds))
            }
            Node::Model | Node::End => None,
        }
    }
}

/// Sends an event to the listeners. A panicking listener does not change the run.
fn emit(listeners: &[Arc<dyn Listener>], event: &RunEvent<'_>) {
    for listener in listeners {
        reported("a listener", || listener.event(event));
    }
}

/// Returns the output of `future`, or `None` if `stop` completes first.
pub(super) async fn until<T>(
    future: impl Future<Output = T>,
    stop: impl Future<Output = ()>,
) -> Option<T> {
    let (mut future, mut stop) = (std::pin::pin!(future), std::pin::pin!(stop));
    std::future::poll_fn(|task| {
        if stop.as_mut().poll(task).is_ready() {
            return std::task::Poll::Ready(None);
        }
        future.as_mut().poll(task).map(Some)
    })
    .await
}
