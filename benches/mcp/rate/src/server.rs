//! A server's process.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Why there is nothing to print.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A server, which ends when it is dropped.
pub(crate) struct Server(pub(crate) Child);

impl Server {
    pub(crate) fn start(programs: &Path, program: &str, how: &str) -> Result<Self, Failure> {
        let mut command = Command::new(programs.join(program));
        command
            .arg(how)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let child = command
            .spawn()
            .map_err(|error| format!("{program}: {error}"))?;
        Ok(Self(child))
    }

    /// The memory that it holds, in KiB; 0 where the system does not say it.
    pub(crate) fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next());
        kib.and_then(|kib| kib.parse().ok()).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
