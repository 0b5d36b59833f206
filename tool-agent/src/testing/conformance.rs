//! Conformance suite for stores of sessions, to run in your own tests.
//!
//! It panics with a message that names the operation and the expectation.

mod checkpointer;

pub use self::checkpointer::checkpointer;
