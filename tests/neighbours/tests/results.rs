//! The tests of `tests/results.rs`, in this build.

#[path = "../../results.rs"]
mod results;
