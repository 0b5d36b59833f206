//! The tests of `tests/definitions.rs`, in this build.

#[path = "../../definitions.rs"]
mod definitions;
