//! The way of a request of ours, and how far it is.

use std::sync::atomic::{AtomicU8, Ordering};

use toolwright_runtime::tool::Cancel;

const WAITS: u8 = 0;
/// The server may have read it.
const SENT: u8 = 1;
/// It is not to be sent any more.
const WITHDRAWN: u8 = 2;

pub(super) struct InFlight {
    stage: AtomicU8,
    /// True for a call of which the server may make a task.
    pub(super) may_be_task: bool,
    /// Fired when nobody waits for the answer any more, whether the request was sent or not.
    pub(super) gone: Cancel,
}

impl InFlight {
    pub(super) fn new(may_be_task: bool) -> Self {
        Self {
            stage: AtomicU8::new(WAITS),
            may_be_task,
            gone: Cancel::new(),
        }
    }

    fn change(&self, from: u8, to: u8) {
        let (success, failure) = (Ordering::AcqRel, Ordering::Acquire);
        // Where it is elsewhere by now, it stays there.
        let _ = self.stage.compare_exchange(from, to, success, failure);
    }

    fn is(&self, stage: u8) -> bool {
        self.stage.load(Ordering::Acquire) == stage
    }

    /// The request is next to be written. False where nobody wants it to be sent any more; else the server may have read
    /// it from now on.
    pub(super) fn leaves(&self) -> bool {
        self.change(WAITS, SENT);
        self.is(SENT)
    }

    /// Notes that not a byte of the request was sent after all.
    #[cfg(feature = "client-http")]
    pub(super) fn was_not_sent(&self) {
        self.change(SENT, WAITS);
    }

    /// Nobody waits for the answer any more: a request that has not left does not leave. Whether that is so.
    pub(super) fn withdraw(&self) -> bool {
        self.change(WAITS, WITHDRAWN);
        self.is(WITHDRAWN)
    }

    pub(super) fn is_sent(&self) -> bool {
        self.is(SENT)
    }
}
