//! The tests of `tests/wire_anthropic.rs`, in this build.

#[path = "../../wire_anthropic.rs"]
mod wire_anthropic;
