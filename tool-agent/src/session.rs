//! Sessions: conversations that can be stored at every pause.
//!
//! The session is the only state of an agent. Input from people changes it between runs, an agent changes it during a
//! run. At every moment each call of the model is either answered in the thread or pending; a call that were neither
//! could never be decided.

mod begun;
mod decide;
mod error;
mod input;
mod pending;
mod queue;
mod status;
mod stored;
mod sub;
mod submit;
mod turn;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use toolwright_provider::call::{FormatVersion, ToolCall};
use toolwright_provider::wire::Usage;
use toolwright_runtime::executor::{Pending, PendingReason, StoredState};
use toolwright_runtime::tool::{CallPlace, Decision, State};

use crate::budget::Spent;
use crate::store::CheckpointId;
use crate::thread::{Thread, ThreadMessage, ThreadRepair};

pub(crate) use self::begun::{Begun, BegunCalls};
pub use self::error::SessionError;
pub use self::pending::CallRef;
pub(crate) use self::pending::{PendingCalls, find, key};
use self::queue::OwnQueue;
pub use self::queue::Queue;
pub use self::status::{Node, Status, StoredEnd};
pub(crate) use self::stored::RefusedCall;
pub(crate) use self::sub::id_of;
pub(crate) use self::submit::{SettledCall, answer_of};
use self::turn::Ending;

/// A conversation that can be stored at every pause and continued elsewhere. It is plain data, without the agent.
///
/// Each call of the model is always either answered in the thread or [`pending`](Self::pending). A person can
/// [decide](Self::decide) about pending calls. A call whose tool asks a person is one of the
/// [`questions`](Self::questions) until it is answered. A turn may have several questions, which can be answered in any
/// order. If a tool or an error ends the run, the run ends once nothing of the turn is open.
///
/// Two calls of a turn with equal ids both run, in call order, and have separate answers. Requests give the second
/// another id.
///
/// A clone is another conversation. It has its own [`queue`](Self::queue), with copies of the messages.
///
/// ```
/// use toolwright::agent::{Agent, ModelResponse, Session, testing::ScriptedModel};
/// use toolwright::call::Decision;
/// use toolwright::layers::Approval;
/// use toolwright::{Context, Executor, ToolCall, tool, tools};
///
/// /// Pays an invoice.
/// #[tool(destructive)]
/// fn pay(invoice: u32) -> String {
///     format!("invoice {invoice} is paid")
/// }
///
/// let model = ScriptedModel::new([
///     Ok(ModelResponse::calls([ToolCall::new("c1", "pay", r#"{"invoice": 7}"#)])),
///     Ok(ModelResponse::text("Done.")),
/// ]);
/// let executor = Executor::serial(tools![pay]).layer(Approval::default());
/// let agent = Agent::with_executor(model, executor);
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let mut session = Session::ask("Pay invoice 7.");
/// agent.run(&mut session, &Context::new()).await.unwrap();
/// assert_eq!(session.pending()[0].call.name, "pay");
///
/// // Later, in another process:
/// let stored = serde_json::to_string(&session).unwrap();
/// let mut session: Session = serde_json::from_str(&stored).unwrap();
/// session.decide("c1", Decision::Approve).unwrap();
/// let run = agent.run(&mut session, &Context::new()).await.unwrap();
/// assert_eq!(run.text(), Some("Done."));
/// # });
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Session {
    form: FormatVersion,
    id: Arc<str>,
    pub(crate) thread: Thread,
    #[serde(default, skip_serializing_if = "State::is_empty")]
    pub(crate) state: State,
    /// How the last run ended. `None` since an input came or another run began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<StoredEnd>,
    pub(crate) at: RunPosition,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) waits: Vec<WaitingCall>,
    /// Calls of the last turn that were answered outside of a run. The next run records their outcomes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) settled: Vec<SettledCall>,
    /// Calls of the last turn that a run without a checkpointer began.
    #[serde(default, skip_serializing_if = "Begun::is_empty")]
    pub(crate) begun: Begun,
    /// Digests of the tools that the last turn's calls were made for, by place.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    made_for: BTreeMap<usize, String>,
    #[serde(default)]
    pub(crate) usage: Spent,
    #[serde(default, skip_serializing_if = "OwnQueue::is_untouched")]
    queue: OwnQueue,
    /// Result of the last run that ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<String>,
    /// Call that ends the run once nothing of the turn is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ending: Option<Ending>,
    /// Agent of the last hand-over. `None` if the agent that runs the session answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<Arc<str>>,
    /// Agent that takes over once all calls of the turn are answered. Kept until a run has sent the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) next_agent: Option<Arc<str>>,
    /// Unique mark, also among sessions with equal ids. Ids of sub-sessions contain it.
    #[serde(default)]
    pub(crate) born: Arc<str>,
    /// Newest checkpoint, as far as this copy knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) saved: Option<CheckpointId>,
    /// Checkpoint at which this branch began. Calls of a branch are not the calls of the original.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<CheckpointId>,
    /// Number of messages of the stored inbox that were put into the queue.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) received: u64,
}

/// Position of a session in its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunPosition {
    /// Node that comes next.
    pub(crate) node: Node,
    /// True if the interrupt before the node has been passed.
    #[serde(default)]
    pub(crate) passed: bool,
    /// Number of runs. A run begins with a message of the user.
    pub(crate) run: u64,
    /// Model calls of this run.
    pub(crate) turn: u32,
    /// Tool rounds of this run.
    pub(crate) rounds: u32,
    /// Visits of nodes in this run.
    pub(crate) steps: u32,
    /// Turn of the tool round that was counted last.
    #[serde(default)]
    pub(crate) counted: Option<u32>,
    /// Counts when a limit last ended the run. The next run may use the same number again.
    #[serde(default)]
    pub(crate) allowed: LimitCounts,
}

/// Counts that limits apply to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LimitCounts {
    pub(crate) turns: u32,
    pub(crate) rounds: u32,
    pub(crate) steps: u32,
}

impl RunPosition {
    /// Returns the position at the start of a run.
    const fn start(run: u64) -> Self {
        Self {
            node: Node::Model,
            passed: false,
            run,
            turn: 0,
            rounds: 0,
            steps: 0,
            counted: None,
            allowed: LimitCounts {
                turns: 0,
                rounds: 0,
                steps: 0,
            },
        }
    }

    /// Returns the position of calls that the host put into the thread after this run.
    const fn next_calls(&self) -> Self {
        Self {
            node: Node::Tools,
            turn: 1,
            ..Self::start(self.run.saturating_add(1))
        }
    }

    /// Returns the counts since the run began, or since it reached a limit.
    pub(crate) fn spent(&self) -> LimitCounts {
        LimitCounts {
            turns: self.turn.saturating_sub(self.allowed.turns),
            rounds: self.rounds.saturating_sub(self.allowed.rounds),
            steps: self.steps.saturating_sub(self.allowed.steps),
        }
    }

    /// Resets the counts that limits apply to, after one ended the run.
    pub(crate) fn allow_again(&mut self) {
        self.allowed = LimitCounts {
            turns: self.turn,
            rounds: self.rounds,
            steps: self.steps,
        };
    }
}

/// Call that the executor left pending.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WaitingCall {
    pub(crate) index: usize,
    /// The call as it was shown, with repaired arguments.
    pub(crate) call: ToolCall,
    #[serde(rename = "why")]
    pub(crate) reason: PendingReason,
    /// Revision of the call's record, if its outcome is unknown or its tool asks, and the agent has a checkpointer. A decision
    /// is bound to it: if the outcome becomes known meanwhile, the call does not run again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<u64>,
    /// Digest of the call as it was shown: see [`crate::digest`].
    pub(crate) digest: String,
    /// Digest of the tool that it was shown with; empty if it was shown without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) decision: Option<Decision>,
    /// True if a person has edited the arguments before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) edited: bool,
    /// Number of reruns after an unknown outcome.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) attempt: u32,
    /// Session of the agent that the call runs, if that agent paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sub: Option<Box<Session>>,
    /// State of a tool that asks a person, and goes on with the answer. People do not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) paused: Option<StoredState>,
}

fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// Creates an empty conversation with a new id.
    pub fn new() -> Self {
        Self::with_id(unique())
    }

    /// Creates an empty conversation with the host's id.
    pub fn with_id(id: impl Into<Arc<str>>) -> Self {
        Self {
            form: FormatVersion,
            id: id.into(),
            thread: Thread::new(),
            state: State::new(),
            end: None,
            at: RunPosition {
                node: Node::End,
                ..RunPosition::start(0)
            },
            waits: Vec::new(),
            settled: Vec::new(),
            begun: Begun::default(),
            made_for: BTreeMap::new(),
            usage: Spent::default(),
            queue: OwnQueue::default(),
            result: None,
            ending: None,
            agent: None,
            next_agent: None,
            born: unique().into(),
            saved: None,
            branch: None,
            received: 0,
        }
    }

    /// Creates a conversation that starts with a message of the user.
    pub fn ask(text: impl Into<String>) -> Self {
        let mut session = Self::new();
        session.begin(text.into());
        session
    }

    /// Creates a conversation from stored messages. If they end with unanswered calls, an agent runs those first. If
    /// they end with open questions, the session waits for the answers.
    pub fn from_thread(thread: Thread) -> Self {
        let mut session = Self {
            thread,
            ..Self::new()
        };
        // The calls are those of a run: their keys hold from now on.
        let is_open = session.thread.is_open();
        if is_open == Ok(true) || (is_open.is_ok() && !session.thread.questions().is_empty()) {
            session.back_to_tools();
        }
        session
    }

    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the messages.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Returns the messages, to trim them. Use [`repair`](Self::repair) for calls that nobody answers.
    pub fn thread_mut(&mut self) -> &mut Thread {
        &mut self.thread
    }

    /// Returns the id of the current run: session, number of the run, and branch if there is one. A run begins with a
    /// message of the user.
    pub fn run_id(&self) -> String {
        let (id, run) = (&self.id, self.position().run);
        match self.branch {
            Some(branch) => format!("{id}/{run}@{branch}"),
            None => format!("{id}/{run}"),
        }
    }

    /// Returns the current turn of the run. Calls belong to the request that offered the tools.
    pub(crate) fn turn(&self) -> u32 {
        let at = self.position();
        let over = u32::from(at.node == Node::Tools);
        at.turn.saturating_sub(over)
    }

    /// Returns the position of the last turn. Calls that the host put into the thread are those of the next run.
    fn position(&self) -> RunPosition {
        match self.at.node {
            Node::End if self.thread.is_open() == Ok(true) => self.at.next_calls(),
            _ => self.at,
        }
    }

    /// Returns the key of the record of a call in the current turn.
    pub(crate) fn call_key(&self, index: usize, id: &str) -> String {
        CallPlace::new(&self.run_id(), self.turn(), index, id).first_key()
    }

    /// Returns the newest checkpoint, as far as this copy knows. `None` if the session was never saved.
    pub fn checkpoint(&self) -> Option<CheckpointId> {
        self.saved
    }

    /// Returns the name of the agent that the conversation was handed over to last. `None` without a hand-over.
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// Returns the result of the last run that ended, or `None` if the session can continue. The result is the model's
    /// last text, the answer that went directly to the user, or the value of the tool that ended the run.
    pub fn result(&self) -> Option<&str> {
        self.result.as_deref()
    }

    /// Returns the conversation's state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Sets the conversation's state.
    pub fn with_state(self, state: State) -> Self {
        Self { state, ..self }
    }

    /// Replaces the conversation's state.
    pub fn set_state(&mut self, state: State) {
        self.state = state;
    }

    /// Returns the node that comes next.
    pub fn next(&self) -> Node {
        self.at.node
    }

    /// Returns the usage of all model calls so far. [`Prices::cost`](crate::budget::Prices::cost) is what it cost.
    pub fn usage(&self) -> Usage {
        self.usage.total()
    }

    /// Returns the unanswered calls of the last turn, in call order. [`decide`](Self::decide) settles any of them.
    /// Calls that only wait for their turn ([`PendingReason::NotRun`]) run when an agent runs the session.
    pub fn pending(&self) -> Vec<Pending> {
        let open = self.thread.unanswered().into_iter();
        open.map(|open| {
            let (reason, call) = match self.wait(open.index) {
                Some(wait) => (wait.reason.clone(), wait.call.clone()),
                None => (PendingReason::NotRun, open.call),
            };
            Pending::new(open.index, call, reason)
        })
        .collect()
    }

    fn allow(&self, tried: &'static str, allowed: bool) -> Result<(), SessionError> {
        match self.status() {
            Status::Failed { message } => Err(SessionError::Failed(message)),
            _ if allowed => Ok(()),
            status => Err(SessionError::WrongStatus {
                status: status.as_str(),
                tried,
            }),
        }
    }

    /// Takes the agent of a completed hand-over, if no event was sent for it yet.
    pub(crate) fn take_handed_over(&mut self) -> Option<Arc<str>> {
        let goes_on = self.next_agent == self.agent && self.thread.unanswered().is_empty();
        if goes_on {
            self.next_agent.take()
        } else {
            None
        }
    }

    /// Repairs the thread so that providers accept it, and the session so that an agent can run it. Pending calls are
    /// stripped or answered, and wait for nobody. Questions of this conversation's own tools stay open. See
    /// [`Thread::repair`].
    pub fn repair(&mut self, repair: &ThreadRepair) {
        let open = self.thread.unanswered();
        self.thread.repair(repair);
        if open.is_empty() {
            return;
        }
        self.withdraw_open(open.iter().map(|open| (open.index, &open.call.id, None)));
        if let (ThreadRepair::Strip, Some(ending)) = (repair, &mut self.ending) {
            let before = open.iter().filter(|open| open.index < ending.index);
            ending.index -= before.count();
        }
        if let ThreadRepair::Strip = repair {
            for one in &mut self.settled {
                let before = open.iter().filter(|open| open.index < one.index);
                one.index -= before.count();
            }
        }
        self.waits.clear();
        self.made_for.clear();
        let is_failed = self.is_failed();
        let failed = self.end.take().filter(|_| is_failed);
        self.settle();
        if self.status() == Status::Idle
            && let Some(ThreadMessage::Assistant(_)) | None = self.thread.last()
        {
            self.at.node = Node::End;
        }
        self.end = failed;
    }

    /// Lets a failed session continue where it stopped.
    pub fn clear_error(&mut self) {
        if self.is_failed() {
            self.end = None;
        }
    }
}

/// Returns a text that is unique among all calls and processes.
fn unique() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let started = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let started = started.unwrap_or_default().as_nanos();
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    format!("{started:x}-{process:x}-{next:x}")
}
