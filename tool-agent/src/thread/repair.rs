//! Repair of threads that no provider would accept.

use std::mem;
use std::sync::Arc;

use super::{Thread, Unanswered};
use crate::thread::{ThreadMessage, ToolMessage};

/// Repair of calls without answers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThreadRepair {
    /// Removes the calls, and their message if nothing is left in it.
    Strip,
    /// Answers each call with this text, as a failure.
    Answer(String),
}

impl Thread {
    /// Repairs the thread so that providers accept it. Removes answers that belong to no call; strips or answers calls
    /// without an answer. A valid thread does not change.
    pub fn repair(&mut self, repair: &ThreadRepair) {
        let Err(error) = self.check() else { return };
        let (mut orphans, mut place) = (error.orphans.into_iter().peekable(), 0);
        Arc::make_mut(&mut self.messages).retain(|_| {
            let is_orphan = orphans.next_if_eq(&place).is_some();
            place += 1;
            !is_orphan
        });
        // The positions changed when the orphans were removed.
        let open = self.unanswered();
        match repair {
            ThreadRepair::Answer(text) => self.answer_open(open, text),
            ThreadRepair::Strip => {
                let turns = open.chunk_by(|one, next| one.message == next.message);
                turns.rev().for_each(|open| self.strip(open));
            }
        }
        self.find_turn();
    }

    /// Answers the calls, in one pass over all messages.
    fn answer_open(&mut self, open: Vec<Unanswered>, text: &str) {
        let mut open = open.into_iter().peekable();
        let mut turn = None;
        let messages = Arc::make_mut(&mut self.messages);
        for (place, message) in mem::take(messages).into_iter().enumerate() {
            let before = match &message {
                ThreadMessage::Tool(answer) => answer.index,
                _ => usize::MAX,
            };
            while let Some(open) =
                open.next_if(|open| Some(open.message) == turn && open.index < before)
            {
                messages.push(lost(open, text));
            }
            if !matches!(message, ThreadMessage::Tool(_)) {
                turn = Some(place);
            }
            messages.push(message);
        }
        messages.extend(open.map(|open| lost(open, text)));
    }

    /// Removes calls of one message, given in call order.
    fn strip(&mut self, open: &[Unanswered]) {
        let Some(message) = open.first().map(|first| first.message) else {
            return;
        };
        let messages = Arc::make_mut(&mut self.messages);
        let Some(ThreadMessage::Assistant(said)) = messages.get_mut(message) else {
            return;
        };
        let (mut stripped, mut index) = (open.iter().map(|open| open.index).peekable(), 0);
        said.calls.retain(|_| {
            let is_open = stripped.next_if_eq(&index).is_some();
            index += 1;
            !is_open
        });
        // The provider's own form still contains the calls.
        said.native = None;
        let is_empty = said.calls.is_empty() && said.text.is_empty();
        for behind in messages.iter_mut().skip(message + 1) {
            let ThreadMessage::Tool(answer) = behind else {
                break;
            };
            answer.index -= open.partition_point(|open| open.index < answer.index);
        }
        if is_empty {
            messages.remove(message);
        }
    }
}

/// Creates the answer to a call without one.
fn lost(open: Unanswered, text: &str) -> ThreadMessage {
    ThreadMessage::Tool(ToolMessage {
        index: open.index,
        id: open.call.id,
        name: open.call.name,
        text: text.to_owned(),
        is_error: true,
        is_direct: false,
        blocks: Vec::new(),
        asks: None,
        open: None,
        edited: None,
    })
}
