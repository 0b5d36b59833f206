//! Help for the tests of those who write agents, and stores for them.

pub mod conformance;
mod scripted;

pub use self::scripted::{Recorded, ScriptedModel};
