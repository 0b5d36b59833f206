//! Sessions that are kept in a store: at several servers, after a server's end, and where the store fails.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use http::Method;
use serde_json::json;
use toolwright::call::{BoxFuture, Grant};
use toolwright::mcp::{HttpService, McpServer, SessionStore, StoredSession};
use toolwright::{Context, tool, tools};

use super::mcp_at_once::client::Client;

/// Says which session it is called in.
#[tool]
fn whose(#[context] cx: &Context) -> String {
    cx.session_id().unwrap_or_default().to_owned()
}

/// A store of JSON texts, which fails where it is told to.
#[derive(Clone, Default)]
struct Store {
    texts: Arc<Mutex<HashMap<String, String>>>,
    /// 1: it says so. 2: it panics.
    fails: Arc<AtomicU8>,
}

impl Store {
    fn with<T>(&self, run: impl FnOnce(&mut HashMap<String, String>) -> T) -> io::Result<T> {
        match self.fails.load(Ordering::SeqCst) {
            0 => Ok(run(&mut self.texts.lock().unwrap())),
            1 => Err(io::Error::other("the secret place of the store is away")),
            _ => panic!("the store's own"),
        }
    }
}

impl SessionStore for Store {
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, io::Result<Option<StoredSession>>> {
        Box::pin(async move {
            let text = self.with(|texts| texts.get(id).cloned())?;
            Ok(text.map(|text| serde_json::from_str(&text)).transpose()?)
        })
    }

    fn save<'a>(
        &'a self,
        id: &'a str,
        session: &'a StoredSession,
    ) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            let text = serde_json::to_string(session)?;
            self.with(|texts| drop(texts.insert(id.to_owned(), text)))
        })
    }

    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move { self.with(|texts| drop(texts.remove(id))) })
    }
}

fn service(store: &Store) -> HttpService {
    McpServer::new(tools![whose])
        .session_store(store.clone())
        .http()
}

/// The same client at another server.
fn at(client: &Client, service: &HttpService) -> Client {
    Client {
        service: service.clone(),
        ..client.clone()
    }
}

async fn says(client: &Client) -> (u16, String) {
    let heard = client.call("whose", "{}").await;
    let text = heard.messages.last().map(|answer| {
        let text = answer["result"]["content"][0]["text"].as_str();
        text.map_or_else(|| answer.to_string(), str::to_owned)
    });
    (heard.status, text.unwrap_or_default())
}

#[tokio::test]
async fn a_session_goes_on_at_another_server_and_after_a_restart() {
    let store = Store::default();
    let (one, two) = (service(&store), service(&store));
    let client = Client::greeted(&one, &json!({"elicitation": {}})).await;
    let (status, session) = says(&client).await;
    assert_eq!(status, 200);
    for _ in 0..2 {
        assert_eq!(says(&at(&client, &two)).await, (200, session.clone()));
        assert_eq!(says(&at(&client, &one)).await, (200, session.clone()));
    }
    drop((one, two));
    let three = service(&store);
    assert_eq!(says(&at(&client, &three)).await, (200, session));
    // A server with another store does not know it.
    let other = service(&Store::default());
    assert_eq!(says(&at(&client, &other)).await.0, 404);
}

#[tokio::test]
async fn a_session_that_is_over_is_over_everywhere() {
    let store = Store::default();
    let (one, two) = (service(&store), service(&store));
    let client = Client::greeted(&one, &json!({})).await;
    let there = at(&client, &two);
    assert_eq!(says(&there).await.0, 200);
    let ended = client.send(Method::DELETE, String::new(), None).await;
    assert_eq!(ended.status(), 204);
    assert_eq!(says(&there).await.0, 404);
    assert_eq!(says(&client).await.0, 404);
    let again = there.send(Method::DELETE, String::new(), None).await;
    assert_eq!(again.status(), 404);
    assert!(store.texts.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_stored_session_is_for_its_owner() {
    let store = Store::default();
    let (one, two) = (service(&store), service(&store));
    let of = |subject: &str| Some(Context::new().with(Grant::new().with_subject(subject)));
    let mut client = Client::new(&one, &[]);
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    });
    let hello = client.post(hello.to_string(), of("ann")).await;
    client.set("mcp-session-id", &hello.session.unwrap());
    let there = at(&client, &two);
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string();
    for (who, status) in [("bob", 404), ("ann", 200), ("bob", 404)] {
        assert_eq!(
            there.post(list.clone(), of(who)).await.status,
            status,
            "{who}"
        );
    }
    assert_eq!(there.post(list, None).await.status, 404);
}

#[tokio::test]
async fn where_the_store_fails_nobody_is_in() {
    let store = Store::default();
    let service = service(&store);
    let client = Client::greeted(&service, &json!({})).await;
    for fails in [1, 2] {
        store.fails.store(fails, Ordering::SeqCst);
        let (status, text) = says(&client).await;
        assert_eq!(status, 503);
        assert!(
            text.contains("the store of sessions failed") && !text.contains("secret"),
            "{text}"
        );
        let ended = client.send(Method::DELETE, String::new(), None).await;
        assert_eq!(ended.status(), 503);
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let hello = Client::new(&service, &[])
            .request("initialize", &hello)
            .await;
        assert_eq!((hello.status, hello.session), (503, None));
    }
    store.fails.store(0, Ordering::SeqCst);
    assert_eq!(says(&client).await.0, 200);
    // What was damaged, or is of a later form, is no session.
    for text in [
        "{}",
        r#"{"form":9,"protocol":"2025-11-25","capabilities":"{}","peer":"x","owner":null}"#,
    ] {
        let id = client.headers["mcp-session-id"]
            .to_str()
            .unwrap()
            .to_owned();
        store.texts.lock().unwrap().insert(id, text.to_owned());
        let other = McpServer::new(tools![whose])
            .session_store(store.clone())
            .http();
        assert_eq!(says(&at(&client, &other)).await.0, 503, "{text}");
    }
}
