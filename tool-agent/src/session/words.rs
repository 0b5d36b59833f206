//! What a user says: words, answers, messages that are left.

use serde::Serialize;
use toolwright_runtime::{Outcome, ToolCall};

use super::submit::answer_to;
use super::{At, Queue, Session, SessionError, Status};
use crate::{Message, Node};

impl Session {
    /// A user's words begin a new run.
    pub(crate) fn begin(&mut self, text: String) {
        self.thread.push(Message::user(text));
        self.at = At::start(self.at.run.saturating_add(1));
        self.status = Status::Idle;
    }

    /// Takes a user's words: the next run answers them. After a question of a tool they are its
    /// answer in a message of their own; see [`answer`](Self::answer). Where the question is that of an
    /// agent which a call runs, they go to it.
    ///
    /// # Errors
    /// While calls are pending, as they are after a run that somebody stopped:
    /// [`repair`](Self::repair) leaves them.
    pub fn reply(&mut self, text: impl Into<String>) -> Result<(), SessionError> {
        if let Some(sub) = self.asking() {
            sub.reply(text)?;
            self.await_calls();
            return Ok(());
        }
        let fits = matches!(
            self.status,
            Status::Idle | Status::AwaitingUser { .. } | Status::Completed
        );
        self.allow("reply", fits && self.thread.unanswered().is_empty())?;
        self.begin(text.into());
        Ok(())
    }

    /// Takes a user's answer as the result of the tool that asked, be it a tool of this conversation's
    /// agent or of one that a call runs.
    ///
    /// # Errors
    /// When no tool asks.
    pub fn answer(&mut self, answer: impl Serialize) -> Result<(), SessionError> {
        if let Some(sub) = self.asking() {
            sub.answer(answer)?;
            self.await_calls();
            return Ok(());
        }
        let Status::AwaitingUser { index, id, .. } = &self.status else {
            return self.allow("answer", false);
        };
        let (index, id) = (*index, id.clone());
        let call = self.last_call(index, &id)?;
        let answer = answer_to(index, &call, Outcome::value(answer))?;
        if let Some(Message::Assistant(said)) = self.thread.last()
            && said.asks.is_some()
        {
            // The question was the tool's, and is answered now.
            self.thread.pop();
        }
        self.thread.answer(answer);
        self.settle();
        Ok(())
    }

    /// A call of the last turn.
    fn last_call(&self, index: usize, id: &str) -> Result<ToolCall, SessionError> {
        let call = self.thread.last_calls().get(index);
        let call = call.filter(|call| *call.id == *id);
        call.cloned()
            .ok_or_else(|| SessionError::UnknownCall(id.to_owned()))
    }

    /// Where messages can be left while an agent runs.
    pub fn queue(&self) -> Queue {
        self.queue.clone()
    }

    /// Takes the first message that was left, if the conversation can go on with it.
    pub(crate) fn take_queued(&mut self) -> bool {
        let Some(text) = self.queue.pop() else {
            return false;
        };
        self.thread.push(Message::user(text));
        true
    }

    /// Begins a new run, if the conversation stands at its end and there are words to answer, or calls.
    pub(crate) fn wake(&mut self) {
        if self.at.node != Node::End {
            return;
        }
        // Of a thread that the host brought: no run of a session ends so.
        if self.thread.is_open() == Ok(true) {
            self.at = At {
                node: Node::Tools,
                turn: 1,
                ..At::start(self.at.run.saturating_add(1))
            };
            return;
        }
        let is_over = self.status == Status::Completed;
        let asked = match self.thread.last() {
            Some(Message::User { .. }) => true,
            // Not where they were the end: what goes to the user as it is.
            Some(Message::Tool(_)) => !is_over,
            _ => false,
        };
        if asked {
            self.at = At::start(self.at.run.saturating_add(1));
        } else if let Some(text) = self.queue.pop() {
            self.begin(text);
        }
    }
}
