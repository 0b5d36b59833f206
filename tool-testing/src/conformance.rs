//! Conformance suites for any tool, encoder or executor, to run in the tests of one's own.
//!
//! Each panics with what was expected of what.

mod encoder;
#[cfg(feature = "tokio")]
mod executor;
mod tool;

pub use self::encoder::encoder;
#[cfg(feature = "tokio")]
pub use self::executor::{TurnResult, executor};
pub use self::tool::tool;
