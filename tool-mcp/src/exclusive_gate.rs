//! A gate that lets calls of `exclusive` tools run alone, over all fronts of a server.
//!
//! An executor orders the calls of its batch only. Calls that arrive by HTTP and MCP at once need this gate.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;
use toolwright_provider::call::ToolCall;
use toolwright_runtime::executor::{Batch, CallPlan, Decided, Executor, Turn};
use toolwright_runtime::tool::Context;
use toolwright_runtime::toolset::Registry;

/// Gate for all calls of a server. Clones share one gate.
///
/// An exclusive call waits until no other call runs. Other calls wait for a running exclusive call, and not for a
/// waiting one. So a tool that calls its own server is not blocked by a third, exclusive call; in return, an exclusive
/// call may wait as long as other calls keep coming. A call waits at most as long as its own time limit. So an
/// exclusive tool that calls its own server times out instead of deadlocking.
#[derive(Clone, Default)]
pub struct ExclusiveGate(Arc<GateState>);

#[derive(Default)]
struct GateState {
    running: Mutex<RunningCounts>,
    /// Notified when no call runs.
    free: Notify,
}

#[derive(Default)]
struct RunningCounts {
    count: usize,
    is_exclusive_running: bool,
}

/// Permission to run, until it is dropped.
struct Permit<'t>(&'t GateState);

/// Result of waiting at the gate.
enum Admission<'t> {
    Admitted(Permit<'t>),
    /// The call was cancelled.
    Cancelled,
    TimedOut(Duration),
}

impl ExclusiveGate {
    /// Runs the call, or continues a decided one, once the gate admits it.
    pub async fn run(
        &self,
        tools: &Registry,
        executor: &Executor,
        call: &ToolCall,
        decided: Option<Decided>,
        cx: &Context,
    ) -> Batch {
        let calls = std::slice::from_ref(call);
        let _permit = match self.acquire(tools, executor, &call.name, cx).await {
            Admission::Admitted(permit) => Some(permit),
            // The executor answers a cancelled call.
            Admission::Cancelled => None,
            Admission::TimedOut(waited) => {
                let plans = [CallPlan::Late(waited)];
                return executor.run(Turn::planned(calls, &plans), cx).await;
            }
        };
        match decided {
            Some(decided) => executor.run(&[decided], cx).await,
            None => executor.run(calls, cx).await,
        }
    }

    /// Waits until a call of this tool may run.
    async fn acquire(
        &self,
        tools: &Registry,
        executor: &Executor,
        name: &str,
        cx: &Context,
    ) -> Admission<'_> {
        let tool = tools.get(name);
        let is_exclusive = tool
            .as_ref()
            .is_some_and(|tool| tool.def().options.exclusive);
        if self.0.running().try_begin(is_exclusive) {
            return Admission::Admitted(Permit(&self.0));
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
            // Enabled before the check, so that no notification is missed.
            free.as_mut().enable();
            if self.0.running().try_begin(is_exclusive) {
                return Admission::Admitted(Permit(&self.0));
            }
            tokio::select! {
                () = free => {}
                () = stop.cancelled() => return Admission::Cancelled,
                limit = &mut waited => return Admission::TimedOut(limit),
            }
        }
    }
}

impl GateState {
    fn running(&self) -> MutexGuard<'_, RunningCounts> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningCounts {
    fn try_begin(&mut self, is_exclusive: bool) -> bool {
        if self.is_exclusive_running || (is_exclusive && self.count > 0) {
            return false;
        }
        self.is_exclusive_running = is_exclusive;
        self.count += 1;
        true
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut running = self.0.running();
        running.count -= 1;
        if running.count == 0 {
            running.is_exclusive_running = false;
            drop(running);
            self.0.free.notify_waiters();
        }
    }
}
