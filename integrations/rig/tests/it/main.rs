//! Agents of rig with tools of a toolset, against a server that answers as `OpenAI` does; and tools of rig in toolsets.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

#[path = "../../../fake_provider.rs"]
mod fake_provider;

mod from_rig;
mod to_rig;
