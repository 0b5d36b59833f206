//! The program: an API as an MCP server, and tools held to a lock file.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use toolwright_openapi::{ImportError, NoticeKind, OpenApi};

use crate::server::{response, server};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/shop.json");

fn program(arguments: &[&str]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_toolwright-openapi"));
    program
        .args(arguments)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    program
}

/// An MCP client on the standard input and output of a server.
struct Client {
    _server: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Client {
    fn new(mut command: Command) -> Self {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = piped.spawn().unwrap();
        let input = server.stdin.take().unwrap();
        let output = BufReader::new(server.stdout.take().unwrap()).lines();
        Self {
            _server: server,
            input,
            output,
        }
    }

    async fn send(&mut self, message: Value) {
        let line = format!("{message}\n");
        self.input.write_all(line.as_bytes()).await.unwrap();
    }

    /// Sends a request and returns its result.
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
        self.send(message).await;
        loop {
            let line = self.output.next_line().await.unwrap().unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == method {
                return answer["result"].clone();
            }
        }
    }
}

#[tokio::test]
async fn an_api_is_an_mcp_server() {
    let head = "200 OK\r\ncontent-type: application/json";
    let (url, requests) = server(response(head, r#"[{"id": "7"}]"#)).await;
    let preset = "--preset=api-version=1";
    let serve = program(&["serve", DOCUMENT, "--mcp", "--base-url", &url, preset]);
    let mut client = Client::new(serve);
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let hello = client.ask("initialize", hello).await;
    assert!(hello["serverInfo"]["name"].is_string(), "{hello}");
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    let list = client.ask("tools/list", json!({})).await;
    let tools = list["tools"].as_array().unwrap();
    let of = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
    let hints = |name: &str| of(name)["annotations"]["readOnlyHint"].clone();
    assert_eq!(hints("list_orders"), true);
    assert_ne!(hints("cancel_order"), true);
    let properties = &of("list_orders")["inputSchema"]["properties"];
    assert!(properties.get("customer").is_some() && properties.get("api-version").is_none());
    let call = json!({"name": "list_orders", "arguments": {"customer": "Ann"}});
    let answer = client.ask("tools/call", call).await;
    assert!(
        answer["isError"] != true && answer.to_string().contains("id"),
        "{answer}"
    );
    assert!(requests.lock().unwrap()[0].starts_with("GET /orders?customer=Ann&api-version=1 "));
    // This client cannot ask its user, so nothing is changed.
    let call = json!({"name": "cancel_order", "arguments": {"id": "7"}});
    let answer = client.ask("tools/call", call).await;
    assert_eq!(answer["isError"], true, "{answer}");
    assert_eq!(requests.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn tools_are_held_to_a_lock_file() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("openapi-{}.lock", std::process::id()));
    let base = "--base-url=https://api.example.com";
    let lock = ["list", DOCUMENT, base, "--lock", file.to_str().unwrap()];
    let text = std::fs::read_to_string(DOCUMENT).unwrap();
    let import = |text: &str| {
        let api = OpenApi::parse(text)?.base_url("https://api.example.com")?;
        let (tools, notices) = api.lock(&file).import()?;
        let left_out = notices.into_iter();
        let left_out = left_out.filter(|notice| notice.kind == NoticeKind::LockMismatch);
        let left_out: Vec<_> = left_out.map(|notice| notice.to_string()).collect();
        let names: Vec<_> = tools.iter().map(|tool| tool.name().to_owned()).collect();
        Ok::<_, ImportError>((names, left_out))
    };
    let missing = import(&text).unwrap_err();
    assert!(matches!(missing, ImportError::Setting(_)), "{missing}");
    let written = program(&lock)
        .env("TOOLS_LOCK", "update")
        .output()
        .await
        .unwrap();
    assert!(written.status.success(), "{written:?}");
    let (all, left_out) = import(&text).unwrap();
    assert!(left_out.is_empty() && all.len() > 1, "{left_out:?}");
    // Another description, and an operation more.
    let changed = text.replace("Lists the orders", "Lists all orders");
    assert_ne!(changed, text);
    let (names, left_out) = import(&changed).unwrap();
    assert!(
        left_out.len() == 1 && left_out[0].contains("list_orders"),
        "{left_out:?}"
    );
    assert!(names.len() == all.len() - 1 && !names.contains(&"list_orders".to_owned()));
    let more = text.replace(
        "\"paths\": {",
        r#""paths": {"/new": {"get": {"operationId": "new"}},"#,
    );
    let (names, left_out) = import(&more).unwrap();
    assert!(
        left_out.len() == 1 && left_out[0].contains("new"),
        "{left_out:?}"
    );
    assert_eq!(names, all);
    std::fs::remove_file(&file).unwrap();
}
