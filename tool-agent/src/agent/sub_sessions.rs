//! What a visit of the tools lends to those of them that are agents.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::json;
use toolwright_runtime::{
    Cancel, Context, Handled, Handling, Layer, Next, Request, ShortStr, State, ToolCall,
};

use crate::session::id_of;
use crate::{CheckpointError, Checkpointer, Queue, Session, Usage};

/// Lent by an agent to the calls of one visit, in their context: the sub-sessions that go on, the store
/// that they are kept in, and the queue of the outermost conversation. As a layer, it lets a call wait
/// whose agent does.
#[derive(Clone)]
pub(super) struct Subs(Arc<Lent>);

struct Lent {
    store: Option<Arc<dyn Checkpointer>>,
    born: Arc<str>,
    queue: Queue,
    /// The word to stop of the host of the outermost conversation.
    stop: Cancel,
    /// What that host's context says of the state: it goes over what any of the conversations knows.
    state: State,
    /// By place in the turn.
    seats: Mutex<BTreeMap<usize, Seat>>,
    counted: Counted,
    failed: Mutex<Option<CheckpointError>>,
}

/// How much of what a conversation cost is in its caller's, or in its call's `cost`, by the conversation's id. All agents
/// below the outermost have the same: where one of them begins again, it knows what was counted of those that it calls.
type Counted = Arc<Mutex<BTreeMap<String, Usage>>>;

/// What is known of one call.
#[derive(Default)]
struct Seat {
    /// The call's id and tool, once it runs: a tool may make calls of its own, which have no seat.
    taken: Option<(ShortStr, ShortStr)>,
    kept: Option<Session>,
    paused: Option<Session>,
    /// What is not counted yet.
    cost: Usage,
}

impl Subs {
    pub(super) fn new(
        store: Option<Arc<dyn Checkpointer>>,
        session: &Session,
        outer: Option<&Self>,
        host: &Context,
    ) -> Self {
        let counted = outer.map_or_else(Counted::default, |outer| Arc::clone(&outer.0.counted));
        let kept = session.waits.iter().filter_map(|wait| {
            let kept = wait.sub.as_deref()?.same();
            note(&counted, &kept);
            let seat = Seat {
                kept: Some(kept),
                ..Seat::default()
            };
            Some((wait.index, seat))
        });
        let seats = Mutex::new(kept.collect());
        Self(Arc::new(Lent {
            store,
            born: Arc::clone(&session.born),
            queue: outer.map_or_else(|| session.queue(), |outer| outer.0.queue.clone()),
            stop: outer.map_or_else(|| host.cancel(), |outer| outer.0.stop.clone()),
            state: host.state().clone(),
            seats,
            counted,
            failed: Mutex::default(),
        }))
    }

    /// Nothing is left half done under this lock.
    fn seats(&self) -> MutexGuard<'_, BTreeMap<usize, Seat>> {
        self.0.seats.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// The id of the conversation of the agent that the call runs: it is the same when the call is made
    /// again.
    pub(super) fn id(&self, cx: &Context) -> Option<Arc<str>> {
        Some(id_of(&cx.idempotency_key()?, &self.0.born))
    }

    /// The call's own seat; `None` if it is no call of this visit.
    pub(super) fn seat(&self, cx: &Context) -> Option<Seated> {
        let (index, id, tool) = (cx.call_index()?, cx.call_id()?, cx.tool()?);
        let mut seats = self.seats();
        let seat = seats.get_mut(&index)?;
        let (of, named) = seat.taken.as_ref()?;
        (of == id && named == tool).then(|| Seated {
            subs: self.clone(),
            index,
            kept: seat.kept.as_ref().map(Session::same),
        })
    }

    /// The conversation of the call at this place, if it waits.
    pub(super) fn take_paused(&self, index: usize) -> Option<Session> {
        self.seats().get_mut(&index)?.paused.take()
    }

    /// What calls of the visit cost since this was asked last.
    pub(super) fn take_cost(&self) -> Usage {
        let mut cost = Usage::default();
        for seat in self.seats().values_mut() {
            cost += std::mem::take(&mut seat.cost);
        }
        cost
    }

    /// Why a sub-session could not be kept, if one could not: the visit does not count.
    pub(super) fn failure(&self) -> Option<CheckpointError> {
        self.failed().clone()
    }

    pub(super) fn fails(&self, error: CheckpointError) {
        self.failed().get_or_insert(error);
    }

    fn failed(&self) -> MutexGuard<'_, Option<CheckpointError>> {
        self.0.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The call takes its seat.
    fn enter(&self, index: usize, call: &ToolCall) {
        let mut seats = self.seats();
        let seat = seats.entry(index).or_default();
        seat.taken = Some((call.id.clone(), call.name.clone()));
        seat.paused = None;
    }

    fn is_paused(&self, index: usize) -> bool {
        let seats = self.seats();
        seats.get(&index).is_some_and(|seat| seat.paused.is_some())
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

impl Layer for Subs {
    fn call<'a>(&'a self, request: Request<'a>, next: Next<'a>) -> Handling<'a> {
        Box::pin(self.call(request, next))
    }
}

/// The place of a call that runs an agent.
pub(super) struct Seated {
    subs: Subs,
    index: usize,
    /// The conversation with which it goes on, if it paused before.
    pub(super) kept: Option<Session>,
}

impl Seated {
    /// What the conversation has cost, which had cost `before` when it went on. A layer may make the call
    /// again. Then it begins anew, or goes on, in a store also from where a program ended that has counted
    /// nothing.
    fn counts(&self, before: Usage, session: &Session) {
        if let Some(seat) = self.subs.seats().get_mut(&self.index) {
            let counted = note(&self.subs.0.counted, session);
            seat.cost += beyond(before, counted);
            seat.cost += beyond(session.usage(), before);
        }
    }

    fn pauses(&self, session: Session) {
        if let Some(seat) = self.subs.seats().get_mut(&self.index) {
            seat.paused = Some(session);
        }
    }
}

/// The conversation of a call while its agent works. What it cost counts, however the call ends: a time
/// limit or a stop drops it.
pub(super) struct Working {
    pub(super) session: Session,
    before: Usage,
    seated: Option<Seated>,
}

impl Working {
    pub(super) fn new(session: Session, seated: Option<Seated>) -> Self {
        Self {
            before: session.usage(),
            session,
            seated,
        }
    }

    /// The call waits with it, if there is somebody who keeps it.
    pub(super) fn pauses(mut self) -> bool {
        let Some(seated) = &self.seated else {
            return false;
        };
        seated.counts(self.before, &self.session);
        seated.pauses(std::mem::take(&mut self.session));
        self.seated = None;
        true
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        if let Some(seated) = &self.seated {
            seated.counts(self.before, &self.session);
        }
    }
}

/// All that the conversation has cost is counted from now on; how much of it was before.
fn note(counted: &Counted, session: &Session) -> Usage {
    // Each change is one step.
    let mut counted = counted.lock().unwrap_or_else(PoisonError::into_inner);
    let counted = counted.entry(session.id().to_owned()).or_default();
    let (before, all) = (*counted, session.usage());
    *counted = Usage {
        input: all.input.max(before.input),
        output: all.output.max(before.output),
    };
    before
}

fn beyond(all: Usage, counted: Usage) -> Usage {
    Usage {
        input: all.input.saturating_sub(counted.input),
        output: all.output.saturating_sub(counted.output),
    }
}
