//! What a server that sends without end costs.

use std::process::Command;

use super::{call, connect, text};

const MIB: usize = 1024 * 1024;
const LIMIT: usize = 16 * MIB;

/// Not a test by itself: what is measured, in a process of its own, whose peak is this call's.
#[test]
fn peak_of_a_long_line() {
    if std::env::var_os("MCP_PEAK").is_none() {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (connector, _) = connect("normal");
        let client = connector.most_bytes(LIMIT).await.unwrap();
        let tools = client.toolset();
        let error = call(&tools, "line", "{}").await.outcome.unwrap_err();
        assert!(
            error.to_string().contains("more than 16777216 bytes"),
            "{error}"
        );
        assert_eq!(text(&call(&tools, "echo", "{}").await), "{}");
    });
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    println!("\n{peak}");
}

#[test]
fn a_line_of_128_mib_takes_less_than_three_times_the_limit() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["memory::peak_of_a_long_line", "--exact", "--nocapture"])
        .env("MCP_PEAK", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    let peak = said
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let kibibytes: usize = peak.split_whitespace().next().unwrap().parse().unwrap();
    println!("at most {} MiB at once", kibibytes / 1024);
    assert!(kibibytes * 1024 < 3 * LIMIT, "{peak}");
}
