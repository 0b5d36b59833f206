//! A machine that has tools or agents.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use temporalio_sdk::runtime::RuntimeOptions;
use temporalio_sdk::{Runtime, Worker as SdkWorker, WorkerOptions};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;
use toolwright::Executor;
use toolwright::agent::store::CheckpointError;
use toolwright::agent::{Agent, AgentError};
use toolwright::call::Cancel;
use toolwright::executor::Source;

use crate::agent_host::AgentHost;
use crate::conversation::agent_queue;
use crate::fleet::check_name;
use crate::health::Health;
use crate::tools_host::ToolsHost;
use crate::workflow::ConversationWorkflow;
use crate::{Fleet, FleetError};

/// Time limit of a drain without one of the host's.
const DRAIN: Duration = Duration::from_secs(30);

/// Time for what was cancelled to end.
const AFTER: Duration = Duration::from_secs(10);

/// Shortest time between two heartbeats of a call. Progress is not reported more often.
const THROTTLE: Duration = Duration::from_millis(500);

/// Time after which a conversation's next step is given to another worker, if this one does not take it.
const STICKY: Duration = Duration::from_secs(2);

/// A machine that has tools or agents. Several machines may have the same ones: each call and each run is taken by one of
/// them.
///
/// ```no_run
/// use toolwright::{tool, tools};
/// use toolwright_fleet::Fleet;
///
/// /// Charges a customer.
/// #[tool]
/// async fn charge(customer: u32, cents: u64) -> String {
///     format!("charged customer {customer} {cents} cents")
/// }
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let fleet = Fleet::connect("http://127.0.0.1:7233").await?;
/// let worker = fleet.worker().tools("billing", &tools![charge]);
/// worker.run(async { tokio::signal::ctrl_c().await.unwrap_or_default() }).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "a worker does nothing before `run`"]
pub struct Worker {
    fleet: Fleet,
    tools: Vec<(String, Executor)>,
    agents: Vec<(String, Agent)>,
    drain: Duration,
    health: Health,
}

impl Worker {
    pub(crate) fn new(fleet: Fleet) -> Self {
        Self {
            health: Health::new(fleet.client.clone()),
            fleet,
            tools: Vec::new(),
            agents: Vec::new(),
            drain: DRAIN,
        }
    }

    /// Serves tools from a queue, for the [toolsets](Fleet::toolset) of that queue elsewhere.
    pub fn tools(self, queue: impl Into<String>, tools: impl Into<Source>) -> Self {
        // The caller's limit holds.
        self.executor(queue, Executor::serial(tools).timeout(None))
    }

    /// Serves the tools of an executor from a queue: with its layers, limits and observers. Each call is a batch
    /// of its own, so an `exclusive` tool runs beside other calls. A layer that asks people has nobody to ask here: approvals
    /// belong to where the agent runs.
    pub fn executor(mut self, queue: impl Into<String>, executor: Executor) -> Self {
        self.tools.push((queue.into(), executor));
        self
    }

    /// Serves the [conversations](Fleet::conversation) of an agent. It needs a
    /// [`Checkpointer`](toolwright::agent::store::Checkpointer) that all machines with this agent share.
    pub fn agent(mut self, name: impl Into<String>, agent: Agent) -> Self {
        self.agents.push((name.into(), agent));
        self
    }

    /// Sets how long calls and runs may go on when the worker stops. Default: 30 s. After that runs of agents and calls of tools that
    /// may be repeated go on elsewhere, and other calls are cancelled.
    pub fn drain_limit(self, limit: Duration) -> Self {
        Self {
            drain: limit,
            ..self
        }
    }

    /// Returns the health of this worker, before and while it runs. Clones of a worker share it.
    pub fn health(&self) -> Health {
        self.health.clone()
    }

    /// Serves until `shutdown` is ready. Then it takes no more work, and returns when what runs has ended.
    ///
    /// If the future is dropped, the worker stops in the background.
    ///
    /// # Errors
    /// If the worker has nothing to serve or two things of one name, if an agent has no checkpointer, if the server refuses the
    /// worker, or if something could not be stopped.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<(), FleetError> {
        let expired = Cancel::new();
        let queues = self.tools.iter().map(|(queue, _)| queue.clone());
        let agents = self.agents.iter().map(|(name, _)| agent_queue(name));
        let serving = self.health.serve(queues.chain(agents).collect());
        self.check().await?;
        let mut served = Vec::new();
        for (queue, executor) in &self.tools {
            let host = ToolsHost::new(executor, &self.fleet, &self.health, expired.clone());
            served.push(Served::start(
                &self,
                queue.clone(),
                Host::Tools(Arc::new(host)),
                &expired,
            )?);
        }
        for (name, agent) in &self.agents {
            let host = AgentHost::new(name, agent, &self.fleet, &self.health, expired.clone());
            served.push(Served::start(
                &self,
                agent_queue(name),
                Host::Agent(Arc::new(host)),
                &expired,
            )?);
        }
        let mut first = Ok(());
        tokio::select! {
            () = shutdown => {}
            failed = any_end(&mut served) => first = failed,
        }
        serving.drain();
        for one in &mut served {
            one.stop();
        }
        let ended = async {
            for one in &mut served {
                let ended = one.end().await;
                if first.is_ok() {
                    first = ended;
                }
            }
        };
        let mut ended = Box::pin(ended);
        if timeout(self.drain, &mut ended).await.is_err() {
            expired.cancel();
            if timeout(AFTER, &mut ended).await.is_err() {
                return Err(FleetError::StillRunning { limit: self.drain });
            }
        }
        drop(ended);
        first
    }

    async fn check(&self) -> Result<(), FleetError> {
        let refused = |message: String| Err(FleetError::Worker { message });
        if self.tools.is_empty() && self.agents.is_empty() {
            return refused("the worker has neither tools nor agents".to_owned());
        }
        let mut names = BTreeSet::new();
        for (queue, _) in &self.tools {
            check_name(queue)?;
            if !names.insert(queue) {
                return refused(format!(
                    "the worker has two toolsets for the queue `{queue}`"
                ));
            }
        }
        names.clear();
        for (name, agent) in &self.agents {
            check_name(name)?;
            if !names.insert(name) {
                return refused(format!("the worker has two agents of the name `{name}`"));
            }
            let checkpointer = agent.history("").await;
            if let Err(AgentError::Checkpoint(CheckpointError::NoCheckpointer)) = checkpointer {
                let agent = name.clone();
                return Err(FleetError::NoCheckpointer { agent });
            }
        }
        Ok(())
    }
}

/// Waits until one of the queues is served no longer.
async fn any_end(served: &mut [Served]) -> Result<(), FleetError> {
    std::future::poll_fn(|task| {
        for one in &mut *served {
            if let std::task::Poll::Ready(ended) = one.poll_end(task) {
                return std::task::Poll::Ready(ended);
            }
        }
        std::task::Poll::Pending
    })
    .await
}

enum Host {
    Tools(Arc<ToolsHost>),
    Agent(Arc<AgentHost>),
}

/// A queue that is served, on a thread of its own: the SDK's future stays on its thread, for its workflows. Activities run on the
/// host's runtime.
struct Served {
    queue: String,
    stop: Cancel,
    ended: oneshot::Receiver<Result<(), Failure>>,
    has_ended: bool,
    expired: Cancel,
}

type Failure = Box<dyn Error + Send + Sync>;

impl Served {
    fn start(
        worker: &Worker,
        queue: String,
        host: Host,
        expired: &Cancel,
    ) -> Result<Self, FleetError> {
        let (end, ended) = oneshot::channel();
        let stop = Cancel::new();
        let (client, runtime, stopped, name) = (
            worker.fleet.client.clone(),
            Handle::current(),
            stop.clone(),
            queue.clone(),
        );
        let identity = worker.health.identity().to_owned();
        let serve = move || {
            let served = runtime.block_on(serve(client, name, identity, host, stopped));
            // The worker's future may be dropped.
            let _ = end.send(served);
        };
        let thread = thread::Builder::new()
            .name(format!("fleet {queue}"))
            .spawn(serve);
        match thread {
            Ok(_) => Ok(Self {
                queue,
                stop,
                ended,
                has_ended: false,
                expired: expired.clone(),
            }),
            Err(error) => Err(FleetError::Stopped {
                queue,
                source: Arc::new(error),
            }),
        }
    }

    fn stop(&self) {
        self.stop.cancel();
    }

    fn poll_end(
        &mut self,
        task: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Result<(), FleetError>> {
        if self.has_ended {
            return std::task::Poll::Ready(Ok(()));
        }
        let ended = std::task::ready!(std::pin::Pin::new(&mut self.ended).poll(task));
        self.has_ended = true;
        let ended = ended.unwrap_or_else(|_| Err("its thread panicked".into()));
        std::task::Poll::Ready(ended.map_err(|source| FleetError::Stopped {
            queue: self.queue.clone(),
            source: Arc::from(source),
        }))
    }

    async fn end(&mut self) -> Result<(), FleetError> {
        std::future::poll_fn(|task| self.poll_end(task)).await
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.cancel();
        if !self.has_ended {
            self.expired.cancel();
        }
    }
}

async fn serve(
    client: temporalio_client::Client,
    queue: String,
    identity: String,
    host: Host,
    stop: Cancel,
) -> Result<(), Failure> {
    let runtime = Runtime::from_current_tokio(RuntimeOptions::default())?;
    let options = WorkerOptions::new(queue)
        .client_identity_override(identity)
        .max_heartbeat_throttle_interval(THROTTLE)
        .sticky_queue_schedule_to_start_timeout(STICKY);
    let options = match host {
        Host::Tools(host) => options.register_activity::<crate::call::CallTool>(host),
        Host::Agent(host) => options
            .register_activity::<crate::agent_host::RunAgent>(host)
            .register_workflow::<ConversationWorkflow>()?,
    };
    let mut worker = SdkWorker::new(&runtime, client, options.build())?;
    let shut_down = worker.shutdown_handle();
    let mut run = Box::pin(worker.run());
    tokio::select! {
        ran = &mut run => return Ok(ran?),
        () = stop.cancelled() => {}
    }
    shut_down();
    Ok(run.await?)
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queues: Vec<_> = self.tools.iter().map(|(queue, _)| queue).collect();
        let agents: Vec<_> = self.agents.iter().map(|(name, _)| name).collect();
        f.debug_struct("Worker")
            .field("queues", &queues)
            .field("agents", &agents)
            .finish_non_exhaustive()
    }
}
