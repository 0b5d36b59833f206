//! Input of the user: messages, answers, and queued messages.

use serde::Serialize;
use toolwright_provider::call::{Encoder, Outcome};
use toolwright_runtime::tool::{Decision, OpenCallState, OpenCalls};

use super::{CallRef, Queue, RunPosition, Session, SessionError, Status, find, key};
use crate::session::Node;
use crate::thread::ThreadMessage;

impl Session {
    /// Starts a new run with a message of the user.
    pub(crate) fn begin(&mut self, text: String) {
        self.thread.push(ThreadMessage::user(text));
        self.at = RunPosition::start(self.at.run.saturating_add(1));
        self.end = None;
        self.ending = None;
        self.settled.clear();
    }

    /// Adds a message of the user, which the next run answers.
    ///
    /// If the [`status`](Self::status) is a question, the message answers it, also a question of an agent that a call
    /// runs. The answer is a message of its own if nothing else of the turn was open. Otherwise it is the call's result,
    /// as with [`answer`](Self::answer). If results of the turn wait for the next run, the message is [queued](Self::queue)
    /// behind them.
    ///
    /// # Errors
    /// Fails if calls are pending and no tool asks, for example after a cancelled run. [`repair`](Self::repair) settles
    /// them.
    pub fn say(&mut self, text: impl Into<String>) -> Result<(), SessionError> {
        let status = self.status();
        if let Status::AwaitingUser { index, .. } = status {
            if let Ok(sub) = self.asking(index) {
                sub.say(text)?;
                self.settle();
                return Ok(());
            }
            let is_last = self.questions().len() == 1 && self.thread.unanswered().is_empty();
            if !is_last || self.ending.is_some() || !self.settled.is_empty() {
                return self.answer(text.into());
            }
            self.close_turn();
        } else {
            let fits = matches!(status, Status::Idle | Status::Completed);
            self.allow("reply", fits && self.thread.unanswered().is_empty())?;
            if !self.settled.is_empty() {
                self.queue.handle().push(text);
                return Ok(());
            }
        }
        self.begin(text.into());
        Ok(())
    }

    /// Answers the first open question, which is the [`status`](Self::status). The answer becomes the result of the
    /// tool that asks. The status is the next question then, if there is one.
    ///
    /// # Errors
    /// See [`answer_call`](Self::answer_call).
    pub fn answer(&mut self, answer: impl Serialize) -> Result<(), SessionError> {
        let Status::AwaitingUser { index, .. } = self.status() else {
            return self.allow("answer", false);
        };
        self.answer_call(index, answer)
    }

    /// Answers the question of a call, one of the [`questions`](Self::questions). The answer becomes the result of the
    /// tool that asks. If the call runs an agent, this answers the first open question there. A tool may go on with the answer
    /// instead, such as one of an MCP server: the next run takes the answer to it, and it may ask again.
    ///
    /// ```
    /// use toolwright::agent::testing::ScriptedModel;
    /// use toolwright::agent::{Agent, ModelResponse, Session};
    /// use toolwright::{Context, DynTool, Outcome, ToolCall, ToolError, Toolset};
    ///
    /// let ask = DynTool::builder().name("ask").description("Asks.");
    /// let ask = ask.handler_sync(|_: serde_json::Value, _cx| Ok::<_, ToolError>(Outcome::ask("Which?")));
    /// let tools = Toolset::new([ask.build().unwrap()]).unwrap();
    /// let both = ["a", "b"].map(|id| ToolCall::new(id, "ask", "{}"));
    /// let model = ScriptedModel::new([Ok(ModelResponse::calls(both)), Ok(ModelResponse::text("Thanks."))]);
    /// let agent = Agent::new(model, tools);
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let mut session = Session::ask("Go!");
    /// agent.run(&mut session, &Context::new()).await.unwrap();
    /// assert_eq!(session.questions().len(), 2);
    /// session.answer_call("b", "the second").unwrap();
    /// session.answer("the first").unwrap();
    /// let run = agent.run(&mut session, &Context::new()).await.unwrap();
    /// assert_eq!(run.text(), Some("Thanks."));
    /// # });
    /// ```
    ///
    /// # Errors
    /// Fails if no such call asks, if several do, if the answer cannot be written as JSON, or if it does not
    /// [fit](SessionError::InvalidAnswer) the schema of a tool that goes on with it. Nothing changes then.
    pub fn answer_call<'a>(
        &mut self,
        call: impl Into<CallRef<'a>>,
        answer: impl Serialize,
    ) -> Result<(), SessionError> {
        let open = self.questions();
        self.allow("answer", !open.is_empty())?;
        match self.lead(call.into()) {
            (Some(index), inside) => self.asking(index)?.answer_call(inside, answer)?,
            (None, call) => {
                let found = find(open.iter().map(key), &call)?;
                let asks = open.into_iter().nth(found);
                let asks = asks.ok_or_else(|| SessionError::UnknownCall(call.to_string()))?;
                let index = asks.index;
                let is_result = self.wait(index).is_none();
                match self.asking(index) {
                    Ok(sub) => sub.answer(answer)?,
                    Err(_) if !is_result => {
                        let answer = serde_json::to_value(answer)
                            .map_err(|error| SessionError::Unwritable(error.to_string()))?;
                        self.decide(index, Decision::Answer(answer))?;
                    }
                    Err(_) => {
                        let answers = self.answers(vec![(asks, Ok(Outcome::value(answer)))])?;
                        self.put_answers(answers);
                    }
                }
            }
        }
        self.settle();
        Ok(())
    }

    /// Returns a handle of this session's queue, to leave messages while an agent runs. A clone of the session has
    /// another queue.
    pub fn queue(&self) -> Queue {
        self.adopt_open();
        self.queue.handle()
    }

    /// Makes the open calls findable for other copies of the session.
    pub(crate) fn publish_open(&self) {
        let open = self.queue.handle().open();
        if !open.is_empty() {
            open.publish(&self.born);
        }
    }

    /// Goes on with the open calls that code in this process works for.
    fn adopt_open(&self) {
        self.queue.adopt(&self.born);
    }

    /// Clones the session as the same conversation: both share one queue.
    pub(crate) fn same(&self) -> Self {
        Self {
            queue: self.queue.same(),
            begun: self.begun.handle(),
            ..self.clone()
        }
    }

    /// Returns the calls of this conversation that stay open: to list them, to wait until one has ended, to cancel
    /// them, and to end those of unknown outcome. The next run of the session takes their results.
    ///
    /// They are of the outermost conversation: of the agents that its calls run, too. A session that is stored holds
    /// them. What works for them goes on in its process, also if the session is dropped; another copy of the session
    /// finds what runs by itself there. What ends while no copy of the session is in memory, and what ran in another process,
    /// is found with a [checkpointer](crate::Agent::checkpointer); without one its outcome is unknown.
    pub fn open(&self) -> OpenCalls {
        self.queue().open()
    }

    /// Moves the results of open calls that have ended to the thread. Returns false if there is none.
    pub(crate) fn take_late(&mut self, encoder: Encoder) -> bool {
        let (open, mut any) = (self.open(), false);
        while let Some(ended) = open.take_ended() {
            let OpenCallState::Ended(outcome) = ended.state else {
                continue;
            };
            let updates = outcome.updates().iter().cloned();
            let state = std::mem::take(&mut self.state);
            self.state = updates.fold(state, |state, (name, value)| state.with(name, value));
            let mut result = outcome.into_result(&ended.call);
            // The model of this conversation has not seen the calls of agents inside.
            if let Some(around) = ended.session.as_deref().and_then(|id| self.call_around(id)) {
                (result.id, result.name) = (around.id.clone(), around.name.clone());
            }
            self.thread
                .push(ThreadMessage::late(&ended.key, &result, encoder));
            any = true;
        }
        any
    }

    /// Moves late results, or the first queued message, to the thread. Returns false if there is none.
    pub(crate) fn take_queued(&mut self, encoder: Encoder) -> bool {
        if self.take_late(encoder) {
            return true;
        }
        let Some(text) = self.queue.pop() else {
            return false;
        };
        self.thread.push(ThreadMessage::user(text));
        true
    }

    /// Starts a new run if the conversation is at its end and has messages or calls to process.
    pub(crate) fn wake(&mut self, encoder: Encoder) {
        if self.at.node != Node::End {
            return;
        }
        // Only a thread from the host ends like this.
        if self.thread.is_open() == Ok(true) {
            self.back_to_tools();
            return;
        }
        let is_over = self.status() == Status::Completed;
        let asked = match self.thread.last() {
            Some(ThreadMessage::User { .. } | ThreadMessage::Late(_)) => true,
            // An answer that went directly to the user ended the run.
            Some(ThreadMessage::Tool(_)) => !is_over,
            _ => false,
        };
        if asked || self.take_late(encoder) {
            self.at = RunPosition::start(self.at.run.saturating_add(1));
        } else if let Some(text) = self.queue.pop() {
            self.begin(text);
        }
    }
}
