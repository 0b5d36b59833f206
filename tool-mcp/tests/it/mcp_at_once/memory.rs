//! What is kept of clients that always say something else of themselves.

use std::process::Command;

use serde_json::json;
use toolwright::mcp::ServerLimits;

use super::client::Client;
use super::tools::{FIVE, server};

const SESSIONS: usize = 16;
const CALLS: usize = 4_000;
/// Of each nearly as much as is kept of one at all.
const LARGE: usize = 1_500;

/// Not a test by itself: what is measured, in a process of its own.
#[tokio::test]
async fn measured() {
    if std::env::var_os("MCP_HEADS").is_none() {
        return;
    }
    let limits = ServerLimits {
        sessions: SESSIONS,
        ..ServerLimits::default()
    };
    let service = server().0.limits(limits).http();
    let mut client = Client::of_2026(&service);
    let mut before = 0;
    for number in 0..CALLS + CALLS / 4 {
        if number == CALLS / 4 {
            before = resident();
        }
        let name = format!("{number:0LARGE$}");
        client.meta["io.modelcontextprotocol/clientInfo"] = json!({"name": name, "version": "1"});
        // The second one is known by the first.
        for _ in 0..2 {
            assert_eq!(client.call("add", FIVE).await.status, 200);
        }
    }
    println!("\ngrown by {} bytes", resident().saturating_sub(before));
}

fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    let kibibytes = line.split_whitespace().next().unwrap();
    kibibytes.parse::<usize>().unwrap() * 1024
}

#[test]
fn heads_that_are_always_others_fill_no_memory() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["mcp_at_once::memory::measured", "--exact", "--nocapture"])
        .env("MCP_HEADS", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    let grown = said
        .lines()
        .find_map(|line| line.strip_prefix("grown by "))
        .and_then(|line| line.strip_suffix(" bytes"))
        .unwrap();
    let grown: usize = grown.parse().unwrap();
    println!("{CALLS} heads: {grown} bytes more");
    // All of them would be so much, once.
    assert!(grown < CALLS * LARGE / 2, "{said}");
}
