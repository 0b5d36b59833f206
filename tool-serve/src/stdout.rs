//! The standard output, kept for answers alone.

use std::io;

/// What was the standard output. From here on what tools print there goes to the standard error, so
/// that no tool can speak in between.
#[cfg(unix)]
pub(crate) fn take() -> io::Result<std::fs::File> {
    /// Behind the standard input, output and error.
    const FIRST_FREE: i32 = 3;
    let output = rustix::io::fcntl_dupfd_cloexec(io::stdout(), FIRST_FREE)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(std::fs::File::from(output))
}

/// Elsewhere a tool that prints is heard.
#[cfg(not(unix))]
pub(crate) fn take() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}
