use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Child;
use tokio::time::timeout;
use toolwright::ToolError;
use toolwright::call::ErrorKind;

/// Program that runs as a child process for each call.
///
/// Its standard input is closed, and its environment is empty but for the variables that are set here. Its standard output is the
/// result; if that is empty, its standard error is. Another exit code than 0 is an error of the tool, with its
/// standard error, or its output if that is empty.
///
/// The check of a call knows the words that the program gets. A program that reads more out of them, such as one that
/// replaces `@file` by the words of a file, reads what the check has not seen: leave such arguments out.
///
/// A call that takes too long or is cancelled ends the process, on Unix with the processes of its group. It is then unknown
/// whether the call took effect.
///
/// ```
/// use std::time::Duration;
/// use toolwright_clap::Process;
///
/// let process = Process::new("/usr/local/bin/shop")
///     .inherit_env(["HOME", "PATH"])
///     .env("SHOP_REGION", "eu")
///     .timeout(Duration::from_secs(60));
/// # let _ = process;
/// ```
#[derive(Clone)]
pub struct Process {
    program: PathBuf,
    environment: Vec<(OsString, OsString)>,
    directory: Option<PathBuf>,
    timeout: Duration,
    max_bytes: usize,
}

/// When the process has ended, its output is read for so long: a child of its own may hold the pipe.
const LAST_OUTPUT: Duration = Duration::from_millis(300);

/// The executor stops a call later than this package does, so that the error is that of the process.
const GRACE: Duration = Duration::from_secs(5);

impl Process {
    /// Sets the path of the program. A name without a slash is searched in the `PATH` of this process, now.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let program = program.into();
        let process = Self {
            program: found(&program).unwrap_or(program),
            environment: Vec::new(),
            directory: None,
            timeout: Duration::from_secs(30),
            max_bytes: 64 * 1024,
        };
        // Without it, most programs do not start there.
        if cfg!(windows) {
            return process.inherit_env(["SystemRoot"]);
        }
        process
    }

    /// Sets a variable of the environment.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Passes on variables of this process, as far as they are set.
    pub fn inherit_env<N: AsRef<OsStr>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        for name in names {
            let value = std::env::var_os(&name);
            let variable = value.map(|value| (name.as_ref().to_owned(), value));
            self.environment.extend(variable);
        }
        self
    }

    /// Sets the working directory. Default: that of this process.
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Sets the time limit of one call. Default: 30 s.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the most bytes that are kept of the output, and of the standard error. Default: 64 KiB. The rest is read and
    /// dropped, and the result says so.
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    pub(crate) fn executor_timeout(&self) -> Duration {
        self.timeout.saturating_add(GRACE)
    }

    /// Returns whether the child has a variable.
    pub(crate) fn has_env(&self, name: &OsStr) -> bool {
        self.environment.iter().any(|(set, _)| set == name)
    }

    /// Runs the program. The first word is its name.
    pub(crate) async fn run(&self, tool: String, words: &[String]) -> Result<String, ToolError> {
        let mut command = tokio::process::Command::new(&self.program);
        command
            .args(words.iter().skip(1))
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        #[cfg(unix)]
        command.process_group(0);
        let child = command.spawn().map_err(|error| {
            ToolError::failed(format!("the program cannot be started: {error}")).with_source(error)
        })?;
        let mut running = Running::new(child);
        let Ok(ended) = timeout(self.timeout, running.finish(self.max_bytes)).await else {
            let limit = self.timeout.as_secs_f64();
            let words = format!(
                "`{tool}` did not end within {limit} s and was stopped; it may have taken effect"
            );
            return Err(ToolError::new(ErrorKind::Timeout, words).with_outcome_unknown());
        };
        let (status, output, errors) = ended.map_err(|error| {
            let words = "the end of the program is not known";
            ToolError::failed(words)
                .with_source(error)
                .with_outcome_unknown()
        })?;
        answer(&tool, status, output, errors)
    }
}

/// Returns the path of a program that `PATH` holds. Windows has rules of its own, and keeps the name.
fn found(program: &Path) -> Option<PathBuf> {
    let is_name = program.components().count() == 1 && program.file_name().is_some();
    let paths = std::env::var_os("PATH").filter(|_| is_name && cfg!(not(windows)))?;
    let mut all = std::env::split_paths(&paths).map(|directory| directory.join(program));
    std::path::absolute(all.find(|path| path.is_file())?).ok()
}

/// A process that ends with this value.
struct Running {
    child: Child,
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
}

impl Running {
    fn new(child: Child) -> Self {
        Self {
            #[cfg(unix)]
            group: child
                .id()
                .and_then(|id| rustix::process::Pid::from_raw(id.try_into().ok()?)),
            child,
        }
    }

    async fn finish(&mut self, most: usize) -> std::io::Result<(ExitStatus, Kept, Kept)> {
        let (mut output, mut errors) = (Kept::default(), Kept::default());
        let streams = (self.child.stdout.take(), self.child.stderr.take());
        let status = {
            let reading = async {
                tokio::join!(output.read(streams.0, most), errors.read(streams.1, most));
            };
            tokio::pin!(reading);
            tokio::select! {
                () = &mut reading => self.child.wait().await?,
                status = self.child.wait() => {
                    let _ = timeout(LAST_OUTPUT, reading).await;
                    status?
                }
            }
        };
        // What it started and left running may go on.
        #[cfg(unix)]
        {
            self.group = None;
        }
        Ok((status, output, errors))
    }
}

#[cfg(unix)]
impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // A group that is gone cannot be ended.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

/// The first bytes of a stream.
#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    dropped: usize,
}

impl Kept {
    /// Reads to the end, and keeps at most so many bytes.
    async fn read(&mut self, stream: Option<impl AsyncRead + Unpin>, most: usize) {
        let Some(mut stream) = stream else { return };
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            let room = most.saturating_sub(self.bytes.len()).min(read);
            self.bytes.extend(buffer.get(..room).unwrap_or_default());
            self.dropped += read - room;
        }
    }

    fn is_blank(&self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }

    fn into_text(self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        // A character that was cut in two.
        let text = text.trim_end_matches(|char: char| char.is_whitespace() || char == '\u{fffd}');
        match self.dropped {
            0 => text.to_owned(),
            dropped => format!("{text}\n[{dropped} more bytes are left out]"),
        }
    }
}

fn answer(tool: &str, status: ExitStatus, output: Kept, errors: Kept) -> Result<String, ToolError> {
    // The result of a success is in the output, the reason of a failure in the standard error.
    let (first, second) = if status.success() {
        (output, errors)
    } else {
        (errors, output)
    };
    let text = if first.is_blank() { second } else { first }.into_text();
    if status.success() {
        let is_silent = text.is_empty();
        return Ok(if is_silent { "done".to_owned() } else { text });
    }
    let end = match status.code() {
        Some(code) => format!("exit code {code}"),
        None => status.to_string(),
    };
    let words = format!("`{tool}` failed: {end}\n{text}");
    Err(ToolError::failed(words.trim_end().to_owned())
        .with_data(json!({ "exit_code": status.code() })))
}
