//! What any store of sessions must do, as a suite to run in the tests of one's own.
//!
//! It panics with what was expected of what.

mod checkpointer;

pub use self::checkpointer::checkpointer;
