//! A program that runs: on a thread here, or in another process.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::engine::{Ended, Engine, Message, Stopped};
use crate::limits::Limits;
use crate::monty::Monty;
use crate::worker::MARK;

/// Place where programs run. A process needs a runtime of tokio with [I/O](https://docs.rs/tokio/latest/tokio/runtime/struct.Builder.html#method.enable_io).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Interpreter {
    /// A process of its own, which is this executable started again. `main` calls [`worker`](crate::worker) first.
    #[default]
    Process,
    /// A process of another executable, whose `main` calls [`worker`](crate::worker) first.
    Program(PathBuf),
    /// The host's own process. Limits of memory are not enforced, and a fault of the interpreter, such as an overflow of its
    /// stack, ends the host. A program that is stopped for its time may go on in a thread. Only for programs that you would run
    /// anyway.
    InProcess,
}

impl Interpreter {
    /// Runs programs in a process of this executable.
    pub fn program(path: impl AsRef<Path>) -> Self {
        Self::Program(path.as_ref().to_owned())
    }
}

/// How long a process may take beyond its limit of time before it is killed, and how long without its pipe.
const GRACE: Duration = Duration::from_secs(1);
/// Stack of an engine in the host's process.
const STACK: usize = 32 << 20;

/// Reason why an interpreter gave no answer.
pub(crate) enum Lost {
    /// Something outside killed its process. A new one can replay the program.
    Killed,
    /// It would end the same again.
    Ends(Ended),
}

impl Lost {
    pub(crate) fn failed(words: impl Into<String>) -> Self {
        Self::Ends(Ended::failed(words))
    }
}

/// A program that runs. Dropping it kills its process.
pub(crate) struct Running {
    place: Place,
    limits: Limits,
    /// Time that the program has taken.
    taken: Duration,
}

/// Messages to a thread, with the places of their answers.
type Sender = mpsc::Sender<(Message, oneshot::Sender<Stopped>)>;

enum Place {
    Here(Sender),
    Process(Box<Process>),
}

impl Running {
    /// Starts an interpreter. The environment of its process has the mark, a setting of glibc and these variables alone.
    pub(crate) fn new(
        interpreter: &Interpreter,
        environment: &[String],
        limits: Limits,
    ) -> io::Result<Self> {
        let path = match interpreter {
            Interpreter::InProcess => None,
            Interpreter::Program(path) => Some(path.clone()),
            // The file may have been replaced since this process started.
            Interpreter::Process if cfg!(target_os = "linux") => Some("/proc/self/exe".into()),
            Interpreter::Process => Some(std::env::current_exe()?),
        };
        let place = match path {
            Some(path) => Place::Process(Box::new(Process::start(&path, environment)?)),
            None => Place::Here(thread()?),
        };
        let taken = Duration::ZERO;
        Ok(Self {
            place,
            limits,
            taken,
        })
    }

    /// Sends a message, and waits until the program waits or ends. Nothing follows an error.
    pub(crate) async fn send(&mut self, message: Message) -> Result<Stopped, Lost> {
        let (began, left) = (Instant::now(), self.limits.time.saturating_sub(self.taken));
        let limits = self.limits;
        let answer = async {
            match &mut self.place {
                Place::Here(thread) => run_here(thread, message).await,
                Place::Process(process) => process.run(&message, limits).await,
            }
        };
        let answer = timeout(left.saturating_add(GRACE), answer).await;
        self.taken += began.elapsed();
        answer.unwrap_or_else(|_| Err(Lost::failed(limits.out_of_time())))
    }
}

/// Starts a thread that runs an engine.
fn thread() -> io::Result<Sender> {
    let (messages, inbox) = mpsc::channel::<(Message, oneshot::Sender<Stopped>)>();
    let thread = std::thread::Builder::new().stack_size(STACK);
    thread.spawn(move || {
        let mut engine = Monty::default();
        while let Ok((message, answer)) = inbox.recv() {
            let _ = answer.send(engine.run(message));
        }
    })?;
    Ok(messages)
}

async fn run_here(thread: &Sender, message: Message) -> Result<Stopped, Lost> {
    let (sender, receiver) = oneshot::channel();
    // The thread is gone if the engine panicked.
    let _ = thread.send((message, sender));
    let stopped = receiver.await;
    stopped.map_err(|_| Lost::failed("the interpreter failed"))
}

/// The interpreter's process, with its pipes. Each message is a line of JSON.
struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn start(path: &Path, environment: &[String]) -> io::Result<Self> {
        let mut command = Command::new(path);
        command.env_clear().env(MARK, "1").kill_on_drop(true);
        // An arena of glibc for each thread of `main` would take its memory from the program.
        command.env("MALLOC_ARENA_MAX", "1");
        for name in environment {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self {
            child,
            input,
            output: BufReader::new(output),
        })
    }

    async fn run(&mut self, message: &Message, limits: Limits) -> Result<Stopped, Lost> {
        match self.exchange(message, limits.message()).await {
            Ok(Some(stopped)) => Ok(stopped),
            Ok(None) => Err(Lost::failed(
                "the interpreter's answer is too long or not readable",
            )),
            // A process that has closed its pipe ends at once, unless it is not an interpreter.
            Err(_) => Err(match timeout(GRACE, self.child.wait()).await {
                Ok(Ok(status)) => lost(status, limits),
                _ => Lost::failed("the interpreter failed (it closed its pipe)"),
            }),
        }
    }

    /// Sends a message and reads the answer; `None` if it is not one.
    async fn exchange(&mut self, message: &Message, most: u64) -> io::Result<Option<Stopped>> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.input.write_all(&line).await?;
        line.clear();
        let mut output = (&mut self.output).take(most);
        output.read_until(b'\n', &mut line).await?;
        if line.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(serde_json::from_slice(&line).ok())
    }
}

/// Says why a process ended without an answer.
fn lost(status: ExitStatus, limits: Limits) -> Lost {
    Lost::failed(match signal(status) {
        // From outside: hang-up, interrupt, quit, kill, terminate.
        Some(1 | 2 | 3 | 9 | 15) => return Lost::Killed,
        Some(24) => limits.out_of_time(),
        // A failed allocation aborts.
        Some(6) => format!(
            "MemoryError: the program needed more than {} MiB, or the interpreter failed",
            limits.memory >> 20
        ),
        Some(signal) => format!("the interpreter failed (signal {signal})"),
        None => format!("the interpreter failed ({status})"),
    })
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}
