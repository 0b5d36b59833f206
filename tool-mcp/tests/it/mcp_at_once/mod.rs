//! Calls over HTTP whose clients are known: what is over at once is answered without a stream, and all is judged as it is of
//! a client that nobody knows.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod calls;
pub(crate) mod client;
mod heads;
#[cfg(target_os = "linux")]
mod memory;
mod sessions;
mod tools;
