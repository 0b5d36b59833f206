//! The tests of `tests/wire_openai.rs`, in this build.

#[path = "../../wire_openai.rs"]
mod wire_openai;
