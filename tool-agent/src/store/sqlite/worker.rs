//! The thread of a connection. SQLite blocks, so its calls do not run on the async runtime.

use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::store::CheckpointError;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// Runs jobs one after the other. After a drop, it finishes the jobs that it has.
pub(super) struct JobThread {
    jobs: Sender<Job>,
}

impl JobThread {
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
            // The receiver may be dropped.
            let _ = done.send(job(connection));
        };
        self.jobs.send(Box::new(job)).map_err(|_| gone())?;
        result.await.map_err(|_| gone())
    }
}
