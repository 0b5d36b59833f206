//! Speeds of a fleet beside those of one machine: `tests/outside/fleet_rate.sh` starts it. Prints a table, and one line of JSON.
//!
//! The servers and all processes share this machine's cores, so more workers than cores show contention, not what more machines do.

mod calls;
mod conversations;
/// Checkpoints a second, in turn in three stores.
#[allow(dead_code, unreachable_pub)]
#[path = "../../../../tool-postgres/examples/rate.rs"]
mod stores;

use std::process::{ExitCode, Stdio};

use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use toolwright_fleet::{Fleet, Health};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Numbers of workers.
const WORKERS: [usize; 4] = [1, 2, 4, 8];

fn setting(name: &str) -> Result<String, Failure> {
    std::env::var(name).map_err(|_| format!("`{name}` is not set").into())
}

async fn fleet() -> Result<Fleet, Failure> {
    Ok(Fleet::connect(&setting("TEMPORAL_ADDRESS")?).await?)
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match *arguments {
        [] => measure(1000, 400).await,
        // It shows that all of it works.
        ["short"] => measure(50, 40).await,
        ["tool"] => calls::serve().await,
        ["worker", agent] => conversations::serve(agent).await,
        _ => Err("usage: rate [short]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn measure(calls: usize, conversations: usize) -> Result<(), Failure> {
    let load = load();
    let medians = calls::medians(calls).await?;
    let [local, mcp, remote] = medians;
    println!("call of a tool, median of {calls} | microseconds | local calls");
    let names = ["local", "MCP over HTTP", "fleet"];
    for (name, median) in names.into_iter().zip(medians) {
        println!("{name:>32} | {median:>12.1} | {:>11.1}", median / local);
    }
    let mut rates = Map::new();
    let (mut one, mut eight) = (f64::NAN, f64::NAN);
    println!(
        "workers, {conversations:>5} conversations each | conversations a second | of one worker's"
    );
    for workers in WORKERS {
        let rate = conversations::rate(workers, conversations).await?;
        if workers == 1 {
            one = rate;
        }
        eight = rate;
        println!("{workers:>33} | {rate:>22.1} | {:>15.2}", rate / one);
        rates.insert(workers.to_string(), rounded(rate));
    }
    let [memory, sqlite, postgres] = stores::rates().await?;
    println!("store                            | checkpoints a second | of SQLite's");
    for (name, rate) in [
        ("memory", memory),
        ("SQLite", sqlite),
        ("Postgres", postgres),
    ] {
        println!("{name:>32} | {rate:>20.0} | {:>11.2}", rate / sqlite);
    }
    let cores = std::thread::available_parallelism()?;
    println!(
        "{}",
        json!({
            "calls": calls,
            "median_us": {"local": rounded(local), "mcp_http": rounded(mcp), "fleet": rounded(remote)},
            "mcp_http_to_local": rounded(mcp / local),
            "fleet_to_local": rounded(remote / local),
            "fleet_to_mcp_http": rounded(remote / mcp),
            "conversations": conversations,
            "conversations_per_second": rates,
            "eight_workers_to_one": rounded(eight / one),
            "checkpoints_per_second": {"memory": memory.round(), "sqlite": sqlite.round(), "postgres": postgres.round()},
            "postgres_to_sqlite": rounded(postgres / sqlite),
            "cores": cores,
            "load_before": load,
        })
    );
    Ok(())
}

fn rounded(number: f64) -> Value {
    json!((number * 100.0).round() / 100.0)
}

/// The system's load of the last minute, where it says one.
fn load() -> Option<f64> {
    let loads = std::fs::read_to_string("/proc/loadavg").ok()?;
    loads.split(' ').next()?.parse().ok()
}

/// Starts this program once more, and returns it with the line that it prints when it is ready.
async fn start(arguments: &[&str]) -> Result<(Child, String), Failure> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(arguments)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let out = child.stdout.take().ok_or("a process has no output")?;
    let line = BufReader::new(out).lines().next_line().await?;
    Ok((child, line.ok_or("a process ended at once")?))
}

/// Waits until the server has seen all queues polled.
async fn is_polled(health: &Health) -> Result<(), Failure> {
    loop {
        let polled = health.polled().await?;
        if !polled.is_empty() && polled.values().all(|is_polled| *is_polled) {
            return Ok(());
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}
