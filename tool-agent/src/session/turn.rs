//! State of the last turn: open calls and questions, the status, and the call that ends the run.
//!
//! The thread holds unanswered calls and open questions, and `waits` the reasons why calls wait. `ending` is the call
//! that ends the run once nothing is open. The status is derived from these in one place, so it cannot contradict them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use toolwright_provider::call::{Outcome, StoredOutcome, ToolResult};
use toolwright_runtime::executor::{DecidedCall, PausedCalls, Pending, PendingReason, Question};
use toolwright_runtime::tool::{CallPlace, Decision};
use toolwright_runtime::toolset::Toolset;
use toolwright_schema::text::ShortStr;

use super::{Begun, Session, SessionError, Status, WaitingCall};
use crate::digest;
use crate::run::RunEnd;
use crate::session::Node;

/// Call that ends the run once nothing of its turn is open.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Ending {
    pub(super) index: usize,
    id: ShortStr,
    came_to: StoredOutcome,
}

impl Ending {
    /// Returns the reason why the run ends.
    fn run_end(&self) -> RunEnd {
        match self.came_to.clone().into_outcome() {
            Ok(Outcome::Halt { reason, value }) => RunEnd::Halt {
                index: self.index,
                id: self.id.clone(),
                reason,
                value,
            },
            Ok(_) => RunEnd::Completed,
            Err(error) => RunEnd::ToolError(error),
        }
    }

    /// Orders endings: the smallest one counts. Failures come first, then call order.
    fn rank(&self) -> (bool, usize) {
        (!self.came_to.is_error(), self.index)
    }
}

impl Session {
    /// Records that the call at this place ends the run once nothing of the turn is open. Returns true if this call is
    /// the one that counts.
    pub(crate) fn ends_with(&mut self, index: usize, result: &ToolResult) -> bool {
        let Ok(came_to) = StoredOutcome::of(result) else {
            // Unreachable: an answer was written from this outcome.
            return false;
        };
        let ending = Ending {
            index,
            id: result.id.clone(),
            came_to,
        };
        let before = self.ending.as_ref().map(Ending::rank);
        let counts = before.is_none_or(|before| ending.rank() < before);
        if counts {
            self.ending = Some(ending);
        }
        counts
    }

    /// Returns the reason why the run ends once nothing of the last turn is open.
    pub(crate) fn ending(&self) -> Option<RunEnd> {
        self.ending.as_ref().map(Ending::run_end)
    }

    /// Returns the states and decisions of calls whose tools ask and go on with the answers.
    pub(crate) fn paused_calls(&self) -> PausedCalls {
        let calls = PausedCalls::default();
        for wait in &self.waits {
            if let (Some(state), Some(decision)) = (&wait.paused, &wait.decision) {
                calls.resume(wait.index, state.clone(), decision.clone());
            }
        }
        calls
    }

    /// Returns the open questions in call order: those of this conversation's tools, and the first one of each agent
    /// that a call runs. [`status`](Self::status) holds the first of them, and [`answer_call`](Self::answer_call)
    /// answers any.
    pub fn questions(&self) -> Vec<Pending> {
        let mut open = self.thread.questions();
        let inside = self.waits.iter().filter_map(WaitingCall::question);
        open.extend(inside);
        open.sort_by_key(|asks| asks.index);
        open
    }

    /// Returns true if a tool asks, and the answer to the first open question is its result.
    pub(crate) fn asks_for_result(&self) -> bool {
        self.questions().first().is_some_and(|first| {
            let wait = self.wait(first.index);
            wait.is_none_or(|wait| match &wait.sub {
                Some(sub) => sub.asks_for_result(),
                None => wait.paused.is_none(),
            })
        })
    }

    /// Returns the first open question as a status.
    pub(crate) fn question(&self) -> Option<Status> {
        let first = self.questions().into_iter().next()?;
        let PendingReason::Question(Question { text, options }) = first.reason else {
            return None;
        };
        Some(Status::AwaitingUser {
            index: first.index,
            id: first.call.id,
            question: text,
            options,
        })
    }

    /// Returns the status while the turn waits for input. A question comes before all else.
    pub(crate) fn awaited(&self) -> Option<Status> {
        let calls = || self.is_left().then_some(Status::AwaitingTools);
        self.question().or_else(calls)
    }

    /// Returns true if the session waits for input.
    pub(super) fn awaits(&self) -> bool {
        !self.is_failed() && self.awaited().is_some()
    }

    /// Returns true if the session waits for input, or an interrupt stopped it.
    pub(crate) fn is_paused(&self) -> bool {
        self.awaits() || matches!(self.status(), Status::Interrupted { .. })
    }

    /// Updates the next node after an input or a call.
    pub(crate) fn settle(&mut self) {
        self.thread.restate_question();
        self.end = None;
        if !self.settled.is_empty() {
            self.back_to_tools();
        } else if self.awaited().is_none() && self.thread.unanswered().is_empty() {
            self.close_turn();
        }
    }

    /// Lets the tools node come next. Calls that stand in the thread of a session at its end begin another run.
    pub(super) fn back_to_tools(&mut self) {
        if self.at.node == Node::End {
            self.at = self.at.next_calls();
        }
        self.at.node = Node::Tools;
    }

    /// Closes a turn with nothing open. The tools node runs once more if a call of the turn ends the run.
    pub(super) fn close_turn(&mut self) {
        self.waits.clear();
        self.begun = Begun::default();
        self.at.passed = false;
        self.at.node = if self.ending.is_some() {
            Node::Tools
        } else {
            Node::Model
        };
        if self.next_agent == self.agent {
            self.next_agent = None;
        } else if self.next_agent.is_some() {
            self.agent.clone_from(&self.next_agent);
        }
    }

    /// Clears the ending after a run has ended; `next` comes next.
    pub(crate) fn ended(&mut self, next: Node) {
        self.ending = None;
        self.at.node = next;
    }

    /// Returns true if a call waits for input, and not only for its turn to run.
    pub(crate) fn is_left(&self) -> bool {
        let open = self.pending();
        open.iter()
            .any(|pending| pending.reason != PendingReason::NotRun)
    }

    /// Forgets that calls at these places have begun, once it is known what they came to.
    pub(crate) fn forget_begun(&mut self, places: impl IntoIterator<Item = usize>) {
        let (run, turn) = (self.run_id(), self.turn());
        let keys = places
            .into_iter()
            .map(|index| CallPlace::new(&run, turn, index, "").first_key());
        self.begun.forget(&keys.collect::<Vec<_>>());
    }

    fn place_of(&self, index: usize) -> Result<usize, usize> {
        self.waits.binary_search_by_key(&index, |wait| wait.index)
    }

    /// Returns the waiting call at this place.
    pub(crate) fn wait(&self, index: usize) -> Option<&WaitingCall> {
        self.waits.get(self.place_of(index).ok()?)
    }

    pub(crate) fn wait_mut(&mut self, index: usize) -> Option<&mut WaitingCall> {
        let place = self.place_of(index).ok()?;
        self.waits.get_mut(place)
    }

    /// Fails if the call at this place has a decision.
    pub(super) fn check_undecided(&self, index: usize) -> Result<(), SessionError> {
        match self.wait(index) {
            Some(wait) if wait.decision.is_some() => {
                Err(SessionError::Decided(wait.call.id.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Removes the waiting call at this place.
    pub(crate) fn take_wait(&mut self, index: usize) -> Option<WaitingCall> {
        let place = self.place_of(index).ok()?;
        Some(self.waits.remove(place))
    }

    /// Adds a waiting call, or replaces the one at its place. The list is in call order.
    pub(crate) fn put_wait(&mut self, wait: WaitingCall) {
        match self.place_of(wait.index) {
            Ok(place) => {
                if let Some(there) = self.waits.get_mut(place) {
                    *there = wait;
                }
            }
            Err(place) => self.waits.insert(place, wait),
        }
    }
}

impl WaitingCall {
    /// Creates a waiting call from a pending one. `tool` is the digest of the tool that it was shown with.
    pub(crate) fn new(pending: Pending, tool: String) -> Self {
        Self {
            digest: digest::of(&pending.call, &tool, None),
            tool,
            index: pending.index,
            call: pending.call,
            reason: pending.reason,
            record: None,
            decision: None,
            edited: false,
            attempt: pending.attempt,
            sub: None,
            paused: None,
        }
    }

    /// Binds a decision about the call to this revision of its record.
    pub(crate) fn with_record(self, record: Option<u64>) -> Self {
        Self {
            digest: digest::of(&self.call, &self.tool, record),
            record,
            ..self
        }
    }

    /// Takes the decision off a record that has another key than the call.
    pub(crate) fn forget_record(&mut self) {
        if self.is_intact() {
            self.digest = digest::of(&self.call, &self.tool, None);
            self.record = None;
        }
    }

    /// Returns true if the call is the one that was shown.
    pub(crate) fn is_intact(&self) -> bool {
        self.digest == digest::of(&self.call, &self.tool, self.record)
    }

    /// Returns the arguments that a person gave the call, unless they are those that it had.
    pub(crate) fn edited(&self) -> Option<Cow<'_, str>> {
        let own = &*self.call.arguments;
        match &self.decision {
            Some(Decision::Edit(arguments)) if self.edited || !is_same(own, arguments) => {
                Some(Cow::Borrowed(arguments))
            }
            _ => self.edited.then_some(Cow::Borrowed(own)),
        }
    }

    /// Attaches a decision to the call. A call of unknown outcome that runs again is another attempt.
    pub(crate) fn decided(&self, decision: Decision) -> DecidedCall {
        let again = matches!(self.reason, PendingReason::OutcomeUnknown(_));
        let attempt = self.attempt.saturating_add(u32::from(again));
        DecidedCall::new(self.call.clone(), self.index, decision).with_attempt(attempt)
    }

    /// Returns the question of the call's tool, or the first one of the agent that the call runs.
    fn question(&self) -> Option<Pending> {
        if self.decision.is_some() {
            return None;
        }
        let reason = match &self.reason {
            PendingReason::Question(_) => self.reason.clone(),
            _ => self.sub.as_ref()?.questions().into_iter().next()?.reason,
        };
        Some(Pending::new(self.index, self.call.clone(), reason))
    }

    /// Returns true if the tool of today is the one that asks, and takes the decision.
    pub(crate) fn resumes(&self, tools: &Toolset) -> bool {
        self.paused.is_some()
            && self.is_intact()
            && self.tool == digest::of_tool(&self.call.name, tools)
    }
}

/// Returns true if both texts are the same JSON. Numbers are compared by their digits.
fn is_same(one: &str, other: &str) -> bool {
    let json = |text| toolwright_json::Value::parse(text).ok();
    one == other || json(one).is_some_and(|one| Some(one) == json(other))
}
