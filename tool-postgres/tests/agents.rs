//! The tests of agents that are kept, as `tool-agent/tests/it` has them for other stores, on a server: `tests/outside/postgres.sh`
//! starts one.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod kept;

#[path = "../../tool-agent/tests/it/agent_tool_kept.rs"]
mod agent_tool_kept;
#[path = "../../tool-agent/tests/it/budget.rs"]
mod budget;
#[path = "../../tool-agent/tests/it/cancelled.rs"]
mod cancelled;
#[path = "../../tool-agent/tests/it/checkpoints.rs"]
mod checkpoints;
#[path = "../../tool-agent/tests/it/clock.rs"]
mod clock;
#[path = "../../tool-agent/tests/it/decisions.rs"]
mod decisions;
#[path = "../../tool-agent/tests/it/detached.rs"]
mod detached;
#[path = "../../tool-agent/tests/it/draws.rs"]
mod draws;
#[path = "../../tool-agent/tests/it/handoff.rs"]
mod handoff;
#[path = "../../tool-agent/tests/it/inbox.rs"]
mod inbox;
#[path = "../../tool-agent/tests/it/open_calls.rs"]
mod open_calls;
#[path = "../../tool-agent/tests/it/random_agents.rs"]
mod random_agents;
#[path = "../../tool-agent/tests/it/resuming.rs"]
mod resuming;
#[path = "../../tool-agent/tests/it/unknown_outcomes.rs"]
mod unknown_outcomes;
#[path = "../../tool-agent/tests/it/waits.rs"]
mod waits;
