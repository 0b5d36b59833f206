//! What a worker does now.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::try_join_all;
use temporalio_client::Client;
use temporalio_client::tonic::IntoRequest as _;
use temporalio_common::protos::temporal::api::enums::v1::TaskQueueType;
use temporalio_common::protos::temporal::api::taskqueue::v1::TaskQueue;
use temporalio_common::protos::temporal::api::workflowservice::v1::DescribeTaskQueueRequest;

use crate::FleetError;

/// Health of a [`Worker`](crate::Worker), for probes of its host: made by [`Worker::health`](crate::Worker::health). Cheap to clone.
///
/// ```no_run
/// use toolwright_fleet::{Health, WorkerStatus};
///
/// /// A machine that is not alive is started anew. It is while the worker drains, and while the server is gone.
/// fn is_live(health: &Health) -> bool {
///     health.status() != WorkerStatus::Ended
/// }
///
/// /// Once a machine is ready, the one that it replaces may be stopped.
/// async fn is_ready(health: &Health) -> bool {
///     let polled = health.polled().await;
///     health.status() == WorkerStatus::Serving && polled.is_ok_and(|queues| queues.values().all(|is_polled| *is_polled))
/// }
/// ```
#[derive(Clone)]
pub struct Health {
    client: Client,
    shared: Arc<Shared>,
}

struct Shared {
    /// The worker's name in requests to the server.
    identity: String,
    status: Mutex<(WorkerStatus, Vec<String>)>,
    calls: AtomicUsize,
    runs: AtomicUsize,
}

/// What a worker does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WorkerStatus {
    /// It has not begun to serve.
    New,
    /// It takes calls and runs, or waits for the server.
    Serving,
    /// It takes no more, and waits for what it has begun.
    Draining,
    /// It has stopped or failed.
    Ended,
}

impl Health {
    pub(crate) fn new(client: Client) -> Self {
        let id = uuid::Uuid::new_v4().simple();
        let shared = Shared {
            identity: format!("toolwright@{}/{id}", std::process::id()),
            status: Mutex::new((WorkerStatus::New, Vec::new())),
            calls: AtomicUsize::new(0),
            runs: AtomicUsize::new(0),
        };
        Self {
            client,
            shared: Arc::new(shared),
        }
    }

    /// Returns what the worker does.
    pub fn status(&self) -> WorkerStatus {
        self.locked().0
    }

    /// Returns the number of calls in progress.
    pub fn calls(&self) -> usize {
        self.shared.calls.load(Ordering::Relaxed)
    }

    /// Returns the number of runs of agents in progress.
    pub fn runs(&self) -> usize {
        self.shared.runs.load(Ordering::Relaxed)
    }

    /// Asks the server whether it has seen this worker poll its queues in the last minutes. The queue of an agent is
    /// `agent:NAME`.
    ///
    /// A worker that has no room for more does not poll, and a large server may overlook a worker among many of a busy queue. So
    /// this is for the readiness of a machine, and no reason to stop one.
    ///
    /// # Errors
    /// If the server does not answer.
    pub async fn polled(&self) -> Result<BTreeMap<String, bool>, FleetError> {
        let queues = self.locked().1.clone();
        let polled = queues.into_iter().map(|queue| self.is_polled(queue));
        Ok(try_join_all(polled).await?.into_iter().collect())
    }

    async fn is_polled(&self, queue: String) -> Result<(String, bool), FleetError> {
        let request = DescribeTaskQueueRequest {
            namespace: self.client.options().namespace.clone(),
            task_queue: Some(TaskQueue {
                name: queue.clone(),
                ..TaskQueue::default()
            }),
            task_queue_type: TaskQueueType::Activity.into(),
            ..DescribeTaskQueueRequest::default()
        };
        let mut service = self.client.connection().workflow_service();
        let described = service.describe_task_queue(request.into_request()).await;
        let described = described.map_err(|error| FleetError::server("describe a queue", error))?;
        let pollers = described.into_inner().pollers;
        let is_polled = pollers
            .iter()
            .any(|poller| poller.identity == self.shared.identity);
        Ok((queue, is_polled))
    }

    pub(crate) fn identity(&self) -> &str {
        &self.shared.identity
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, (WorkerStatus, Vec<String>)> {
        let locked = self.shared.status.lock();
        locked.unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the worker serves these queues, and that it has ended when the returned value is dropped.
    pub(crate) fn serve(&self, queues: Vec<String>) -> Serving {
        *self.locked() = (WorkerStatus::Serving, queues);
        Serving(self.clone())
    }

    /// Counts a call until the returned value is dropped.
    pub(crate) fn call(&self) -> Busy {
        self.shared.calls.fetch_add(1, Ordering::Relaxed);
        Busy(Arc::clone(&self.shared), |shared| &shared.calls)
    }

    /// Counts a run until the returned value is dropped.
    pub(crate) fn run(&self) -> Busy {
        self.shared.runs.fetch_add(1, Ordering::Relaxed);
        Busy(Arc::clone(&self.shared), |shared| &shared.runs)
    }
}

pub(crate) struct Serving(Health);

impl Serving {
    pub(crate) fn drain(&self) {
        self.0.locked().0 = WorkerStatus::Draining;
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.locked().0 = WorkerStatus::Ended;
    }
}

pub(crate) struct Busy(Arc<Shared>, fn(&Shared) -> &AtomicUsize);

impl Drop for Busy {
    fn drop(&mut self) {
        self.1(&self.0).fetch_sub(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Health")
            .field("status", &self.status())
            .field("calls", &self.calls())
            .field("runs", &self.runs())
            .finish_non_exhaustive()
    }
}
