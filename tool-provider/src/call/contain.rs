use toolwright_schema::panics::{Panic, caught};

use crate::call::{ErrorKind, ToolError};

/// Runs a part of a tool.
///
/// Code that panics may leave its data half changed; the runtime's state is not reachable from `run`.
#[inline]
pub fn contained<T>(run: impl FnOnce() -> T) -> Result<T, ToolError> {
    caught(run).map_err(panicked)
}

/// The error of a panic.
#[cold]
pub fn panicked(panic: Panic) -> ToolError {
    ToolError::new(
        ErrorKind::Panicked,
        "the tool failed unexpectedly; the same call may fail again",
    )
    .with_debug(panic.into_detail())
}
