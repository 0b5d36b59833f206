//! The standard output, reserved for answers.

use std::io;

/// Takes the standard output. From here on, the prints of tools go to the standard error, so they cannot corrupt an
/// answer.
#[cfg(unix)]
pub fn take() -> io::Result<std::fs::File> {
    /// First descriptor after the standard input, output and error.
    const FIRST_FREE: i32 = 3;
    let output = rustix::io::fcntl_dupfd_cloexec(io::stdout(), FIRST_FREE)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(std::fs::File::from(output))
}

/// Returns the standard output. On this platform, prints of tools still go to it.
#[cfg(not(unix))]
pub fn take() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}
