//! A fleet on a server: `tests/outside/fleet.sh` starts one, and names it in `TEMPORAL_ADDRESS`.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]
// Parameters are as models fill them.
#![allow(clippy::needless_pass_by_value)]

mod calls;
mod child;
mod conversations;
mod crashes;
mod drain;
mod metrics;
mod payloads;
mod support;
mod watch;
