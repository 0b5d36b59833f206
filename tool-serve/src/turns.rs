//! Calls of tools that are `exclusive` run alone, however they came.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;
use toolwright_runtime::{Batch, CallPlan, Context, Decided, Executor, Registry, ToolCall};

/// What all calls of a server have in common. Clones are one.
///
/// A call that wants to be alone waits until nothing runs; others wait for one that is alone, and not
/// for one that waits. So a call that makes another of its own server is not stopped by a third, and
/// under calls without end an exclusive one has to wait. None waits longer than it might run: so one that waits
/// for itself, since an exclusive tool calls its own server, ends.
#[derive(Clone, Default)]
pub(crate) struct Turns(Arc<Inner>);

#[derive(Default)]
struct Inner {
    running: Mutex<Running>,
    /// Told when nothing runs any more.
    free: Notify,
}

#[derive(Default)]
struct Running {
    count: usize,
    is_alone: bool,
}

/// A call's turn, until it is dropped.
struct Turn<'t>(&'t Inner);

/// Why a call that waits goes on.
enum Took<'t> {
    Turn(Turn<'t>),
    /// It is told to end.
    Stopped,
    Late(Duration),
}

impl Turns {
    /// Runs the call, or goes on with it, in its turn.
    pub(crate) async fn run(
        &self,
        tools: &Registry,
        executor: &Executor,
        call: &ToolCall,
        decided: Option<Decided>,
        cx: &Context,
    ) -> Batch {
        let calls = std::slice::from_ref(call);
        let _turn = match self.take(tools, executor, &call.name, cx).await {
            Took::Turn(turn) => Some(turn),
            // It ends below.
            Took::Stopped => None,
            Took::Late(waited) => {
                let plans = [CallPlan::Late(waited)];
                return executor.run_planned(calls, &plans, cx).await;
            }
        };
        match decided {
            Some(decided) => executor.decide(&[decided], cx).await,
            None => executor.run(calls, cx).await,
        }
    }

    /// Waits until a call of this tool may run.
    async fn take(
        &self,
        tools: &Registry,
        executor: &Executor,
        name: &str,
        cx: &Context,
    ) -> Took<'_> {
        let tool = tools.get(name);
        let is_exclusive = tool.as_ref().is_some_and(|tool| tool.def().exclusive);
        if self.0.running().begin(is_exclusive) {
            return Took::Turn(Turn(&self.0));
        }
        let stop = cx.cancel();
        let limit = tool.and_then(|tool| executor.time_limit(tool.def()));
        let waited = async {
            match limit {
                Some(limit) => {
                    sleep(limit).await;
                    limit
                }
                None => std::future::pending().await,
            }
        };
        tokio::pin!(waited);
        loop {
            let free = self.0.free.notified();
            tokio::pin!(free);
            // Before the look, so that no end in between is missed.
            free.as_mut().enable();
            if self.0.running().begin(is_exclusive) {
                return Took::Turn(Turn(&self.0));
            }
            tokio::select! {
                () = free => {}
                () = stop.cancelled() => return Took::Stopped,
                limit = &mut waited => return Took::Late(limit),
            }
        }
    }
}

impl Inner {
    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    fn begin(&mut self, is_exclusive: bool) -> bool {
        if self.is_alone || (is_exclusive && self.count > 0) {
            return false;
        }
        self.is_alone = is_exclusive;
        self.count += 1;
        true
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut running = self.0.running();
        running.count -= 1;
        if running.count == 0 {
            running.is_alone = false;
            drop(running);
            self.0.free.notify_waiters();
        }
    }
}
