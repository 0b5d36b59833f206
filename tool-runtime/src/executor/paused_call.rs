use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

use super::layer::{Handled, Layer, Next, Request};
use super::{Decided, Executor, Pending, PendingReason, Reply};
use crate::tool::{BoxFuture, Context, Decision};
use toolwright_provider::call::{ErrorKind, Outcome, ToolDef, ToolError, ToolResult};
use toolwright_schema::panics::reported;
use toolwright_schema::text::ShortStr;

/// State that a tool leaves in memory while its call waits. Handles share it, and the tool takes it once.
#[doc(hidden)]
#[derive(Clone)]
pub struct KeptState {
    state: Arc<Mutex<Option<Box<dyn Any + Send>>>>,
    bytes: usize,
}

impl KeptState {
    /// Returns the size that the tool gave.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn lock(&self) -> MutexGuard<'_, Option<Box<dyn Any + Send>>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets the tool of one call pause, leave its state, and go on with a decision. For servers, which keep calls that wait. As a layer,
/// it makes the call pending if its tool has paused.
#[doc(hidden)]
#[derive(Clone, Default)]
pub struct PausedCall(Arc<Mutex<PausedState>>);

#[derive(Default)]
struct PausedState {
    /// Id and tool of the call, once it runs. Calls made by its tool cannot pause.
    owner: Option<(ShortStr, ShortStr)>,
    /// Call to go on with.
    resumes: Option<Resumed>,
    /// What people see of the pause, and the state.
    paused: Option<(Value, KeptState)>,
}

/// A paused call, and the decision about what waits inside of it.
struct Resumed {
    pending: Pending,
    state: KeptState,
    decision: Decision,
}

impl PausedCall {
    /// Returns the context and the executor of a call that may pause.
    pub fn around(&self, cx: Context, executor: Executor) -> (Context, Executor) {
        (cx.__with_own(self.clone()), executor.layer(self.clone()))
    }

    /// Attaches a decision to a pending call. If its tool left a state, the tool gets the decision.
    pub fn decided(
        pending: &Pending,
        state: Option<KeptState>,
        decision: Decision,
    ) -> (Self, Decided) {
        let Some(state) = state else {
            return (Self::default(), pending.decided(decision));
        };
        let call = Self::default();
        call.lock().resumes = Some(Resumed {
            pending: pending.clone(),
            state,
            decision,
        });
        (call, pending.decided(Decision::Approve))
    }

    /// Returns the paused call of a context, if the context is that of the call itself.
    pub fn of(cx: &Context) -> Option<Self> {
        let call = cx.get::<Self>()?;
        let own = (cx.call_id()?, cx.tool()?);
        let is_own = call
            .lock()
            .owner
            .as_ref()
            .is_some_and(|(id, tool)| (&**id, &**tool) == own);
        is_own.then(|| call.clone())
    }

    /// Takes the state that the tool left, and the decision about it. `None` for a call that begins.
    ///
    /// # Errors
    /// Fails if the state was taken before: a layer makes the call again, which would begin anew.
    pub fn resume<T: Any>(&self) -> Result<Option<(T, Decision)>, ToolError> {
        let call = self.lock();
        let Some(resumes) = &call.resumes else {
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

    /// Makes the call pending, with what people see, and the error of the decision that could not be carried out. `bytes` is
    /// about the size of the state.
    pub fn pause(&self, shown: Value, error: Option<&str>, state: impl Any + Send, bytes: usize) {
        let state: Box<dyn Any + Send> = Box::new(state);
        let state = Arc::new(Mutex::new(Some(state)));
        let shown = match error {
            Some(error) => with_error(shown, error),
            None => shown,
        };
        self.lock().paused = Some((shown, KeptState { state, bytes }));
    }

    /// Returns the call as it waits on, if it was resumed and dropped before its reply.
    pub(super) fn left(&self) -> Option<(Pending, KeptState)> {
        let (resumes, paused) = {
            let mut call = self.lock();
            (call.resumes.take(), call.paused.take())
        };
        let Resumed {
            mut pending, state, ..
        } = resumes?;
        let Some((shown, left)) = paused else {
            let is_unused = state.lock().is_some();
            return is_unused.then_some((pending, state));
        };
        pending.reason = PendingReason::Decision(shown);
        Some((pending, left))
    }

    /// Returns the reply to the call's client, and the state of a call that is pending.
    ///
    /// A decision may not reach the tool, which has changed or is gone, or which a layer holds back. The call waits on with its
    /// state then, and shows the reason. A layer's answer in place of the tool's counts. If the tool is gone, a rejection or an
    /// answer ends the call.
    pub fn reply<'a>(&self, reply: &'a Reply) -> (Cow<'a, Reply>, Option<KeptState>) {
        let (resumes, paused) = {
            let mut call = self.lock();
            (call.resumes.take(), call.paused.take())
        };
        let unused = resumes.filter(|resumes| resumes.state.lock().is_some());
        let Some(Resumed {
            pending,
            state,
            decision,
        }) = unused
        else {
            return (Cow::Borrowed(reply), paused.map(|(_, state)| state));
        };
        if let Reply::Answered(result) = reply
            && let Err(error) = &result.outcome
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
        if let PendingReason::Decision(shown) = pending.reason {
            waits.reason = PendingReason::Decision(with_error(shown, &error));
        }
        (Cow::Owned(Reply::Pending(waits)), Some(state))
    }

    /// Locks the state. A poisoned lock is usable: no update is left half done under it.
    fn lock(&self) -> MutexGuard<'_, PausedState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Layer for PausedCall {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(async move {
            let call = request.call();
            let owner = (call.id.clone(), call.name.clone());
            let is_agent = request.tool().__agent().is_some();
            {
                let mut state = self.lock();
                state.owner = is_agent.then_some(owner);
                state.paused = None;
                // Nobody has approved a call of another tool of that name.
                if state.resumes.is_some() && !is_agent {
                    let words = "the agent that the call runs is not there any more";
                    return Handled::Done(Err(ToolError::new(ErrorKind::Rejected, words)));
                }
            }
            let handled = next.run(request).await;
            let shown = self.lock().paused.as_ref().map(|(shown, _)| shown.clone());
            shown.map_or(handled, Handled::Wait)
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

/// Adds an error to what people see of a pause.
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

impl fmt::Debug for PausedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A state may be secret.
        f.write_str("PausedCall(..)")
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
