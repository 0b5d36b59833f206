//! What heads say.

use std::sync::atomic::Ordering;

use serde_json::json;
use toolwright::Context;

use super::client::{Client, JSON};
use super::tools::{FIVE, asking, known};

#[tokio::test]
async fn a_head_that_says_something_else_is_judged_anew() {
    for (client, runs) in known().await {
        let table = [
            ("host", "evil.example.com", 403),
            ("origin", "https://evil.example.com", 403),
            ("accept", "text/event-stream", 406),
            ("accept", "text/html", 406),
            ("content-type", "text/plain", 415),
            ("mcp-protocol-version", "1999-01-01", 400),
        ];
        for (name, value, status) in table {
            let heard = client.with(name, value).call("add", FIVE).await;
            assert_eq!(heard.status, status, "{name}: {}", heard.text);
        }
        let mut twice = client.naming("add");
        twice
            .headers
            .append("origin", "https://evil.example.com".parse().unwrap());
        twice
            .headers
            .append("origin", "http://localhost:80".parse().unwrap());
        let heard = twice.post(client.call_body("add", FIVE), None).await;
        assert_eq!(heard.status, 403, "{}", heard.text);
        assert_eq!(runs.load(Ordering::SeqCst), 0);
        // What lets it through is known from then on too.
        let page = client.with("origin", "http://localhost:80");
        page.call("add", FIVE).await;
        page.call("add", FIVE).await.answer(JSON);
        assert_eq!(runs.load(Ordering::SeqCst), 2);
    }
}

#[tokio::test]
async fn the_head_of_2026_names_the_tool_and_what_its_headers_say() {
    let [_, (client, runs)] = known().await;
    for name in ["wait", "ADD", "=?base64?YWRk?="] {
        let other = client.with("mcp-name", name);
        let heard = other.post(client.call_body("add", FIVE), None).await;
        let is_add = name.ends_with("?=");
        assert_eq!(
            heard.status,
            if is_add { 200 } else { 400 },
            "{name}: {}",
            heard.text
        );
    }
    let heard = client.post(client.call_body("add", FIVE), None).await;
    assert_eq!(heard.status, 400, "without a name: {}", heard.text);
    let heard = client
        .with("mcp-method", "tools/list")
        .call("add", FIVE)
        .await;
    assert_eq!(heard.status, 400, "{}", heard.text);
    assert_eq!(runs.load(Ordering::SeqCst), 1);

    let region = client.naming("region");
    let body = client.call_body("region", r#"{"region": "eu"}"#);
    for (value, status) in [("eu", 200), ("us", 400), ("eu", 200)] {
        let heard = region
            .with("mcp-param-region", value)
            .post(body.clone(), None)
            .await;
        assert_eq!(heard.status, status, "{}", heard.text);
    }
    let heard = region.post(body, None).await;
    assert_eq!(heard.status, 400, "without the header: {}", heard.text);
    // What a client says of itself counts for its own request.
    let mut hurt = client.clone();
    hurt.meta
        .as_object_mut()
        .unwrap()
        .remove("io.modelcontextprotocol/clientCapabilities");
    assert_eq!(hurt.call("add", FIVE).await.status, 400);
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_the_protocols_error() {
    for (client, _) in known().await {
        let heard = client.call("ad", FIVE).await;
        let error = &heard.messages.last().expect(&heard.text)["error"];
        assert_eq!(error["code"], -32602, "{}", heard.text);
        assert_eq!(error["message"], "unknown tool `ad`; did you mean `add`?");
    }
}

#[tokio::test]
async fn what_a_tool_needs_of_its_client_is_asked_each_time() {
    for (client, _) in known().await {
        for _ in 0..2 {
            let heard = client.call("needy", "{}").await;
            let error = &heard.messages.last().expect(&heard.text)["error"];
            let needs = &error["data"]["requiredCapabilities"];
            assert_eq!(needs, &json!({"sampling": {}}), "{}", heard.text);
            // Of a tool that is hidden nothing is told.
            let heard = client.call("secret", "{}").await;
            let error = &heard.messages.last().expect(&heard.text)["error"];
            assert_eq!(
                *error,
                json!({"code": -32602, "message": "unknown tool `secret`"})
            );
        }
    }
}

#[tokio::test]
async fn whose_call_it_is_is_asked_each_time() {
    let of = |agent: &str| Some(Context::new().with_agent(agent));
    for (client, _) in known().await {
        let client = client.naming("whose");
        let mut sessions = Vec::new();
        for agent in ["ann", "bob"] {
            let heard = client
                .post(client.call_body("whose", "{}"), of(agent))
                .await;
            let text = heard.answer(JSON)["result"]["content"][0]["text"]
                .as_str()
                .unwrap()
                .to_owned();
            let (who, session) = text.split_once(" in ").unwrap();
            assert_eq!(who, agent);
            sessions.push(session.to_owned());
        }
        // A client without a session has another one each time.
        assert_eq!(
            sessions[0] == sessions[1],
            client.meta.is_null(),
            "{sessions:?}"
        );
        // What a request's context says goes over the session's own.
        let theirs = Context::new().with_agent("ann").with_session("theirs");
        let heard = client
            .post(client.call_body("whose", "{}"), Some(theirs))
            .await;
        assert_eq!(
            heard.answer(JSON)["result"]["content"][0]["text"],
            "ann in theirs"
        );
        let hidden = Context::new().with_input("hide it");
        let heard = client
            .post(client.call_body("whose", "{}"), Some(hidden))
            .await;
        assert_eq!(
            heard.messages.last().unwrap()["error"]["code"],
            -32602,
            "{}",
            heard.text
        );
    }
}

/// curl, gateways, and clients that were written by hand.
#[tokio::test]
async fn a_client_that_takes_no_events_is_answered_in_json() {
    for accept in [
        Some("application/json"),
        None,
        Some("application/json, text/event-stream;q=0"),
    ] {
        for (client, runs) in known().await {
            let mut client = client;
            match accept {
                Some(accept) => client.set("accept", accept),
                None => drop(client.headers.remove("accept")),
            }
            let heard = client.call("add", FIVE).await;
            assert_eq!(heard.answer(JSON)["result"]["content"][0]["text"], "5");
            // It waits for an answer that takes its time, and hears no progress.
            let heard = client.call("wait", r#"{"ms": 50}"#).await;
            assert_eq!(heard.answer(JSON)["result"]["content"][0]["text"], "50");
            let heard = client.call("tells", "{}").await;
            assert_eq!(heard.answer(JSON)["result"]["content"][0]["text"], "told");
            assert_eq!(runs.load(Ordering::SeqCst), 2);
        }
    }
}

#[tokio::test]
async fn a_call_that_asks_a_client_without_events_is_refused_before_it_runs() {
    let can_ask = json!({"elicitation": {}});
    let mut client = Client::greeted(&asking().http(), &can_ask).await;
    client.set("accept", JSON);
    let heard = client.call("pay", r#"{"cents": 5}"#).await;
    assert_eq!(
        (heard.status, &heard.messages[0]["error"]["code"]),
        (406, &json!(-32000)),
        "{}",
        heard.text
    );
    // Nobody could be asked in any way.
    let mut client = Client::greeted(&asking().http(), &json!({})).await;
    client.set("accept", JSON);
    let heard = client.call("pay", r#"{"cents": 5}"#).await;
    assert_eq!(
        (heard.status, &heard.messages[0]["result"]["isError"]),
        (200, &json!(true)),
        "{}",
        heard.text
    );
    // The question is the answer, and a subscription has no other.
    let mut client = Client::of_2026(&asking().http());
    client.set("accept", JSON);
    let heard = client.call("pay", r#"{"cents": 5}"#).await;
    assert_ne!(heard.status, 406, "{}", heard.text);
    let wants = json!({"notifications": {"toolsListChanged": true}, "_meta": client.meta});
    client.set("mcp-method", "subscriptions/listen");
    let heard = client.request("subscriptions/listen", &wants).await;
    assert_eq!(heard.status, 406, "{}", heard.text);
}
