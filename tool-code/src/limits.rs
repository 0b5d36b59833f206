//! Limits of one program.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::Ended;

/// Bytes of the arguments of all calls that a program waits for at once, as JSON.
pub(crate) const MAX_ARGUMENTS: usize = 1 << 20;

/// Limits of one program. No program can catch one of them.
///
/// ```
/// use toolwright_code::Limits;
///
/// let limits = Limits { calls: 20, ..Limits::default() };
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Number of calls, searches and wrong calls among them. Default: 50.
    pub calls: usize,
    /// Time that the program itself runs. Time that its calls take does not count. Default: 1 s.
    pub time: Duration,
    /// Memory of the interpreter's process, in bytes beyond those that it needs to start. It is not enforced [in the host's
    /// process](crate::Interpreter::InProcess). Default: 64 MiB.
    pub memory: usize,
    /// Bytes of the program's text. A longer program is an error. Default: 32 KiB.
    pub source: usize,
    /// Bytes of the text that the program prints. More is left out, and the result says so. Default: 16 KiB.
    pub printed: usize,
    /// Bytes of the value that the program ends with, as JSON. A larger one is an error. Default: 64 KiB.
    pub value: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            calls: 50,
            time: Duration::from_secs(1),
            memory: 64 << 20,
            source: 32 << 10,
            printed: 16 << 10,
            value: 64 << 10,
        }
    }
}

impl Limits {
    /// Limit of one message of an interpreter, in bytes.
    pub(crate) fn message(&self) -> u64 {
        // JSON in a string has two bytes for one, and printed text six. Errors and the names of tools are short.
        let texts = self.printed.saturating_add(self.value).saturating_mul(6);
        let texts = texts.saturating_add(self.calls.saturating_mul(256));
        texts.saturating_add(2 * MAX_ARGUMENTS + (64 << 10)) as u64
    }

    /// Returns true if one of these limits ended the program.
    pub(crate) fn ended(&self, ended: &Ended) -> bool {
        let error = ended.error.as_deref();
        [self.out_of_time(), self.out_of_calls()]
            .iter()
            .any(|limit| error == Some(limit))
    }

    /// Error of a program that ran too long.
    pub(crate) fn out_of_time(&self) -> String {
        format!("TimeoutError: the program ran longer than {:?}", self.time)
    }

    /// Error of a program that made too many calls.
    pub(crate) fn out_of_calls(&self) -> String {
        let most = self.calls;
        format!(
            "the program made more than {most} calls, which ended it before the last of them ran"
        )
    }
}
