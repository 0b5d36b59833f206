//! The program: an API as an MCP server, and tools held to a lock file.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines};
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

/// Runs the program to its end. Returns its exit code, its output and its errors.
async fn ran(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = program(arguments)
        .env("OPENAPI_TEST_TOKEN", "tok-123")
        .env_remove("OPENAPI_TEST_UNSET")
        .output()
        .await
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[tokio::test]
async fn check_list_and_call_print_what_they_say() {
    let head = "200 OK\r\ncontent-type: application/json";
    let (url, requests) = server(response(head, r#"[{"id": "7"}]"#)).await;
    let (code, out, _) = ran(&["check", DOCUMENT]).await;
    assert_eq!(code, Some(1), "an operation is left out");
    assert!(out.contains("POST /legacy: left out: "), "{out}");
    assert!(
        out.ends_with("1 operations are left out; 1 other notices\n"),
        "{out}"
    );
    let base = ["--base-url", &url, "--bearer-env", "OPENAPI_TEST_TOKEN"];
    let with = |words: &[&'static str]| [words, &base].concat();
    let (code, out, _) = ran(&with(&["list", DOCUMENT, "--reading"])).await;
    assert_eq!(code, Some(0));
    assert!(
        out.contains("list_orders") && !out.contains("cancel_order"),
        "{out}"
    );
    let arguments = r#"{"customer": "Ann", "api-version": "1"}"#;
    let calls = |options: &[&'static str], words: &[&'static str]| {
        [&["call"], options, &base, &[DOCUMENT], words].concat()
    };
    let call = calls(&[], &["list_orders", "--json", arguments]);
    let (code, out, error) = ran(&call).await;
    assert_eq!(code, Some(0), "{error}");
    assert!(out.contains(r#""id""#), "{out}");
    let request = requests.lock().unwrap()[0].clone();
    assert!(
        request.starts_with("GET /orders?customer=Ann&api-version=1 "),
        "{request}"
    );
    assert!(
        request.contains("authorization: Bearer tok-123\r\n"),
        "{request}"
    );
    // Nobody is there to ask before it changes something.
    let cancel = ["cancel_order", "--json", r#"{"id": "7"}"#];
    let (code, ..) = ran(&calls(&[], &cancel)).await;
    assert_ne!(code, Some(0));
    assert_eq!(requests.lock().unwrap().len(), 1);
    let (code, _, error) = ran(&calls(&["--unattended"], &cancel)).await;
    assert_eq!(
        (code, requests.lock().unwrap().len()),
        (Some(0), 2),
        "{error}"
    );
}

/// What stands behind the name of a tool is the tool's, even if the program has an option of the name.
#[tokio::test]
async fn arguments_of_a_call_are_those_of_the_tool() {
    let head = "200 OK\r\ncontent-type: application/json";
    let (url, requests) = server(response(head, "[]")).await;
    let names = [
        "hide",
        "tag",
        "prefix",
        "preset",
        "lock",
        "document",
        "reading",
        "listen",
        "mcp",
        "unattended",
        "base-url",
    ];
    let parameters: Vec<_> = names
        .iter()
        .map(|name| json!({"name": name, "in": "query", "schema": {"type": "string"}}))
        .collect();
    let document = json!({
        "openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "paths": {"/items": {"get": {"operationId": "list_items", "parameters": parameters}}},
    });
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("openapi-{}-call.json", std::process::id()));
    std::fs::write(&file, document.to_string()).unwrap();
    let file = file.to_str().unwrap();
    for name in names {
        let given = format!("--{name}");
        let call = [
            "call",
            file,
            "--base-url",
            &url,
            "list_items",
            &given,
            "closed",
        ];
        let (code, _, error) = ran(&call).await;
        assert_eq!(code, Some(0), "{name}: {error}");
        let request = requests.lock().unwrap().pop().unwrap();
        assert!(
            request.starts_with(&format!("GET /items?{name}=closed ")),
            "{request}"
        );
    }
    let hidden = [
        "call",
        file,
        "--base-url",
        &url,
        "--hide",
        "tag",
        "list_items",
        "--tag=x",
    ];
    let (code, _, error) = ran(&hidden).await;
    assert!(code != Some(0) && error.contains("--tag"), "{error}");
    std::fs::remove_file(file).unwrap();
}

#[tokio::test]
async fn an_api_is_an_http_server() {
    let head = "200 OK\r\ncontent-type: application/json";
    let (url, requests) = server(response(head, r#"[{"id": "7"}]"#)).await;
    // The document may stand behind the options.
    let mut serve = program(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--base-url",
        &url,
        DOCUMENT,
    ]);
    let mut server = serve.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
    let line = lines.next_line().await.unwrap().unwrap();
    let address = line.strip_prefix("listening on http://").unwrap();
    let body = r#"{"customer": "Ann", "api-version": "1"}"#;
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST /tools/list_orders HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
        content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.contains(r#""id""#),
        "{answer}"
    );
    assert!(requests.lock().unwrap()[0].starts_with("GET /orders?customer=Ann&api-version=1 "));
}

#[tokio::test]
async fn bad_input_has_a_message_and_an_exit_code() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = |name: &str, text: &str| {
        let file = folder.join(format!("openapi-{}-{name}", std::process::id()));
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let swagger = file("2.json", r#"{"swagger": "2.0", "paths": {}}"#);
    let broken = file("broken.json", "{");
    let yaml = file("broken.yaml", "a: [");
    let base = "--base-url=https://api.example.com";
    let table: [(&[&str], &str); 16] = [
        (&["check", "none.json"], "`none.json`: No such file"),
        (&["check", &swagger], "convert it to OpenAPI 3 first"),
        (&["list", &broken], "the document cannot be parsed: "),
        (&["list", &yaml], "the document cannot be parsed: "),
        (
            &["list", DOCUMENT],
            "set `--base-url`: the document names no server",
        ),
        (
            &["list", DOCUMENT, "--base-url=ftp://a"],
            "only `http` and `https`",
        ),
        (
            &["list", DOCUMENT, "--base-url"],
            "`--base-url` takes a value",
        ),
        (
            &["list", DOCUMENT, base, "--bearer-env=OPENAPI_TEST_UNSET"],
            "`OPENAPI_TEST_UNSET` is not set",
        ),
        (
            &["list", DOCUMENT, base, "--basic-env=OPENAPI_TEST_TOKEN"],
            "`OPENAPI_TEST_TOKEN` is not `user:password`",
        ),
        (
            &["list", DOCUMENT, base, "--api-key-env=OPENAPI_TEST_TOKEN"],
            "takes `NAME=VALUE`",
        ),
        (
            &[
                "list",
                DOCUMENT,
                base,
                "--api-key-env=key=OPENAPI_TEST_TOKEN",
            ],
            "no API key scheme `key`",
        ),
        (
            &["list", DOCUMENT, base, "--tag=none"],
            "`--tag` or `--reading` keeps none",
        ),
        (
            &["list", DOCUMENT, base, "--bad"],
            "unexpected argument '--bad'",
        ),
        (
            &["check", DOCUMENT, "--bad"],
            "`check` does not take `--bad`",
        ),
        (
            &["list", DOCUMENT, base, "--document=other.json"],
            "takes `NAME=VALUE`",
        ),
        (&["bad", DOCUMENT], "toolwright-openapi check API.json"),
    ];
    for (arguments, words) in table {
        let (code, out, error) = ran(arguments).await;
        assert_eq!((code, &*out), (Some(2), ""), "{arguments:?}: {error}");
        assert!(error.contains(words), "{arguments:?}: {error}");
        assert!(!error.contains("tok-123"), "{arguments:?}: {error}");
    }
    for file in [swagger, broken, yaml] {
        std::fs::remove_file(file).unwrap();
    }
    for help in [&["--help"][..], &["serve", "--help"], &["help"]] {
        let (code, out, _) = ran(help).await;
        assert_eq!(code, Some(0));
        assert!(out.contains("--bearer-env VARIABLE"), "{out}");
    }
}
