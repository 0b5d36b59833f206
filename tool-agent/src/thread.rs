mod repair;

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use toolwright_runtime::{Outcome, Printable, ShortStr, ToolCall};

pub use self::repair::ThreadRepair;
use crate::session::{answer_of, find};
use crate::{Asks, Assistant, CallRef, Question, SessionError, ThreadMessage, ToolMessage};

/// A conversation: all of its messages, in order. The system prompt is not one of them: an agent
/// sends it each time.
///
/// Providers accept a thread if each call is answered right behind the message that makes it, and each answer belongs
/// to a call. [`check`](Self::check) verifies this, and [`repair`](Self::repair) makes it so.
///
/// ```
/// use toolwright::agent::{ThreadMessage, ThreadRepair, Thread};
/// use toolwright::ToolCall;
///
/// let mut thread = Thread::from([
///     ThreadMessage::user("What is 2 + 2?"),
///     ThreadMessage::calls([ToolCall::new("c1", "add", r#"{"a": 2, "b": 2}"#)]),
/// ]);
/// assert_eq!(thread.unanswered().len(), 1);
/// thread.repair(&ThreadRepair::Answer("the program ended before the tool did".into()));
/// assert!(thread.check().is_ok());
/// ```
#[derive(Clone, Default, Deserialize)]
#[serde(from = "Vec<ThreadMessage>")]
pub struct Thread {
    messages: Vec<ThreadMessage>,
    turn: Option<Turn>,
}

/// Last message that makes calls, and the answers right behind it. It is cached, so that an answer finds its place
/// without a scan of all messages.
#[derive(Debug, Clone, Copy)]
struct Turn {
    at: usize,
    answers: usize,
    /// The answers stand in call order.
    is_ordered: bool,
}

/// A call without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unanswered {
    /// The place of the message that makes it.
    pub message: usize,
    /// Its place among the calls of that message, from 0.
    pub index: usize,
    /// The call.
    pub call: ToolCall,
}

/// A question of a tool that nobody has answered: the one of this call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OpenQuestion {
    /// The call's place in its turn, from 0.
    pub index: usize,
    /// The call's id.
    pub id: ShortStr,
    /// The question.
    pub question: Question,
}

/// Why no provider would take a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadError {
    /// Calls without an answer where it must stand.
    pub unanswered: Vec<Unanswered>,
    /// The places of answers to no call.
    pub orphans: Vec<usize>,
}

impl OpenQuestion {
    pub(crate) fn key(&self) -> (usize, &str) {
        (self.index, &self.id)
    }
}

impl fmt::Display for ThreadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Vec::new();
        for Unanswered { message, call, .. } in &self.unanswered {
            let shown = |text| Printable::new(text).one_line().at_most(128);
            let (id, name) = (shown(&call.id), shown(&call.name));
            lines.push(format!(
                "message {message}: the call `{id}` of `{name}` has no answer"
            ));
        }
        for place in &self.orphans {
            lines.push(format!(
                "message {place}: it answers no call of the message before"
            ));
        }
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for ThreadError {}

impl ThreadError {
    /// Notes the calls of a message that are not answered.
    fn leave(&mut self, message: usize, calls: &[ToolCall], answered: &[bool]) {
        let calls = calls.iter().zip(answered).enumerate();
        let open = calls.filter(|(_, (_, answered))| !**answered);
        let open = open.map(|(index, (call, _))| Unanswered {
            message,
            index,
            call: call.clone(),
        });
        self.unanswered.extend(open);
    }
}

impl Turn {
    /// A message that makes calls, without answers.
    const fn at(at: usize) -> Self {
        Self {
            at,
            answers: 0,
            is_ordered: true,
        }
    }

    /// The place behind the answers.
    const fn end(self) -> usize {
        self.at + 1 + self.answers
    }
}

/// The place in its turn of the call that a message answers.
fn index_of(message: &ThreadMessage) -> usize {
    match message {
        ThreadMessage::Tool(answer) => answer.index,
        ThreadMessage::User { .. } | ThreadMessage::Assistant(_) => usize::MAX,
    }
}

impl Thread {
    /// A conversation that has not begun.
    pub fn new() -> Self {
        Self::default()
    }

    /// All messages, in order.
    pub fn messages(&self) -> &[ThreadMessage] {
        &self.messages
    }

    /// Returns true if the thread holds no message.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Adds a message at the end.
    pub fn push(&mut self, message: ThreadMessage) {
        let place = self.messages.len();
        if !message.tool_calls().is_empty() {
            self.turn = Some(Turn::at(place));
        } else if let (ThreadMessage::Tool(answer), Some(turn)) = (&message, &mut self.turn)
            && turn.end() == place
        {
            let before = self.messages.last().map_or(0, index_of);
            turn.is_ordered &= turn.answers == 0 || before < answer.index;
            turn.answers += 1;
        }
        self.messages.push(message);
    }

    /// Takes the last message off.
    pub(crate) fn pop(&mut self) -> Option<ThreadMessage> {
        let last = self.messages.pop();
        self.find_turn();
        last
    }

    /// Looks where the last turn stands.
    fn find_turn(&mut self) {
        let calls = |message: &ThreadMessage| !message.tool_calls().is_empty();
        let at = self.messages.iter().rposition(calls);
        self.turn = at.map(|at| {
            let behind = self.messages.iter().skip(at + 1);
            let behind = behind.take_while(|message| matches!(message, ThreadMessage::Tool(_)));
            let indices: Vec<_> = behind.map(index_of).collect();
            Turn {
                answers: indices.len(),
                is_ordered: indices.is_sorted_by(|one, next| one < next),
                ..Turn::at(at)
            }
        });
    }

    /// The last message.
    pub fn last(&self) -> Option<&ThreadMessage> {
        self.messages.last()
    }

    /// Returns true if the last calls came in lowered forms of their tools' schemas.
    pub(crate) fn is_lowered(&self) -> bool {
        let turn = self.last_turn().and_then(|turn| self.messages.get(turn));
        matches!(turn, Some(ThreadMessage::Assistant(said)) if said.lowered)
    }

    /// Returns the last message of the user.
    pub fn last_input(&self) -> Option<&str> {
        self.messages
            .iter()
            .rev()
            .find_map(|message| match message {
                ThreadMessage::User { text } => Some(text.as_str()),
                ThreadMessage::Assistant(_) | ThreadMessage::Tool(_) => None,
            })
    }

    /// Returns true if a tool has answered since the last message of the user.
    pub(crate) fn is_answered(&self) -> bool {
        let since = self.messages.iter().rev();
        let mut since = since.take_while(|message| !matches!(message, ThreadMessage::User { .. }));
        since.any(|message| matches!(message, ThreadMessage::Tool(_)))
    }

    /// Returns the last text of the model that is not empty.
    pub fn last_text(&self) -> Option<&str> {
        self.messages
            .iter()
            .rev()
            .find_map(|message| match message {
                ThreadMessage::Assistant(said) if !said.text.is_empty() => Some(said.text.as_str()),
                _ => None,
            })
    }

    /// Returns the names of the tools that ran and did not fail, in order. An open turn is not included.
    pub fn called(&self) -> impl Iterator<Item = &str> {
        let open = self.unanswered().first().map(|open| open.message);
        let closed = self
            .messages
            .iter()
            .take(open.unwrap_or(self.messages.len()));
        closed.filter_map(|message| match message {
            // A call of a tool that is hidden or not there has an error for an answer.
            ThreadMessage::Tool(answer) if !answer.is_error => Some(&*answer.name),
            _ => None,
        })
    }

    /// Inserts an answer behind the message that makes the call, in call order. An answer that the call already has
    /// is replaced. Returns false if the last turn has no such call.
    pub fn answer(&mut self, answer: ToolMessage) -> bool {
        let call = self.last_calls().get(answer.index);
        if call.is_none_or(|call| call.id != answer.id) {
            return false;
        }
        let Some(turn) = &mut self.turn else {
            return false;
        };
        let answers = self.messages.get_mut(turn.at + 1..turn.end());
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
                self.messages
                    .insert(turn.at + 1 + place, ThreadMessage::Tool(answer));
            }
        }
        true
    }

    /// Inserts several answers, each as [`answer`](Self::answer) does, of which no two are to one call. What they cost
    /// grows with their number and that of the answers that are there, and not with the product.
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
        let behind = self.messages.split_off(turn.end());
        let mut there = self.messages.split_off(turn.at + 1).into_iter().peekable();
        for answer in answers {
            while let Some(before) = there.next_if(|other| index_of(other) < answer.index) {
                self.messages.push(before);
            }
            // The one that it replaces.
            there.next_if(|other| index_of(other) == answer.index);
            self.messages.push(ThreadMessage::Tool(answer));
        }
        self.messages.extend(there);
        self.turn = Some(Turn {
            answers: self.messages.len() - turn.at - 1,
            ..turn
        });
        self.messages.extend(behind);
    }

    /// The questions of tools that the thread ends with and nobody has answered, in call order. Until then a
    /// text in the place of each answer says so, so that a provider takes the thread. Words of a user behind
    /// the turn close its questions.
    ///
    /// ```
    /// use toolwright::agent::{ThreadMessage, Thread, ToolNode};
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
    /// assert_eq!(thread.questions()[1].question.text, "What of b?");
    ///
    /// // In any order.
    /// thread.answer_call("b", "two").unwrap();
    /// thread.answer_call("a", "one").unwrap();
    /// assert!(thread.questions().is_empty());
    /// # });
    /// ```
    pub fn questions(&self) -> Vec<OpenQuestion> {
        let behind = self
            .last_turn()
            .map_or(self.messages.len(), |turn| turn + 1);
        let mut open = Vec::new();
        for message in self.messages.iter().skip(behind) {
            match message {
                ThreadMessage::Tool(answer) => {
                    open.extend(answer.asks.clone().map(|question| OpenQuestion {
                        index: answer.index,
                        id: answer.id.clone(),
                        question,
                    }));
                }
                ThreadMessage::Assistant(said) if said.asks.is_some() => {}
                ThreadMessage::Assistant(_) | ThreadMessage::User { .. } => return Vec::new(),
            }
        }
        open
    }

    /// Takes a person's answer to the question of a call as the result of its tool: of any of the
    /// [questions](Self::questions), in any order. For hosts without a [`Session`](crate::Session), which does
    /// this itself.
    ///
    /// # Errors
    /// When no such call asks, or several do, and when the answer cannot be written as JSON; nothing changes.
    pub fn answer_call<'a>(
        &mut self,
        call: impl Into<CallRef<'a>>,
        answer: impl Serialize,
    ) -> Result<(), SessionError> {
        let (open, call) = (self.questions(), call.into());
        let found = find(open.iter().map(OpenQuestion::key), call)?;
        let index = open.get(found).map(|asks| asks.index);
        let asking = index.and_then(|index| Some((index, self.last_calls().get(index)?)));
        let Some((index, asking)) = asking else {
            return Err(SessionError::UnknownCall(call.to_string()));
        };
        let answer = answer_of(index, asking, Ok(Outcome::value(answer)))?;
        self.answer(answer);
        self.restate_question();
        Ok(())
    }

    /// The first question that is open stands at the end as words of the assistant's, where no call is open.
    pub(crate) fn restate_question(&mut self) {
        if matches!(self.messages.last(), Some(ThreadMessage::Assistant(said)) if said.asks.is_some())
        {
            self.pop();
        }
        let Some(first) = self.questions().into_iter().next() else {
            return;
        };
        if self.unanswered().is_empty() {
            self.push(ThreadMessage::Assistant(Assistant {
                text: first.question.text,
                asks: Some(Asks {
                    id: first.id,
                    index: first.index,
                }),
                ..Assistant::default()
            }));
        }
    }

    /// The place of the last message that makes calls.
    fn last_turn(&self) -> Option<usize> {
        self.turn.map(|turn| turn.at)
    }

    /// The calls of the last message that makes some.
    pub(crate) fn last_calls(&self) -> &[ToolCall] {
        let turn = self.last_turn().and_then(|turn| self.messages.get(turn));
        turn.map(ThreadMessage::tool_calls).unwrap_or_default()
    }

    /// The last answer that it ends with, if all calls are answered, and every one of these that succeeded goes to the user.
    pub(crate) fn direct(&self) -> Option<&ToolMessage> {
        if !matches!(self.last(), Some(ThreadMessage::Tool(_))) || !self.unanswered().is_empty() {
            return None;
        }
        let behind = self.messages.iter().skip(self.last_turn()? + 1);
        let answers = behind.map_while(|message| match message {
            ThreadMessage::Tool(answer) => Some(answer),
            ThreadMessage::User { .. } | ThreadMessage::Assistant(_) => None,
        });
        let mut successes = answers.filter(|answer| !answer.is_error);
        let first = successes.next().filter(|answer| answer.is_direct)?;
        successes.try_fold(first, |_, answer| answer.is_direct.then_some(answer))
    }

    /// Returns true if the thread ends with calls that are not all answered. Any other reason for a provider to
    /// reject the thread is an error.
    pub(crate) fn is_open(&self) -> Result<bool, ThreadError> {
        let Err(error) = self.check() else {
            return Ok(false);
        };
        let turn = self.last_turn();
        let is_end = |turn: usize| {
            let behind = self.messages.iter().skip(turn + 1);
            error.orphans.is_empty()
                && error.unanswered.iter().all(|open| open.message == turn)
                && behind
                    .into_iter()
                    .all(|message| matches!(message, ThreadMessage::Tool(_)))
        };
        if turn.is_some_and(is_end) {
            Ok(true)
        } else {
            Err(error)
        }
    }

    /// The calls without an answer, in order.
    pub fn unanswered(&self) -> Vec<Unanswered> {
        self.check()
            .err()
            .map(|error| error.unanswered)
            .unwrap_or_default()
    }

    /// Checks that a provider would accept the thread.
    ///
    /// # Errors
    /// When calls have no answer right behind the message that makes them, or answers no call.
    pub fn check(&self) -> Result<(), ThreadError> {
        let mut error = ThreadError {
            unanswered: Vec::new(),
            orphans: Vec::new(),
        };
        // The message that made calls last, and which of them are answered.
        let (mut turn, mut calls, mut answered): (_, &[ToolCall], Vec<bool>) = (0, &[], Vec::new());
        for (place, message) in self.messages.iter().enumerate() {
            if let ThreadMessage::Tool(answer) = message {
                let call = calls.get(answer.index);
                let asked = call.is_some_and(|call| call.id == answer.id);
                match answered.get_mut(answer.index) {
                    Some(answered) if asked && !*answered => *answered = true,
                    _ => error.orphans.push(place),
                }
                continue;
            }
            error.leave(turn, calls, &answered);
            (turn, calls) = (place, message.tool_calls());
            answered.clear();
            answered.resize(calls.len(), false);
        }
        error.leave(turn, calls, &answered);
        if error.unanswered.is_empty() && error.orphans.is_empty() {
            Ok(())
        } else {
            Err(error)
        }
    }

    /// Drops the oldest turns until `count` of all messages is at most `most`, in whatever unit
    /// `count` counts. A turn is what a user said and all that followed, so that no call loses its
    /// answer; the last turn stays. Returns what was dropped, oldest first.
    ///
    /// An agent does so before each request where [`Hooks::before_model`](crate::Hooks::before_model) does.
    ///
    /// ```
    /// use toolwright::agent::{Hooks, Session};
    ///
    /// struct Short;
    ///
    /// impl Hooks for Short {
    ///     fn before_model(&self, session: &mut Session) {
    ///         // About 20,000 tokens, of four bytes each.
    ///         let thread = session.thread_mut();
    ///         thread.trim(80_000, |message| serde_json::to_string(message).map_or(0, |text| text.len()));
    ///     }
    /// }
    /// ```
    pub fn trim(
        &mut self,
        most: usize,
        count: impl Fn(&ThreadMessage) -> usize,
    ) -> Vec<ThreadMessage> {
        let sizes: Vec<usize> = self.messages.iter().map(&count).collect();
        let mut size: usize = sizes.iter().sum();
        let starts = self.messages.iter().enumerate().skip(1);
        let starts = starts.filter(|(_, message)| matches!(message, ThreadMessage::User { .. }));
        let (mut dropped, mut from) = (0, sizes.iter());
        for (start, _) in starts {
            if size <= most {
                break;
            }
            size -= from.by_ref().take(start - dropped).sum::<usize>();
            dropped = start;
        }
        let gone = self.messages.drain(..dropped).collect();
        self.find_turn();
        gone
    }
}

impl Serialize for Thread {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.messages.serialize(serializer)
    }
}

/// Two threads are equal if their messages are.
impl PartialEq for Thread {
    fn eq(&self, other: &Self) -> bool {
        self.messages == other.messages
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Thread").field(&self.messages).finish()
    }
}

impl<const N: usize> From<[ThreadMessage; N]> for Thread {
    fn from(messages: [ThreadMessage; N]) -> Self {
        Self::from(Vec::from(messages))
    }
}

impl From<Vec<ThreadMessage>> for Thread {
    fn from(messages: Vec<ThreadMessage>) -> Self {
        let mut thread = Self {
            messages,
            turn: None,
        };
        thread.find_turn();
        thread
    }
}

impl Extend<ThreadMessage> for Thread {
    fn extend<I: IntoIterator<Item = ThreadMessage>>(&mut self, messages: I) {
        for message in messages {
            self.push(message);
        }
    }
}
