//! Answers of calls, and questions of tools that wait for theirs.

use std::sync::Arc;

use serde::Serialize;
use toolwright_provider::call::{Encoder, Outcome, ToolCall, ToolError};
use toolwright_runtime::executor::{Pending, PendingReason, Question};

use super::{LastTurn, Thread, index_of};
use crate::session::{CallRef, SessionError, answer_of, find, key};
use crate::thread::{Assistant, ThreadMessage, ToolMessage};

impl Thread {
    /// Inserts an answer after the message that makes the call, in call order. Replaces the answer that the call has
    /// already. Returns false if the last turn has no such call.
    pub fn answer(&mut self, answer: ToolMessage) -> bool {
        let call = self.last_calls().get(answer.index);
        if call.is_none_or(|call| call.id != answer.id) {
            return false;
        }
        let Some(turn) = &mut self.turn else {
            return false;
        };
        let messages = Arc::make_mut(&mut self.messages);
        let answers = messages.get_mut(turn.at + 1..turn.end());
        let answers = answers.unwrap_or_default();
        let place = if turn.is_ordered {
            answers.binary_search_by_key(&answer.index, index_of)
        } else {
            let place = |behind: &dyn Fn(usize) -> bool| {
                answers.iter().position(|other| behind(index_of(other)))
            };
            let behind = || place(&|index| index > answer.index).unwrap_or(answers.len());
            place(&|index| index == answer.index).ok_or_else(behind)
        };
        match place {
            Ok(place) => {
                if let Some(other) = answers.get_mut(place) {
                    *other = ThreadMessage::Tool(answer);
                }
            }
            Err(place) => {
                turn.answers += 1;
                messages.insert(turn.at + 1 + place, ThreadMessage::Tool(answer));
            }
        }
        true
    }

    /// Inserts answers to different calls, as [`answer`](Self::answer) does, in time linear in the number of answers.
    pub(crate) fn answer_all(&mut self, mut answers: Vec<ToolMessage>) {
        let calls = self.last_calls();
        answers.retain(|answer| {
            let call = calls.get(answer.index);
            call.is_some_and(|call| call.id == answer.id)
        });
        let Some(turn) = self.turn.filter(|turn| turn.is_ordered) else {
            for answer in answers {
                self.answer(answer);
            }
            return;
        };
        answers.sort_by_key(|answer| answer.index);
        let messages = Arc::make_mut(&mut self.messages);
        let behind = messages.split_off(turn.end());
        let mut there = messages.split_off(turn.at + 1).into_iter().peekable();
        for answer in answers {
            while let Some(before) = there.next_if(|other| index_of(other) < answer.index) {
                messages.push(before);
            }
            // Skips the answer that is replaced.
            there.next_if(|other| index_of(other) == answer.index);
            messages.push(ThreadMessage::Tool(answer));
        }
        messages.extend(there);
        self.turn = Some(LastTurn {
            answers: messages.len() - turn.at - 1,
            ..turn
        });
        messages.extend(behind);
    }

    /// Returns the open questions of the last turn, in call order. Each has a placeholder as its answer, so that
    /// providers accept the thread. A later message of the user closes all questions.
    ///
    /// ```
    /// use toolwright::agent::{ThreadMessage, Thread, tool_node::ToolNode};
    /// use toolwright::{Context, DynTool, Executor, Outcome, ToolCall, ToolError, Toolset};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let ask = DynTool::builder().name("ask").description("Asks.").handler_sync(
    ///     |_: serde_json::Value, cx: Context| {
    ///         Ok::<_, ToolError>(Outcome::ask(format!("What of {}?", cx.call_id().unwrap_or("it"))))
    ///     },
    /// );
    /// let node = ToolNode::new(Executor::serial(&Toolset::new([ask.build().unwrap()]).unwrap()));
    /// let calls = ["a", "b"].map(|id| ToolCall::new(id, "ask", "{}"));
    /// let mut thread = Thread::from([ThreadMessage::user("Go!"), ThreadMessage::calls(calls)]);
    /// node.process(&mut thread, &Context::new()).await.unwrap();
    /// assert_eq!(&*thread.questions()[1].call.id, "b");
    ///
    /// // In any order.
    /// thread.answer_call("b", "two").unwrap();
    /// thread.answer_call("a", "one").unwrap();
    /// assert!(thread.questions().is_empty());
    /// # });
    /// ```
    pub fn questions(&self) -> Vec<Pending> {
        let behind = self
            .last_turn()
            .map_or(self.messages.len(), |turn| turn + 1);
        let mut open = Vec::new();
        for message in self.messages.iter().skip(behind) {
            match message {
                ThreadMessage::Tool(answer) => {
                    let call = self.last_calls().get(answer.index);
                    open.extend(call.zip(answer.asks.clone()).map(|(call, question)| {
                        let reason = PendingReason::Question(question);
                        Pending::new(answer.index, call.clone(), reason)
                    }));
                }
                ThreadMessage::Assistant(said) if said.asks => {}
                _ => return Vec::new(),
            }
        }
        open
    }

    /// Answers the question of a call; the answer becomes the result of its tool. Questions can be answered in any
    /// order. This is for hosts without a [`Session`](crate::Session), which has its own
    /// [`answer_call`](crate::Session::answer_call).
    ///
    /// # Errors
    /// Fails if no such call asks, if several do, or if the answer cannot be written as JSON. Nothing changes then.
    pub fn answer_call<'a>(
        &mut self,
        call: impl Into<CallRef<'a>>,
        answer: impl Serialize,
    ) -> Result<(), SessionError> {
        let (open, call) = (self.questions(), call.into());
        let found = find(open.iter().map(key), &call)?;
        let index = open.get(found).map(|asks| asks.index);
        let asking = index.and_then(|index| Some((index, self.last_calls().get(index)?)));
        let Some((index, asking)) = asking else {
            return Err(SessionError::UnknownCall(call.to_string()));
        };
        let answer = self.answer_to(index, asking, Ok(Outcome::value(answer)))?;
        self.answer(answer);
        self.restate_question();
        Ok(())
    }

    /// Makes the answer to a call or a question.
    pub(crate) fn answer_to(
        &self,
        index: usize,
        call: &ToolCall,
        outcome: Result<Outcome, ToolError>,
    ) -> Result<ToolMessage, SessionError> {
        let mut answer = answer_of(index, call, outcome)?;
        if let Some(edited) = self.edited(index) {
            answer.say_edited(edited, Encoder::auto());
        }
        Ok(answer)
    }

    /// Returns the arguments that a person edited, if the answer to the call at this place says so.
    pub(crate) fn edited(&self, index: usize) -> Option<String> {
        let behind = self
            .last_turn()
            .map_or(self.messages.len(), |turn| turn + 1);
        let mut behind = self.messages.iter().skip(behind);
        behind.find_map(|message| match message {
            ThreadMessage::Tool(answer) if answer.index == index => answer.edited.clone(),
            _ => None,
        })
    }

    /// Repeats the first open question as the last message, in the assistant's words, if all calls have answers.
    pub(crate) fn restate_question(&mut self) {
        if matches!(self.messages.last(), Some(ThreadMessage::Assistant(said)) if said.asks) {
            self.pop();
        }
        let Some(first) = self.questions().into_iter().next() else {
            return;
        };
        if let PendingReason::Question(Question { text, .. }) = first.reason
            && self.unanswered().is_empty()
        {
            self.push(ThreadMessage::Assistant(Assistant {
                text,
                asks: true,
                ..Assistant::default()
            }));
        }
    }
}
