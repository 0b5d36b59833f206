//! What calls come to.

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::stream;
use http::Method;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::time::timeout;
use toolwright::call::{Items, Progress};
use toolwright::mcp::McpServer;
use toolwright::{Context, DynTool, ToolError, tool, tools};

use super::client::{Client, Heard, JSON, LONG, STREAM, until};
use super::tools::{FIVE, known};

/// Computes, and waits.
#[tool]
async fn heavy() -> u8 {
    std::thread::sleep(Duration::from_millis(600));
    tokio::time::sleep(LONG).await;
    1
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_still_computes_can_be_cancelled() {
    let service = McpServer::new(tools![heavy]).http();
    let client = Client::greeted(&service, &json!({})).await;
    for _ in 0..2 {
        let calling = client.clone();
        let call = tokio::spawn(async move { calling.call("heavy", "{}").await });
        tokio::time::sleep(Duration::from_millis(200)).await;
        let gone =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
        assert_eq!(client.post(gone.into(), None).await.status, 202);
        // What it would come to, nobody waits for.
        let heard = timeout(LONG / 2, call).await.unwrap().unwrap();
        assert!(!heard.text.contains(r#""text":"1""#), "{}", heard.text);
    }
}

/// Tells a lot.
#[tool]
fn chatty(#[context] cx: &Context) -> u8 {
    for done in 0..60 {
        cx.progress(Progress::new(f64::from(done)));
    }
    1
}

/// Runs alone.
#[tool(exclusive)]
async fn lonely() -> u8 {
    tokio::time::sleep(Duration::from_millis(20)).await;
    1
}

/// Says what is asked.
#[tool]
fn echo(what: String) -> String {
    what
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_read_holds_up_nobody_else() {
    let service = McpServer::new(tools![chatty, lonely, echo]).http();
    let other = Client::greeted(&service, &json!({})).await;
    let client = Client::greeted(&service, &json!({})).await;
    let asking = |token: u8| {
        let meta = json!({"progressToken": token});
        Client {
            meta,
            ..client.clone()
        }
    };
    asking(1).call("echo", r#"{"what": "it"}"#).await;
    // Its answer is not read, until there is no room in the session for more.
    let chatty = asking(2).call_body("chatty", "{}");
    let unread = client.send(Method::POST, chatty, None).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let calling = asking(3);
    let stuck = tokio::spawn(async move { calling.call("lonely", "{}").await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let heard = timeout(LONG, other.call("echo", r#"{"what": "it"}"#))
        .await
        .unwrap();
    assert_eq!(heard.answer(JSON)["result"]["content"][0]["text"], "it");
    stuck.abort();
    drop(unread);
}

#[tokio::test]
async fn what_is_over_at_once_is_answered_at_once() {
    for (client, runs) in known().await {
        for number in 1..=3 {
            let heard = client.call("add", FIVE).await;
            let answer = heard.answer(JSON);
            assert_eq!(
                (&answer["jsonrpc"], &answer["id"]),
                (&json!("2.0"), &json!(7))
            );
            assert_eq!(answer["result"]["content"][0]["text"], "5");
            assert_eq!(runs.load(Ordering::SeqCst), number);
        }
        let heard = client.call("boom", "{}").await;
        assert_eq!(heard.answer(JSON)["result"]["isError"], true);
        let heard = client.call("add", r#"{"a": 1, "a": 1, "b": 2}"#).await;
        let text = heard.answer(JSON)["result"]["content"][0]["text"].to_string();
        assert!(text.contains("a: given more than once"), "{text}");
        // An id is given back as it came, and has to be one.
        let body = client.call_body("add", FIVE);
        let named = client.naming("add");
        let heard = named
            .post(body.replace(r#""id":7"#, r#""id":"\u0041\"b""#), None)
            .await;
        assert_eq!(heard.answer(JSON)["id"], "A\"b");
        let heard = named
            .post(body.replace(r#""id":7"#, r#""id":[7]"#), None)
            .await;
        assert_eq!(heard.status, 400, "{}", heard.text);
    }
}

#[tokio::test]
async fn what_waits_or_asks_goes_on_and_runs_once() {
    let [(session, runs), (alone, others)] = known().await;
    let heard = session.call("wait", r#"{"ms": 30}"#).await;
    assert_eq!(heard.answer(STREAM)["result"]["content"][0]["text"], "30");
    let heard = alone.call("wait", r#"{"ms": 30}"#).await;
    assert_eq!(heard.answer(JSON)["result"]["content"][0]["text"], "30");
    assert_eq!(
        (runs.load(Ordering::SeqCst), others.load(Ordering::SeqCst)),
        (1, 1)
    );

    // In a session the client is asked on the request's own stream.
    let asking = session
        .send(Method::POST, session.call_body("ask", "{}"), None)
        .await;
    let mut body = asking.into_body();
    let told = until(&mut body, "elicitation/create").await;
    let asked = told
        .lines()
        .find_map(|line| line.strip_prefix("data: {"))
        .unwrap();
    let asked: Value = serde_json::from_str(&format!("{{{asked}")).unwrap();
    let says = json!({"action": "accept", "content": {"answer": "this"}});
    let said = json!({"jsonrpc": "2.0", "id": asked["id"], "result": says});
    assert_eq!(session.post(said.to_string(), None).await.status, 202);
    let rest = timeout(LONG, body.collect())
        .await
        .unwrap()
        .unwrap()
        .to_bytes();
    assert!(
        String::from_utf8_lossy(&rest).contains(r#""text":"this""#),
        "{rest:?}"
    );
    assert_eq!(runs.load(Ordering::SeqCst), 2);

    let heard = alone.call("ask", "{}").await;
    // Who cannot ask reads what is asked.
    let text = &heard.answer(JSON)["result"]["content"][0]["text"];
    assert!(text.as_str().unwrap().contains("Which one?"), "{text}");
    assert_eq!(others.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_call_that_waits_is_cancelled_as_any_other() {
    let [(session, _), (alone, _)] = known().await;
    let body = session.call_body("wait", r#"{"ms": 20000}"#);
    let waiting = session.send(Method::POST, body, None).await;
    let gone = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    assert_eq!(session.post(gone.into(), None).await.status, 202);
    // The stream ends; nobody hears of the call.
    let rest = timeout(LONG, waiting.into_body().collect())
        .await
        .unwrap()
        .unwrap()
        .to_bytes();
    assert!(
        !String::from_utf8_lossy(&rest).contains("result"),
        "{rest:?}"
    );
    // A client without a session goes away.
    let waiting = alone.call("wait", r#"{"ms": 20000}"#);
    assert!(timeout(Duration::from_millis(50), waiting).await.is_err());
    let heard = alone.call("add", FIVE).await;
    assert_eq!(heard.answer(JSON)["result"]["content"][0]["text"], "5");
}

#[tokio::test]
async fn no_call_takes_the_answer_of_another_with_its_id() {
    let [(session, runs), _] = known().await;
    let slow = session.call_body("wait", r#"{"ms": 300}"#);
    let waiting = session.send(Method::POST, slow.clone(), None).await;
    for _ in 0..2 {
        let again = session.post(slow.clone(), None).await;
        assert_eq!(again.status, 400);
        assert!(again.text.contains("is not answered yet"), "{}", again.text);
    }
    // Nor does one in the midst of being refused hold the id.
    let wrong = session.with("mcp-protocol-version", "1999-01-01");
    let other = slow.replace(r#""id":7"#, r#""id":8"#);
    assert_eq!(wrong.post(other.clone(), None).await.status, 400);
    let other = session.post(other, None).await;
    assert_eq!(other.messages.last().unwrap()["id"], 8, "{}", other.text);
    let first = Heard::of(waiting).await;
    assert_eq!(first.messages.last().unwrap()["id"], 7, "{}", first.text);
    let later = session.post(slow, None).await;
    assert_eq!(later.messages.last().unwrap()["id"], 7, "{}", later.text);
    assert_eq!(runs.load(Ordering::SeqCst), 3);
}

/// Reads a book.
#[tool]
fn pages() -> Items<Value> {
    let pages = [json!("page one"), json!({"page": 2}), json!("the end")];
    Items::new(stream::iter(pages))
}

#[tokio::test]
async fn who_asks_to_hear_of_a_call_hears_of_it() {
    let report = DynTool::builder()
        .name("report")
        .description("Tells how far it is.")
        .handler_sync(|_: Value, cx: Context| {
            cx.progress(toolwright::call::Progress::new(1.0).with_message("half"));
            Ok::<_, ToolError>("done")
        })
        .build()
        .unwrap();
    let silent = DynTool::builder()
        .name("silent")
        .description("Tells nothing.")
        .handler_sync(|_: Value, _| Ok::<_, ToolError>("done"))
        .build()
        .unwrap();
    let service = McpServer::new(tools![pages].with(report).with(silent)).http();
    let client = Client::greeted(&service, &json!({})).await;
    client.call("report", "{}").await.answer(JSON);
    let mut asking = client.clone();
    for token in [json!("t"), json!(1), json!(2), json!(-3), json!(4.5)] {
        asking.meta = json!({"progressToken": token});
        let heard = asking.call("report", "{}").await;
        let [.., told, answer] = &*heard.messages else {
            // A token is a string or an integer.
            assert!(token == json!(4.5), "{}", heard.text);
            continue;
        };
        assert_eq!(told["params"]["progressToken"], token, "{}", heard.text);
        assert_eq!(answer["result"]["content"][0]["text"], "done");
    }
    // A part of a result is the message.
    asking.meta = json!({"progressToken": 7});
    let heard = asking.call("pages", "{}").await;
    let [one, two, answer] = &*heard.messages else {
        panic!("{}", heard.text);
    };
    assert_eq!(one["params"]["message"], "page one");
    assert_eq!(two["params"]["message"], r#"{"page":2}"#);
    assert_eq!(answer["result"]["content"][0]["text"], "the end");
    // Who is told nothing needs no stream.
    asking.meta = json!({"progressToken": 5});
    asking.call("silent", "{}").await;
    asking.meta = json!({"progressToken": 6});
    asking.call("silent", "{}").await.answer(JSON);
    client
        .request("logging/setLevel", &json!({"level": "debug"}))
        .await;
    // What a call logs belongs to it, and is read before its answer.
    let heard = client.call("report", "{}").await;
    heard.answer(STREAM);
    let [log, _] = &*heard.messages else {
        panic!("{}", heard.text);
    };
    assert_eq!(log["method"], "notifications/message");
    assert_eq!(log["params"]["data"], "half");
    client
        .request("logging/setLevel", &json!({"level": "error"}))
        .await;
    client.call("report", "{}").await.answer(JSON);
}
