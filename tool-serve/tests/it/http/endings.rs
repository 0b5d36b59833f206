//! Clients that go away, and a server that ends.

use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{Served, read, serve, serve_with};
use super::tools::WAITING;

/// These tests count the calls that run.
static ALONE: Mutex<()> = Mutex::new(());

fn until(what: &str, is_so: impl Fn() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < Duration::from_secs(10), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A call of an earlier test may end after its test. Counted as the call of this one, it would stop the server before the request is read.
fn no_call_runs() -> bool {
    WAITING.load(Ordering::SeqCst) == 0
}

fn waiting(served: &Served, headers: &str) -> std::net::TcpStream {
    until("earlier calls have ended", no_call_runs);
    let mut stream = served.connect();
    let headers = format!("Content-Type: application/json\r\n{headers}");
    let request = served.request("wait", br#"{"ms": 20000}"#, &headers);
    stream.write_all(&request).unwrap();
    until("the call runs", || WAITING.load(Ordering::SeqCst) == 1);
    stream
}

#[test]
fn a_client_that_goes_away_cancels_its_call() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let served = serve();
    for headers in ["", "Accept: text/event-stream\r\n"] {
        let stream = waiting(&served, headers);
        drop(stream);
        until("the call ends", || WAITING.load(Ordering::SeqCst) == 0);
    }
    assert_eq!(served.get("/health").status, 200);
}

#[test]
fn calls_in_flight_are_answered_when_the_server_ends() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let served = serve();
    let mut stream = served.connect();
    let request = served.request(
        "wait",
        br#"{"ms": 1000}"#,
        "Content-Type: application/json\r\n",
    );
    stream.write_all(&request).unwrap();
    until("the call runs", || WAITING.load(Ordering::SeqCst) == 1);
    served.stop.cancel();
    let answer = read(stream);
    assert_eq!(
        (answer.status, &answer.json()["value"]),
        (200, &1000.into())
    );
    // Nobody else is taken.
    let refused = || std::net::TcpStream::connect(served.address).is_err();
    until("no connection is taken", refused);
}

#[test]
fn after_the_grace_calls_are_cancelled_and_still_answered() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let served = serve_with(|server| server.grace(Duration::from_millis(100)));
    let stream = waiting(&served, "");
    served.stop.cancel();
    let answer = read(stream);
    assert_eq!(
        (answer.status, answer.kind().as_str()),
        (503, "cancelled"),
        "{answer:?}"
    );
}

#[test]
fn calls_over_mcp_are_cancelled_after_the_grace_and_still_answered() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let served = serve_with(|server| server.grace(Duration::from_millis(100)));
    let params = json!({"name": "wait", "arguments": {"ms": 20000}});
    let request = served.mcp_request("tools/call", params, "MCP-Name: wait\r\n");
    until("earlier calls have ended", no_call_runs);
    let mut stream = served.connect();
    stream.write_all(&request).unwrap();
    until("the call runs", || WAITING.load(Ordering::SeqCst) == 1);
    served.stop.cancel();
    let answer = read(stream);
    assert!(answer.body.contains("the call was cancelled"), "{answer:?}");
    assert!(answer.body.contains(r#""isError":true"#), "{answer:?}");
}

#[test]
fn idle_connections_do_not_keep_calls_from_being_answered() {
    let served = serve();
    let idle: Vec<_> = (0..200).map(|_| served.connect()).collect();
    for _ in 0..50 {
        assert_eq!(served.call("whoami", "{}").status, 200);
    }
    drop(idle);
}
