//! The program under test, started anew for each command.

use std::io::Write;
#[cfg(unix)]
use std::process::Child;
use std::process::{Command, ExitCode, Output, Stdio};

use serde_json::Value;

const CHILD: &str = "TOOLWRIGHT_COMMAND_LINE";

/// Whether this process is the program, and not its tests.
pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Serves over MCP on a runtime that gets no thread beside its own: no memory holds such a stack.
pub(crate) fn serve_stdio_without_threads() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_stack_size(usize::MAX / 4)
        .build()
        .unwrap();
    let server = toolwright_mcp::McpServer::new(toolwright::Toolset::default());
    match runtime.block_on(server.serve_stdio()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// How many threads the runtime has in which the program runs.
pub(crate) const THREADS: &str = "TOOLWRIGHT_COMMAND_LINE_THREADS";

/// Runs the program as it is, or inside of a runtime.
pub(crate) fn inside(program: impl FnOnce() -> ExitCode) -> ExitCode {
    let runtime = match std::env::var(THREADS).as_deref() {
        Ok("1") => tokio::runtime::Builder::new_current_thread().build(),
        Ok(_) => tokio::runtime::Builder::new_multi_thread().build(),
        Err(_) => return program(),
    };
    runtime.unwrap().block_on(async { program() })
}

/// A command with these arguments, with nothing of the terminal that the tests run in.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(arguments)
        .env(CHILD, "1")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("CLICOLOR")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// What a command came to.
#[derive(Debug)]
pub(crate) struct Came {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Came {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Runs it with these arguments.
pub(crate) fn run(arguments: &[&str]) -> Came {
    Came::of(command(arguments).output().unwrap())
}

/// Runs it inside of a runtime with so many threads.
pub(crate) fn run_inside(threads: &str, arguments: &[&str]) -> Came {
    Came::of(command(arguments).env(THREADS, threads).output().unwrap())
}

/// Runs it with something to read.
pub(crate) fn run_with(arguments: &[&str], input: &[u8]) -> Came {
    let mut child = command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || to.write_all(&input));
    let came = Came::of(child.wait_with_output().unwrap());
    // It may have read enough.
    let _ = writer.join().unwrap();
    came
}

/// What Ctrl-C sends.
#[cfg(unix)]
pub(crate) fn interrupt(child: &Child) {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}
