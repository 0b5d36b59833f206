//! Sessions of the agents that calls run.
//!
//! Each visit of the tools node has one [`SubSessions`], which its calls find in their context. A call takes its paused
//! session out and puts it back when its agent pauses again. Without the slots, a second run of a call would start its
//! agent over and count its usage twice.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;
use toolwright_provider::call::ToolCall;
use toolwright_runtime::executor::{Handled, Layer, Next, Request};
use toolwright_runtime::tool::{BoxFuture, Cancel, Context, State};
use toolwright_schema::text::ShortStr;

use crate::budget::{Ledger, Spent};
use crate::run::{AgentError, RunEnd};
use crate::session::{Queue, Session, id_of};
use crate::store::{CheckpointError, Checkpointer};

/// Sub-sessions of one visit of the tools node: the sessions that continue, their store, and the queue of the outermost
/// conversation. As a layer, it makes a call pending if the call's agent pauses.
#[derive(Clone)]
pub(super) struct SubSessions(Arc<VisitShared>);

struct VisitShared {
    store: Option<Arc<dyn Checkpointer>>,
    born: Arc<str>,
    queue: Queue,
    /// Cancellation by the host of the outermost conversation.
    stop: Cancel,
    /// State from the context of the run's caller. It takes precedence over the state of every sub-session.
    state: State,
    /// Slots by the call's place in the turn.
    slots: Mutex<BTreeMap<usize, Slot>>,
    counted: CountedUsage,
    /// Budgets around the calls.
    ledger: Option<Ledger>,
    failed: Mutex<Option<CheckpointError>>,
    /// First error of an agent that could not carry out a decision.
    refused: Mutex<Option<AgentError>>,
    /// End of the first agent for which a budget around it does not pay.
    spent: Mutex<Option<RunEnd>>,
    /// True if the models of agents inside read what a person edited.
    reports_edits: bool,
}

/// Usage that is already counted, by session id: in the caller's session, or in the slot's `cost`. All agents below the
/// outermost share it, so an agent that starts again does not count its inner agents twice.
type CountedUsage = Arc<Mutex<BTreeMap<String, Spent>>>;

/// Sub-session of one call.
#[derive(Default)]
struct Slot {
    /// Id and tool of the call, once it runs. Calls made by a tool have no slot.
    owner: Option<(ShortStr, ShortStr)>,
    kept: Option<Session>,
    paused: Option<Session>,
    /// Usage that is not counted yet.
    cost: Spent,
}

impl SubSessions {
    pub(super) fn new(
        store: Option<Arc<dyn Checkpointer>>,
        session: &Session,
        outer: Option<&Self>,
        host: &Context,
        ledger: Option<Ledger>,
        reports_edits: bool,
    ) -> Self {
        let counted =
            outer.map_or_else(CountedUsage::default, |outer| Arc::clone(&outer.0.counted));
        let kept = session.waits.iter().filter_map(|wait| {
            let kept = wait.sub.as_deref()?.same();
            mark_counted(&counted, &kept);
            let slot = Slot {
                kept: Some(kept),
                ..Slot::default()
            };
            Some((wait.index, slot))
        });
        let slots = Mutex::new(kept.collect());
        Self(Arc::new(VisitShared {
            store,
            born: Arc::clone(&session.born),
            queue: outer.map_or_else(|| session.queue(), |outer| outer.0.queue.clone()),
            stop: outer.map_or_else(|| host.cancel(), |outer| outer.0.stop.clone()),
            state: host.session_state().clone(),
            slots,
            counted,
            ledger,
            failed: Mutex::default(),
            refused: Mutex::default(),
            spent: Mutex::default(),
            reports_edits,
        }))
    }

    /// Locks the slots. A poisoned lock is usable: no update is left half done under it.
    fn slots(&self) -> MutexGuard<'_, BTreeMap<usize, Slot>> {
        self.0.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn store(&self) -> Option<&Arc<dyn Checkpointer>> {
        self.0.store.as_ref()
    }

    pub(super) fn queue(&self) -> &Queue {
        &self.0.queue
    }

    pub(super) fn stop(&self) -> &Cancel {
        &self.0.stop
    }

    pub(super) fn state(&self) -> &State {
        &self.0.state
    }

    pub(super) fn ledger(&self) -> Option<&Ledger> {
        self.0.ledger.as_ref()
    }

    /// Returns the session id of the call's agent. A repeated call has the same id.
    pub(super) fn id(&self, cx: &Context) -> Option<Arc<str>> {
        Some(id_of(&cx.idempotency_key()?, &self.0.born))
    }

    /// Returns the call's slot, or `None` if the call is not one of this visit.
    pub(super) fn slot(&self, cx: &Context) -> Option<SlotHandle> {
        let (index, id, tool) = (cx.call_index()?, cx.call_id()?, cx.tool()?);
        let mut slots = self.slots();
        let slot = slots.get_mut(&index)?;
        let (of, named) = slot.owner.as_ref()?;
        (of == id && named == tool).then(|| SlotHandle {
            subs: self.clone(),
            index,
            kept: slot.kept.as_ref().map(Session::same),
        })
    }

    /// Takes the session of the call at this place, if it paused.
    pub(super) fn take_paused(&self, index: usize) -> Option<Session> {
        self.slots().get_mut(&index)?.paused.take()
    }

    /// Returns the usage of the visit's calls since the last call of this method.
    pub(super) fn take_cost(&self) -> Spent {
        let mut cost = Spent::default();
        for slot in self.slots().values_mut() {
            cost += std::mem::take(&mut slot.cost);
        }
        cost
    }

    /// Returns the error of a sub-session that could not be saved. The visit is discarded then.
    pub(super) fn failure(&self) -> Option<CheckpointError> {
        self.failed().clone()
    }

    pub(super) fn fails(&self, error: CheckpointError) {
        self.failed().get_or_insert(error);
    }

    fn failed(&self) -> MutexGuard<'_, Option<CheckpointError>> {
        self.0.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn reports_edits(&self) -> bool {
        self.0.reports_edits
    }

    /// Records that an agent could not carry out a decision. Its call stays pending.
    pub(super) fn refuses(&self, error: AgentError) {
        let refused = self.0.refused.lock();
        let mut refused = refused.unwrap_or_else(PoisonError::into_inner);
        refused.get_or_insert(error);
    }

    pub(super) fn take_refused(&self) -> Option<AgentError> {
        let refused = self.0.refused.lock();
        refused.unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Records that a budget around an agent does not pay for it. Its call stays pending.
    pub(super) fn spends(&self, end: RunEnd) {
        let mut spent = self.0.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.get_or_insert(end);
    }

    pub(super) fn take_spent(&self) -> Option<RunEnd> {
        let spent = self.0.spent.lock();
        spent.unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Assigns the slot to the call.
    fn enter(&self, index: usize, call: &ToolCall) {
        let mut slots = self.slots();
        let slot = slots.entry(index).or_default();
        slot.owner = Some((call.id.clone(), call.name.clone()));
        slot.paused = None;
    }

    fn is_paused(&self, index: usize) -> bool {
        let slots = self.slots();
        slots.get(&index).is_some_and(|slot| slot.paused.is_some())
    }

    async fn call(&self, request: Request<'_>, next: Next<'_>) -> Handled {
        let index = request.context().call_index();
        let index = index.unwrap_or_else(|| request.index());
        let shown = json!({"agent": &*request.call().name});
        self.enter(index, request.call());
        let handled = next.run(request).await;
        if self.is_paused(index) {
            Handled::Wait(shown)
        } else {
            handled
        }
    }
}

impl Layer for SubSessions {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> BoxFuture<'a, Handled> {
        Box::pin(self.call(request, next))
    }
}

/// Handle of the slot of one call.
pub(super) struct SlotHandle {
    subs: SubSessions,
    index: usize,
    /// Session to continue, if the call paused before.
    pub(super) kept: Option<Session>,
}

impl SlotHandle {
    /// Counts the session's usage. `before` is its usage when the call started.
    ///
    /// A layer may make the call again, and a stored session may hold usage of a process that died before it was
    /// counted.
    fn counts(&self, before: &Spent, session: &Session) {
        if let Some(slot) = self.subs.slots().get_mut(&self.index) {
            let counted = mark_counted(&self.subs.0.counted, session);
            slot.cost += before.above(&counted);
            slot.cost += session.usage.above(before);
        }
    }

    /// Tells the budgets what a process spent that died before it was counted.
    fn tell(&self, session: &Session) {
        if let Some(ledger) = &self.subs.0.ledger {
            let counted = &self.subs.0.counted;
            let counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
            let counted = counted.get(session.id()).cloned().unwrap_or_default();
            ledger.add(&session.usage.above(&counted));
        }
    }

    fn pauses(&self, session: Session) {
        if let Some(slot) = self.subs.slots().get_mut(&self.index) {
            slot.paused = Some(session);
        }
    }
}

/// Session of a call whose agent runs. Dropping it counts its usage, so a timeout or a cancellation loses nothing.
pub(super) struct RunningSession {
    pub(super) session: Session,
    before: Spent,
    slot: Option<SlotHandle>,
    /// Keeps the session if the call is dropped.
    keep: Option<Box<dyn FnOnce(Session) + Send>>,
}

impl RunningSession {
    pub(super) fn new(session: Session, slot: Option<SlotHandle>) -> Self {
        if let Some(slot) = &slot {
            slot.tell(&session);
        }
        Self {
            before: session.usage.clone(),
            session,
            slot,
            keep: None,
        }
    }

    /// Hands the session over if the call is dropped before it has ended or paused.
    pub(super) fn keeps_if_dropped(&mut self, keep: impl FnOnce(Session) + Send + 'static) {
        self.keep = Some(Box::new(keep));
    }

    pub(super) fn is_not_dropped(&mut self) {
        self.keep = None;
    }

    /// Makes the call pending with this session. Returns false if the call has no slot.
    pub(super) fn pauses(mut self) -> bool {
        let Some(slot) = &self.slot else {
            return false;
        };
        slot.counts(&self.before, &self.session);
        slot.pauses(std::mem::take(&mut self.session));
        self.slot = None;
        true
    }
}

impl Drop for RunningSession {
    fn drop(&mut self) {
        if let Some(slot) = &self.slot {
            slot.counts(&self.before, &self.session);
        }
        if let Some(keep) = self.keep.take() {
            keep(std::mem::take(&mut self.session));
        }
    }
}

/// Marks all usage of the session as counted. Returns the usage counted before.
fn mark_counted(counted: &CountedUsage, session: &Session) -> Spent {
    // Read and update under one lock.
    let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
    let counted = counted.entry(session.id().to_owned()).or_default();
    let before = counted.clone();
    *counted = before.clone().max(&session.usage);
    before
}
