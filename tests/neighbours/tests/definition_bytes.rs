//! The tests of `tests/definition_bytes.rs`, in this build.

#[path = "../../definition_bytes.rs"]
mod definition_bytes;
