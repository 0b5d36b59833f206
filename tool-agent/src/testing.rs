//! Helpers for tests of agents and of stores.

pub mod conformance;
mod scripted;

pub use self::scripted::{Recorded, ScriptedModel};
