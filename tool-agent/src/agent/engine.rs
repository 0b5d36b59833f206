//! The one loop of an agent, whether its model streams or not.

mod tools;

use std::panic::{AssertUnwindSafe, catch_unwind};

use toolwright_runtime::{Context, StreamEvent, ToolChoice, Toolset};

use super::Agent;
use crate::event::Event;
use crate::{
    AgentError, Assistant, Halted, Message, News, Node, Request, Response, Run, Session,
    SessionError, Status, Usage, Written,
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
                    if self.session.is_left() {
                        self.session.status = Status::AwaitingTools;
                    } else if !self.session.waits.is_empty() {
                        let node = Node::Tools;
                        self.session.status = Status::Interrupted { node };
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
            return Ok(Some(self.interrupted(node, false)));
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
        if self.halts() {
            return Ok(Some(Halted::HaltWhen));
        }
        if self.agent.after.contains(&node) {
            return Ok(Some(self.interrupted(node, true)));
        }
        Ok(None)
    }

    fn interrupted(&mut self, node: Node, after: bool) -> Halted {
        if self.session.at.node == Node::Tools {
            self.show_calls();
        }
        Halted::Interrupted { node, after }
    }

    /// Whether the host's condition holds, where a turn and its calls are over and the model would
    /// be asked again.
    fn halts(&self) -> bool {
        let messages = self.session.thread.messages().iter().rev();
        let said = messages.filter_map(|message| match message {
            Message::Assistant(said) => Some(said),
            Message::User { .. } | Message::Tool(_) => None,
        });
        match (&self.agent.halt_when, said.into_iter().next()) {
            (Some(condition), Some(said)) if self.session.at.node == Node::Model => {
                condition(self.session, said)
            }
            _ => false,
        }
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
        let calls = said.calls.clone();
        self.session.thread.push(Message::Assistant(said));
        let next = if calls.is_empty() {
            Node::End
        } else {
            Node::Tools
        };
        self.session.at.node = next;
        for hook in self.agent.hooks.iter().rev() {
            hook.after_model(self.session);
        }
        if next == Node::Tools {
            self.tell(&Event::CallsReady { calls: &calls });
        } else if self.session.take_queued() {
            self.session.at.node = Node::Model;
        }
        Ok(None)
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
