//! One request of ours, from its way out to its answer.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::value::RawValue;
use tokio::sync::{Notify, OwnedSemaphorePermit};
use toolwright_runtime::tool::Context;

use super::books::Entry;
use super::frame::Answered;

/// Where the answer to one request goes. Who waits for it holds it, and the request as long as it is on
/// its way; without either, nobody could hear of an answer, and the [`Entry`] in the books ends with it.
#[derive(Default)]
pub(super) struct Slot {
    /// The arguments of a call, as they are sent.
    pub(super) arguments: Option<Box<RawValue>>,
    /// Who hears how far the call is.
    pub(super) context: Option<Context>,
    /// What the server answered.
    pub(super) answer: OnceLock<Answered>,
    /// Rings when the server says how far it is.
    pub(super) alive: Notify,
    /// A list, whose text `rmcp` also wants to see: from it come the headers of later calls.
    pub(super) is_list: bool,
    /// That the request is in the books.
    pub(super) entry: OnceLock<Entry>,
    way: Mutex<Way>,
}

/// How far a request is on its way.
#[derive(Default)]
struct Way {
    stage: Stage,
    /// The room that it takes while it waits.
    room: Option<OwnedSemaphorePermit>,
}

#[derive(Default, PartialEq)]
enum Stage {
    #[default]
    Waits,
    /// The server may have read it.
    Sent,
    /// It is not to be sent any more.
    Withdrawn,
}

impl Slot {
    /// One for a call.
    pub(super) fn call(arguments: Box<RawValue>, context: Context) -> Arc<Self> {
        Arc::new(Self {
            arguments: Some(arguments),
            context: Some(context),
            ..Self::default()
        })
    }

    /// One for a page of a list.
    pub(super) fn list() -> Arc<Self> {
        Arc::new(Self {
            is_list: true,
            ..Self::default()
        })
    }

    fn way(&self) -> MutexGuard<'_, Way> {
        // Each change is one step.
        self.way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The request begins to wait, where there is room for it.
    pub(super) fn waits_in(&self, room: Option<OwnedSemaphorePermit>) {
        self.way().room = room;
    }

    /// The request is next to be written, and gives its room up. False where nobody wants it to be sent
    /// any more; else the server may have read it from now on.
    pub(super) fn leaves(&self) -> bool {
        let mut way = self.way();
        way.room = None;
        if way.stage == Stage::Waits {
            way.stage = Stage::Sent;
        }
        way.stage == Stage::Sent
    }

    /// Of the request not a byte was sent after all.
    pub(super) fn was_not_sent(&self) {
        let mut way = self.way();
        if way.stage == Stage::Sent {
            way.stage = Stage::Waits;
        }
    }

    /// Nobody waits for the answer any more: a request that has not left does not leave. Whether that
    /// is so. Its room stays taken until it is out of the queue.
    pub(super) fn withdraw(&self) -> bool {
        let mut way = self.way();
        if way.stage == Stage::Waits {
            way.stage = Stage::Withdrawn;
        }
        way.stage == Stage::Withdrawn
    }

    pub(super) fn is_sent(&self) -> bool {
        self.way().stage == Stage::Sent
    }
}

/// How a request carries its slot through `rmcp`.
#[derive(Clone)]
pub(super) struct Carried(pub(super) Arc<Slot>);
