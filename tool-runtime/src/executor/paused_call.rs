use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::layer::{Handled, Layer, Next, Request};
use super::{DecidedCall, Executor, Pending, PendingReason, Question, Reply};
use crate::tool::{BoxFuture, Context, Decision};
use toolwright_provider::call::{Bytes, ErrorKind, Outcome, ToolDef, ToolError, ToolResult};
use toolwright_schema::panics::reported;
use toolwright_schema::text::ShortStr;

/// State that a tool leaves while its call waits. Handles share it, and the tool takes it once.
#[doc(hidden)]
#[derive(Clone)]
pub struct KeptState {
    state: Arc<Mutex<Option<Box<dyn Any + Send>>>>,
    bytes: usize,
}

/// State of a tool that asks a person, as a text that can be stored. It is for the tool alone: `Debug` shows its length.
#[doc(hidden)]
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoredState(pub String);

impl KeptState {
    fn new(state: impl Any + Send, bytes: usize) -> Self {
        let state: Box<dyn Any + Send> = Box::new(state);
        let state = Arc::new(Mutex::new(Some(state)));
        Self { state, bytes }
    }

    /// Returns the size that the tool gave.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn is_stored(&self) -> bool {
        self.lock()
            .as_ref()
            .is_some_and(|state| state.is::<StoredState>())
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn Any + Send>>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl From<StoredState> for KeptState {
    fn from(state: StoredState) -> Self {
        let bytes = state.0.len();
        Self::new(state, bytes)
    }
}

/// Lets the tools of a batch pause, leave their states, and go on with decisions. For servers and agents, which keep calls that
/// wait. As a layer, it makes a call pending if its tool has paused.
#[doc(hidden)]
#[derive(Clone, Default)]
pub struct PausedCalls(Arc<Mutex<BTreeMap<usize, PausedState>>>);

/// The pause of one call, as its tool finds it.
#[doc(hidden)]
#[derive(Clone)]
pub struct PausedCall {
    calls: PausedCalls,
    place: usize,
}

/// A call by its place in the turn.
#[derive(Default)]
struct PausedState {
    /// Id and tool of the call, once it runs. Calls made by its tool cannot pause.
    owner: Option<(ShortStr, ShortStr)>,
    /// True if the tool is an agent.
    is_agent: bool,
    /// Call to go on with.
    resumes: Option<Resumed>,
    /// Why the call waits, and the state.
    paused: Option<(PendingReason, KeptState)>,
}

/// State of a paused call, and the decision about the call inside.
struct Resumed {
    /// The call, where a server goes on with it.
    pending: Option<Pending>,
    state: KeptState,
    decision: Decision,
    /// True once the tool has read its stored state.
    is_read: bool,
}

impl Resumed {
    /// Returns true if the tool was not given its state.
    fn is_unused(&self) -> bool {
        !self.is_read && self.state.lock().is_some()
    }
}

impl PausedCalls {
    /// Returns the context and the executor of calls that may pause.
    pub fn around(&self, cx: Context, executor: Executor) -> (Context, Executor) {
        (cx.__with_own(self.clone()), executor.layer(self.clone()))
    }

    /// Attaches a decision to a pending call. If its tool left a state, the tool gets the decision.
    pub fn decided(
        pending: &Pending,
        state: Option<KeptState>,
        decision: Decision,
    ) -> (Self, DecidedCall) {
        let Some(state) = state else {
            return (Self::default(), pending.with_decision(decision));
        };
        let calls = Self::default();
        calls.resumes(pending.place, Some(pending.clone()), state, decision);
        (calls, pending.with_decision(Decision::Approve))
    }

    /// Gives the tool of the call at this place its state and a decision, once the call is made again as an approved one.
    pub fn resume(&self, place: usize, state: StoredState, decision: Decision) {
        self.resumes(place, None, state.into(), decision);
    }

    fn resumes(
        &self,
        place: usize,
        pending: Option<Pending>,
        state: KeptState,
        decision: Decision,
    ) {
        self.lock().entry(place).or_default().resumes = Some(Resumed {
            pending,
            state,
            decision,
            is_read: false,
        });
    }

    /// Returns the question and the state of the call at this place, if its tool asks a person.
    pub fn take_question(&self, place: usize) -> Option<(Question, StoredState)> {
        let (reason, state) = self.lock().get_mut(&place)?.paused.take()?;
        let state = state.lock().take()?.downcast::<StoredState>().ok()?;
        match reason {
            PendingReason::Question(question) => Some((question, *state)),
            _ => None,
        }
    }

    /// Returns true if the tool of the call at this place was not given its state: a layer held the call back.
    pub fn is_unused(&self, place: usize) -> bool {
        let calls = self.lock();
        let resumes = calls.get(&place).and_then(|call| call.resumes.as_ref());
        resumes.is_some_and(Resumed::is_unused)
    }

    /// Returns the call of a server as it waits on, if it was resumed and dropped before its reply.
    ///
    /// True says that another call waits inside of it now than the one that was decided.
    pub(super) fn left(&self) -> Option<(Pending, KeptState, bool)> {
        let calls = std::mem::take(&mut *self.lock());
        let (resumed, paused) = calls
            .into_values()
            .find_map(|call| Some((call.resumes?, call.paused)))?;
        let is_unused = resumed.is_unused();
        let mut pending = resumed.pending?;
        let Some((reason, left)) = paused else {
            return is_unused.then_some((pending, resumed.state, false));
        };
        let inside = shown_key(&reason);
        let is_unseen = inside.is_some() && inside != shown_key(&pending.reason);
        pending.reason = reason;
        Some((pending, left, is_unseen))
    }

    /// Returns the reply to the client of the call at this place, and the state of a call that is pending.
    ///
    /// A decision may not reach the tool, which has changed or is gone, or which a layer holds back. The call waits on with its
    /// state then, and shows the reason. A layer's answer in place of the tool's counts. If the tool is gone, a rejection or an
    /// answer ends the call.
    pub fn reply<'a>(&self, place: usize, reply: &'a Reply) -> (Cow<'a, Reply>, Option<KeptState>) {
        let call = self.lock().remove(&place).unwrap_or_default();
        let unused = call.resumes.filter(Resumed::is_unused);
        let Some((pending, resumed)) = unused.and_then(|it| Some((it.pending.clone()?, it))) else {
            let Some((reason, state)) = call.paused else {
                return (Cow::Borrowed(reply), None);
            };
            let mut reply = reply.clone();
            if let Reply::Pending(waits) = &mut reply {
                waits.reason = reason;
            }
            return (Cow::Owned(reply), Some(state));
        };
        let Resumed {
            state, decision, ..
        } = resumed;
        // An answer to a question is not a result.
        let ends = !state.is_stored() || matches!(decision, Decision::Reject(_));
        if let Reply::Answered(result) = reply
            && let Err(error) = &result.outcome
            && ends
            && is_of_tool(error.kind())
            && let Some(outcome) = decision.without_tool()
        {
            let result = ToolResult::new(&pending.call, outcome);
            return (Cow::Owned(Reply::Answered(result)), None);
        }
        let (mut waits, error) = match reply {
            Reply::Pending(waits) => (waits.clone(), held(&waits.reason)),
            Reply::Answered(result) => match &result.outcome {
                Ok(Outcome::AskUser { question, .. }) => (pending.clone(), question.clone()),
                Ok(_) => return (Cow::Borrowed(reply), None),
                Err(error) => (pending.clone(), error.to_string()),
            },
        };
        waits.reason = match pending.reason {
            PendingReason::Decision(shown) => PendingReason::Decision(with_error(shown, &error)),
            PendingReason::Question(question) => question.with_error(&error).into(),
            _ => waits.reason,
        };
        (Cow::Owned(Reply::Pending(waits)), Some(state))
    }

    /// Locks the calls. A poisoned lock is usable: no update is left half done under it.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, PausedState>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PausedCall {
    /// Returns true if the call's tool is an agent. A tool around it cannot pause with a session.
    pub fn is_agent(&self) -> bool {
        let calls = self.calls.lock();
        calls.get(&self.place).is_some_and(|call| call.is_agent)
    }

    /// Returns the pause of the call of this context, if its caller stores pending calls. `None` in the background, and for
    /// a call that is made by another call's tool.
    pub fn of(cx: &Context) -> Option<Self> {
        let calls = cx.get::<PausedCalls>()?;
        let own = (cx.call_id()?, cx.tool()?);
        let place = cx.call_index()?;
        let is_own = calls
            .lock()
            .get(&place)
            .and_then(|call| call.owner.as_ref())
            .is_some_and(|(id, tool)| (&**id, &**tool) == own);
        (is_own && cx.open_call().is_none()).then(|| Self {
            calls: calls.clone(),
            place,
        })
    }

    /// Takes the state that the tool left, and the decision about it. `None` for a call that begins.
    ///
    /// # Errors
    /// Fails if the state was taken before: a layer makes the call again, which would start over.
    pub fn resume<T: Any>(&self) -> Result<Option<(T, Decision)>, ToolError> {
        let calls = self.calls.lock();
        let Some(resumes) = calls
            .get(&self.place)
            .and_then(|call| call.resumes.as_ref())
        else {
            return Ok(None);
        };
        let state = resumes.state.lock().take();
        match state.map(<Box<dyn Any + Send>>::downcast) {
            Some(Ok(state)) => Ok(Some((*state, resumes.decision.clone()))),
            _ => Err(
                ToolError::failed("the call went on before, and cannot begin again").permanent(),
            ),
        }
    }

    /// Returns the stored state that the tool left, and the decision about its question. `None` for a call that begins. A layer that
    /// makes the call again wants the same.
    pub fn answer(&self) -> Option<(StoredState, Decision)> {
        let mut calls = self.calls.lock();
        let resumes = calls.get_mut(&self.place)?.resumes.as_mut()?;
        let state = resumes.state.lock().as_ref()?.downcast_ref().cloned()?;
        resumes.is_read = true;
        Some((state, resumes.decision.clone()))
    }

    /// Makes the call pending, with the value that people see, and the error of the decision that could not be carried out. `bytes` is
    /// about the size of the state.
    pub fn pause(&self, shown: Value, error: Option<&str>, state: impl Any + Send, bytes: usize) {
        let shown = match error {
            Some(error) => with_error(shown, error),
            None => shown,
        };
        self.pauses(PendingReason::Decision(shown), KeptState::new(state, bytes));
    }

    /// Makes the call pending with a question. The answer goes to the tool, together with the state.
    pub fn ask(&self, question: Question, state: StoredState) {
        self.pauses(question.into(), state.into());
    }

    fn pauses(&self, reason: PendingReason, state: KeptState) {
        self.calls.lock().entry(self.place).or_default().paused = Some((reason, state));
    }
}

impl Layer for PausedCalls {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            let call = request.call();
            let owner = (call.id.clone(), call.name.clone());
            let is_agent = request.tool().__agent().is_some();
            let place = request.context().call_index();
            let place = place.unwrap_or_else(|| request.index());
            {
                let mut calls = self.lock();
                let state = calls.entry(place).or_default();
                state.owner = Some(owner);
                state.is_agent = is_agent;
                state.paused = None;
                let resumes = state.resumes.as_ref();
                // Nobody has approved a call of another tool of that name.
                if resumes.is_some_and(|resumes| !resumes.state.is_stored()) && !is_agent {
                    let words = "the agent that the call runs is not there any more";
                    return Handled::Done(Err(ToolError::new(ErrorKind::Rejected, words)));
                }
            }
            let handled = next.run(request).await;
            let mut calls = self.lock();
            // It was dropped: what it left is for a call that is dropped as a whole.
            if let Handled::Done(Err(error)) = &handled
                && matches!(error.kind(), ErrorKind::Timeout | ErrorKind::Cancelled)
                && let Some(call) = calls.get_mut(&place)
            {
                call.paused = None;
            }
            let paused = calls.get(&place).and_then(|call| call.paused.as_ref());
            match paused {
                Some((PendingReason::Decision(shown), _)) => Handled::Wait(shown.clone()),
                Some((reason, _)) => {
                    Handled::Wait(serde_json::to_value(reason).unwrap_or_default())
                }
                None => handled,
            }
        })
    }
}

/// Returns true for errors of a call whose tool is not there for its caller.
fn is_of_tool(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::Unknown | ErrorKind::Hidden | ErrorKind::Rejected
    )
}

/// Returns the key of the call that a paused one shows.
fn shown_key(reason: &PendingReason) -> Option<String> {
    match reason {
        PendingReason::Decision(shown) => Some(shown.get("key")?.as_str()?.to_owned()),
        _ => None,
    }
}

/// Adds an error to the value that people see of a pause.
fn with_error(shown: Value, error: &str) -> Value {
    let mut members = match shown {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    members.insert("error".to_owned(), error.into());
    Value::Object(members)
}

/// Returns in words why a call is pending.
fn held(reason: &PendingReason) -> String {
    match reason {
        PendingReason::Decision(why) => match why.get("why") {
            Some(Value::String(why)) => why.clone(),
            _ => why.to_string(),
        },
        PendingReason::OutcomeUnknown(error) => error.clone(),
        other => other.as_str().to_owned(),
    }
}

impl fmt::Debug for PausedCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A state may be secret.
        f.write_str("PausedCalls(..)")
    }
}

impl fmt::Debug for StoredState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Bytes(&self.0).fmt(f)
    }
}

impl Executor {
    /// Returns true if a call of this tool may be left to the host or to a person.
    #[doc(hidden)]
    pub fn may_hold(&self, def: &ToolDef) -> bool {
        let says = |layer: &Arc<dyn Layer>| {
            // A layer that cannot say it holds.
            let says = || (layer.may_hold(def), layer.requires_approval(def));
            reported("a layer's `may_hold`", says).unwrap_or((true, true))
        };
        let layers: Vec<_> = self.layers.iter().map(says).collect();
        // A layer that decides by itself brings the approval.
        let is_decided = layers.contains(&(false, true));
        def.options.manual
            || self.is_manual(def)
            || layers.iter().any(|(holds, _)| *holds)
            || (def.options.needs_approval && !is_decided)
    }
}
