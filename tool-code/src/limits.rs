//! Limits of one program.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Limits of one program. No program can catch one of them.
///
/// ```
/// use toolwright_code::Limits;
///
/// let limits = Limits::default().calls(20);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct Limits {
    pub(crate) calls: usize,
    pub(crate) time: Duration,
    pub(crate) memory: usize,
    pub(crate) source: usize,
    pub(crate) printed: usize,
    pub(crate) value: usize,
}

/// 50 calls, 1 s, 64 MiB, and 32 KiB of source, 16 KiB of printed text, 64 KiB of the value.
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
    /// Limits the calls of one program. Default: 50.
    pub fn calls(self, most: usize) -> Self {
        Self {
            calls: most,
            ..self
        }
    }

    /// Limits the time that the program itself runs. Time that its calls take does not count. Default: 1 s.
    pub fn time(self, limit: Duration) -> Self {
        Self {
            time: limit,
            ..self
        }
    }

    /// Limits the memory of the interpreter's process, in bytes beyond what the process needs to start. It is not enforced
    /// [in the host's process](crate::Interpreter::InProcess). Default: 64 MiB.
    pub fn memory(self, bytes: usize) -> Self {
        Self {
            memory: bytes,
            ..self
        }
    }

    /// Limits the program's text, in bytes. A longer program is an error. Default: 32 KiB.
    pub fn source(self, bytes: usize) -> Self {
        Self {
            source: bytes,
            ..self
        }
    }

    /// Limits the text that the program prints, in bytes. More is left out, and the result says so. Default: 16 KiB.
    pub fn printed(self, bytes: usize) -> Self {
        Self {
            printed: bytes,
            ..self
        }
    }

    /// Limits the value that the program ends with, in bytes of JSON. A larger one is an error. Default: 64 KiB.
    pub fn value(self, bytes: usize) -> Self {
        Self {
            value: bytes,
            ..self
        }
    }

    /// Limit of one message between the host and the interpreter, in bytes.
    pub(crate) fn message(&self) -> usize {
        // The arguments of all calls of one step; what a program prints and returns, escaped.
        (1 << 20) + 6 * (self.printed + self.value)
    }

    /// Error of a program that ran too long.
    pub(crate) fn out_of_time(&self) -> String {
        format!("TimeoutError: the program ran longer than {:?}", self.time)
    }
}
