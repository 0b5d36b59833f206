//! Sessions, and clients without.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::Method;
use serde_json::json;
use tokio::time::timeout;
use toolwright::mcp::{HttpService, ServerLimits};

use super::client::{Client, Heard, JSON, LONG};
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

/// A request with this id for a call that tells three times how far it is, and a second in between.
fn telling(client: &Client, id: u32) -> String {
    let client = Client {
        meta: json!({"progressToken": id}),
        ..client.clone()
    };
    client
        .call_body("tells", "{}")
        .replace(r#""id":7"#, &format!(r#""id":{id}"#))
}

#[tokio::test]
async fn who_loses_the_connection_reads_on_where_it_broke_off() {
    let (server, _) = server();
    let client = Client::greeted(&server.http(), &json!({})).await;
    let response = client.send(Method::POST, telling(&client, 1), None).await;
    let mut body = response.into_body();
    let told = super::client::until(&mut body, r#""progress":1"#).await;
    drop(body);
    let id_of = |told: &str| {
        let mut ids = told.lines().filter_map(|line| line.strip_prefix("id: "));
        ids.next_back().unwrap().to_owned()
    };
    assert!(
        told.starts_with(&format!("id: {}", id_of(&told).replace("-1", "-0"))),
        "{told}"
    );
    // The call goes on, and what it says is kept.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let back = client.with("last-event-id", &id_of(&told));
    let rest = Heard::of(back.send(Method::GET, String::new(), None).await).await;
    let progress = |message: &serde_json::Value| message["params"]["progress"].as_f64();
    let told: Vec<_> = rest.messages.iter().filter_map(progress).collect();
    assert_eq!(told, [2.0, 3.0], "{}", rest.text);
    let answer = rest.messages.last().unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], "told");
    // As often as somebody asks.
    let again = Heard::of(back.send(Method::GET, String::new(), None).await).await;
    assert_eq!(again.messages, rest.messages);
}

#[tokio::test]
async fn what_nobody_reads_is_kept_up_to_a_limit() {
    let (server, _) = server();
    let client = Client::greeted(&server.http(), &json!({})).await;
    let mut ids = Vec::new();
    for id in 1..=20 {
        let response = client.send(Method::POST, telling(&client, id), None).await;
        let mut body = response.into_body();
        let told = super::client::until(&mut body, "id: ").await;
        ids.push(
            told.lines()
                .next()
                .unwrap()
                .strip_prefix("id: ")
                .unwrap()
                .to_owned(),
        );
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let answers = async |id: &str| {
        let back = client.with("last-event-id", id);
        let response = back.send(Method::GET, String::new(), None).await;
        let mut body = response.into_body();
        let first = timeout(
            Duration::from_millis(100),
            super::client::until(&mut body, "told"),
        );
        first.await.is_ok()
    };
    // The newest, and not the oldest: of it the client hears nothing, as of a new stream.
    assert!(answers(&ids[19]).await);
    assert!(!answers(&ids[0]).await);
}

#[tokio::test]
async fn servers_without_sessions_stand_behind_any_load_balancer() {
    // Each request goes to another server, as by a proxy that takes turns.
    let key = [7; 32];
    let services: Vec<_> = (0..3)
        .map(|_| super::tools::asking().state_key(&key).http())
        .collect();
    let mut turns = services.iter().cycle();
    let mut next = || Client::of_2026(turns.next().unwrap()).naming("pay");
    let ask = async |client: Client, id: u32, more: &serde_json::Value| {
        let mut meta = client.meta.clone();
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
        let mut params = json!({"name": "pay", "arguments": {"cents": 5}, "_meta": meta});
        params
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().cloned().unwrap());
        let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        let heard = client.post(body.to_string(), None).await;
        heard.answer(JSON)["result"].clone()
    };
    let asked = ask(next(), 1, &json!({})).await;
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let key = asked["inputRequests"]
        .as_object()
        .unwrap()
        .keys()
        .next()
        .unwrap();
    let said = json!({
        "requestState": asked["requestState"],
        "inputResponses": {key: {"action": "accept", "content": {"approve": true}}},
    });
    let answer = ask(next(), 2, &said).await;
    assert_eq!(answer["content"][0]["text"], "5", "{answer}");
    let answer = ask(next(), 3, &said).await;
    assert_eq!(answer["content"][0]["text"], "5", "{answer}");
    // A server with a key of its own knows nothing of it.
    let other = Client::of_2026(&super::tools::asking().http()).naming("pay");
    let body = other.call_body("pay", r#"{"cents": 5}"#);
    let mut body: serde_json::Value = serde_json::from_str(&body).unwrap();
    body["params"]["requestState"] = said["requestState"].clone();
    let heard = other.post(body.to_string(), None).await;
    assert_eq!(
        heard.messages.last().unwrap()["error"]["code"],
        -32602,
        "{}",
        heard.text
    );
}

#[tokio::test]
async fn a_client_gets_no_version_that_is_newer_than_its_own() {
    let (server, runs) = server();
    let service = server.http();
    for (asked, version) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2027-01-01", "2025-11-25"),
        ("DRAFT", "2025-11-25"),
    ] {
        let mut client = Client::new(&service, &[]);
        let hello = json!({
            "protocolVersion": asked, "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let hello = client.request("initialize", &hello).await;
        let agreed = &hello.messages[0]["result"]["protocolVersion"];
        assert_eq!(agreed, version, "{asked}");
        client.set("mcp-session-id", &hello.session.unwrap());
        client.call("add", FIVE).await.answer(JSON);
        // Some clients go on naming the version that they asked for.
        let old = client.with("mcp-protocol-version", "2025-03-26");
        old.call("add", FIVE).await.answer(JSON);
        let one = client.call_body("add", FIVE);
        assert_eq!(client.post(format!("[{one}]"), None).await.status, 400);
    }
    assert_eq!(runs.load(Ordering::SeqCst), 14);
}
