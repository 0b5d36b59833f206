//! The interpreter's process.

use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::{Engine, Input, Message};
use crate::limits::Limits;
use crate::monty::Monty;

/// Variable that marks an interpreter's process.
pub(crate) const MARK: &str = "TOOLWRIGHT_CODE_WORKER";

/// True once `worker` ran in this process.
static IS_READY: AtomicBool = AtomicBool::new(false);

/// Makes this process an interpreter if a [`CodeMode`](crate::CodeMode) started it as one, and does not return then. Otherwise
/// it returns at once.
///
/// Call it in the first line of `main`: what stands before it runs in the interpreter's process too, without its limits.
///
/// ```
/// toolwright_code::worker();
/// ```
pub fn worker() {
    IS_READY.store(true, Ordering::Relaxed);
    if is_marked() {
        std::process::exit(i32::from(serve().is_err()));
    }
}

pub(crate) fn is_ready() -> bool {
    IS_READY.load(Ordering::Relaxed)
}

fn is_marked() -> bool {
    std::env::var_os(MARK).is_some()
}

/// Ends a process that was started as an interpreter and did not become one: it would start itself for ever.
pub(crate) fn exit_if_marked() {
    if is_marked() {
        std::process::exit(70);
    }
}

/// True where the system enforces a limit of a process's memory.
pub(crate) const LIMITS_MEMORY: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// Answers messages until the host closes the pipe.
fn serve() -> io::Result<()> {
    let mut engine = Monty::default();
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let message: Message = serde_json::from_slice(&line)?;
        if let Input::Start { limits, .. } = &message.input {
            limit(*limits)?;
        }
        let mut answer = serde_json::to_vec(&engine.run(message))?;
        answer.push(b'\n');
        output.write_all(&answer)?;
        output.flush()?;
    }
}

/// Limits this process before it reads a program: its memory, the processor's time, and no files.
#[cfg(unix)]
fn limit(limits: Limits) -> io::Result<()> {
    use rlimit::Resource;

    let seconds = limits.time.as_secs().saturating_add(2);
    // The first one is a signal that says what ended the process.
    Resource::CPU.set(seconds, seconds.saturating_add(1))?;
    Resource::CORE.set(0, 0)?;
    Resource::FSIZE.set(0, 0)?;
    if LIMITS_MEMORY {
        let status = std::fs::read_to_string("/proc/self/status")?;
        let size = status.lines().find_map(|line| {
            let kibibytes = line.strip_prefix("VmSize:")?.trim().strip_suffix("kB")?;
            kibibytes.trim().parse::<u64>().ok()
        });
        let size = size.ok_or(io::ErrorKind::Unsupported)? * 1024;
        let most = size.saturating_add(limits.memory as u64);
        Resource::AS.set(most, most)?;
    }
    // No file can be opened. The pipes are open.
    Resource::NOFILE.set(0, 0)
}

#[cfg(not(unix))]
fn limit(_: Limits) -> io::Result<()> {
    Ok(())
}
