//! Sessions, and clients without.

use std::sync::atomic::Ordering;
use std::time::Duration;

use http::Method;
use serde_json::json;
use toolwright::serve::mcp::ServerLimits;

use super::client::{Client, JSON};
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

#[tokio::test]
async fn what_is_refused_for_want_of_room_does_not_run() {
    let (server, runs) = server();
    let limits = ServerLimits {
        sessions: 1,
        ..ServerLimits::default()
    };
    let service = server.limits(limits).http();
    let alone = Client::of_2026(&service);
    alone.call("add", FIVE).await.answer(JSON);
    let _session = Client::greeted(&service, &json!({})).await;
    for name in ["add", "wait"] {
        let heard = alone.call(name, r#"{"ms": 10}"#).await;
        assert_eq!(heard.status, 503, "{}", heard.text);
    }
    assert_eq!(runs.load(Ordering::SeqCst), 1);
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
