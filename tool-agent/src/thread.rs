//! Threads: the messages of a conversation, and the rules that providers have about them.
//!
//! Clones share the messages until one of them changes, so that calls can read a thread without a copy.
//!
//! The last turn is cached, so that answering n calls costs n. Every method keeps the rule that each call has at most
//! one answer, placed after the message that makes the call: otherwise no provider would accept the thread.

mod answer;
pub(crate) mod format;
mod message;
mod repair;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use toolwright_provider::call::{Block, ToolCall};
use toolwright_schema::text::{Printable, ShortStr};

pub use self::format::FormatError;
use self::message::unplaced;
pub use self::message::{Assistant, Native, ThreadMessage, ToolMessage, wire_name};
pub use self::repair::ThreadRepair;

/// A conversation: all of its messages, in order. It does not contain the system prompt, which an agent sends each
/// time.
///
/// Providers accept a thread if each call is answered right after the message that makes it, and each answer belongs to
/// a call. [`check`](Self::check) verifies this, and [`repair`](Self::repair) restores it.
///
/// A clone shares the messages until one of both changes.
///
/// ```
/// use toolwright::agent::{ThreadMessage, thread::ThreadRepair, Thread};
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
    messages: Arc<Vec<ThreadMessage>>,
    turn: Option<LastTurn>,
}

/// Last message that makes calls, and the number of answers after it. Cached, so that an answer finds its place without
/// a scan of all messages.
#[derive(Debug, Clone, Copy)]
struct LastTurn {
    at: usize,
    answers: usize,
    /// True if the answers are in call order.
    is_ordered: bool,
}

/// A call without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unanswered {
    /// Position of the message that makes the call.
    pub message: usize,
    /// The call's place in its turn, from 0.
    pub index: usize,
    /// The call.
    pub call: ToolCall,
}

/// Error of a thread that no provider would accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadError {
    /// Calls without an answer.
    pub unanswered: Vec<Unanswered>,
    /// Positions of answers that belong to no call.
    pub orphans: Vec<usize>,
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
    /// Records the unanswered calls of a message.
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

impl LastTurn {
    /// Creates a turn without answers.
    const fn at(at: usize) -> Self {
        Self {
            at,
            answers: 0,
            is_ordered: true,
        }
    }

    /// Returns the position after the last answer.
    const fn end(self) -> usize {
        self.at + 1 + self.answers
    }
}

impl ToolMessage {
    /// Looks for the call of an answer that has only its id. `answers` stand behind the calls already.
    fn place_in(&mut self, calls: &[ToolCall], answers: &[ThreadMessage], is_ordered: bool) {
        if self.index != unplaced() {
            return;
        }
        let is_asked = |index: usize| calls.get(index).is_some_and(|call| call.id == self.id);
        let next = answers.len();
        // In call order and without a gap, as most people write them: no search, so that n answers cost n.
        let is_next = is_ordered && next.checked_sub(1) == answers.last().map(index_of);
        let index = if is_next && is_asked(next) {
            Some(next)
        } else {
            let answered: HashSet<_> = answers.iter().map(index_of).collect();
            (0..calls.len()).find(|index| is_asked(*index) && !answered.contains(index))
        };
        if let Some(index) = index {
            self.index = index;
            self.name = calls
                .get(index)
                .map(|call| call.name.clone())
                .unwrap_or_default();
        }
    }
}

/// Returns the call's place in its turn, if the message is an answer.
fn index_of(message: &ThreadMessage) -> usize {
    match message {
        ThreadMessage::Tool(answer) => answer.index,
        ThreadMessage::User { .. } | ThreadMessage::Assistant(_) | ThreadMessage::Late(_) => {
            usize::MAX
        }
    }
}

impl Thread {
    /// Creates an empty thread.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns all messages, in order.
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

    /// Appends a message. An answer that names its call by its id alone is placed: see [`ThreadMessage::tool`].
    pub fn push(&mut self, mut message: ThreadMessage) {
        let place = self.messages.len();
        if let (ThreadMessage::Tool(answer), Some(turn)) = (&mut message, self.turn)
            && turn.end() == place
        {
            let answers = self.messages.get(turn.at + 1..).unwrap_or_default();
            answer.place_in(self.last_calls(), answers, turn.is_ordered);
        }
        if !message.tool_calls().is_empty() {
            self.turn = Some(LastTurn::at(place));
        } else if let (ThreadMessage::Tool(answer), Some(turn)) = (&message, &mut self.turn)
            && turn.end() == place
        {
            let before = self.messages.last().map_or(0, index_of);
            turn.is_ordered &= turn.answers == 0 || before < answer.index;
            turn.answers += 1;
        }
        Arc::make_mut(&mut self.messages).push(message);
    }

    /// Removes the last message.
    pub(crate) fn pop(&mut self) -> Option<ThreadMessage> {
        let last = Arc::make_mut(&mut self.messages).pop();
        self.find_turn();
        last
    }

    /// Updates the cached turn.
    fn find_turn(&mut self) {
        let calls = |message: &ThreadMessage| !message.tool_calls().is_empty();
        let at = self.messages.iter().rposition(calls);
        self.turn = at.map(|at| {
            let behind = self.messages.iter().skip(at + 1);
            let behind = behind.take_while(|message| matches!(message, ThreadMessage::Tool(_)));
            let indices: Vec<_> = behind.map(index_of).collect();
            LastTurn {
                answers: indices.len(),
                is_ordered: indices.is_sorted_by(|one, next| one < next),
                ..LastTurn::at(at)
            }
        });
    }

    /// Returns the last message.
    pub fn last(&self) -> Option<&ThreadMessage> {
        self.messages.last()
    }

    /// Returns the last message of the user.
    pub fn last_input(&self) -> Option<&str> {
        self.messages
            .iter()
            .rev()
            .find_map(|message| match message {
                ThreadMessage::User { text } => Some(text.as_str()),
                _ => None,
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

    /// Returns the names of the deferred tools that the conversation has loaded, in order: those that a search found and
    /// those that were called, of which a name may stand there again. Other tools that were called are among them.
    ///
    /// [`Toolset::load`](toolwright_runtime::toolset::Toolset::load) takes them.
    pub fn loaded(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().flat_map(|message| {
            let (found, called, blocks): (&[ShortStr], &[ToolCall], &[Block]) = match message {
                ThreadMessage::Assistant(said) => (&said.loaded, &said.calls, &[]),
                ThreadMessage::Tool(answer) => (&[], &[], &answer.blocks),
                ThreadMessage::User { .. } | ThreadMessage::Late(_) => (&[], &[], &[]),
            };
            let found = found.iter().map(|name| &**name);
            let called = called.iter().map(|call| &*call.name);
            let referred = blocks.iter().filter_map(Block::tool);
            found.chain(called).chain(referred)
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
            // A call of a hidden or unknown tool is answered with an error.
            ThreadMessage::Tool(answer) if !answer.is_error => Some(&*answer.name),
            _ => None,
        })
    }

    /// Returns the position of the last message that makes calls.
    fn last_turn(&self) -> Option<usize> {
        self.turn.map(|turn| turn.at)
    }

    /// Returns the calls of the last turn.
    pub(crate) fn last_calls(&self) -> &[ToolCall] {
        let turn = self.last_turn().and_then(|turn| self.messages.get(turn));
        turn.map(ThreadMessage::tool_calls).unwrap_or_default()
    }

    /// Returns the last answer of a finished turn if all answers that succeeded go directly to the user.
    pub(crate) fn direct(&self) -> Option<&ToolMessage> {
        if !matches!(self.last(), Some(ThreadMessage::Tool(_))) || !self.unanswered().is_empty() {
            return None;
        }
        let behind = self.messages.iter().skip(self.last_turn()? + 1);
        let answers = behind.map_while(|message| match message {
            ThreadMessage::Tool(answer) => Some(answer),
            _ => None,
        });
        let mut successes = answers.filter(|answer| !answer.is_error);
        let first = successes.next().filter(|answer| answer.is_direct)?;
        successes.try_fold(first, |_, answer| answer.is_direct.then_some(answer))
    }

    /// Returns true if calls at the end of the thread have no answer. Fails if a provider would reject the thread for
    /// another reason.
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

    /// Returns the calls without an answer, in order.
    pub fn unanswered(&self) -> Vec<Unanswered> {
        self.check()
            .err()
            .map(|error| error.unanswered)
            .unwrap_or_default()
    }

    /// Checks that a provider would accept the thread.
    ///
    /// # Errors
    /// Fails if a call has no answer right after the message that makes it, or if an answer belongs to no call.
    pub fn check(&self) -> Result<(), ThreadError> {
        let mut error = ThreadError {
            unanswered: Vec::new(),
            orphans: Vec::new(),
        };
        // Last message that made calls, and which of them are answered.
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

    /// Drops the oldest turns until `count` of all messages is at most `most`. `count` may use any unit. A turn is a
    /// message of the user with everything up to the next one, so no call loses its answer. The last turn always stays.
    /// Returns the dropped messages, oldest first.
    ///
    /// Deferred tools that only the dropped messages have loaded are not [loaded](Self::loaded) any more.
    ///
    /// To trim before each request, call this in [`Hooks::before_model`](crate::Hooks::before_model).
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
        let gone = Arc::make_mut(&mut self.messages).drain(..dropped).collect();
        self.find_turn();
        gone
    }
}

impl Serialize for Thread {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.messages().serialize(serializer)
    }
}

/// Threads are equal if their messages are equal.
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
        let is_unplaced = |message: &ThreadMessage| matches!(message, ThreadMessage::Tool(answer) if answer.index == unplaced());
        if messages.iter().any(is_unplaced) {
            let mut thread = Self::new();
            thread.extend(messages);
            return thread;
        }
        let mut thread = Self {
            messages: Arc::new(messages),
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
