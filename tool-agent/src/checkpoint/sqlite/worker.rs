//! The thread that a connection lives on.

use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::CheckpointError;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// Runs one job after the other. Ends when it is dropped, after the jobs that it was given.
pub(super) struct Worker {
    jobs: Sender<Job>,
}

impl Worker {
    pub(super) fn start(path: &Path, mut connection: Connection) -> Result<Self, CheckpointError> {
        let (jobs, todo) = channel::<Job>();
        let work = move || {
            for job in todo {
                job(&mut connection);
            }
        };
        let thread = thread::Builder::new().name("checkpoints".to_owned());
        thread.spawn(work).map_err(|error| {
            let words = format!("the thread for `{}` cannot be started", path.display());
            CheckpointError::store_with(words, error)
        })?;
        Ok(Self { jobs })
    }

    /// Runs a job on the thread and returns its result. The job runs even if the future is dropped.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> T + Send + 'static,
    ) -> Result<T, CheckpointError> {
        let gone = || CheckpointError::store("the thread of the checkpoints has ended");
        let (done, result) = oneshot::channel();
        let job = move |connection: &mut Connection| {
            // Nobody may be waiting any more.
            let _ = done.send(job(connection));
        };
        self.jobs.send(Box::new(job)).map_err(|_| gone())?;
        result.await.map_err(|_| gone())
    }
}
