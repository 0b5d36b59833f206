//! The tests of `tests/arguments.rs`, in this build.

#[path = "../../arguments.rs"]
mod arguments;
