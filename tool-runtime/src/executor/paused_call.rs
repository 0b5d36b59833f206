use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::layer::{Handled, Layer, Next, Request};
use super::{Decided, Executor, Pending};
use crate::tool::{BoxFuture, Context, Decision};
use toolwright_provider::call::ToolDef;
use toolwright_schema::panics::reported;
use toolwright_schema::text::ShortStr;

/// State that a tool leaves in memory while its call waits. Handles share it, and the tool takes it once.
#[doc(hidden)]
#[derive(Clone)]
pub struct KeptState(Arc<Mutex<Option<Box<dyn Any + Send>>>>);

/// Lets the tool of one call pause, leave its state, and go on with a decision. For servers, which keep calls that wait. As a layer,
/// it makes the call pending if its tool has paused.
#[doc(hidden)]
#[derive(Clone, Default)]
pub struct PausedCall(Arc<Mutex<PausedState>>);

#[derive(Default)]
struct PausedState {
    /// Id and tool of the call, once it runs. Calls made by its tool cannot pause.
    owner: Option<(ShortStr, ShortStr)>,
    /// State to go on with, and the decision about it.
    resumes: Option<(KeptState, Decision)>,
    /// What people see of the pause, and the state.
    paused: Option<(Value, KeptState)>,
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
        call.lock().resumes = Some((state, decision));
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

    /// Takes the state that the tool left, and the decision about it.
    pub fn resume<T: Any>(&self) -> Option<(T, Decision)> {
        let (state, decision) = self.lock().resumes.take()?;
        let state = state
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()?;
        Some((*state.downcast().ok()?, decision))
    }

    /// Makes the call pending, with what people see.
    pub fn pause(&self, shown: Value, state: impl Any + Send) {
        let state: Box<dyn Any + Send> = Box::new(state);
        self.lock().paused = Some((shown, KeptState(Arc::new(Mutex::new(Some(state))))));
    }

    /// Takes the state of a call that is pending.
    pub fn take_state(&self) -> Option<KeptState> {
        Some(self.lock().paused.take()?.1)
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
            {
                let mut state = self.lock();
                state.owner = Some(owner);
                state.paused = None;
            }
            let handled = next.run(request).await;
            let shown = self.lock().paused.as_ref().map(|(shown, _)| shown.clone());
            shown.map_or(handled, Handled::Wait)
        })
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
