//! Access tokens, and the scopes that they have: a server over HTTP, and an authorization server that is imitated.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{Method, Response};
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::{Instant, timeout};
use toolwright::call::Grant;
use toolwright::mcp::{Authorization, HttpBody, HttpService, McpServer, TokenError};
use toolwright::{Context, Registry, Toolset, prompt, resource, tool, tools};

use super::mcp_at_once::client::{Client, Heard, LONG};

const RESOURCE: &str = "https://shop.example.com/mcp";
const METADATA: &str = "https://shop.example.com/.well-known/oauth-protected-resource/mcp";

/// Two keys that exist for this test alone.
const KEYS: [&str; 2] = [
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6l36+caIzojdv9yWYn+zkHbLi8ylvEZO7h4G+TU/mlWhRANCAASK6+1V9HqFd27HfcIMFedxcyvL2sYb4GlZxV/b+ScajxyIWpv+l0W4owEqho1PuTZu5VQ2NPJ8/0gklcXc2lMn",
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVYPGA9D00XPXwqkH5XRsudLWlCpJzvARz/EZnVPKlAuhRANCAASBASvi/JNK6uWQ3MPju7Y7kBKalpLP3GWdT69CmmwW1FSAetGdtMNcqWSlkNrrhCYzxXqbpEL+4F+ypSXlQEh1",
];

/// Lists orders.
#[tool(read_only)]
fn orders() -> u32 {
    3
}

/// Cancels an order.
#[tool(scopes("orders:write", "orders:read"))]
fn cancel_order(id: u32, #[context] cx: &Context) -> String {
    let by = cx.get::<Grant>().and_then(Grant::subject);
    format!("{id} by {}", by.unwrap_or("nobody"))
}

/// Renders a report.
#[tool(background)]
fn report() -> u8 {
    7
}

/// Is for nobody.
#[tool(scopes("orders:write"), visible = never)]
fn hidden() {}

fn never(_: &toolwright::call::Scope<'_>) -> bool {
    false
}

/// Reviews orders.
#[prompt(scopes("reports"))]
fn review() -> &'static str {
    "Review the orders."
}

/// An order.
#[resource("orders://{id}", scopes("orders:read"))]
fn order(id: &str) -> String {
    id.to_owned()
}

fn server() -> McpServer {
    let set: Toolset = tools![orders, cancel_order, report, hidden];
    McpServer::new(set)
        .name("shop")
        .prompts(tools![review])
        .resources(tools![order])
}

fn key(number: usize) -> EncodingKey {
    EncodingKey::from_ec_der(&STANDARD.decode(KEYS[number]).unwrap())
}

/// The public half of a key, as an issuer lists it.
fn public(number: usize) -> Value {
    let mut jwk = Jwk::from_encoding_key(&key(number), Algorithm::ES256).unwrap();
    jwk.common.key_id = Some(format!("key-{number}"));
    serde_json::to_value(jwk).unwrap()
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap().as_secs()
}

/// An authorization server: what it answers to each path, and how often it was asked.
#[derive(Clone)]
struct Issuer {
    url: String,
    answers: Arc<Mutex<HashMap<String, Value>>>,
    asked: Arc<AtomicUsize>,
}

impl Issuer {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let issuer = Self {
            url: url.clone(),
            answers: Arc::default(),
            asked: Arc::default(),
        };
        issuer.answers(
            "/.well-known/oauth-authorization-server",
            json!({"issuer": url, "jwks_uri": format!("{url}/keys")}),
        );
        issuer.answers("/keys", json!({"keys": [public(0)]}));
        let it = issuer.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let it = it.clone();
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        head.push(stream.read_u8().await?);
                    }
                    it.asked.fetch_add(1, Ordering::SeqCst);
                    let head = String::from_utf8_lossy(&head).into_owned();
                    let path = head.split(' ').nth(1).unwrap_or_default();
                    let body = it.answers.lock().unwrap().get(path).map(Value::to_string);
                    let status = if body.is_some() {
                        "200 OK"
                    } else {
                        "404 Not Found"
                    };
                    let body = body.unwrap_or_default();
                    let answer = format!(
                        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                        body.len()
                    );
                    stream.write_all(answer.as_bytes()).await
                });
            }
        });
        issuer
    }

    fn answers(&self, path: &str, body: Value) {
        self.answers.lock().unwrap().insert(path.to_owned(), body);
    }

    /// How often it was asked until now.
    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// Claims of a good token.
    fn claims(&self, scope: &str) -> Value {
        json!({
            "iss": self.url, "aud": RESOURCE, "sub": "ann", "client_id": "app",
            "exp": now() + 600, "scope": scope,
        })
    }

    /// A token that the first key signed.
    fn token(&self, scope: &str) -> String {
        signed(0, &self.claims(scope))
    }

    fn authorization(&self) -> Authorization {
        Authorization::new(RESOURCE, &self.url).unwrap()
    }

    fn service(&self) -> HttpService {
        server().http().authorization(self.authorization())
    }
}

fn signed(number: usize, claims: &Value) -> String {
    let mut header = Header::new(Algorithm::ES256);
    header.kid = Some(format!("key-{number}"));
    encode(&header, claims, &key(number)).unwrap()
}

/// A client of 2026-07-28 with a token.
fn client(service: &HttpService, token: &str) -> Client {
    let client = Client::of_2026(service).with("host", "shop.example.com");
    client.with("authorization", &format!("Bearer {token}"))
}

async fn asks(
    client: &Client,
    method: &'static str,
    name: &str,
    params: &Value,
) -> Response<HttpBody> {
    let mut params = params.clone();
    params["_meta"] = client.meta.clone();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let mut client = client.with("mcp-method", method);
    if !name.is_empty() {
        client = client.with("mcp-name", name);
    }
    client.send(Method::POST, body.to_string(), None).await
}

async fn cancels(client: &Client) -> Response<HttpBody> {
    let params = json!({"name": "cancel_order", "arguments": {"id": 7}});
    asks(client, "tools/call", "cancel_order", &params).await
}

fn challenge<B>(response: &Response<B>) -> String {
    let value = response.headers().get("www-authenticate");
    value.map_or("", |value| value.to_str().unwrap()).to_owned()
}

/// The names in a list.
async fn listed(client: &Client, method: &'static str, list: &str) -> Vec<String> {
    let heard = Heard::of(asks(client, method, "", &json!({})).await).await;
    let list = heard.messages[0]["result"][list]
        .as_array()
        .expect(&heard.text);
    list.iter()
        .map(|one| one["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_token_of_the_issuer_for_this_server_is_let_in_and_no_other() {
    let issuer = Issuer::start().await;
    let service = issuer.service();
    let good = issuer.claims("orders:read orders:write");
    let response = cancels(&client(&service, &signed(0, &good))).await;
    let heard = Heard::of(response).await;
    assert_eq!(
        heard.messages[0]["result"]["content"][0]["text"], "7 by ann",
        "{}",
        heard.text
    );

    let changed = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        signed(0, &claims)
    };
    let without = |name: &str| {
        let mut claims = good.clone();
        claims.as_object_mut().unwrap().remove(name);
        signed(0, &claims)
    };
    let of = |header: &Header, key: &EncodingKey| encode(header, &good, key).unwrap();
    let mut by_secret = Header::new(Algorithm::HS256);
    by_secret.kid = Some("key-0".to_owned());
    let mut of_other = Header::new(Algorithm::ES256);
    of_other.kid = Some("key-0".to_owned());
    let unsigned = {
        let token = signed(0, &good);
        let (_, rest) = token.split_once('.').unwrap();
        let (claims, _) = rest.split_once('.').unwrap();
        // {"alg":"none"}
        format!("eyJhbGciOiJub25lIn0.{claims}.")
    };
    let tampered = {
        let token = signed(0, &good);
        let (head_of, rest) = token.split_once('.').unwrap();
        let (_, signature) = rest.split_once('.').unwrap();
        let (_, other) = issuer
            .token("admin")
            .split_once('.')
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        let (claims, _) = other.split_once('.').unwrap();
        format!("{head_of}.{claims}.{signature}")
    };
    for (token, why) in [
        (
            changed("aud", json!("https://other.example.com/mcp")),
            "the token is for another audience",
        ),
        (
            changed("aud", json!(["https://other.example.com/mcp"])),
            "the token is for another audience",
        ),
        (
            changed("iss", json!("https://other.example.com")),
            "the token is of another issuer",
        ),
        (changed("exp", json!(now() - 60)), "the token has expired"),
        (
            changed("nbf", json!(now() + 60)),
            "the token is not valid yet",
        ),
        (without("aud"), "the token lacks `exp`, `iss` or `aud`"),
        (without("iss"), "the token lacks `exp`, `iss` or `aud`"),
        (without("exp"), "the token lacks `exp`, `iss` or `aud`"),
        (
            of(&by_secret, &EncodingKey::from_secret(KEYS[0].as_bytes())),
            "the token is not signed by a public key's owner",
        ),
        (of(&of_other, &key(1)), "the token's signature is wrong"),
        (unsigned, "the token is not a JWT"),
        (tampered, "the token's signature is wrong"),
        ("opaque".to_owned(), "the token is not a JWT"),
        ("x".repeat(20_000), "the token is too long"),
    ] {
        let response = cancels(&client(&service, &token)).await;
        let said = challenge(&response);
        let heard = Heard::of(response).await;
        assert_eq!(heard.status, 401, "{why}: {}", heard.text);
        assert_eq!(heard.messages[0]["error"]["message"], why);
        let why = why.replace('"', "");
        assert_eq!(
            said,
            format!(
                "Bearer resource_metadata=\"{METADATA}\", error=\"invalid_token\", error_description=\"{why}\""
            )
        );
    }

    // An audience among others is one.
    let both = changed("aud", json!(["https://other.example.com/mcp", RESOURCE]));
    assert_eq!(cancels(&client(&service, &both)).await.status(), 200);
    // Within the leeway.
    assert_eq!(
        cancels(&client(&service, &changed("exp", json!(now() - 10))))
            .await
            .status(),
        200
    );
}

#[tokio::test]
async fn the_issuer_of_a_token_is_one_text_but_for_a_slash() {
    let issuer = Issuer::start().await;
    let service = issuer.service();
    let changed = |name: &str, value: Value| {
        let mut claims = issuer.claims("orders:read orders:write");
        claims[name] = value;
        signed(0, &claims)
    };
    for (iss, why) in [
        (json!([issuer.url]), "the token's `iss` is not a string"),
        (
            json!([issuer.url, "https://other.example.com"]),
            "the token's `iss` is not a string",
        ),
        (
            json!(format!("{}//", issuer.url)),
            "the token is of another issuer",
        ),
        (
            json!(format!("{}/x/", issuer.url)),
            "the token is of another issuer",
        ),
        (
            json!(issuer.url.to_uppercase()),
            "the token is of another issuer",
        ),
    ] {
        let response = cancels(&client(&service, &changed("iss", iss))).await;
        assert_eq!(
            Heard::of(response).await.messages[0]["error"]["message"],
            why
        );
    }
    // The same issuer with a slash behind its origin.
    let slash = changed("iss", json!(format!("{}/", issuer.url)));
    assert_eq!(cancels(&client(&service, &slash)).await.status(), 200);
}

#[tokio::test]
async fn without_a_token_a_client_is_told_where_to_get_one() {
    let issuer = Issuer::start().await;
    let service = issuer.service();
    let nobody = Client::of_2026(&service).with("host", "shop.example.com");
    for (client, method) in [
        (nobody.clone(), Method::POST),
        (nobody.clone(), Method::GET),
        (nobody.clone(), Method::DELETE),
        (nobody.with("authorization", "Basic YTpi"), Method::POST),
        (nobody.with("authorization", "Bearer"), Method::POST),
    ] {
        let response = client.send(method, "{}".to_owned(), None).await;
        assert_eq!(response.status(), 401);
        assert_eq!(
            challenge(&response),
            format!("Bearer resource_metadata=\"{METADATA}\"")
        );
    }
    assert_eq!(
        issuer.asked(),
        0,
        "of what is not a token the issuer is not asked"
    );

    let request = http::Request::get("/.well-known/oauth-protected-resource/mcp")
        .header("host", "shop.example.com")
        .body(String::new())
        .unwrap();
    let response = tower_service::Service::call(&mut service.clone(), request)
        .await
        .unwrap();
    assert_eq!(response.headers()["access-control-allow-origin"], "*");
    let heard = Heard::of(response).await;
    assert_eq!(
        heard.messages[0],
        json!({
            "resource": RESOURCE,
            "authorization_servers": [issuer.url],
            // Not those of what nobody sees.
            "scopes_supported": ["orders:read", "orders:write", "reports"],
            "bearer_methods_supported": ["header"],
            "resource_name": "shop",
        })
    );
}

#[tokio::test]
async fn who_lacks_a_scope_does_not_see_the_tool_and_is_told_what_to_ask_for() {
    let issuer = Issuer::start().await;
    let service = issuer.service();
    let reader = client(&service, &issuer.token("orders:read"));
    assert_eq!(
        listed(&reader, "tools/list", "tools").await,
        ["orders", "report"]
    );
    assert_eq!(listed(&reader, "prompts/list", "prompts").await, [""; 0]);
    assert_eq!(
        listed(&reader, "resources/templates/list", "resourceTemplates").await,
        ["order"]
    );
    let response = cancels(&reader).await;
    assert_eq!(
        challenge(&response),
        format!(
            "Bearer error=\"insufficient_scope\", scope=\"orders:write orders:read\", resource_metadata=\"{METADATA}\""
        )
    );
    let heard = Heard::of(response).await;
    assert_eq!(heard.status, 403);
    assert_eq!(heard.messages[0]["id"], 1);
    assert_eq!(
        heard.messages[0]["error"]["data"]["scopes"],
        json!(["orders:write", "orders:read"])
    );

    // A prompt and a resource alike.
    let nobody = client(&service, &issuer.token(""));
    let review = asks(&nobody, "prompts/get", "review", &json!({"name": "review"})).await;
    assert_eq!(
        (
            review.status().as_u16(),
            challenge(&review).contains("scope=\"reports\"")
        ),
        (403, true)
    );
    let order = asks(
        &nobody,
        "resources/read",
        "orders://7",
        &json!({"uri": "orders://7"}),
    )
    .await;
    assert_eq!(
        (
            order.status().as_u16(),
            challenge(&order).contains("scope=\"orders:read\"")
        ),
        (403, true)
    );
    let order = asks(
        &reader,
        "resources/read",
        "orders://7",
        &json!({"uri": "orders://7"}),
    )
    .await;
    assert_eq!(order.status(), 200);

    // Of what nobody sees nothing is told.
    let hidden = asks(
        &nobody,
        "tools/call",
        "hidden",
        &json!({"name": "hidden", "arguments": {}}),
    )
    .await;
    assert_eq!(
        (hidden.status().as_u16(), challenge(&hidden)),
        (200, String::new())
    );
    let hidden = Heard::of(hidden).await;
    assert_eq!(
        hidden.messages[0]["error"]["message"],
        "unknown tool `hidden`"
    );

    // With the scope there it is.
    let writer = client(&service, &issuer.token("orders:write orders:read"));
    assert_eq!(
        listed(&writer, "tools/list", "tools").await,
        ["orders", "cancel_order", "report"]
    );
    assert_eq!(cancels(&writer).await.status(), 200);
}

#[tokio::test]
async fn scopes_are_needed_of_all_and_a_broad_one_has_the_narrow_ones() {
    let issuer = Issuer::start().await;
    let authorization = issuer
        .authorization()
        .required_scopes(["mcp"])
        .implies("admin", ["orders:read", "orders:write"]);
    let service = server().http().authorization(authorization);
    let response = cancels(&client(&service, &issuer.token("orders:write"))).await;
    assert_eq!(response.status(), 403);
    assert!(challenge(&response).starts_with("Bearer error=\"insufficient_scope\", scope=\"mcp\""));
    assert_eq!(
        cancels(&client(&service, &issuer.token("mcp")))
            .await
            .status(),
        403
    );
    assert_eq!(
        cancels(&client(&service, &issuer.token("mcp admin")))
            .await
            .status(),
        200
    );
    let nobody = Client::of_2026(&service).with("host", "shop.example.com");
    let response = nobody.send(Method::POST, "{}".to_owned(), None).await;
    assert_eq!(
        challenge(&response),
        format!("Bearer resource_metadata=\"{METADATA}\", scope=\"mcp\"")
    );
    // Lists of other issuers.
    for scopes in [
        json!({"scp": ["mcp", "admin"]}),
        json!({"scp": "mcp admin"}),
        json!({"scope": ["mcp", "admin"]}),
    ] {
        let mut claims = issuer.claims("");
        claims.as_object_mut().unwrap().remove("scope");
        claims
            .as_object_mut()
            .unwrap()
            .extend(scopes.as_object().unwrap().clone());
        assert_eq!(
            cancels(&client(&service, &signed(0, &claims)))
                .await
                .status(),
            200,
            "{scopes}"
        );
    }
}

#[tokio::test]
async fn keys_are_kept_and_new_ones_are_found() {
    let issuer = Issuer::start().await;
    let service = issuer.service();
    let scopes = "orders:read orders:write";
    for _ in 0..10 {
        assert_eq!(
            cancels(&client(&service, &issuer.token(scopes)))
                .await
                .status(),
            200
        );
    }
    assert_eq!(issuer.asked(), 2, "its metadata, and its keys");
    // It signs with another key from now on.
    issuer.answers("/keys", json!({"keys": [{"kty": "unheard of"}, public(1)]}));
    let token = signed(1, &issuer.claims(scopes));
    let new = client(&service, &token);
    let mut tries = 0;
    // Who sends tokens of no key does not make the server ask all the time.
    while cancels(&new).await.status() != 200 {
        assert_eq!(issuer.asked(), 2);
        tries += 1;
        assert!(tries < 200, "the new key was never found");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(issuer.asked(), 4);
    // The old key is gone.
    let response = cancels(&client(&service, &issuer.token(scopes))).await;
    assert_eq!(response.status(), 401);
}

#[tokio::test]
async fn without_keys_nobody_is_let_in() {
    let issuer = Issuer::start().await;
    let url = issuer.url.clone();
    for metadata in [
        json!({"issuer": "https://other.example.com", "jwks_uri": format!("{url}/keys")}),
        json!({"issuer": url}),
        json!({"issuer": url, "jwks_uri": "http://keys.example.com/keys"}),
        json!({"issuer": url, "jwks_uri": format!("{url}/none")}),
        json!({"issuer": url, "jwks_uri": format!("{url}/wrong")}),
        json!({"issuer": url, "jwks_uri": format!("{url}/long")}),
    ] {
        issuer.answers("/wrong", json!({"keys": "none"}));
        issuer.answers(
            "/long",
            json!({"keys": [public(0)], "more": "x".repeat(300_000)}),
        );
        issuer.answers("/.well-known/oauth-authorization-server", metadata.clone());
        let response = cancels(&client(&issuer.service(), &issuer.token("orders:write"))).await;
        let heard = Heard::of(response).await;
        assert_eq!(heard.status, 503, "{metadata}: {}", heard.text);
    }
    // The other place of metadata, and none.
    issuer.answers("/.well-known/oauth-authorization-server", Value::Null);
    issuer.answers(
        "/.well-known/openid-configuration",
        json!({"issuer": url, "jwks_uri": format!("{url}/keys")}),
    );
    let token = issuer.token("orders:write orders:read");
    assert_eq!(
        cancels(&client(&issuer.service(), &token)).await.status(),
        200
    );
    let at = issuer
        .authorization()
        .jwks_uri(&format!("{url}/keys"))
        .unwrap();
    let service = server().http().authorization(at);
    let before = issuer.asked();
    assert_eq!(cancels(&client(&service, &token)).await.status(), 200);
    assert_eq!(issuer.asked(), before + 1);
}

#[tokio::test]
async fn a_session_is_for_its_owner() {
    let issuer = Issuer::start().await;
    let service = issuer.service();
    let token = |sub: &str| {
        let mut claims = issuer.claims("orders:read");
        claims["sub"] = json!(sub);
        format!("Bearer {}", signed(0, &claims))
    };
    let mut ann = Client::new(
        &service,
        &[
            ("host", "shop.example.com"),
            ("authorization", &token("ann")),
        ],
    );
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    });
    let hello = ann.request("initialize", &hello).await;
    ann.set("mcp-session-id", &hello.session.unwrap());
    assert_eq!(ann.request("tools/list", &json!({})).await.status, 200);
    let bob = ann.with("authorization", &token("bob"));
    assert_eq!(bob.request("tools/list", &json!({})).await.status, 404);
    let get = bob.with("accept", "text/event-stream");
    assert_eq!(
        get.send(Method::GET, String::new(), None).await.status(),
        404
    );
    assert_eq!(
        bob.send(Method::DELETE, String::new(), None).await.status(),
        404
    );
    // A new token of the same subject goes on.
    let again = ann.with("authorization", &token("ann"));
    assert_eq!(again.request("tools/list", &json!({})).await.status, 200);
    assert_eq!(
        again
            .send(Method::DELETE, String::new(), None)
            .await
            .status(),
        204
    );
    assert_eq!(ann.request("tools/list", &json!({})).await.status, 404);
}

#[tokio::test]
async fn a_task_is_for_its_owner() {
    let issuer = Issuer::start().await;
    let service = issuer.service();
    let of = |sub: &str| {
        let mut claims = issuer.claims("");
        claims["sub"] = json!(sub);
        let mut client = client(&service, &signed(0, &claims));
        client.meta["io.modelcontextprotocol/clientCapabilities"] =
            json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
        client
    };
    let (ann, bob) = (of("ann"), of("bob"));
    let begun = asks(
        &ann,
        "tools/call",
        "report",
        &json!({"name": "report", "arguments": {}}),
    )
    .await;
    let begun = Heard::of(begun).await;
    let id = begun.messages[0]["result"]["taskId"]
        .as_str()
        .expect(&begun.text)
        .to_owned();
    let about = json!({"taskId": id});
    for method in ["tasks/get", "tasks/cancel"] {
        let heard = Heard::of(asks(&bob, method, &id, &about).await).await;
        assert_eq!(
            heard.messages[0]["error"]["message"],
            format!("unknown task `{id}`")
        );
    }
    let heard = Heard::of(asks(&ann, "tasks/get", &id, &about).await).await;
    assert_eq!(
        heard.messages[0]["result"]["taskId"],
        id.as_str(),
        "{}",
        heard.text
    );
}

/// Exports all orders.
#[tool(background, scopes("orders:write"))]
fn export() -> u8 {
    7
}

/// The call is over, and the token of who asks for its result may not make it.
#[tokio::test]
async fn a_tasks_result_needs_the_scopes_of_its_call() {
    let issuer = Issuer::start().await;
    let service = McpServer::new(tools![export]).http();
    let service = service.authorization(issuer.authorization());
    let of = |scope: &str| {
        let mut client = client(&service, &issuer.token(scope));
        client.meta["io.modelcontextprotocol/clientCapabilities"] =
            json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
        client
    };
    let (writes, reads) = (of("orders:write"), of("orders:read"));
    let call = json!({"name": "export", "arguments": {}});
    let begun = Heard::of(asks(&writes, "tools/call", "export", &call).await).await;
    let id = begun.messages[0]["result"]["taskId"]
        .as_str()
        .expect(&begun.text);
    let about = json!({"taskId": id});
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let refused = asks(&reads, method, id, &about).await;
        assert_eq!(refused.status(), 403, "{method}");
        let said = challenge(&refused);
        assert!(
            said.contains(r#"error="insufficient_scope", scope="orders:write""#),
            "{said}"
        );
        // Of a task that is not theirs others hear nothing.
        let mut bob = issuer.claims("orders:read");
        bob["sub"] = json!("bob");
        let bob = of("").with("authorization", &format!("Bearer {}", signed(0, &bob)));
        let heard = Heard::of(asks(&bob, method, id, &about).await).await;
        assert_eq!(
            heard.messages[0]["error"]["message"],
            format!("unknown task `{id}`")
        );
    }
    let heard = Heard::of(asks(&writes, "tasks/get", id, &about).await).await;
    assert_eq!(heard.messages[0]["result"]["taskId"], id, "{}", heard.text);
}

/// Is there until its call began.
#[tool(background, scopes("orders:write"), visible = until_hidden)]
fn fleeting() -> u8 {
    7
}

static IS_HIDDEN: AtomicBool = AtomicBool::new(false);

fn until_hidden(_: &toolwright::call::Scope<'_>) -> bool {
    !IS_HIDDEN.load(Ordering::SeqCst)
}

/// The result is there, and still needs the scopes of its call.
#[tokio::test]
async fn a_task_of_a_tool_that_is_hidden_or_gone_needs_the_scopes_of_its_call() {
    let issuer = Issuer::start().await;
    let registry = Registry::from(tools![export, fleeting, report]);
    let service = McpServer::new(registry.clone()).http();
    let service = service.authorization(issuer.authorization());
    let of = |scope: &str| {
        let mut client = client(&service, &issuer.token(scope));
        client.meta["io.modelcontextprotocol/clientCapabilities"] =
            json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
        client
    };
    let (writes, reads) = (of("orders:write"), of("orders:read"));
    let mut ids = Vec::new();
    for name in ["export", "fleeting", "report"] {
        let call = json!({"name": name, "arguments": {}});
        let begun = Heard::of(asks(&writes, "tools/call", name, &call).await).await;
        let id = begun.messages[0]["result"]["taskId"].as_str();
        ids.push(id.expect(&begun.text).to_owned());
    }
    registry.remove("export");
    registry.remove("report");
    IS_HIDDEN.store(true, Ordering::SeqCst);
    for (id, status) in ids.iter().zip([403, 403, 200]) {
        let about = json!({"taskId": id});
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            let answer = asks(&reads, method, id, &about).await;
            assert_eq!(answer.status(), status, "{method} {id}");
        }
        let heard = Heard::of(asks(&writes, "tasks/get", id, &about).await).await;
        let said = &heard.messages[0]["result"];
        assert_eq!(said["taskId"], id.as_str(), "{}", heard.text);
    }
    // The scopes of an id cannot be taken off it.
    for id in &ids[..2] {
        for other in [id.split('.').next().unwrap(), &id.replace('.', "..")] {
            let about = json!({"taskId": other});
            let heard = Heard::of(asks(&reads, "tasks/get", other, &about).await).await;
            let said = &heard.messages[0]["error"]["message"];
            assert_eq!(*said, format!("unknown task `{other}`"));
        }
    }
}

/// Pays.
#[tool(destructive)]
fn pay(cents: u32) -> u32 {
    cents
}

#[tokio::test]
async fn what_a_client_keeps_is_for_its_owner() {
    let issuer = Issuer::start().await;
    let asking = McpServer::new(tools![pay])
        .executor(|executor| executor.layer(toolwright::layers::Approval::default()));
    let service = asking.http().authorization(issuer.authorization());
    let of = |sub: &str| {
        let mut claims = issuer.claims("");
        claims["sub"] = json!(sub);
        let mut client = client(&service, &signed(0, &claims));
        client.meta["io.modelcontextprotocol/clientCapabilities"] =
            json!({"elicitation": {"form": {}}});
        client
    };
    let mut params = json!({"name": "pay", "arguments": {"cents": 7}});
    let asked = Heard::of(asks(&of("ann"), "tools/call", "pay", &params).await).await;
    let asked = &asked.messages[0]["result"];
    let (key, _) = asked["inputRequests"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    let content = json!({"approve": true});
    params["inputResponses"] = json!({key.clone(): {"action": "accept", "content": content}});
    params["requestState"] = asked["requestState"].clone();
    let heard = Heard::of(asks(&of("bob"), "tools/call", "pay", &params).await).await;
    let why = "`requestState` is not what this server gave for this call";
    assert_eq!(heard.messages[0]["error"]["message"], why, "{}", heard.text);
    let heard = Heard::of(asks(&of("ann"), "tools/call", "pay", &params).await).await;
    assert_eq!(
        heard.messages[0]["result"]["content"][0]["text"], "7",
        "{}",
        heard.text
    );
}

#[tokio::test]
async fn without_authorization_nobody_has_a_scope_that_nobody_gave() {
    let service = server().http();
    let nobody = Client::of_2026(&service);
    assert_eq!(
        listed(&nobody, "tools/list", "tools").await,
        ["orders", "report"]
    );
    let response = cancels(&nobody).await;
    assert_eq!(
        (response.status().as_u16(), challenge(&response)),
        (403, String::new())
    );
    // In a session too, and in an array.
    let greeted = Client::greeted(&service, &json!({})).await;
    let call = json!({"name": "cancel_order", "arguments": {"id": 7}});
    assert_eq!(greeted.request("tools/call", &call).await.status, 403);

    // A layer of the host's knows who asks; so may the host of all.
    let ann = Grant::new()
        .with_subject("ann")
        .with_scopes(["orders:read", "orders:write"]);
    let mut body = call.clone();
    body["_meta"] = nobody.meta.clone();
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": body}).to_string();
    let asks = nobody.with("mcp-name", "cancel_order");
    let response = asks
        .send(Method::POST, body, Some(Context::new().with(ann.clone())))
        .await;
    assert_eq!(response.status(), 200);
    let all = server()
        .context(Context::new().with(Grant::unlimited()))
        .http();
    assert_eq!(cancels(&Client::of_2026(&all)).await.status(), 200);
}

#[tokio::test]
async fn a_host_checks_tokens_by_itself() {
    let issuer = Issuer::start().await;
    let authorization = issuer
        .authorization()
        .verify_with(|token: String| async move {
            match &*token {
                "good" => Ok(Grant::new()
                    .with_subject("ann")
                    .with_scopes(["orders:read", "orders:write"])),
                "old" => Ok(Grant::unlimited().with_expiry(UNIX_EPOCH)),
                "panics" => panic!("the host's own"),
                "later" => Err(TokenError::Unavailable("the register is closed".to_owned())),
                _ => Err(TokenError::Invalid("not \"in\" the\r\nregister".to_owned())),
            }
        });
    let service = server().http().authorization(authorization);
    assert_eq!(cancels(&client(&service, "good")).await.status(), 200);
    assert_eq!(cancels(&client(&service, "old")).await.status(), 401);
    assert_eq!(cancels(&client(&service, "later")).await.status(), 503);
    assert_eq!(cancels(&client(&service, "panics")).await.status(), 503);
    let response = cancels(&client(&service, "bad")).await;
    assert_eq!(response.status(), 401);
    assert!(
        challenge(&response).ends_with("error_description=\"not in theregister\""),
        "{}",
        challenge(&response)
    );
    assert_eq!(issuer.asked(), 0);
}

#[tokio::test]
async fn a_stream_ends_with_its_token() {
    let issuer = Issuer::start().await;
    let end = SystemTime::now() + Duration::from_secs(1);
    let authorization = issuer
        .authorization()
        .verify_with(move |_| async move { Ok(Grant::new().with_subject("ann").with_expiry(end)) });
    let service = server().http().authorization(authorization);
    let listens = json!({"notifications": {"toolsListChanged": true}});
    let response = asks(
        &client(&service, "good"),
        "subscriptions/listen",
        "",
        &listens,
    )
    .await;
    let heard = timeout(LONG, Heard::of(response)).await.expect("it ends");
    assert_eq!(
        heard.messages.last().unwrap()["result"]["resultType"],
        "complete",
        "{}",
        heard.text
    );
}

/// Begins a request, and hangs up.
async fn hangs_up(client: &Client) {
    let mut asked = Box::pin(cancels(client));
    std::future::poll_fn(|task| {
        let _ = asked.as_mut().poll(task);
        std::task::Poll::Ready(())
    })
    .await;
}

#[tokio::test]
async fn who_hangs_up_does_not_keep_others_out() {
    let issuer = Issuer::start().await;
    let service = issuer.service();
    let nobody = client(&service, &signed(1, &json!({})));
    hangs_up(&nobody).await;
    let token = issuer.token("orders:read orders:write");
    assert_eq!(cancels(&client(&service, &token)).await.status(), 200);
}

#[tokio::test]
async fn requests_wait_for_one_fetch_and_not_for_each_others() {
    // It takes connections, and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/keys", silent.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&asked);
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = silent.accept().await {
            counts.fetch_add(1, Ordering::SeqCst);
            held.push(stream);
        }
    });
    let issuer = Issuer::start().await;
    let authorization = issuer.authorization().jwks_uri(&url).unwrap();
    let service = server().http().authorization(authorization);
    let token = issuer.token("orders:read");
    let waiting: Vec<_> = (0..4)
        .map(|_| {
            let client = client(&service, &token);
            tokio::spawn(async move { cancels(&client).await.status() })
        })
        .collect();
    while asked.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // The limit of the fetch ends at once.
    tokio::time::pause();
    let since = Instant::now();
    for answer in waiting {
        assert_eq!(answer.await.unwrap(), 503);
    }
    assert!(since.elapsed() < Duration::from_secs(15));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_page_of_any_site_reads_the_metadata() {
    let service = Issuer::start().await.service();
    let get = |path: &str| {
        let request = http::Request::get(path).header("host", "shop.example.com");
        let request = request.header("origin", "https://app.elsewhere.example");
        tower_service::Service::call(&mut service.clone(), request.body(String::new()).unwrap())
    };
    let response = get("/.well-known/oauth-protected-resource/mcp")
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["access-control-allow-origin"], "*");
    assert_eq!(get("/mcp").await.unwrap().status(), 403);
}

#[tokio::test]
async fn a_page_of_a_listed_origin_reads_every_answer() {
    const APP: &str = "https://app.example.com";
    let issuer = Issuer::start().await;
    let service = issuer.service().allow_origin(APP);
    let token = issuer.token("orders:read orders:write");
    let known = client(&service, &token).with("origin", APP);
    let mut unknown = known.clone();
    unknown.headers.remove("authorization");
    let gone = known.with("mcp-session-id", "gone");
    let preflight = unknown
        .with("access-control-request-method", "POST")
        .with("access-control-request-headers", "mcp-session-id");
    let send = |client: &Client, method| {
        let client = client.clone();
        async move { client.send(method, String::new(), None).await }
    };
    for (response, status) in [
        (cancels(&known).await, 200),
        (cancels(&unknown).await, 401),
        (send(&gone, Method::GET).await, 404),
        (send(&known, Method::PUT).await, 405),
        (
            send(&known.with("host", "evil.example.com"), Method::POST).await,
            403,
        ),
        (send(&preflight, Method::OPTIONS).await, 204),
    ] {
        assert_eq!(response.status(), status);
        let headers = response.headers();
        assert_eq!(headers["access-control-allow-origin"], APP, "{status}");
        let exposed = "mcp-session-id, www-authenticate";
        assert_eq!(
            headers["access-control-expose-headers"], exposed,
            "{status}"
        );
        assert_eq!(headers["vary"], "Origin", "{status}");
        assert!(!headers.contains_key("access-control-allow-credentials"));
        let allowed = headers.get("access-control-allow-headers");
        assert_eq!(allowed.is_some(), status == 204);
    }
    for client in [&known, &preflight] {
        let other = client.with("origin", "https://elsewhere.example");
        let response = send(&other, Method::OPTIONS).await;
        assert_eq!(response.status(), 403);
        assert!(
            !response
                .headers()
                .contains_key("access-control-allow-origin")
        );
        assert_eq!(response.headers()["vary"], "Origin");
    }
}

#[tokio::test]
async fn a_broad_scope_has_what_its_narrow_ones_have() {
    let issuer = Issuer::start().await;
    let authorization = issuer
        .authorization()
        .verify_with(|token: String| async move {
            Ok(match &*token {
                "all" => Grant::unlimited(),
                scope => Grant::new().with_scopes([scope]),
            })
        })
        .implies("orders:write", ["orders:read"])
        .implies("admin", ["orders:write"]);
    let service = server().http().authorization(authorization);
    assert_eq!(cancels(&client(&service, "admin")).await.status(), 200);
    let params = json!({"name": "review"});
    let review = asks(&client(&service, "all"), "prompts/get", "review", &params).await;
    assert_eq!(review.status(), 200);
}

#[tokio::test]
async fn tokens_that_are_no_bearers_tokens_are_refused() {
    let issuer = Issuer::start().await;
    let service = issuer.service();
    let scopes = "orders:read orders:write";
    let with = |name: &str, value: Value| {
        let mut claims = issuer.claims(scopes);
        claims[name] = value;
        signed(0, &claims)
    };
    let without = |names: &[&str]| {
        let mut claims = issuer.claims(scopes);
        for name in names {
            claims.as_object_mut().unwrap().remove(*name);
        }
        signed(0, &claims)
    };
    let of_type = |kind: &str| {
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some("key-0".to_owned());
        header.typ = Some(kind.to_owned());
        encode(&header, &issuer.claims(scopes), &key(0)).unwrap()
    };
    for (token, status, why) in [
        (
            with("sub", json!(1)),
            401,
            "the token's `sub` is not a string",
        ),
        (
            without(&["sub", "client_id"]),
            401,
            "the token names neither a subject nor a client",
        ),
        (with("sub", json!("")), 401, "the token's `sub` is empty"),
        (without(&["sub"]), 200, ""),
        (without(&["client_id"]), 200, ""),
        (
            with("cnf", json!({"jkt": "x"})),
            401,
            "the token is bound to a key of its client",
        ),
        (
            of_type("token-introspection+jwt"),
            401,
            "the token is not an access token",
        ),
        (of_type("at+jwt"), 200, ""),
        (of_type("application/AT+JWT"), 200, ""),
    ] {
        let heard = Heard::of(cancels(&client(&service, &token)).await).await;
        assert_eq!(heard.status, status, "{why}: {}", heard.text);
        if status != 200 {
            assert_eq!(heard.messages[0]["error"]["message"], why);
        }
    }
    // A key that is for something else.
    for (name, value) in [("key_ops", json!(["encrypt"])), ("use", json!("enc"))] {
        let mut key = public(0);
        key[name] = value;
        issuer.answers("/keys", json!({"keys": [key]}));
        let answer = cancels(&client(&issuer.service(), &issuer.token(scopes))).await;
        assert_eq!(answer.status(), 401, "{name}");
    }
}

#[tokio::test]
async fn of_resources_that_nobody_may_read_nothing_is_told() {
    let issuer = Issuer::start().await;
    let updates = toolwright::mcp::ResourceUpdates::new();
    // Making it takes a second on a busy machine.
    let authorization = issuer.authorization();
    let end = SystemTime::now() + Duration::from_secs(2);
    let authorization = authorization.verify_with(move |token| async move {
        let grant = Grant::new().with_subject("ann").with_expiry(end);
        Ok(grant.with_scopes([token]))
    });
    let service = server()
        .updates(&updates)
        .http()
        .authorization(authorization);
    let listens = |token: &str| {
        let client = client(&service, token);
        async move {
            let params = json!({"notifications": {"resourceSubscriptions": ["orders://7"]}});
            let response = asks(&client, "subscriptions/listen", "", &params).await;
            Heard::of(response).await.text
        }
    };
    let tell = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        updates.updated("orders://7");
    };
    let (nobody, reader, ()) = tokio::join!(listens("other"), listens("orders:read"), tell);
    assert!(!nobody.contains("orders://7"), "{nobody}");
    assert!(
        reader.contains("notifications/resources/updated"),
        "{reader}"
    );
    // In a session, where the scope may be lost later.
    let with = |token: &str| format!("Bearer {token}");
    let mut ann = Client::new(
        &service,
        &[
            ("host", "shop.example.com"),
            ("authorization", &with("other")),
        ],
    );
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    });
    let hello = ann.request("initialize", &hello).await;
    ann.set("mcp-session-id", &hello.session.unwrap());
    let about = json!({"uri": "orders://7"});
    assert_eq!(ann.request("resources/subscribe", &about).await.status, 403);
    let reader = ann.with("authorization", &with("orders:read"));
    assert_eq!(
        reader.request("resources/subscribe", &about).await.status,
        200
    );
    let none = reader
        .request("resources/subscribe", &json!({"uri": "none://7"}))
        .await;
    assert_eq!(none.messages[0]["error"]["code"], -32002, "{}", none.text);
}

#[test]
fn urls_have_to_be_safe() {
    let issuer = "https://login.example.com";
    for (resource, issuer, why) in [
        (
            "shop",
            issuer,
            r#"the URL of the server is not a URL: "shop""#,
        ),
        (
            "http://shop.example.com/mcp",
            issuer,
            r#"the URL of the server has to be `https`, or `http` on this machine: "http://shop.example.com/mcp""#,
        ),
        (
            "https://shop.example.com/mcp?a=1",
            issuer,
            r#"the URL has a query: "https://shop.example.com/mcp?a=1""#,
        ),
        (
            RESOURCE,
            "http://login.example.com",
            r#"the URL of the issuer has to be `https`, or `http` on this machine: "http://login.example.com""#,
        ),
        (
            RESOURCE,
            "https://a:b@login.example.com",
            "the URL of the issuer has a user or a fragment",
        ),
    ] {
        assert_eq!(
            Authorization::new(resource, issuer)
                .unwrap_err()
                .to_string(),
            why
        );
    }
    let at = |resource: &str| {
        let made = Authorization::new(resource, issuer).unwrap();
        made.metadata_path().to_owned()
    };
    assert_eq!(
        at("https://shop.example.com"),
        "/.well-known/oauth-protected-resource"
    );
    assert_eq!(
        at("https://shop.example.com/a/mcp/"),
        "/.well-known/oauth-protected-resource/a/mcp/"
    );
    assert_eq!(
        at("http://127.0.0.1:80/mcp"),
        "/.well-known/oauth-protected-resource/mcp"
    );
}
