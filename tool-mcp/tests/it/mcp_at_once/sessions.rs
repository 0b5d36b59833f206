//! Sessions, and clients without.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::Method;
use serde_json::json;
use tokio::time::timeout;
use toolwright::mcp::{HttpService, ServerLimits};

use super::client::{Client, JSON, LONG};
use super::tools::{FIVE, server};

#[tokio::test]
async fn a_version_without_sessions_has_none() {
    let (server, _) = server();
    let mut client = Client::new(&server.http(), &[("mcp-protocol-version", "2025-11-25")]);
    client.meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2025-11-25",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let waiting = client.clone();
    let waits = tokio::spawn(async move { waiting.call("wait", r#"{"ms": 1000}"#).await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut sessions = Vec::new();
    for _ in 0..3 {
        let heard = client.call("whose", "{}").await;
        let text = &heard.messages.last().unwrap()["result"]["content"][0]["text"];
        sessions.push(text.as_str().unwrap().to_owned());
    }
    sessions.sort();
    sessions.dedup();
    assert_eq!(sessions.len(), 3, "{sessions:?}");
    assert_eq!(waits.await.unwrap().status, 200);
}

/// A server that has room for so many sessions, and how often its tools ran.
fn with_room_for(sessions: usize) -> (HttpService, Arc<AtomicUsize>) {
    let (server, runs) = server();
    let limits = ServerLimits {
        sessions,
        ..ServerLimits::default()
    };
    (server.limits(limits).http(), runs)
}

#[tokio::test]
async fn who_has_no_session_needs_no_room_for_one() {
    let (service, runs) = with_room_for(1);
    let _session = Client::greeted(&service, &json!({})).await;
    let alone = Client::of_2026(&service);
    alone.call("add", FIVE).await.answer(JSON);
    assert_eq!(alone.call("wait", r#"{"ms": 10}"#).await.status, 200);
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn sessions_that_never_called_make_room_for_new_ones() {
    let (service, runs) = with_room_for(4);
    let caller = Client::greeted(&service, &json!({})).await;
    caller.call("add", FIVE).await;
    let waiting = Client::greeted(&service, &json!({})).await;
    let waits = waiting.clone();
    let waits = tokio::spawn(async move { waits.call("wait", r#"{"ms": 1500}"#).await });
    until(|| runs.load(Ordering::SeqCst) == 2).await;
    let mut greeted = Vec::new();
    for _ in 0..50 {
        greeted.push(Client::greeted(&service, &json!({})).await);
    }
    // Of those that never called the newest are left.
    let mut is_there = Vec::new();
    for client in &greeted {
        let heard = client.request("ping", &json!({})).await;
        is_there.push(heard.status == 200);
    }
    let mut newest = vec![false; 48];
    newest.extend([true, true]);
    assert_eq!(is_there, newest);
    assert_eq!(caller.call("add", FIVE).await.status, 200);
    let heard = waits.await.unwrap();
    assert_eq!(
        heard.messages.last().unwrap()["result"]["content"][0]["text"],
        "1500"
    );
}

#[tokio::test]
async fn a_session_whose_call_is_not_answered_makes_no_room_and_one_that_is_idle_does() {
    let (service, runs) = with_room_for(1);
    let first = Client::greeted(&service, &json!({})).await;
    let waits = first.clone();
    let waits = tokio::spawn(async move { waits.call("wait", r#"{"ms": 1500}"#).await });
    until(|| runs.load(Ordering::SeqCst) == 1).await;
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let refused = Client::new(&service, &[])
        .request("initialize", &hello)
        .await;
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert!(
        refused.text.contains("too many sessions"),
        "{}",
        refused.text
    );
    assert_eq!(waits.await.unwrap().status, 200);
    // It has called, and waits for nothing: whoever comes next is not refused.
    let next = Client::greeted(&service, &json!({})).await;
    assert_eq!(next.call("add", FIVE).await.status, 200);
    assert_eq!(first.call("add", FIVE).await.status, 404);
}

async fn until(is_so: impl Fn() -> bool) {
    let so = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, so).await.unwrap();
}

/// The same message in so many bytes.
fn padded(message: &str, bytes: usize) -> String {
    format!("{message}{}", " ".repeat(bytes - message.len()))
}

#[tokio::test]
async fn large_bodies_of_calls_that_take_their_time_do_not_hold_up_others() {
    let (service, runs) = with_room_for(100);
    let alone = Client::of_2026(&service).naming("wait");
    let session = Client::greeted(&service, &json!({})).await;
    let mut calls = tokio::task::JoinSet::new();
    for n in 0..40 {
        let client = if n % 2 == 0 { &alone } else { &session };
        let client = client.clone();
        let id = format!(r#""id":1{n:02}"#);
        let body = client
            .call_body("wait", r#"{"ms": 60000}"#)
            .replace(r#""id":7"#, &id);
        calls.spawn(async move { client.post(padded(&body, 100_000), None).await });
    }
    until(|| runs.load(Ordering::SeqCst) == 40).await;
    for client in [&alone.with("mcp-name", "add"), &session] {
        let body = padded(&client.call_body("add", FIVE), 100_000);
        let heard = timeout(LONG, client.post(body, None)).await.unwrap();
        assert_eq!(heard.status, 200, "{}", heard.text);
    }
}

#[tokio::test]
#[ignore = "takes 300 MiB: tests/outside/mcp_load.sh"]
async fn large_bodies_for_which_there_is_no_room_are_refused_at_once() {
    let (service, runs) = with_room_for(1);
    let client = Client::of_2026(&service).naming("wait");
    let body = client.call_body("wait", r#"{"ms": 60000}"#);
    let body = padded(&body, 16_000_000);
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let (client, body) = (client.clone(), body.clone());
        calls.spawn(async move { client.post(body, None).await });
    }
    until(|| runs.load(Ordering::SeqCst) == 16).await;
    let refused = timeout(LONG, client.post(body.clone(), None))
        .await
        .unwrap();
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert!(refused.text.contains("was not begun"), "{}", refused.text);
    // Small ones need no room; and who goes away makes some.
    let add = client.with("mcp-name", "add");
    assert_eq!(add.call("add", FIVE).await.status, 200);
    calls.shutdown().await;
    let padded = padded(&add.call_body("add", FIVE), 16_000_000);
    assert_eq!(add.post(padded, None).await.status, 200);
}

#[tokio::test]
async fn a_session_is_not_idle_before_its_time() {
    let idle = Duration::from_secs(1);
    let limits = ServerLimits {
        idle,
        answer: idle,
        ..ServerLimits::default()
    };
    let (server, _) = server();
    let client = Client::greeted(&server.limits(limits).http(), &json!({})).await;
    client.call("add", FIVE).await;
    for part in [10, 5, 2] {
        tokio::time::sleep(idle / part).await;
        assert_eq!(client.call("add", FIVE).await.status, 200);
    }
    tokio::time::sleep(idle * 9 / 10).await;
    assert_eq!(client.call("add", FIVE).await.status, 200);
}

#[tokio::test]
async fn a_session_that_is_over_is_not_known_any_more() {
    let (server, runs) = server();
    let service = server.http();
    let client = Client::greeted(&service, &json!({})).await;
    for _ in 0..2 {
        client.call("add", FIVE).await;
    }
    let response = client.send(Method::DELETE, String::new(), None).await;
    assert_eq!(response.status(), 204);
    assert_eq!(client.call("add", FIVE).await.status, 404);
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_session_that_is_over_is_not_known_by_a_call_that_is_left_of_it() {
    let (server, runs) = server();
    let service = server.http();
    let client = Client::greeted(&service, &json!({})).await;
    for _ in 0..2 {
        client.call("add", FIVE).await;
    }
    let left = client.clone();
    let left = tokio::spawn(async move { left.call("wait", r#"{"ms": 1000}"#).await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let response = client.send(Method::DELETE, String::new(), None).await;
    assert_eq!(response.status(), 204);
    for _ in 0..3 {
        assert_eq!(client.call("add", FIVE).await.status, 404);
    }
    assert_eq!(runs.load(Ordering::SeqCst), 3);
    left.await.unwrap();
    assert_eq!(client.call("add", FIVE).await.status, 404);
    assert_eq!(runs.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_session_lives_by_calls_that_are_over_at_once() {
    let limits = ServerLimits {
        idle: Duration::from_millis(400),
        answer: Duration::from_millis(400),
        ..ServerLimits::default()
    };
    let (server, runs) = server();
    let client = Client::greeted(&server.limits(limits).http(), &json!({})).await;
    // Four times as long as it may be idle.
    for _ in 0..32 {
        client.call("add", FIVE).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(runs.load(Ordering::SeqCst), 32);
    tokio::time::sleep(Duration::from_millis(1200)).await;
    assert_eq!(client.call("add", FIVE).await.status, 404);
}
