//! The one loop of an agent, whether its model streams or not.

use std::panic::{AssertUnwindSafe, catch_unwind};

use toolwright_runtime::{
    Batch, CallPlan, Context, Decided, Decision, ErrorKind, Event as CallEvent, Executor,
    Halted as BatchHalted, Outcome, Reply, StreamEvent, ToolCall, ToolChoice, ToolError, Toolset,
};

use super::Agent;
use crate::digest;
use crate::event::Event;
use crate::journal::Journal;
use crate::session::Wait;
use crate::{
    AgentError, Asks, Assistant, Halted, Message, News, Node, Request, Response, Run, Session,
    SessionError, Status, ToolMessage, Usage, Why, Written,
};

/// One run of a session.
pub(super) struct Engine<'a> {
    agent: &'a Agent,
    session: &'a mut Session,
    host: &'a Context,
    usage: Usage,
    turns: u32,
    rounds: u32,
    text: Option<String>,
}

/// What a visit of a node comes to.
type Visit = Result<Option<Halted>, AgentError>;

impl<'a> Engine<'a> {
    pub(super) fn new(agent: &'a Agent, session: &'a mut Session, host: &'a Context) -> Self {
        Self {
            agent,
            session,
            host,
            usage: Usage::default(),
            turns: 0,
            rounds: 0,
            text: None,
        }
    }

    pub(super) async fn run(mut self) -> Result<Run, AgentError> {
        self.begin()?;
        for hook in &self.agent.hooks {
            hook.before_run(self.session);
        }
        self.keep(Written::Start).await?;
        let session = self.session.id().to_owned();
        self.tell(&Event::RunStarted { session: &session });
        loop {
            match self.step().await {
                Ok(None) if self.session.at.node == Node::End => {}
                Ok(None) => self.keep(Written::Node).await?,
                Ok(Some(halted)) => {
                    let run = self.end(halted);
                    self.keep(Written::End).await?;
                    self.tell(&Event::RunFinished { run: &run });
                    return Ok(run);
                }
                Err(error) => {
                    if !self.session.waits.is_empty() {
                        self.session.status = Status::AwaitingTools;
                    }
                    // Whoever goes on elsewhere shall find what can be said now.
                    if !matches!(error, AgentError::Checkpoint(_)) {
                        self.keep(Written::End).await?;
                    }
                    return Err(error);
                }
            }
        }
    }

    /// Keeps the session as it stands. Whoever else went on with it is not overtaken.
    async fn keep(&mut self, written: Written) -> Result<(), AgentError> {
        Ok(self.agent.keep.put(self.session, written).await?)
    }

    /// Whether the session can be run from where it stands.
    fn begin(&mut self) -> Result<(), AgentError> {
        match self.session.status() {
            Status::Failed { message } => {
                return Err(SessionError::Failed(message.clone()).into());
            }
            Status::AwaitingTools if self.session.is_decided() => {}
            status @ (Status::AwaitingUser { .. } | Status::AwaitingTools) => {
                let status = status.as_str();
                return Err(SessionError::WrongStatus {
                    status,
                    tried: "run",
                }
                .into());
            }
            Status::Idle | Status::Interrupted { .. } | Status::Completed => {}
        }
        self.session.status = Status::Idle;
        self.session.wake();
        if self.session.at.node == Node::Model {
            self.session.thread.check()?;
        }
        Ok(())
    }

    fn end(&mut self, halted: Halted) -> Run {
        self.session.status = match &halted {
            Halted::Completed | Halted::Halt { .. } | Halted::ReturnDirect(_) => Status::Completed,
            Halted::AskUser {
                index,
                id,
                question,
                options,
            } => Status::AwaitingUser {
                index: *index,
                id: id.clone(),
                question: question.clone(),
                options: options.clone(),
            },
            Halted::Pending => Status::AwaitingTools,
            Halted::Interrupted { node, .. } => Status::Interrupted { node: *node },
            Halted::ModelError(error) => Status::Failed {
                message: error.to_string(),
            },
            _ => Status::Idle,
        };
        let run = Run {
            halted,
            text: self.text.clone(),
            turns: self.turns,
            rounds: self.rounds,
            usage: self.usage,
        };
        for hook in self.agent.hooks.iter().rev() {
            hook.after_run(self.session, &run);
        }
        run
    }

    fn tell(&self, event: &Event<'_>) {
        for listener in &self.agent.listeners {
            // Whoever looks on does not change what happens.
            let _ = catch_unwind(AssertUnwindSafe(|| listener.event(event)));
        }
    }

    /// Visits the next node, unless something stands before it.
    async fn step(&mut self) -> Visit {
        let node = self.session.at.node;
        if node == Node::End {
            return Ok(Some(Halted::Completed));
        }
        if self.host.cancel().is_cancelled() {
            return Ok(Some(Halted::Cancelled));
        }
        if self.agent.before.contains(&node) && !self.session.at.passed {
            self.session.at.passed = true;
            return Ok(Some(Halted::Interrupted { node, after: false }));
        }
        if let Some(limit) = self.limit(node) {
            return Ok(Some(limit));
        }
        self.tell(&Event::NodeStarted { node });
        let halted = match node {
            Node::Model => self.visit_model().await?,
            Node::Tools => self.visit_tools().await?,
            Node::End => None,
        };
        self.tell(&Event::NodeFinished { node });
        self.session.at.steps += 1;
        if halted.is_some() {
            return Ok(halted);
        }
        self.session.at.passed = false;
        if self.agent.after.contains(&node) {
            return Ok(Some(Halted::Interrupted { node, after: true }));
        }
        Ok(None)
    }

    fn limit(&self, node: Node) -> Option<Halted> {
        let (agent, at) = (self.agent, self.session.at);
        let (turns, steps) = (agent.max_turns.get(), agent.max_steps.get());
        if at.steps >= steps {
            return Some(Halted::MaxSteps(steps));
        }
        match node {
            Node::Model if at.turn >= turns => Some(Halted::MaxTurns(turns)),
            // What was decided belongs to a round that was counted.
            Node::Tools if self.session.is_decided() => None,
            Node::Tools => {
                let rounds = agent.max_tool_rounds?.get();
                (at.rounds >= rounds).then_some(Halted::MaxToolRounds(rounds))
            }
            Node::Model | Node::End => None,
        }
    }

    /// What this turn's calls and catalogue may know.
    fn context(&self) -> Context {
        let session = &self.session;
        let cx = self.host.clone();
        let cx = cx.with_session(session.id()).with_run(session.run_id());
        let cx = cx
            .with_turn(session.at.turn)
            .with_called(session.thread.called())
            .with_state(session.state.clone());
        let cx = if session.thread.is_lowered() {
            cx.lowered()
        } else {
            cx
        };
        match session.thread.last_input() {
            Some(input) => cx.with_input(input),
            None => cx,
        }
    }

    async fn visit_model(&mut self) -> Visit {
        for hook in &self.agent.hooks {
            hook.before_model(self.session);
        }
        self.session.thread.check()?;
        let tools = self.agent.executor.tools(&self.context());
        let response = self.respond(&tools).await;
        let response = match response {
            Ok(Some(response)) => response,
            Ok(None) => return Ok(Some(Halted::Cancelled)),
            Err(AgentError::Model(error)) if self.session.at.turn > 0 => {
                return Ok(Some(Halted::ModelError(error)));
            }
            Err(error) => return Err(error),
        };
        self.session.at.turn += 1;
        self.turns += 1;
        if let Some(usage) = response.usage {
            self.usage += usage;
            self.session.usage += usage;
        }
        self.tell(&Event::ModelFinished {
            response: &response,
        });
        if !response.text.is_empty() {
            self.text = Some(response.text.clone());
        }
        let said = Assistant {
            text: response.text,
            calls: response.calls,
            native: response.native,
            lowered: response.lowered,
            asks: None,
        };
        let calls = !said.calls.is_empty();
        self.session.thread.push(Message::Assistant(said.clone()));
        self.session.at.node = if calls { Node::Tools } else { Node::End };
        for hook in self.agent.hooks.iter().rev() {
            hook.after_model(self.session);
        }
        if calls {
            self.tell(&Event::CallsReady { calls: &said.calls });
        } else if self.session.take_queued() {
            self.session.at.node = Node::Model;
        }
        let halts = self.agent.halt_when.as_ref();
        let halts = halts.is_some_and(|condition| condition(self.session, &said));
        Ok(halts.then_some(Halted::HaltWhen))
    }

    /// The model's answer; `None` if the host said stop before it came.
    async fn respond(&self, tools: &Toolset) -> Result<Option<Response>, AgentError> {
        let choice = self.choice(tools)?;
        let mut request = Request::new(&self.session.thread, tools, &choice);
        request.system = self.agent.system.as_deref();
        let listener = |event: &StreamEvent| self.tell(&Event::Delta(event));
        let news = if self.agent.listeners.is_empty() {
            News::NOBODY
        } else {
            News::to(&listener)
        };
        let stop = self.host.cancel();
        let response = self.agent.model.respond(request, news);
        match until(response, stop.cancelled()).await {
            Some(response) => response.map(Some).map_err(AgentError::Model),
            None => Ok(None),
        }
    }

    /// The choice that the host made, until it was followed.
    fn choice(&self, tools: &Toolset) -> Result<ToolChoice, AgentError> {
        let choice = &self.agent.choice;
        let forced = matches!(choice, ToolChoice::Required | ToolChoice::Specific(_));
        if forced && self.session.at.rounds > 0 {
            return Ok(ToolChoice::Auto);
        }
        match choice {
            ToolChoice::Specific(name) if !tools.contains(name) => {
                let message = format!("the model is to call `{name}`, and there is no such tool");
                Err(AgentError::ToolChoice(message))
            }
            ToolChoice::Required if tools.is_empty() => {
                let message = "the model is to call a tool, and there is none";
                Err(AgentError::ToolChoice(message.to_owned()))
            }
            choice => Ok(choice.clone()),
        }
    }

    async fn visit_tools(&mut self) -> Visit {
        let calls = self.last_calls();
        let decided = self.decided()?;
        let journal = self.agent.keep.journal(self.session)?;
        if !decided.is_empty() {
            let cx = self.context();
            let executor = self.listening(journal.as_ref());
            let batch = executor.decide(&decided, &cx).await;
            let places: Vec<_> = decided.iter().map(|one| one.place).collect();
            let halted = self.take(&places, &batch, &places, journal.as_ref())?;
            if halted.is_some() || self.session.at.node != Node::Tools {
                return Ok(halted);
            }
        }
        let waits = |index: usize| self.session.waits.iter().any(|wait| wait.index == index);
        let pending = self.session.pending();
        let places: Vec<_> = pending.iter().map(|pending| pending.index).collect();
        let places: Vec<_> = places.into_iter().filter(|&index| !waits(index)).collect();
        let plan = |index| {
            if places.contains(&index) {
                CallPlan::Run
            } else {
                CallPlan::Leave
            }
        };
        let plans = (0..calls.len()).map(plan);
        let plans: Vec<_> = plans.collect();
        self.rounds += 1;
        self.session.at.rounds += 1;
        let cx = self.context();
        let executor = self.listening(journal.as_ref());
        let batch = executor.run_planned(&calls, &plans, &cx).await;
        let all: Vec<_> = (0..calls.len()).collect();
        self.take(&all, &batch, &places, journal.as_ref())
    }

    /// What was decided about calls that wait, if all of it can be carried out.
    fn decided(&mut self) -> Result<Vec<Decided>, AgentError> {
        let cx = self.context();
        let tools = self.agent.executor.tools(&cx);
        let mut decided = Vec::new();
        let mut wrong = None;
        for wait in &mut self.session.waits {
            let (Some(decision), call) = (&wait.decision, &wait.call) else {
                continue;
            };
            let holds = match decision {
                Decision::Approve if digest::of(call, &tools) != wait.digest => {
                    let words = "the tool has changed since the call was shown";
                    Err(ToolError::new(ErrorKind::Rejected, words))
                }
                Decision::Edit(arguments) => {
                    let edited = ToolCall::new(&*call.id, &*call.name, arguments.to_string());
                    tools.validate_call(&edited, &cx)
                }
                _ => Ok(()),
            };
            match holds {
                Ok(()) => decided.push(Decided {
                    call: call.clone(),
                    place: wait.index,
                    decision: decision.clone(),
                }),
                Err(error) => {
                    wait.decision = None;
                    let index = wait.index;
                    wrong.get_or_insert(AgentError::Decision { index, error });
                }
            }
        }
        wrong.map_or(Ok(decided), Err)
    }

    fn last_calls(&self) -> Vec<ToolCall> {
        let messages = self.session.thread.messages().iter().rev();
        let calls = messages
            .map(Message::tool_calls)
            .find(|calls| !calls.is_empty());
        calls.unwrap_or_default().to_vec()
    }

    /// What runs the calls, with those who look on at the run, and the journal further in than all
    /// layers.
    fn listening(&self, journal: Option<&Journal>) -> Executor {
        let mut executor = self.agent.executor.clone();
        if let Some(journal) = journal {
            executor = executor.layer(journal.clone());
        }
        if self.agent.listeners.is_empty() {
            return executor;
        }
        let listeners = self.agent.listeners.clone();
        executor.observe(move |event: &CallEvent<'_>| {
            for listener in &listeners {
                let _ = catch_unwind(AssertUnwindSafe(|| listener.event(&Event::Call(event))));
            }
        })
    }

    /// Takes what became of calls into the thread. `places` says where in the turn each call of the
    /// batch stands, `ran` which of them were to run. A batch whose journal could not be kept does
    /// not count.
    fn take(
        &mut self,
        places: &[usize],
        batch: &Batch,
        ran: &[usize],
        journal: Option<&Journal>,
    ) -> Visit {
        if let Some(error) = journal.and_then(Journal::failure) {
            return Err(error.into());
        }
        if let Some(state) = batch.state() {
            self.session.state = state.clone();
        }
        let tools = self.agent.executor.tools(&self.context());
        let mut direct = None;
        for (reply, &index) in batch.calls().iter().zip(places) {
            if !ran.contains(&index) {
                continue;
            }
            match reply {
                Reply::Answered(result) => {
                    if let Ok(Outcome::ReturnDirect(value)) = &result.outcome {
                        direct = Some(value.to_plain().into_owned());
                    }
                    let answer = ToolMessage::of(index, result, self.agent.encoder);
                    self.session.take_answer(answer);
                }
                Reply::Pending(pending) => {
                    self.session.waits.retain(|wait| wait.index != index);
                    self.session.waits.push(Wait {
                        index,
                        why: match journal.and_then(|journal| journal.waits(index)) {
                            Some(record) => Why::OutcomeUnknown { record },
                            None => pending.reason.clone().into(),
                        },
                        digest: digest::of(&pending.call, &tools),
                        call: pending.call.clone(),
                        decision: None,
                    });
                }
            }
        }
        let halted = self.halted(places, batch, direct);
        self.session.settle();
        if halted.is_none() && self.session.take_queued() {
            self.session.at.node = Node::Model;
        }
        Ok(halted)
    }

    fn halted(
        &mut self,
        places: &[usize],
        batch: &Batch,
        direct: Option<String>,
    ) -> Option<Halted> {
        let place = |index: &usize| places.get(*index).copied().unwrap_or_default();
        Some(match batch.halted() {
            Some(BatchHalted::Cancelled) => Halted::Cancelled,
            Some(BatchHalted::Aborted { .. } | BatchHalted::ToolError { .. }) => {
                match batch.error() {
                    Some(error) => Halted::ToolError(error.clone()),
                    None => Halted::Cancelled,
                }
            }
            Some(BatchHalted::AskUser {
                index,
                id,
                question,
                options,
            }) => {
                if self.session.thread.unanswered().is_empty() {
                    self.session.thread.push(Message::Assistant(Assistant {
                        text: question.clone(),
                        asks: Some(Asks {
                            id: id.clone(),
                            index: place(index),
                        }),
                        ..Assistant::default()
                    }));
                }
                Halted::AskUser {
                    index: place(index),
                    id: id.clone(),
                    question: question.clone(),
                    options: options.clone(),
                }
            }
            Some(BatchHalted::Halt {
                index,
                id,
                reason,
                value,
            }) => Halted::Halt {
                index: place(index),
                id: id.clone(),
                reason: reason.clone(),
                value: value.clone(),
            },
            _ if !self.session.thread.unanswered().is_empty() => Halted::Pending,
            Some(BatchHalted::ReturnDirect) => Halted::ReturnDirect(direct.unwrap_or_default()),
            _ => return None,
        })
    }
}

/// What `future` comes to, unless `stop` comes first.
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
