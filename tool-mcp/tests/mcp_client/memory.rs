//! What a server that sends without end costs, and one that does not read.

use std::process::Command;
use std::time::Duration;

use futures_util::future::join_all;
use toolwright::call::ErrorKind;

use super::{call, connect, text};

const MIB: usize = 1024 * 1024;
const LIMIT: usize = 16 * MIB;

/// Not a test by itself: what is measured, in a process of its own, whose peak is this one's.
#[test]
fn measured() {
    let Ok(what) = std::env::var("MCP_PEAK") else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    match what.as_str() {
        "a long line" => runtime.block_on(a_long_line()),
        "nobody reads" => runtime.block_on(nobody_reads()),
        other => panic!("{other}"),
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    println!("\n{peak}");
}

async fn a_long_line() {
    let (connector, _) = connect("normal");
    let client = connector.max_bytes(LIMIT).await.unwrap();
    let tools = client.toolset();
    let error = call(&tools, "line", "{}").await.outcome.unwrap_err();
    assert!(
        error.to_string().contains("more than 16777216 bytes"),
        "{error}"
    );
    assert_eq!(text(&call(&tools, "echo", "{}").await), "{}");
}

async fn nobody_reads() {
    let (connector, _) = connect("does not read");
    let limit = Duration::from_millis(50);
    let client = connector.idle_timeout(limit).await.unwrap();
    let tools = client.toolset();
    let arguments = format!(r#"{{"text": "{}"}}"#, "x".repeat(256 * 1024));
    for _ in 0..16 {
        let calls = (0..16).map(|_| call(&tools, "echo", &arguments));
        for result in join_all(calls).await {
            assert_eq!(result.outcome.unwrap_err().kind(), ErrorKind::Timeout);
        }
    }
}

/// The most bytes that a process held which did `what`.
fn peak(what: &str) -> usize {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["memory::measured", "--exact", "--nocapture"])
        .env("MCP_PEAK", what)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    let peak = said
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let kibibytes: usize = peak.split_whitespace().next().unwrap().parse().unwrap();
    println!("{what}: at most {} MiB at once", kibibytes / 1024);
    kibibytes * 1024
}

#[test]
fn a_line_of_128_mib_takes_less_than_three_times_the_limit() {
    assert!(peak("a long line") < 3 * LIMIT);
}

/// 256 calls of 256 KiB, of which 64 may wait.
#[test]
fn calls_of_64_mib_that_nobody_reads_are_not_kept() {
    assert!(peak("nobody reads") < 96 * MIB);
}
