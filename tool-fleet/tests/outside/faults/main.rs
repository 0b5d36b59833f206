//! Conversations of a fleet while its machines are killed, stopped and cut off: `tests/outside/fleet_faults.sh` starts it.
//!
//! The driver plays the people. It starts 8 workers, which are this program once more, talks to their agents, injects faults, and
//! prints what became of all calls as one line of JSON.

mod audit;
mod driver;
mod faults;
mod proxy;
mod worker;

use std::process::ExitCode;
use std::time::Duration;

/// Name of the agent.
const AGENT: &str = "shop";
/// Queue of the tools.
const QUEUE: &str = "tools";
/// Calls of one conversation.
const CALLS: usize = 5;
/// Time of a lease, and without a sign of life: short, so that many faults fit into a test.
const LEASE: Duration = Duration::from_secs(3);
const HEARTBEAT: Duration = Duration::from_secs(3);

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn setting(name: &str) -> Result<String, Failure> {
    std::env::var(name).map_err(|_| format!("`{name}` is not set").into())
}

async fn drive(calls: &str, seed: &str, seconds: &str) -> Result<bool, Failure> {
    let limit = match seconds {
        "" => Duration::MAX,
        seconds => Duration::from_secs(seconds.parse()?),
    };
    driver::run(calls.parse()?, seed.parse()?, limit).await
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match *arguments {
        ["worker"] => worker::run().await.map(|()| true),
        ["drive", calls, seed] => drive(calls, seed, "").await,
        ["drive", calls, seed, seconds] => drive(calls, seed, seconds).await,
        _ => Err("usage: faults drive CALLS SEED [SECONDS]".into()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
