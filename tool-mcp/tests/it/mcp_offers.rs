//! Prompts, resources, completion: what a server offers beside tools.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright::mcp::{
    Completing, ElicitResult, ElicitResults, McpServer, Messages, Prompts, ResourceUpdates,
    Resources,
};
use toolwright::{
    Context, DynTool, Outcome, Registry, Schema, ToolError, Toolset,
    call::{Block, Content, ErrorKind},
    prompt, resource, tool, tools,
};

use super::mcp_at_once::client::Client;
use super::mcp_own::listen_to;
use super::mcp_server::{Piped, request};

#[derive(Debug, Clone, Copy, Schema, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Tone {
    Kind,
    Keen,
    Strict,
}

/// Reviews code.
///
/// # Arguments
/// - `code`: The code.
#[prompt(title = "Code review", meta(owner = "me"))]
fn review(code: &str, depth: Option<u8>, tone: Option<Tone>, city: Option<&str>) -> Messages {
    let about = format!("{code} {depth:?} {tone:?} {city:?}");
    Messages::new().user(about).assistant("What first?")
}

/// Greets.
#[prompt]
fn greet(name: &str) -> String {
    format!("Hello, {name}!")
}

/// Shows.
#[prompt]
fn show() -> Content {
    Content::text("Look:").image("image/png", "aaaa")
}

/// Fails.
#[prompt]
fn fails() -> Result<String, ToolError> {
    Err(ToolError::failed("no words today"))
}

/// Is not for everybody.
#[prompt(visible = never)]
fn hidden() -> String {
    "secret".into()
}

fn never(_: &toolwright::call::Scope<'_>) -> bool {
    false
}

/// Asks for a name.
#[prompt]
fn asks(#[context] cx: &Context) -> Outcome {
    match ElicitResults::of(cx).get("name") {
        Some(ElicitResult::Accept(said)) => Outcome::value(format!("For {}", said["name"])),
        _ => Outcome::ask("Who?").option("key", "name").option(
            "schema",
            json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}),
        ),
    }
}

/// Settings.
#[resource("config://shop", mime_type = "application/json")]
fn settings() -> Value {
    json!({"currency": "EUR"})
}

/// An order.
#[resource("orders://{id}")]
fn order(id: u64) -> Result<String, ToolError> {
    if id > 100 {
        return Err(ToolError::new(ErrorKind::Unknown, "no such order"));
    }
    Ok(format!("Order {id}"))
}

/// A file.
#[resource("file:///{+path}")]
fn file(path: &str) -> Content {
    Content::text(format!("of {path}")).image("image/png", "bbbb")
}

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn server() -> McpServer {
    McpServer::new(tools![add])
        .prompts(tools![review, greet, show, fails, hidden, asks])
        .resources(tools![settings, order, file])
        .completion("review", "city", |asked: Completing| async move {
            let known = asked.arguments.get("code").cloned().unwrap_or_default();
            vec![format!("{}{known}", asked.value)]
        })
        .completion("order", "id", |_| async {
            (0..150).map(|id| id.to_string()).collect()
        })
}

struct Desk {
    city: &'static str,
}

#[tool]
impl Desk {
    /// Greets a guest.
    #[prompt]
    fn welcome(&self, name: &str) -> String {
        format!("Welcome to {}, {name}!", self.city)
    }

    /// Closes the desk.
    #[tool(destructive)]
    fn close(&self) -> String {
        format!("{} is closed.", self.city)
    }

    /// A room.
    #[resource("rooms://{number}")]
    fn room(&self, number: u16) -> String {
        format!("Room {number} in {}", self.city)
    }
}

/// Returns the words of the panic.
fn refused(offer: impl FnOnce() -> McpServer + std::panic::UnwindSafe) -> String {
    let Err(words) = std::panic::catch_unwind(offer) else {
        panic!("it was taken");
    };
    let text = words.downcast_ref::<String>().cloned();
    text.unwrap_or_default()
}

/// A tool of a database that says that it is not a prompt.
fn no_prompt() -> Toolset {
    let tool = DynTool::builder().name("no").description("Says no.");
    let tool = tool.meta("prompt", false);
    let tool = tool.handler_sync(|_: Value, _| Ok::<_, ToolError>("no"));
    Toolset::new([tool.build().unwrap()]).unwrap()
}

#[test]
fn a_tool_is_neither_a_prompt_nor_a_resource() {
    let desk = || Arc::new(Desk { city: "Oslo" });
    for (name, words) in [
        ("add", refused(|| server().prompts(tools![greet, add]))),
        (
            "close",
            refused(move || server().prompts(tools![..desk(): Desk])),
        ),
        (
            "room",
            refused(move || server().prompts(tools![..Resources(desk()): Resources<Desk>])),
        ),
        (
            "close",
            refused(move || server().resources(tools![..desk(): Desk])),
        ),
        ("greet", refused(|| server().resources(tools![greet]))),
        ("no", refused(|| server().prompts(no_prompt()))),
    ] {
        assert!(
            words.starts_with(&format!("the tool `{name}` is neither")),
            "{words}"
        );
    }
}

#[tokio::test]
async fn a_tool_that_is_added_to_prompts_is_not_offered() {
    let prompts = Registry::from(tools![greet]);
    let mut both = Both::of({
        let prompts = prompts.clone();
        move || server().prompts(prompts.clone())
    })
    .await;
    prompts.extend(&tools![add]);
    let listed = both.result("prompts/list", &json!({})).await;
    assert_eq!(listed["prompts"].as_array().unwrap().len(), 1, "{listed}");
    let params = json!({"name": "add", "arguments": {"a": "1", "b": "2"}});
    let [old, new] = both.ask("prompts/get", &params).await;
    for answer in [old, new] {
        assert_eq!(
            answer["error"]["message"], "unknown prompt `add`",
            "{answer}"
        );
    }
}

#[tokio::test]
async fn methods_are_prompts_and_resources() {
    let server = || {
        let desk = Arc::new(Desk { city: "Oslo" });
        McpServer::new(tools![add])
            .prompts(tools![greet, ..Prompts(desk.clone()): Prompts<Desk>])
            .resources(tools![..Resources(desk): Resources<Desk>])
    };
    let mut both = Both::of(server).await;
    let listed = both.result("prompts/list", &json!({})).await;
    let names: Vec<_> = listed["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| &prompt["name"])
        .collect();
    assert_eq!(names, ["greet", "welcome"]);
    let asked = json!({"name": "welcome", "arguments": {"name": "Ada"}});
    let welcome = both.result("prompts/get", &asked).await;
    assert_eq!(
        welcome["messages"][0]["content"]["text"],
        "Welcome to Oslo, Ada!"
    );
    let room = both
        .result("resources/read", &json!({"uri": "rooms://12"}))
        .await;
    assert_eq!(room["contents"][0]["text"], "Room 12 in Oslo");
}

/// What a request of each version comes to: of one that greets, on a pipe, and of one that does not, over HTTP.
struct Both {
    old: Piped,
    new: Client,
    last: u32,
}

impl Both {
    async fn of(server: impl Fn() -> McpServer) -> Self {
        Self {
            old: Piped::with_a_user(server()).await,
            new: Client::of_2026(&server().http()),
            last: 0,
        }
    }

    async fn ask(&mut self, method: &str, params: &Value) -> [Value; 2] {
        self.last += 1;
        let old = self
            .old
            .ask(&request(self.last, method, &params.to_string()))
            .await;
        let mut new = self.new.with("mcp-method", method);
        for key in ["name", "uri"] {
            if let Some(name) = params[key]
                .as_str()
                .filter(|_| method != "completion/complete")
            {
                new.set("mcp-name", name);
            }
        }
        let mut params = params.clone();
        params["_meta"] = new.meta.clone();
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
        let heard = new.request(method, &params).await;
        [old, heard.messages.last().expect(&heard.text).clone()]
    }

    /// The result of both, which are one but for what the newer version adds.
    async fn result(&mut self, method: &str, params: &Value) -> Value {
        let [old, new] = self.ask(method, params).await;
        assert_eq!(new["result"]["resultType"], "complete", "{new}");
        let (old, mut new) = (old["result"].clone(), new["result"].clone());
        for added in ["resultType", "ttlMs", "cacheScope", "_meta"] {
            new.as_object_mut().unwrap().remove(added);
        }
        assert_eq!(old, new);
        old
    }

    /// The codes of both errors, and the words, which are the same.
    async fn error(&mut self, method: &str, params: &Value) -> (i64, i64, String) {
        let [old, new] = self.ask(method, params).await;
        let code = |answer: &Value| {
            let code = answer["error"]["code"].as_i64();
            code.unwrap_or_else(|| panic!("{answer}"))
        };
        assert_eq!(old["error"]["message"], new["error"]["message"]);
        let words = old["error"]["message"].as_str().unwrap().to_owned();
        (code(&old), code(&new), words)
    }
}

#[tokio::test]
async fn prompts_are_listed_with_their_arguments() {
    let mut both = Both::of(server).await;
    let listed = both.result("prompts/list", &json!({})).await;
    let names: Vec<_> = listed["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["name"])
        .collect();
    assert_eq!(names, ["review", "greet", "show", "fails", "asks"]);
    assert_eq!(
        listed["prompts"][0],
        json!({
            "name": "review", "title": "Code review", "description": "Reviews code.",
            "arguments": [
                {"name": "code", "description": "The code.", "required": true},
                {"name": "depth", "required": false},
                {"name": "tone", "required": false},
                {"name": "city", "required": false},
            ],
        })
    );
    assert_eq!(listed["prompts"][2]["arguments"], json!([]));
}

#[tokio::test]
async fn a_prompts_arguments_are_texts_and_its_result_is_messages() {
    let mut both = Both::of(server).await;
    let arguments = json!({"code": "1", "depth": "3", "tone": "strict"});
    let got = both
        .result(
            "prompts/get",
            &json!({"name": "review", "arguments": arguments}),
        )
        .await;
    let text =
        |role: &str, text: &str| json!({"role": role, "content": {"type": "text", "text": text}});
    let expected = [
        text("user", "1 Some(3) Some(Strict) None"),
        text("assistant", "What first?"),
    ];
    assert_eq!(
        got,
        json!({"description": "Reviews code.", "messages": expected})
    );
    let got = both
        .result(
            "prompts/get",
            &json!({"name": "greet", "arguments": {"name": "5"}}),
        )
        .await;
    assert_eq!(got["messages"], json!([text("user", "Hello, 5!")]));
    let got = both.result("prompts/get", &json!({"name": "show"})).await;
    let image = json!({"role": "user", "content": {"type": "image", "data": "aaaa", "mimeType": "image/png"}});
    assert_eq!(got["messages"], json!([text("user", "Look:"), image]));
}

#[tokio::test]
async fn a_prompt_that_cannot_be_had_is_an_error() {
    let mut both = Both::of(server).await;
    let table = [
        (
            json!({"name": "grete"}),
            -32602,
            "unknown prompt `grete`; did you mean `greet`?",
        ),
        (json!({"name": "hidden"}), -32602, "unknown prompt `hidden`"),
        (json!({"name": "add"}), -32602, "unknown prompt `add`"),
        (
            json!({"name": "greet"}),
            -32602,
            "name: missing, expected a string",
        ),
        (
            json!({"name": "review", "arguments": {"code": "1", "depth": "x"}}),
            -32602,
            "depth: expected an integer from 0 to 255 or null, got \"x\"",
        ),
        (json!({"name": "fails"}), -32603, "no words today"),
    ];
    for (params, code, words) in table {
        let error = both.error("prompts/get", &params).await;
        assert_eq!(error, (code, code, words.to_owned()), "{params}");
    }
    let [old, new] = both.ask("prompts/get", &json!({"arguments": {}})).await;
    assert_eq!(
        (&old["error"]["code"], &new["error"]["code"]),
        (&json!(-32602), &json!(-32602))
    );
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    let mut both = Both::of(server).await;
    let listed = both.result("resources/list", &json!({})).await;
    let settings = json!({
        "uri": "config://shop", "name": "settings", "description": "Settings.",
        "mimeType": "application/json",
    });
    assert_eq!(listed, json!({"resources": [settings]}));
    let listed = both.result("resources/templates/list", &json!({})).await;
    let order =
        json!({"uriTemplate": "orders://{id}", "name": "order", "description": "An order."});
    assert_eq!(listed["resourceTemplates"][0], order);
    let table = [
        (
            "config://shop",
            json!([{"uri": "config://shop", "mimeType": "application/json", "text": "{\"currency\":\"EUR\"}"}]),
        ),
        (
            "orders://7",
            json!([{"uri": "orders://7", "mimeType": "text/plain", "text": "Order 7"}]),
        ),
        (
            "file:///a/b%20c",
            json!([
                {"uri": "file:///a/b%20c", "mimeType": "text/plain", "text": "of a/b c"},
                {"uri": "file:///a/b%20c", "mimeType": "image/png", "blob": "bbbb"},
            ]),
        ),
    ];
    for (uri, contents) in table {
        let read = both.result("resources/read", &json!({"uri": uri})).await;
        assert_eq!(read, json!({"contents": contents}));
    }
    let table = [
        (
            "orders://101",
            -32002,
            -32602,
            "unknown resource `orders://101`",
        ),
        (
            "orders://7/8",
            -32002,
            -32602,
            "unknown resource `orders://7/8`",
        ),
        (
            "orders://x",
            -32602,
            -32602,
            "id: expected an integer of 0 or more, got \"x\"",
        ),
    ];
    for (uri, old, new, words) in table {
        let error = both.error("resources/read", &json!({"uri": uri})).await;
        assert_eq!(error, (old, new, words.to_owned()), "{uri}");
    }
}

/// A note.
#[resource("notes://{name}.md")]
fn note(name: &str) -> String {
    format!("name={name}")
}

/// Notes of somebody.
#[resource("of://{who}/{day}-{month}.md")]
fn diary(who: &str, day: &str, month: &str) -> String {
    format!("who={who} day={day} month={month}")
}

/// A version of a file.
#[resource("versions://{+path}.{kind}@{version}")]
fn version(path: &str, kind: &str, version: &str) -> String {
    format!("path={path} kind={kind} version={version}")
}

/// A page, by what stands before its number.
#[resource("book://{chapter}2{page}")]
fn leaf(chapter: &str, page: &str) -> String {
    format!("chapter={chapter} page={page}")
}

/// A recipe.
#[resource("küche://{dish}/menü (neu)?x={+more}")]
fn recipe(dish: &str, more: &str) -> String {
    format!("dish={dish} more={more}")
}

/// Between three paths.
#[resource("way://{+from}--{over}--{+to}")]
fn way(from: &str, over: &str, to: &str) -> String {
    format!("from={from} over={over} to={to}")
}

#[tokio::test]
async fn a_uri_is_found_if_any_values_make_it_of_its_template() {
    let server =
        || McpServer::new(tools![add]).resources(tools![note, diary, version, leaf, recipe, way]);
    let mut client = Piped::with_a_user(server()).await;
    let found = [
        ("notes://a.md", "name=a"),
        ("notes://a.md.md", "name=a.md"),
        ("notes://.md.md", "name=.md"),
        ("notes://.mda.md", "name=.mda"),
        ("notes://a%2emd.md", "name=a.md"),
        ("notes://%C3%B6.md", "name=ö"),
        ("notes://ö\n.md", "name=ö\n"),
        ("of://ada/1-2.md", "who=ada day=1 month=2"),
        ("of://ada/1-2-3.md.md", "who=ada day=1 month=2-3.md"),
        ("of://a-b/1-2.md", "who=a-b day=1 month=2"),
        ("versions://a/b.c.d@1@2", "path=a/b.c kind=d version=1@2"),
        ("versions://a@1.b@2", "path=a@1 kind=b version=2"),
        // The `2` of an escape is not a `2`.
        ("book://%42c2d", "chapter=Bc page=d"),
        ("book://122", "chapter=1 page=2"),
        // What a URI cannot have, a client writes as escapes (RFC 6570, 3.1).
        ("küche://a/menü (neu)?x=b/c", "dish=a more=b/c"),
        (
            "k%C3%BCche://a/men%c3%bc%20(neu)?x=b%2Fc",
            "dish=a more=b/c",
        ),
        ("way://1--2--3/4--5", "from=1 over=2 to=3/4--5"),
        ("way://1/2--3--4/5", "from=1/2 over=3 to=4/5"),
        ("way://1--2--3%2f4--5", "from=1 over=2 to=3/4--5"),
    ];
    for (uri, text) in found {
        let uri = json!({"uri": uri}).to_string();
        let read = client.ask(&request(1, "resources/read", &uri)).await;
        assert_eq!(read["result"]["contents"][0]["text"], text, "{uri} {read}");
    }
    let unknown = [
        "notes://.md",
        "notes://a.mdx",
        "notes://a.md/b.md",
        "notes://a%2Fb.md",
        "notes://a%.md",
        "notes://%ff.md",
        "notes://a.MD",
        "of://ada/1-.md",
        "of:///1-2.md",
        "book://%42",
        "versions://a.b/c@1",
        "küche://a/menüx(neu)?x=b",
    ];
    for uri in unknown {
        let uri = json!({"uri": uri}).to_string();
        let read = client.ask(&request(1, "resources/read", &uri)).await;
        assert_eq!(read["error"]["code"], -32002, "{uri} {read}");
    }
}

#[tokio::test]
async fn arguments_are_completed() {
    let mut both = Both::of(server).await;
    let asked = |name: &str, argument: &str, value: &str| {
        json!({
            "ref": {"type": "ref/prompt", "name": name},
            "argument": {"name": argument, "value": value},
            "context": {"arguments": {"code": "!"}},
        })
    };
    // The values of an enum are known.
    let table = [
        ("", vec!["kind", "keen", "strict"]),
        ("KE", vec!["keen"]),
        ("x", vec![]),
    ];
    for (value, values) in table {
        let got = both
            .result("completion/complete", &asked("review", "tone", value))
            .await;
        let expected = json!({"values": values, "total": values.len(), "hasMore": false});
        assert_eq!(got["completion"], expected);
    }
    let got = both
        .result("completion/complete", &asked("review", "city", "Os"))
        .await;
    assert_eq!(got["completion"]["values"], json!(["Os!"]));
    let got = both
        .result("completion/complete", &asked("review", "depth", ""))
        .await;
    assert_eq!(got["completion"]["values"], json!([]));
    let of = json!({
        "ref": {"type": "ref/resource", "uri": "orders://{id}"},
        "argument": {"name": "id", "value": ""},
    });
    let got = both.result("completion/complete", &of).await;
    assert_eq!(got["completion"]["values"].as_array().unwrap().len(), 100);
    assert_eq!(
        (&got["completion"]["total"], &got["completion"]["hasMore"]),
        (&json!(150), &json!(true))
    );
    let table = [
        (asked("hidden", "x", ""), "unknown prompt `hidden`"),
        (
            asked("review", "x", ""),
            "the prompt `review` has no argument `x`",
        ),
        (
            json!({}),
            "these are not parameters of `completion/complete`: there is no `ref`",
        ),
    ];
    for (params, words) in table {
        let error = both.error("completion/complete", &params).await;
        assert_eq!(error, (-32602, -32602, words.to_owned()));
    }
}

#[tokio::test]
async fn a_prompt_may_ask_the_clients_user() {
    let mut client = Piped::with_a_user(server()).await;
    let asked = client
        .ask(&request(1, "prompts/get", r#"{"name":"asks"}"#))
        .await;
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let says = json!({"action": "accept", "content": {"name": "Ada"}});
    let said = json!({"jsonrpc": "2.0", "id": asked["id"], "result": says});
    let got = client.ask(&said.to_string()).await;
    assert_eq!(
        got["result"]["messages"][0]["content"]["text"],
        "For \"Ada\""
    );

    let mut both = Both::of(server).await;
    let [_, required] = both.ask("prompts/get", &json!({"name": "asks"})).await;
    assert_eq!(
        required["result"]["resultType"], "input_required",
        "{required}"
    );
}

#[tokio::test]
async fn what_is_not_offered_is_not_known() {
    let mut both = Both::of(|| McpServer::new(tools![add])).await;
    for (method, params) in [
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "greet"})),
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": "config://shop"})),
        ("resources/templates/list", json!({})),
        ("completion/complete", json!({})),
        ("tasks/all", json!({})),
    ] {
        let (old, new, words) = both.error(method, &params).await;
        assert_eq!((old, new), (-32601, -32601), "{method}");
        assert_eq!(words, format!("unknown method `{method}`"));
    }
    let mut both = Both::of(server).await;
    let [_, found] = both.ask("server/discover", &json!({})).await;
    let all = json!({
        "completions": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}, "logging": {}, "prompts": {"listChanged": true},
        "resources": {"listChanged": true, "subscribe": true}, "tools": {"listChanged": true},
    });
    assert_eq!(found["result"]["capabilities"], all);
}

#[tokio::test]
async fn subscribers_are_told_of_changes_and_nobody_else() {
    let (prompts, updates) = (Registry::from(tools![greet]), ResourceUpdates::new());
    let mut client = Piped::with_a_user(server().prompts(prompts.clone()).updates(&updates)).await;
    client
        .say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    let subscribe = |id, method: &str| {
        request(
            id,
            &format!("resources/{method}"),
            r#"{"uri":"orders://7"}"#,
        )
    };
    assert_eq!(
        client.ask(&subscribe(1, "subscribe")).await["result"],
        json!({})
    );
    tokio::time::sleep(Duration::from_millis(50)).await;
    updates.updated("orders://8");
    updates.updated("orders://7");
    let told = client.hear().await;
    assert_eq!(told["method"], "notifications/resources/updated");
    assert_eq!(told["params"], json!({"uri": "orders://7"}));
    prompts.remove("greet");
    assert_eq!(
        client.hear().await["method"],
        "notifications/prompts/list_changed"
    );
    client.ask(&subscribe(2, "unsubscribe")).await;
    updates.updated("orders://7");
    // What is heard next is the answer.
    assert_eq!(client.ask(&request(3, "ping", "{}")).await["id"], 3);
}

#[tokio::test]
async fn a_subscription_of_2026_hears_what_it_asked_for() {
    let (prompts, updates) = (Registry::from(tools![greet]), ResourceUpdates::new());
    let mut client = Piped::silent(server().prompts(prompts.clone()).updates(&updates));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let wants = json!({"promptsListChanged": true, "resourceSubscriptions": ["orders://7"]});
    let params = json!({"_meta": meta, "notifications": wants});
    let told = client
        .ask(&request(1, "subscriptions/listen", &params.to_string()))
        .await;
    assert_eq!(told["params"]["notifications"], wants);
    updates.updated("orders://8");
    updates.updated("orders://7");
    let told = client.hear().await;
    assert_eq!(told["params"]["uri"], "orders://7");
    assert_eq!(
        told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
        1
    );
    prompts.remove("greet");
    assert_eq!(
        client.hear().await["method"],
        "notifications/prompts/list_changed"
    );
}

#[tokio::test]
async fn resources_may_come_and_go() {
    let registry = Registry::from(tools![settings]);
    let mut client = Piped::new(McpServer::new(tools![add]).resources(registry.clone())).await;
    let added = DynTool::builder()
        .name("later")
        .description("Came later.")
        .meta("uri", "later://{n}")
        .handler_sync(|arguments: Value, _| Ok::<_, ToolError>(arguments["n"].to_string()))
        .build();
    registry.insert(added.unwrap());
    let read = client
        .ask(&request(1, "resources/read", r#"{"uri":"later://a"}"#))
        .await;
    assert_eq!(read["result"]["contents"][0]["text"], "\"a\"", "{read}");
}

#[tokio::test]
async fn a_client_has_what_a_server_offers() {
    let listening = listen_to(server()).await;
    for connector in [listening.connector(), listening.connector().initialize()] {
        let ada = json!({"name": "Ada"}).as_object().cloned().unwrap();
        let connector = connector.on_elicitation(move |_| {
            let ada = ada.clone();
            async { ElicitResult::Accept(ada) }
        });
        let client = connector.await.unwrap();
        let prompts = client.prompts().await.unwrap();
        let names: Vec<_> = prompts.iter().map(|prompt| &*prompt.name).collect();
        assert_eq!(names, ["review", "greet", "show", "fails", "asks"]);
        let required: Vec<_> = prompts[0]
            .arguments
            .iter()
            .map(|one| one.required)
            .collect();
        assert_eq!(required, [true, false, false, false]);
        let messages = client
            .prompt("review", [("code", "1"), ("depth", "2")])
            .await
            .unwrap();
        let said: Vec<_> = messages
            .iter()
            .map(|one| (&*one.role, one.content.to_plain()))
            .collect();
        let expected = [
            ("user", "1 Some(2) None None".to_owned()),
            ("assistant", "What first?".to_owned()),
        ];
        assert_eq!(said, expected);
        // A server's question goes to the host.
        let messages = client.prompt("asks", []).await.unwrap();
        assert_eq!(messages[0].content, Content::text("For \"Ada\""));
        let error = client.prompt("grete", []).await.unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("unknown prompt `grete`; did you mean `greet`?"),
            "{error}"
        );

        let resources = client.resources().await.unwrap();
        assert_eq!((&*resources[0].uri, resources.len()), ("config://shop", 1));
        let templates = client.resource_templates().await.unwrap();
        let uris: Vec<_> = templates.iter().map(|one| &*one.uri).collect();
        assert_eq!(uris, ["orders://{id}", "file:///{+path}"]);
        let read = client.read("file:///a").await.unwrap();
        let text = Block::Document {
            uri: "file:///a".into(),
            mime_type: Some("text/plain".into()),
            text: "of a".into(),
        };
        assert_eq!(
            read,
            Content::default().with(text).image("image/png", "bbbb")
        );
        let error = client.read("orders://101").await.unwrap_err();
        assert!(error.to_string().contains("unknown resource"), "{error}");

        let values = client.complete_prompt("review", "tone", "k").await.unwrap();
        assert_eq!(values, ["kind", "keen"]);
        let values = client
            .complete_resource("orders://{id}", "id", "")
            .await
            .unwrap();
        assert_eq!(values.len(), 100);
        client.close().await;
    }
}
