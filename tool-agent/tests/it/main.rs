//! The tests of agents, a module for each behaviour, in one program.

mod agent;
mod agent_tool;
mod agent_tool_kept;
mod aimock;
mod approved;
mod cancelled;
mod checkpoints;
mod conversation;
mod damaged;
mod decisions;
mod detached;
mod draws;
mod endings;
mod example;
mod finalize;
mod format;
mod going_on;
mod handoff;
mod http;
mod random_agents;
mod random_runs;
mod scripted;
mod session;
mod steps;
mod stores;
mod turns;
