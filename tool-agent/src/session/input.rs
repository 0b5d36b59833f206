//! Input of users: messages, answers, and queued messages.

use serde::Serialize;

use super::{CallRef, Queue, RunPosition, Session, SessionError, Status, find};
use crate::{Node, OpenQuestion, ThreadMessage};

impl Session {
    /// Starts a new run with a user's message.
    pub(crate) fn begin(&mut self, text: String) {
        self.thread.push(ThreadMessage::user(text));
        self.at = RunPosition::start(self.at.run.saturating_add(1));
        self.status = Status::Idle;
        self.ending = None;
    }

    /// Takes a user's message, which the next run answers. If the [`status`](Self::status) is a question, the message
    /// answers it, also that of an agent which a call runs. If nothing else of the turn is open, the answer is a
    /// message of its own behind the question. Otherwise it is the call's result, as with [`answer`](Self::answer).
    ///
    /// # Errors
    /// While calls are pending and no tool asks, as they may be after a run that somebody stopped:
    /// [`repair`](Self::repair) leaves them.
    pub fn reply(&mut self, text: impl Into<String>) -> Result<(), SessionError> {
        if let Status::AwaitingUser { index, .. } = self.status {
            if let Some(sub) = self.asking(index) {
                sub.reply(text)?;
                self.settle();
                return Ok(());
            }
            let is_last = self.questions().len() == 1 && self.thread.unanswered().is_empty();
            if !is_last || self.ending.is_some() {
                return self.answer(text.into());
            }
            self.close_turn();
        } else {
            let fits = matches!(self.status, Status::Idle | Status::Completed);
            self.allow("reply", fits && self.thread.unanswered().is_empty())?;
        }
        self.begin(text.into());
        Ok(())
    }

    /// Takes a user's answer to the question that [`status`](Self::status) tells, the first that is open, as
    /// the result of the tool that asks. The next one is told then, if there is one.
    ///
    /// # Errors
    /// When no tool asks.
    pub fn answer(&mut self, answer: impl Serialize) -> Result<(), SessionError> {
        let Status::AwaitingUser { index, .. } = self.status else {
            return self.allow("answer", false);
        };
        self.answer_call(index, answer)
    }

    /// Takes a user's answer to the question of a call, any of the [`questions`](Self::questions), as the
    /// result of the tool that asks. Where the call runs an agent, it answers the first question that is open
    /// there.
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
    /// When no such call asks, or several do, and when the answer cannot be written as JSON; nothing changes.
    pub fn answer_call<'a>(
        &mut self,
        call: impl Into<CallRef<'a>>,
        answer: impl Serialize,
    ) -> Result<(), SessionError> {
        let (open, call) = (self.questions(), call.into());
        self.allow("answer", !open.is_empty())?;
        let found = find(open.iter().map(OpenQuestion::key), call)?;
        let index = open.get(found).map(|asks| asks.index);
        let index = index.ok_or_else(|| SessionError::UnknownCall(call.to_string()))?;
        match self.asking(index) {
            Some(sub) => sub.answer(answer)?,
            None => self.thread.answer_call(index, answer)?,
        }
        self.settle();
        Ok(())
    }

    /// Returns a handle of this session's queue, for leaving messages while an agent runs. A clone of the session has
    /// another queue.
    pub fn queue(&self) -> Queue {
        self.queue.handle()
    }

    /// Clones the session without making it another conversation: both share one queue.
    pub(crate) fn same(&self) -> Self {
        Self {
            queue: self.queue.same(),
            ..self.clone()
        }
    }

    /// Moves the first queued message to the thread. Returns false if there is none.
    pub(crate) fn take_queued(&mut self) -> bool {
        let Some(text) = self.queue.pop() else {
            return false;
        };
        self.thread.push(ThreadMessage::user(text));
        true
    }

    /// Begins a new run, if the conversation stands at its end and there are words to answer, or calls.
    pub(crate) fn wake(&mut self) {
        if self.at.node != Node::End {
            return;
        }
        // Of a thread that the host brought: no run of a session ends so.
        if self.thread.is_open() == Ok(true) {
            self.at = RunPosition {
                node: Node::Tools,
                turn: 1,
                ..RunPosition::start(self.at.run.saturating_add(1))
            };
            return;
        }
        let is_over = self.status == Status::Completed;
        let asked = match self.thread.last() {
            Some(ThreadMessage::User { .. }) => true,
            // Not where they were the end: what goes to the user as it is.
            Some(ThreadMessage::Tool(_)) => !is_over,
            _ => false,
        };
        if asked {
            self.at = RunPosition::start(self.at.run.saturating_add(1));
        } else if let Some(text) = self.queue.pop() {
            self.begin(text);
        }
    }
}
