//! Calls over HTTP whose clients are known: what is over at once is answered without a stream, and all is judged as it is of
//! a client that nobody knows.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tokio::time::timeout;
use toolwright::serve::mcp::{HttpBody, HttpService, Server, ServerLimits};
use toolwright::{
    Context, DynTool, Filter, Outcome, SchemaDoc, Scope, ToolDef, ToolError, Toolset, tool, tools,
};
use tower_service::Service;

const LONG: Duration = Duration::from_secs(20);
const JSON: &str = "application/json";
const STREAM: &str = "text/event-stream";

/// Adds.
#[tool]
fn add(a: i64, b: i64, #[state] runs: &AtomicUsize) -> i64 {
    runs.fetch_add(1, Ordering::SeqCst);
    a + b
}

/// Waits.
#[tool]
async fn wait(ms: u64, #[state] runs: &AtomicUsize) -> u64 {
    runs.fetch_add(1, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(ms)).await;
    ms
}

/// Asks.
#[tool]
fn ask(#[state] runs: &AtomicUsize) -> Outcome {
    runs.fetch_add(1, Ordering::SeqCst);
    Outcome::ask("Which one?")
}

/// Panics.
#[tool]
fn boom() -> u8 {
    panic!("boom")
}

/// Tells who it is for.
#[tool]
fn whose(#[context] cx: &Context) -> String {
    let session = cx.session_id().unwrap_or_default();
    format!("{} in {session}", cx.agent_id().unwrap_or("nobody"))
}

/// A server of these, and of a tool with a parameter that stands in a header too; and how often they ran.
fn server() -> (Server, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let schema = json!({
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
        "additionalProperties": false,
    });
    let region = DynTool::builder()
        .name("region")
        .description("Says where.")
        .parameters(SchemaDoc::parse(&schema.to_string()).unwrap())
        .handler_sync(|arguments: Value, _| Ok::<_, ToolError>(arguments["region"].to_string()))
        .build()
        .unwrap();
    let needy = |name: &'static str| {
        DynTool::builder()
            .name(name)
            .description("Asks a model.")
            .meta("client_capabilities", json!({"sampling": {}}))
            .visible(move |_| name == "needy")
            .handler_sync(|_: Value, _| Ok::<_, ToolError>("said"))
            .build()
            .unwrap()
    };
    let tools = tools![add, wait, ask, boom, whose; state = Arc::clone(&runs)];
    let is_seen =
        |def: &ToolDef, scope: &Scope<'_>| def.name != "whose" || scope.input != Some("hide it");
    let tools = [region, needy("needy"), needy("secret")]
        .into_iter()
        .fold(tools, |tools, tool| tools.with(tool).0);
    let server = Server::new(tools);
    (
        server.executor(|executor| executor.filter(Filter::when(is_seen))),
        runs,
    )
}

/// What came back: the status, what kind of body it is, and the last message in it.
struct Heard {
    status: u16,
    kind: String,
    text: String,
    /// All messages.
    messages: Vec<Value>,
    session: Option<String>,
}

impl Heard {
    async fn of(response: Response<HttpBody>) -> Self {
        let of = |name: &str| Some(response.headers().get(name)?.to_str().unwrap().to_owned());
        let (status, session) = (response.status().as_u16(), of("mcp-session-id"));
        let kind = of("content-type").unwrap_or_default();
        let body = timeout(LONG, response.into_body().collect()).await;
        let text = String::from_utf8(body.unwrap().unwrap().to_bytes().to_vec()).unwrap();
        let lines = text.lines();
        let messages = lines.filter_map(|line| {
            serde_json::from_str(line.strip_prefix("data:").unwrap_or(line).trim()).ok()
        });
        Self {
            status,
            kind,
            messages: messages.collect(),
            text,
            session,
        }
    }

    /// The one answer, and that it came in this way.
    #[track_caller]
    fn answer(&self, kind: &str) -> &Value {
        assert_eq!((self.status, &*self.kind), (200, kind), "{}", self.text);
        self.messages.last().expect(&self.text)
    }
}

/// A client, and what its requests say of themselves.
#[derive(Clone)]
struct Client {
    service: HttpService,
    headers: HeaderMap,
    /// In a session nothing.
    meta: Value,
}

impl Client {
    fn new(service: &HttpService, headers: &[(&'static str, &str)]) -> Self {
        let mut client = Self {
            service: service.clone(),
            headers: HeaderMap::new(),
            meta: Value::Null,
        };
        client.set("host", "127.0.0.1:80");
        client.set("content-type", JSON);
        client.set("accept", "application/json, text/event-stream");
        for (name, value) in headers {
            client.set(name, value);
        }
        client
    }

    /// With a session, of 2025-11-25.
    async fn greeted(service: &HttpService, capabilities: &Value) -> Self {
        let mut client = Self::new(service, &[]);
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        });
        let hello = client.request("initialize", &hello).await;
        client.set("mcp-session-id", &hello.session.unwrap());
        client.set("mcp-protocol-version", "2025-11-25");
        let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(client.post(ready.into(), None).await.status, 202);
        client
    }

    /// Without a session, of 2026-07-28.
    fn of_2026(service: &HttpService) -> Self {
        let mut client = Self::new(
            service,
            &[
                ("mcp-protocol-version", "2026-07-28"),
                ("mcp-method", "tools/call"),
            ],
        );
        client.meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        client
    }

    fn set(&mut self, name: &'static str, value: &str) {
        self.headers.insert(name, value.parse().unwrap());
    }

    /// The same client, which says this of itself.
    fn with(&self, name: &'static str, value: &str) -> Self {
        let mut client = self.clone();
        client.set(name, value);
        client
    }

    async fn send(&self, method: Method, body: String, cx: Option<Context>) -> Response<HttpBody> {
        let mut request = http::Request::builder().method(method).uri("/mcp");
        *request.headers_mut().unwrap() = self.headers.clone();
        if let Some(cx) = cx {
            request = request.extension(cx);
        }
        let request = request.body(Full::new(Bytes::from(body))).unwrap();
        self.service.clone().call(request).await.unwrap()
    }

    async fn post(&self, body: String, cx: Option<Context>) -> Heard {
        Heard::of(self.send(Method::POST, body, cx).await).await
    }

    async fn request(&self, method: &str, params: &Value) -> Heard {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.post(body.to_string(), None).await
    }

    fn call_body(&self, name: &str, arguments: &str) -> String {
        let meta = match &self.meta {
            Value::Null => String::new(),
            meta => format!(r#","_meta":{meta}"#),
        };
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}{meta}}}}}"#
        )
    }

    /// The same client, whose head names the tool where the version wants it.
    fn naming(&self, name: &str) -> Self {
        if self.meta.is_null() {
            self.clone()
        } else {
            self.with("mcp-name", name)
        }
    }

    async fn call(&self, name: &str, arguments: &str) -> Heard {
        let client = self.naming(name);
        client.post(client.call_body(name, arguments), None).await
    }
}

/// What comes, up to a piece with this in it.
async fn until(body: &mut HttpBody, what: &str) -> String {
    let mut told = String::new();
    while !told.contains(what) {
        let frame = timeout(LONG, body.frame()).await.unwrap().unwrap().unwrap();
        told.push_str(std::str::from_utf8(&frame.into_data().unwrap()).unwrap());
    }
    told
}

const FIVE: &str = r#"{"a": 2, "b": 3}"#;

/// A client of each kind, known to its server.
async fn known() -> [(Client, Arc<AtomicUsize>); 2] {
    let (server, runs) = server();
    let session = Client::greeted(&server.http(), &json!({"elicitation": {}})).await;
    let heard = session.call("add", FIVE).await;
    assert_eq!(heard.answer(STREAM)["result"]["content"][0]["text"], "5");
    let (server, others) = self::server();
    let alone = Client::of_2026(&server.http());
    let heard = alone.call("add", FIVE).await;
    assert_eq!(heard.answer(JSON)["result"]["content"][0]["text"], "5");
    runs.store(0, Ordering::SeqCst);
    others.store(0, Ordering::SeqCst);
    [(session, runs), (alone, others)]
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
async fn a_head_that_says_something_else_is_judged_anew() {
    for (client, runs) in known().await {
        let table = [
            ("host", "evil.example.com", 403),
            ("origin", "https://evil.example.com", 403),
            ("accept", "application/json", 406),
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
        let mut bare = client.naming("add");
        bare.headers.remove("accept");
        let heard = bare.post(client.call_body("add", FIVE), None).await;
        assert_eq!(heard.status, 406, "{}", heard.text);
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
        assert_eq!(error["message"], "unknown tool `ad`");
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

#[tokio::test]
async fn who_asks_to_hear_of_a_call_hears_of_it() {
    let report = DynTool::builder()
        .name("report")
        .description("Tells how far it is.")
        .handler_sync(|_: Value, cx: Context| {
            cx.progress(toolwright::Progress::new(1.0).saying("half"));
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
    let service = Server::new(Toolset::new([report, silent]).unwrap()).http();
    let client = Client::greeted(&service, &json!({})).await;
    client.call("report", "{}").await.answer(STREAM);
    client.call("report", "{}").await.answer(JSON);
    let mut asking = client.clone();
    for token in [json!("t"), json!(1), json!(2), json!(-3), json!(4.5)] {
        asking.meta = json!({"progressToken": token});
        let heard = asking.call("report", "{}").await;
        let [.., told, answer] = &*heard.messages else {
            // As rmcp has it, a token is a string or an integer.
            assert!(token == json!(4.5), "{}", heard.text);
            continue;
        };
        assert_eq!(told["params"]["progressToken"], token, "{}", heard.text);
        assert_eq!(answer["result"]["content"][0]["text"], "done");
    }
    // Who is told nothing needs no stream.
    asking.meta = json!({"progressToken": 5});
    asking.call("silent", "{}").await;
    asking.meta = json!({"progressToken": 6});
    asking.call("silent", "{}").await.answer(JSON);
    client
        .request("logging/setLevel", &json!({"level": "debug"}))
        .await;
    // What a server logs is read where it speaks unasked.
    let mut logs = client
        .send(Method::GET, String::new(), None)
        .await
        .into_body();
    client.call("report", "{}").await.answer(STREAM);
    let told = until(&mut logs, "notifications/message").await;
    assert!(told.contains(r#""data":"half""#), "{told}");
    client
        .request("logging/setLevel", &json!({"level": "error"}))
        .await;
    client.call("report", "{}").await.answer(JSON);
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
