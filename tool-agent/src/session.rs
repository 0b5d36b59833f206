mod error;
mod pending;
mod queue;
mod status;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use toolwright_runtime::{Decision, Encoder, Outcome, State, ToolCall, ToolError, ToolResult};

use crate::{CheckpointId, Message, Node, Repair, Thread, ToolMessage, Usage};

pub use self::error::SessionError;
pub(crate) use self::pending::find;
pub use self::pending::{CallRef, PendingCall, Why};
pub use self::queue::Queue;
pub use self::status::Status;

/// A conversation that can be stored at every pause and gone on with elsewhere: plain data, without
/// the agent.
///
/// Every call that the model made is answered in the thread, or [`pending`](Self::pending).
///
/// ```
/// use toolwright_agent::{Session, Status};
///
/// let mut session = Session::new();
/// session.reply("What is the weather in Oslo?").unwrap();
/// let stored = serde_json::to_string(&session).unwrap();
/// let mut again: Session = serde_json::from_str(&stored).unwrap();
/// assert_eq!(again.status(), &Status::Idle);
/// assert!(again.submit("c1", 5).is_err(), "no call is pending");
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Session {
    id: Arc<str>,
    pub(crate) thread: Thread,
    #[serde(default, skip_serializing_if = "State::is_empty")]
    pub(crate) state: State,
    pub(crate) status: Status,
    pub(crate) at: At,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) waits: Vec<Wait>,
    #[serde(default)]
    pub(crate) usage: Usage,
    #[serde(default)]
    queue: Queue,
    /// Its newest checkpoint, as far as this copy knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) saved: Option<CheckpointId>,
    /// The checkpoint that began a branch, if this is one: calls are other ones than before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<CheckpointId>,
}

/// Where a session stands in its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct At {
    /// What comes next.
    pub(crate) node: Node,
    /// The pause before it is over.
    #[serde(default)]
    pub(crate) passed: bool,
    /// Runs that began; a run begins with a user's words.
    pub(crate) run: u64,
    /// Model calls of this run.
    pub(crate) turn: u32,
    /// Tool rounds of this run.
    pub(crate) rounds: u32,
    /// Visits of nodes in this run.
    pub(crate) steps: u32,
}

/// A call that an executor left to somebody.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Wait {
    pub(crate) index: usize,
    /// As it was shown: with its arguments as they were repaired.
    pub(crate) call: ToolCall,
    pub(crate) why: Why,
    /// Of what was shown: see [`crate::digest`].
    pub(crate) digest: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) decision: Option<Decision>,
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// A conversation that has not begun, with an id of its own.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let started = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let started = started.unwrap_or_default().as_nanos();
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        Self::with_id(format!("{started:x}-{process:x}-{next:x}"))
    }

    /// A conversation that has not begun, with an id of the host's.
    pub fn with_id(id: impl Into<Arc<str>>) -> Self {
        Self {
            id: id.into(),
            thread: Thread::new(),
            state: State::new(),
            status: Status::Idle,
            at: At {
                node: Node::End,
                passed: false,
                run: 0,
                turn: 0,
                rounds: 0,
                steps: 0,
            },
            waits: Vec::new(),
            usage: Usage::default(),
            queue: Queue::default(),
            saved: None,
            branch: None,
        }
    }

    /// A conversation that begins with a user's words.
    pub fn ask(text: impl Into<String>) -> Self {
        let mut session = Self::new();
        session.begin(text.into());
        session
    }

    /// A conversation that goes on from stored messages.
    pub fn of_thread(thread: Thread) -> Self {
        Self {
            thread,
            ..Self::new()
        }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// All messages.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// All messages, to be trimmed; [`repair`](Self::repair) is for calls that nobody answers.
    pub fn thread_mut(&mut self) -> &mut Thread {
        &mut self.thread
    }

    /// The id of its run: of its words since a user's last, and of the branch, if it is one.
    pub fn run_id(&self) -> String {
        let (id, run) = (&self.id, self.at.run);
        match self.branch {
            Some(branch) => format!("{id}/{run}@{branch}"),
            None => format!("{id}/{run}"),
        }
    }

    /// Its newest checkpoint, as far as this copy knows; `None` if it was never kept.
    pub fn checkpoint(&self) -> Option<CheckpointId> {
        self.saved
    }

    /// What it waits for.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// What the conversation knows.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The same conversation, which knows this.
    pub fn with_state(self, state: State) -> Self {
        Self { state, ..self }
    }

    /// Lets the conversation know this from now on.
    pub fn set_state(&mut self, state: State) {
        self.state = state;
    }

    /// What comes next when an agent runs it.
    pub fn next(&self) -> Node {
        self.at.node
    }

    /// What its model calls cost so far.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// The calls of the last turn that are not answered, in call order.
    pub fn pending(&self) -> Vec<PendingCall> {
        let open = self.thread.unanswered().into_iter();
        open.map(|open| {
            let wait = self.waits.iter().find(|wait| wait.index == open.index);
            let (why, call) = match wait {
                Some(wait) => (wait.why.clone(), wait.call.clone()),
                None => (Why::NotRun, open.call),
            };
            PendingCall {
                index: open.index,
                call,
                why,
            }
        })
        .collect()
    }

    fn allow(&self, tried: &'static str, allowed: bool) -> Result<(), SessionError> {
        if let Status::Failed { message } = &self.status {
            return Err(SessionError::Failed(message.clone()));
        }
        if allowed {
            return Ok(());
        }
        Err(SessionError::WrongStatus {
            status: self.status.as_str(),
            tried,
        })
    }

    /// A user's words begin a new run.
    fn begin(&mut self, text: String) {
        self.thread.push(Message::user(text));
        self.at = At {
            node: Node::Model,
            passed: false,
            run: self.at.run + 1,
            turn: 0,
            rounds: 0,
            steps: 0,
        };
        self.status = Status::Idle;
    }

    /// Takes a user's words: the next run answers them. After a question of a tool they are its
    /// answer in a message of their own; see [`answer`](Self::answer).
    ///
    /// # Errors
    /// While calls are pending.
    pub fn reply(&mut self, text: impl Into<String>) -> Result<(), SessionError> {
        let fits = matches!(
            self.status,
            Status::Idle | Status::AwaitingUser { .. } | Status::Completed
        );
        self.allow("reply", fits && self.thread.unanswered().is_empty())?;
        self.begin(text.into());
        Ok(())
    }

    /// Takes a user's answer as the result of the tool that asked.
    ///
    /// # Errors
    /// When no tool asks.
    pub fn answer(&mut self, answer: impl Serialize) -> Result<(), SessionError> {
        let Status::AwaitingUser { index, id, .. } = &self.status else {
            return self.allow("answer", false);
        };
        let (index, id) = (*index, Arc::clone(id));
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
        let turn = self.thread.messages().iter().rev();
        let calls = turn
            .map(Message::tool_calls)
            .find(|calls| !calls.is_empty());
        let call = calls.and_then(|calls| calls.get(index));
        let call = call.filter(|call| *call.id == *id);
        call.cloned()
            .ok_or_else(|| SessionError::UnknownCall(id.to_owned()))
    }

    /// Takes what a person says to a pending call. It is carried out when an agent runs the session
    /// next; calls that nobody has decided about stay pending. Until then it can be said anew.
    ///
    /// At an interrupt before tools each of their calls can be decided about; what nobody decides
    /// about runs as the model wrote it.
    ///
    /// A decision is bound to what was shown. An approval runs exactly those arguments: where the tool
    /// or its schema has changed since, the call waits on. Edited arguments are read and validated;
    /// wrong ones keep the call waiting too. Both are [`AgentError::Decision`](crate::AgentError::Decision)
    /// of the run, which runs nothing then.
    ///
    /// # Errors
    /// When no such call is pending, or several are; nothing changes.
    pub fn decide<'a>(
        &mut self,
        call: impl Into<CallRef<'a>>,
        decision: Decision,
    ) -> Result<(), SessionError> {
        self.decide_all([(call.into(), decision)])
    }

    /// The same for several calls: all of them, or on an error none.
    ///
    /// # Errors
    /// See [`decide`](Self::decide).
    pub fn decide_all<'a>(
        &mut self,
        decisions: impl IntoIterator<Item = (CallRef<'a>, Decision)>,
    ) -> Result<(), SessionError> {
        let awaits = matches!(
            self.status,
            Status::AwaitingTools | Status::Interrupted { .. }
        );
        self.allow("decision", awaits)?;
        let mut pending = self.pending();
        // A call that nobody was shown has nothing to decide.
        let shown = |index| self.waits.iter().any(|wait| wait.index == index);
        pending.retain(|pending| shown(pending.index));
        let mut decided = Vec::new();
        for (call, decision) in decisions {
            let place = find(&pending, call)?;
            decided.push((pending.remove(place).index, decision));
        }
        for (index, decision) in decided {
            for wait in self.waits.iter_mut().filter(|wait| wait.index == index) {
                wait.decision = Some(decision.clone());
            }
        }
        Ok(())
    }

    /// The calls of unknown outcome that somebody lets run again: their places, and the records that
    /// were known then.
    pub(crate) fn again(&self) -> impl Iterator<Item = (usize, u64)> {
        let again = |wait: &Wait| match (&wait.why, &wait.decision) {
            (Why::OutcomeUnknown { record }, Some(Decision::Approve | Decision::Edit(_))) => {
                Some((wait.index, *record))
            }
            _ => None,
        };
        self.waits.iter().filter_map(again)
    }

    /// Whether calls wait for somebody, rather than for their turn.
    pub(crate) fn is_left(&self) -> bool {
        let open = self.pending();
        open.iter().any(|pending| pending.why != Why::NotRun)
    }

    /// Whether something was decided that is not carried out yet.
    pub(crate) fn is_decided(&self) -> bool {
        self.waits.iter().any(|wait| wait.decision.is_some())
    }

    /// Takes the result of a pending call, which may be any value. When none is pending any more the
    /// session can be run.
    ///
    /// # Errors
    /// When no such call is pending, or several are; nothing changes.
    pub fn submit<'a>(
        &mut self,
        call: impl Into<CallRef<'a>>,
        value: impl Serialize,
    ) -> Result<(), SessionError> {
        self.submit_all([(call.into(), Ok(Outcome::value(value)))])
    }

    /// The same for several calls, with failures too: all of them, or on an error none.
    ///
    /// # Errors
    /// See [`submit`](Self::submit).
    pub fn submit_all<'a>(
        &mut self,
        results: impl IntoIterator<Item = (CallRef<'a>, Result<Outcome, ToolError>)>,
    ) -> Result<(), SessionError> {
        let awaits = matches!(self.status, Status::AwaitingTools);
        self.allow("result of a tool", awaits)?;
        let mut pending = self.pending();
        let mut answers = Vec::new();
        for (call, outcome) in results {
            let place = find(&pending, call)?;
            let PendingCall { index, call, .. } = pending.remove(place);
            answers.push(answer_of(index, &call, outcome)?);
        }
        for answer in answers {
            self.take_answer(answer);
        }
        self.settle();
        Ok(())
    }

    pub(crate) fn take_answer(&mut self, answer: ToolMessage) {
        self.waits.retain(|wait| wait.index != answer.index);
        self.thread.answer(answer);
    }

    /// What comes next, now that calls were answered.
    pub(crate) fn settle(&mut self) {
        if self.thread.unanswered().is_empty() {
            self.waits.clear();
            self.at.node = Node::Model;
            self.at.passed = false;
            self.status = Status::Idle;
        } else if self.is_left() {
            self.status = Status::AwaitingTools;
        } else {
            self.status = Status::Idle;
        }
    }

    /// Makes the thread one that a provider takes, and the session one that an agent runs: calls that
    /// wait go or are answered, and nobody is asked about them any more. See [`Thread::repair`].
    pub fn repair(&mut self, repair: &Repair) {
        let open = self.thread.unanswered();
        self.thread.repair(repair);
        if open.is_empty() {
            return;
        }
        let status = self.status.clone();
        self.settle();
        if let Status::AwaitingUser {
            mut index,
            id,
            question,
            options,
        } = status
        {
            if *repair == Repair::Strip {
                index -= open.iter().filter(|open| open.index < index).count();
            }
            self.status = Status::AwaitingUser {
                index,
                id,
                question,
                options,
            };
        }
    }

    /// Lets a failed session go on where it stood.
    pub fn clear_error(&mut self) {
        if matches!(self.status, Status::Failed { .. }) {
            self.status = Status::Idle;
        }
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

    /// Puts the conversation on the way, if it stands at its end with a user's words.
    pub(crate) fn wake(&mut self) {
        let asked = matches!(
            self.thread.last(),
            Some(Message::User { .. } | Message::Tool(_))
        );
        if self.at.node == Node::End && asked {
            self.at.node = Node::Model;
            self.at.passed = false;
        }
    }
}

fn answer_to(index: usize, call: &ToolCall, outcome: Outcome) -> Result<ToolMessage, SessionError> {
    answer_of(index, call, Ok(outcome))
}

fn answer_of(
    index: usize,
    call: &ToolCall,
    outcome: Result<Outcome, ToolError>,
) -> Result<ToolMessage, SessionError> {
    let given = outcome.is_ok();
    let result = ToolResult::new(call, outcome);
    match &result.outcome {
        Err(error) if given => Err(SessionError::Unwritable(error.to_string())),
        _ => Ok(ToolMessage::of(index, &result, Encoder::auto())),
    }
}
