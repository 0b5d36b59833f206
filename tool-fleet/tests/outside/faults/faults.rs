//! Faults, one after the other, until the conversations have ended.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::process::{Child, Command};
use tokio::time::sleep;

use crate::proxy::Proxy;
use crate::{Failure, LEASE, setting};

/// Number of workers.
const WORKERS: usize = 8;
/// Time between two kills.
const PAUSE: Duration = Duration::from_millis(300);

/// How often each fault was injected.
#[derive(Default)]
pub(crate) struct Counts {
    killed: AtomicU64,
    stopped: AtomicU64,
    cut: AtomicU64,
    database: AtomicU64,
    engine: AtomicU64,
}

impl Counts {
    fn all(&self) -> [(&'static str, u64); 5] {
        let count = |count: &AtomicU64| count.load(Ordering::SeqCst);
        [
            ("killed", count(&self.killed)),
            ("stopped_past_lease", count(&self.stopped)),
            ("connections_cut", count(&self.cut)),
            ("postgres_restarted", count(&self.database)),
            ("engine_restarted", count(&self.engine)),
        ]
    }

    pub(crate) fn to_json(&self) -> Value {
        self.all()
            .into_iter()
            .map(|(name, count)| (name.to_owned(), json!(count)))
            .collect()
    }

    /// Returns true if so many workers were replaced that hardly one of the first is left.
    pub(crate) fn are_all_deployed(&self) -> bool {
        self.killed.load(Ordering::SeqCst) >= 3 * WORKERS as u64
    }

    /// Returns true if each fault was injected.
    pub(crate) fn are_all(&self) -> bool {
        self.all().iter().all(|(_, count)| *count > 0)
    }
}

/// The machines, and the ways to the servers.
pub(crate) struct Faults {
    pub(crate) effects: PathBuf,
    pub(crate) to_database: Proxy,
    pub(crate) to_engine: Proxy,
    pub(crate) worker_url: String,
    pub(crate) random: Random,
}

impl Faults {
    /// Starts a worker. One that is started in a killed one's place has the tools of the next version: a rolling deploy.
    fn worker(&self, is_deployed: bool) -> Result<Child, Failure> {
        let quiet = std::env::var_os("FAULTS_LOUD").is_none();
        let mut worker = Command::new(std::env::current_exe()?);
        if is_deployed {
            worker.env("DEPLOYED", "1");
        }
        let worker = worker
            .arg("worker")
            .env("EFFECTS", &self.effects)
            .env("DATABASE_URL", &self.worker_url)
            .env(
                "TEMPORAL_ADDRESS",
                format!("http://{}", self.to_engine.address),
            )
            .stdout(Stdio::null())
            .stderr(if quiet {
                Stdio::null()
            } else {
                Stdio::inherit()
            })
            .kill_on_drop(true)
            .spawn()?;
        Ok(worker)
    }

    /// Injects faults until the future is dropped.
    pub(crate) async fn inject(mut self, counts: &Counts) -> Result<(), Failure> {
        let mut workers = Vec::new();
        for _ in 0..WORKERS {
            workers.push(self.worker(false)?);
        }
        // The first of each come soon, so that a short run has them all.
        let mut due = [2, 3, 5, 7].map(|seconds| Instant::now() + Duration::from_secs(seconds));
        // Stopped workers by their place, and when they wake up.
        let mut asleep: Vec<(usize, Instant)> = Vec::new();
        loop {
            sleep(PAUSE).await;
            let now = Instant::now();
            for (place, _) in asleep.extract_if(.., |(_, until)| *until <= now) {
                signal("CONT", workers.get(place)).await?;
                counts.stopped.fetch_add(1, Ordering::SeqCst);
            }
            let place = self.random.below(WORKERS);
            if !asleep.iter().any(|(asleep, _)| *asleep == place) {
                let new = self.worker(true)?;
                if let Some(worker) = workers.get_mut(place) {
                    worker.kill().await?;
                    *worker = new;
                }
                counts.killed.fetch_add(1, Ordering::SeqCst);
            }
            let is_due = |due: &mut Instant, seconds: u64| {
                let is_due = *due <= now;
                if is_due {
                    *due = now + Duration::from_secs(seconds);
                }
                is_due
            };
            let [stop, cut, database, engine] = &mut due;
            if is_due(stop, 4) {
                let place = self.random.below(WORKERS);
                if !asleep.iter().any(|(asleep, _)| *asleep == place) {
                    signal("STOP", workers.get(place)).await?;
                    asleep.push((place, now + LEASE * 2));
                }
            }
            if is_due(cut, 3) {
                match self.random.below(3) {
                    0 => self.to_database.cut(),
                    1 => self.to_engine.cut(),
                    _ => {
                        self.to_database.cut();
                        self.to_engine.cut();
                    }
                }
                counts.cut.fetch_add(1, Ordering::SeqCst);
            }
            if is_due(database, 25) {
                restart("RESTART_POSTGRES").await?;
                counts.database.fetch_add(1, Ordering::SeqCst);
            }
            if is_due(engine, 35) {
                restart("RESTART_TEMPORAL").await?;
                counts.engine.fetch_add(1, Ordering::SeqCst);
            }
        }
    }
}

async fn signal(name: &str, worker: Option<&Child>) -> Result<(), Failure> {
    if let Some(id) = worker.and_then(Child::id) {
        let mut kill = Command::new("kill");
        kill.args([format!("-{name}"), id.to_string()]);
        kill.status().await?;
    }
    Ok(())
}

async fn restart(name: &str) -> Result<(), Failure> {
    let command = setting(name)?;
    let done = Command::new(command).stdout(Stdio::null()).status().await?;
    if done.success() {
        return Ok(());
    }
    Err(format!("`{name}` failed: {done}").into())
}

/// Random numbers of a seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % most
    }
}
