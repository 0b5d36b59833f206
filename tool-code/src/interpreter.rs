//! A program that runs: on a thread of its own, which drives an engine here or in another process.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::engine::{Engine, Resume, Start, Step};
use crate::limits::Limits;
use crate::monty::Monty;
use crate::text::Capped;
use crate::worker::MARK;

/// Place where programs run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Interpreter {
    /// A process of its own, which is this executable started again. `main` calls [`worker`](crate::worker) first.
    #[default]
    Process,
    /// A process of another executable, whose `main` calls [`worker`](crate::worker) first.
    Program(PathBuf),
    /// The host's own process. Limits of memory are not enforced, and a fault of the interpreter, such as an overflow of its
    /// stack, ends the host. Only for programs that you would run anyway.
    InProcess,
}

impl Interpreter {
    /// Runs programs in a process of this executable.
    pub fn program(path: impl AsRef<Path>) -> Self {
        Self::Program(path.as_ref().to_owned())
    }
}

/// How long a process may take beyond its limit of time before it is killed.
const GRACE: Duration = Duration::from_secs(1);
/// Stack of an engine in the host's process.
const STACK: usize = 32 << 20;

/// Message to an engine.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Message {
    Start(Start),
    Resume(Resume),
}

/// Answer of an engine to a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) struct Stopped {
    pub(crate) step: Step,
    /// Printed text, once the program has ended.
    pub(crate) printed: Capped,
}

impl Stopped {
    pub(crate) fn failed(words: impl Into<String>) -> Self {
        Self {
            step: Step::Failed(words.into()),
            printed: Capped::default(),
        }
    }
}

/// Hands a message to an engine, and runs it until the program waits or ends.
pub(crate) fn visit(engine: &mut dyn Engine, message: Message) -> Stopped {
    let step = match message {
        Message::Start(start) => engine.start(start),
        Message::Resume(resume) => engine.resume(resume),
    };
    let printed = match step {
        Step::Value(_) | Step::Failed(_) => engine.take_printed(),
        Step::Calls(_) | Step::Now => Capped::default(),
    };
    Stopped { step, printed }
}

/// Reason why an interpreter gave no answer.
pub(crate) enum Lost {
    /// Something outside killed its process. A new one can replay the program.
    Killed,
    /// It would end the same again. Holds the error for the model.
    Failed(Stopped),
}

type Answer = Result<Stopped, Lost>;

/// A program that runs. Dropping it kills its process.
pub(crate) struct Running {
    messages: mpsc::Sender<(Message, oneshot::Sender<Answer>)>,
    child: Option<Arc<Mutex<Child>>>,
    limits: Limits,
    /// Time that the program has taken.
    taken: Mutex<Duration>,
}

impl Running {
    /// Starts an interpreter. The environment of its process has these variables alone.
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
        let (messages, inbox) = mpsc::channel::<(Message, oneshot::Sender<Answer>)>();
        let thread = std::thread::Builder::new().name("toolwright-code".to_owned());
        let Some(path) = path else {
            thread.stack_size(STACK).spawn(move || {
                let mut engine = Monty::default();
                while let Ok((message, answer)) = inbox.recv() {
                    let _ = answer.send(Ok(visit(&mut engine, message)));
                }
            })?;
            return Ok(Self {
                messages,
                child: None,
                limits,
                taken: Mutex::default(),
            });
        };
        let mut process = Process::start(&path, environment, limits)?;
        let child = Arc::clone(&process.child);
        // From here on, the child is killed when this is dropped, also if there is no thread.
        let running = Self {
            messages,
            child: Some(child),
            limits,
            taken: Mutex::default(),
        };
        thread.spawn(move || {
            while let Ok((message, answer)) = inbox.recv() {
                let _ = answer.send(process.ask(&message));
            }
        })?;
        Ok(running)
    }

    /// Sends a message, and waits until the program waits or ends. Kills the process a second after its limit of time.
    pub(crate) async fn send(&self, message: Message) -> Answer {
        let (sender, receiver) = oneshot::channel();
        // The thread is gone if the engine panicked.
        let crashed = || Err(Lost::Failed(Stopped::failed("the interpreter failed")));
        if self.messages.send((message, sender)).is_err() {
            return crashed();
        }
        let (began, taken) = (Instant::now(), *lock(&self.taken));
        let left = self.limits.time.saturating_sub(taken) + GRACE;
        let answer = tokio::time::timeout(left, receiver).await;
        *lock(&self.taken) = taken + began.elapsed();
        match answer {
            Ok(answer) => answer.unwrap_or_else(|_| crashed()),
            Err(_) => Err(Lost::Failed(Stopped::failed(self.limits.out_of_time()))),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &self.child {
            let mut child = lock(child);
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The interpreter's process, with its pipes. Each message is a line of JSON.
struct Process {
    child: Arc<Mutex<Child>>,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    limits: Limits,
}

impl Process {
    fn start(path: &Path, environment: &[String], limits: Limits) -> io::Result<Self> {
        let mut command = Command::new(path);
        command.env_clear().env(MARK, "1");
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
            child: Arc::new(Mutex::new(child)),
            input,
            output: BufReader::new(output),
            limits,
        })
    }

    fn ask(&mut self, message: &Message) -> Answer {
        match self.exchange(message) {
            Ok(Some(stopped)) => Ok(stopped),
            Ok(None) => Err(Lost::Failed(Stopped::failed(
                "the interpreter's answer is too long or not readable",
            ))),
            Err(_) => Err(self.lost()),
        }
    }

    /// Sends a message and reads the answer; `None` if it is not one.
    fn exchange(&mut self, message: &Message) -> io::Result<Option<Stopped>> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.input.write_all(&line)?;
        line.clear();
        let most = self.limits.message() as u64;
        (&mut self.output).take(most).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(serde_json::from_slice(&line).ok())
    }

    /// Says why the process ended without an answer.
    fn lost(&self) -> Lost {
        let status = lock(&self.child).wait();
        let Ok(status) = status else {
            return Lost::Killed;
        };
        let memory = self.limits.memory >> 20;
        let words = match signal(status) {
            // From outside: hang-up, interrupt, quit, kill, terminate.
            Some(1 | 2 | 3 | 9 | 15) => return Lost::Killed,
            Some(24) => self.limits.out_of_time(),
            // A failed allocation aborts.
            Some(6) => format!(
                "MemoryError: the program needed more than {memory} MiB, or the interpreter failed"
            ),
            Some(signal) => format!("the interpreter failed (signal {signal})"),
            None => format!("the interpreter failed ({status})"),
        };
        Lost::Failed(Stopped::failed(words))
    }
}

#[cfg(unix)]
fn signal(status: std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: std::process::ExitStatus) -> Option<i32> {
    None
}
