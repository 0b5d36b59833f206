//! Code mode: a model writes one program over tools, instead of many calls.
//!
//! [`CodeMode`] makes a tool of tools. A call of it runs a Python program whose functions are those tools: each of its calls is
//! checked, approved, limited and recorded as any other, and one that waits for a person waits inside the program, also in another
//! process.
//!
//! Modules, in the order of reading: `engine` is the seam to an interpreter, and `monty` is the one that there is; `interpreter` runs
//! it on a thread here, or in a process, whose side is `worker`. `program` is the model that an agent asks: it replays the
//! thread. `signature` maps calls to tools, `answers` their results. `stubs` are what a model reads of the tools, `search` finds some
//! of them, and `code_mode` puts all of it together.

mod answers;
mod code_mode;
mod engine;
mod interpreter;
mod limits;
mod monty;
mod names;
mod program;
mod search;
mod signature;
mod stubs;
mod text;
mod worker;

pub use self::code_mode::{CodeMode, CodeModeError, ShowProgram};
pub use self::interpreter::Interpreter;
pub use self::limits::Limits;
pub use self::program::Rejection;
pub use self::stubs::stubs;
pub use self::worker::worker;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
