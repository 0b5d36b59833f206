//! Calls, results and definitions: plain data that wires read and write, and tools make.

mod caution;
mod contain;
mod content;
mod def;
mod encoder;
mod error;
mod example;
mod options;
mod outcome;
mod output;
mod payload;
mod result;
mod stored;
mod tool_call;

#[doc(hidden)]
pub use self::caution::{RISK, Risk, SCOPES};
pub use self::contain::{contained, panicked};
pub use self::content::{Block, Content};
pub(crate) use self::def::SortedKeys;
pub use self::def::{Meta, OldNames, ToolDef};
pub use self::encoder::{Encode, Encoder};
pub use self::error::{ErrorKind, ToolError};
pub use self::example::Example;
pub use self::options::{Annotations, ToolOptions};
pub use self::outcome::{EndReason, HaltReason, Outcome};
pub use self::output::Output;
pub use self::payload::Payload;
pub use self::result::{ToolResult, is_written};
pub use self::stored::{FormatVersion, StoredOutcome, StoredOutcomeError};
pub use self::tool_call::{Bytes, ToolCall};
