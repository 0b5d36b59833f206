//! Texts that are nearly JSON: byte order marks, and halves of surrogate pairs.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};
use toolwright::{Context, Executor, ToolCall, executor::Event, tool, tools};
use toolwright_mcp::{
    self as mcp, ClientEvent, ElicitResult, Elicitation, McpServer, NoticeKind, ServerAt,
};

use super::raw_http::{Reply, Server, plain};
use super::{call, text, told};

/// A server at the other end of a pipe, which writes these lines for a request. `ID` is its id.
pub(crate) fn raw_pipe(
    answer: impl Fn(&Value) -> String + Clone + Send + Sync + 'static,
) -> ServerAt {
    ServerAt::pipes(move || {
        let (ours, theirs) = duplex(1 << 20);
        let answer = answer.clone();
        tokio::spawn(async move {
            let (input, mut output) = split(theirs);
            let mut lines = BufReader::new(input).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let asked: Value = serde_json::from_str(&line).unwrap();
                if asked["method"].is_null() || !asked["id"].is_null() {
                    let lines = answer(&asked).replace("ID", &asked["id"].to_string());
                    let _ = output.write_all(format!("{lines}\n").as_bytes()).await;
                }
            }
        });
        Ok(split(ours))
    })
}

fn result(json: &str) -> String {
    let json = json.replace('\n', "");
    format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{json}}}"#)
}

/// A server with these tools, whose calls are answered so.
fn with_tools(
    tools: &'static str,
    answer: impl Fn(&Value) -> String + Clone + Send + Sync + 'static,
) -> ServerAt {
    raw_pipe(move |asked| match asked["method"].as_str() {
        Some("initialize") => result(
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"n\ud83d","version":"1"},"instructions":"Go \udc00on."}"#,
        ),
        Some("tools/list") => result(&format!(r#"{{"tools":{tools}}}"#)),
        _ => answer(asked),
    })
}

const ECHO: &str = r#"[{"name":"echo","inputSchema":{"type":"object"}}]"#;
const DONE: &str = r#"{"content":[{"type":"text","text":"\ufeffdone"}]}"#;

/// modelcontextprotocol/typescript-sdk#2790.
#[tokio::test]
async fn a_byte_order_mark_before_a_message_of_a_server_is_skipped() {
    for mark in ["\u{feff}", " \u{feff}", "\u{feff}\t"] {
        let at = raw_pipe(move |asked| {
            let line = match asked["method"].as_str() {
                Some("initialize") => {
                    result(r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#)
                }
                Some("tools/list") => result(&format!(r#"{{"tools":{ECHO}}}"#)),
                Some("tools/call") => result(DONE),
                _ => {
                    r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}"#.to_owned()
                }
            };
            format!("{mark}{line}")
        });
        let (connector, told) = told(mcp::connect(at));
        let client = connector.await.unwrap();
        // It stays within a text.
        assert_eq!(
            text(&call(&client.toolset(), "echo", "{}").await),
            "\u{feff}done"
        );
        assert!(told.all().is_empty(), "{:?}", told.all());
    }
    for events in [false, true] {
        let server = Server::start(move |asked| {
            let mut reply = plain(asked).unwrap_or_else(|| {
                Reply::new(
                    "200 OK",
                    "application/json",
                    result(DONE).replace("ID", &asked.json()["id"].to_string()),
                )
            });
            let is_answer = reply.status == "200 OK";
            reply.body = match (events && is_answer, String::from_utf8(reply.body).unwrap()) {
                (true, body) => {
                    reply.headers = vec![("content-type", "text/event-stream".to_owned())];
                    format!("id: 1\n\ndata: \u{feff}{body}\n\n")
                }
                (false, body) => format!("\u{feff}{body}"),
            }
            .into();
            reply
        })
        .await;
        let client = mcp::connect(&*server.url).await.unwrap();
        assert_eq!(
            text(&call(&client.toolset(), "echo", "{}").await),
            "\u{feff}done"
        );
    }
}

#[tokio::test]
async fn a_mark_counts_for_the_bound_and_is_skipped_once() {
    let hello = r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#;
    let one = result(hello).len() - "ID".len() + "0".len();
    let mark = "\u{feff}";
    for (mark, most, connects) in [
        (mark.to_owned(), one + mark.len(), true),
        (mark.to_owned(), one + mark.len() - 1, false),
        (mark.repeat(2), 4_000, false),
    ] {
        let before = mark.clone();
        let at = raw_pipe(move |asked| match asked["method"].as_str() {
            Some("tools/list") => result(r#"{"tools":[]}"#),
            _ => format!("{before}{}", result(hello)),
        });
        let connector = mcp::connect(at).initialize().max_bytes(most);
        let connected = connector
            .connect_timeout(std::time::Duration::from_millis(500))
            .await;
        assert_eq!(connected.is_ok(), connects, "{mark:?}");
    }
    // The id of a message that is too long is read behind a mark.
    let at = with_tools(ECHO, |_| {
        let long = "x".repeat(5_000);
        format!(
            "\u{feff}{}",
            result(&format!(
                r#"{{"content":[{{"type":"text","text":"{long}"}}]}}"#
            ))
        )
    });
    let client = mcp::connect(at).max_bytes(4_000).await.unwrap();
    let error = call(&client.toolset(), "echo", "{}")
        .await
        .outcome
        .unwrap_err();
    assert!(format!("{error:?}").contains("4000 bytes"), "{error:?}");
}

#[tokio::test]
async fn a_strict_client_reads_neither_marks_nor_halves() {
    for line in [
        format!("\u{feff}{}", result(DONE)),
        result(r#"{"content":[{"type":"text","text":"\ud83d"}]}"#),
    ] {
        let at = raw_pipe(move |asked| match asked["method"].as_str() {
            Some("initialize") => result(r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#),
            Some("tools/list") => result(&format!(r#"{{"tools":{ECHO}}}"#)),
            _ => line.clone(),
        });
        let (connector, told) = told(mcp::connect(at).initialize().strict());
        let limit = std::time::Duration::from_secs(2);
        let client = connector.idle_timeout(limit).await.unwrap();
        let result = call(&client.toolset(), "echo", "{}").await;
        assert!(result.outcome.is_err(), "{result:?}");
        let is_bad = |event: &ClientEvent| matches!(event, ClientEvent::BadMessage(_));
        assert!(told.all().iter().any(is_bad));
    }
}

/// JavaScript cuts texts inside of an emoji: microsoft/playwright-mcp#1410, inkeep/open-knowledge#472.
#[tokio::test]
async fn half_of_a_pair_in_a_list_costs_that_half() {
    let tools = r#"[
        {"name":"echo","description":"Cut \ud83d","title":"\udc00","inputSchema":{"type":"object","properties":{
            "a\ud800":{"type":"string","description":"\ud800"},"a\udbff":{"type":"integer"},"b":{"const":"\ud83d\ude00"}}}},
        {"name":"cut\ud83d","inputSchema":{"type":"object"}},
        {"name":"whole","description":"\ud83d\ude00","inputSchema":{"type":"object"}}]"#;
    let client = mcp::connect(with_tools(tools, |_| result(DONE)))
        .await
        .unwrap();
    let tools = client.toolset();
    let described = |name: &str| tools.get(name).unwrap().def().description.to_string();
    assert_eq!(
        (
            tools.iter().len(),
            &*described("echo"),
            &*described("whole")
        ),
        (2, "Cut \u{fffd}", "\u{1f600}")
    );
    let schema = tools.get("echo").unwrap().def().input.to_value();
    // The first of the keys that fall together.
    assert_eq!(schema["properties"]["a\u{fffd}"]["type"], "string");
    assert_eq!(schema["properties"].as_object().unwrap().len(), 2);
    let notices: Vec<_> = client
        .notices()
        .into_iter()
        .map(|notice| (notice.tool, notice.kind))
        .collect();
    assert!(
        notices.contains(&("echo".to_owned(), NoticeKind::Mended)),
        "{notices:?}"
    );
    assert!(
        notices.iter().any(|(_, kind)| *kind == NoticeKind::Refused) && notices.len() == 2,
        "{notices:?}"
    );
    assert_eq!(client.server_name(), Some("n\u{fffd}"));
    assert_eq!(client.instructions(), Some("Go \u{fffd}on."));
}

#[tokio::test]
async fn half_of_a_pair_in_a_key_costs_no_list() {
    let half = r#""x\ud800":1"#;
    for (page, tools) in [
        (format!(r#"{{{half},"tools":{ECHO}}}"#), 1),
        (format!(r#"{{"tools":{ECHO},"x":{{{half}}},{half}}}"#), 1),
        (
            format!(r#"{{"tools":{ECHO},"_meta":{{{half},{half}}},"nextCursor":null}}"#),
            1,
        ),
        (
            format!(
                r#"{{"tools":[{{"name":"a","inputSchema":{{"type":"object"}},{half}}},{{"name":"b","inputSchema":{{"type":"object"}},"annotations":{{{half}}}}}]}}"#
            ),
            2,
        ),
        (format!(r#"{{"tools":[7,null,{}"#, &ECHO[1..]) + "}", 1),
    ] {
        let at = raw_pipe({
            let page = page.clone();
            move |asked| match asked["method"].as_str() {
                Some("initialize") => {
                    result(r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#)
                }
                _ => result(&page),
            }
        });
        let client = mcp::connect(at).initialize().await;
        let client = client.unwrap_or_else(|error| panic!("{page}: {error}"));
        assert_eq!(client.toolset().iter().len(), tools, "{page}");
    }
    for page in [r#"{"tools":{}}"#, "[]", "{}", r#"{"x\ud800":[]}"#] {
        let at = raw_pipe(move |asked| match asked["method"].as_str() {
            Some("initialize") => result(r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#),
            _ => result(page),
        });
        let error = mcp::connect(at).initialize().await.unwrap_err();
        let words = error.to_string();
        assert!(
            words.contains("its `tools` are not a list"),
            "{page}: {words}"
        );
    }
}

#[tokio::test]
async fn half_of_a_pair_in_a_message_costs_that_half() {
    let asked_people = Arc::<Mutex<Vec<String>>>::default();
    let people = Arc::clone(&asked_people);
    let at = with_tools(ECHO, |asked| {
        let token = &asked["params"]["_meta"]["progressToken"];
        match asked["params"]["arguments"]["how"].as_str() {
            Some("progress") => format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":1,"message":"\ud83dx"}}}}
{{"jsonrpc":"2.0","method":"notifications/message","params":{{"data":{{"k\ud800":1,"k\udfff":"\ud800"}}}}}}
{}"#,
                result(DONE)
            ),
            Some("error") => r#"{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":"not \udc00today"}}"#.to_owned(),
            Some("asks") => r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"How \ud800many?","requestedSchema":{"type":"object","properties":{}}}}"#.to_owned(),
            Some("structured") => result(r#"{"content":[],"structuredContent":{"n":1.50,"id\ud800":"\ud800"}}"#),
            Some(_) => result(r#"{"content":[{"type":"text","text":"a\ud83d"},{"type":"text","text":"b"}]}"#),
            // The answer of somebody.
            None => r#"{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"asked"}]}}"#.to_owned(),
        }
    });
    let (connector, told) = told(mcp::connect(at).initialize());
    let client = connector
        .on_elicitation(move |question: Elicitation| {
            people.lock().unwrap().push(question.message);
            async { ElicitResult::Decline }
        })
        .await
        .unwrap();
    let tools = client.toolset();
    let ask = async |how: &str| call(&tools, "echo", &json!({ "how": how }).to_string()).await;
    let heard = Arc::<Mutex<Vec<String>>>::default();
    let ear = Arc::clone(&heard);
    let executor = Executor::parallel(tools.clone(), 1).on_event(move |event| {
        if let Event::Progress { progress, .. } = event {
            let message = progress.message.clone().unwrap_or_default();
            ear.lock().unwrap().push(message.into_owned());
        }
    });
    let progress = ToolCall::new("1", "echo", r#"{"how":"progress"}"#);
    let batch = executor.run(&[progress], &Context::new()).await;
    assert!(batch.results().all(toolwright::ToolResult::is_success));
    assert_eq!(*heard.lock().unwrap(), ["\u{fffd}x"]);
    let log = ClientEvent::Log("{\"data\":{\"k\u{fffd}\":1}}".to_owned());
    assert!(told.all().contains(&log), "{:?}", told.all());
    let error = ask("error").await.outcome.unwrap_err().to_string();
    assert!(error.contains("not \u{fffd}today"), "{error}");
    assert_eq!(text(&ask("asks").await), "asked");
    assert_eq!(*asked_people.lock().unwrap(), ["How \u{fffd}many?"]);
    let value = ask("structured")
        .await
        .outcome
        .unwrap()
        .payload()
        .unwrap()
        .to_json()
        .into_owned();
    assert_eq!(value, "{\"n\":1.50,\"id\u{fffd}\":\"\u{fffd}\"}");
    let said = format!("{:?}", ask("text").await.outcome.unwrap());
    assert!(
        said.contains("a\u{fffd}") && said.contains("\"b\""),
        "{said}"
    );
    let is_bad = |event: &&ClientEvent| matches!(event, ClientEvent::BadMessage(_));
    assert_eq!(told.all().iter().filter(is_bad).count(), 4);
}

#[tokio::test]
async fn cursors_are_read_as_they_are_or_end_the_list() {
    for (cursor, tools, notes) in [
        (r#""\u00e9""#, 2, 0),
        ("2", 2, 0),
        (r#""a\ud800""#, 1, 1),
        ("{}", 1, 1),
        ("true", 1, 1),
        (r#""""#, 1, 0),
        ("false", 1, 0),
        ("0", 1, 0),
        ("null", 1, 0),
    ] {
        let at = || {
            raw_pipe(move |asked| match asked["method"].as_str() {
                Some("initialize") => {
                    result(r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#)
                }
                _ if asked["params"].get("cursor").is_none() => {
                    result(&format!(r#"{{"tools":{ECHO},"nextCursor":{cursor}}}"#))
                }
                _ => {
                    assert!(["é", "2"].contains(&asked["params"]["cursor"].as_str().unwrap()));
                    result(&format!(r#"{{"tools":{}}}"#, ECHO.replace("echo", "next")))
                }
            })
        };
        let strict = mcp::connect(at()).initialize().strict().await;
        assert_eq!(
            strict.is_ok(),
            cursor.starts_with('"') && notes == 0 || cursor == "null"
        );
        let (connector, told) = told(mcp::connect(at()).initialize());
        let client = connector
            .await
            .unwrap_or_else(|error| panic!("{cursor}: {error}"));
        assert_eq!(client.toolset().iter().len(), tools, "{cursor}");
        assert_eq!(told.all().len(), notes, "{cursor}: {:?}", told.all());
    }
}

/// Says it again.
#[tool]
fn say(
    /// The words.
    words: &[&str],
) -> String {
    words.concat()
}

/// What our server answers to these lines.
async fn served(lines: &[&str]) -> Vec<Value> {
    let (ours, theirs) = duplex(1 << 16);
    let (input, output) = split(theirs);
    let server = tokio::spawn(McpServer::new(tools![say]).serve_pipe(input, output));
    let (input, mut output) = split(ours);
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
    for line in [&[hello], lines].concat() {
        output
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
    }
    output.shutdown().await.unwrap();
    let mut answers = BufReader::new(input).lines();
    let mut all = Vec::new();
    while let Some(line) = answers.next_line().await.unwrap() {
        all.push(serde_json::from_str(&line).unwrap());
    }
    server.await.unwrap().unwrap();
    all.remove(0);
    all
}

fn says(id: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"say","arguments":{arguments}}}}}"#
    )
}

#[tokio::test]
async fn our_server_skips_a_mark_before_a_message() {
    let call = says("1", r#"{"words":["\ufeffa"]}"#);
    let marked = format!("\u{feff}{call}");
    for line in [&*marked, &format!(" {marked}"), &marked.replace('{', "{ ")] {
        let answers = served(&["\u{feff}", line]).await;
        assert_eq!(answers.len(), 1, "{answers:?}");
        assert_eq!(
            answers[0]["result"]["content"][0]["text"], "\u{feff}a",
            "{answers:?}"
        );
    }
    let twice = served(&[&format!("\u{feff}{marked}")]).await;
    assert_eq!(twice[0]["error"]["code"], -32700);
    let inside = served(&[&call.replace(r#""params":"#, "\"params\":\u{feff}")]).await;
    assert_eq!(inside[0]["error"]["code"], -32700);
    let body = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}";
    let request = http::Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(http_body_util::Full::new(bytes::Bytes::from(body)))
        .unwrap();
    let mut service = McpServer::new(tools![say]).http();
    let response = tower_service::Service::call(&mut service, request)
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
}

#[tokio::test]
async fn half_of_a_pair_in_arguments_is_answered_with_its_path() {
    for (arguments, path) in [
        (r#"{"words":["a","\ud83d"]}"#, "words[1]"),
        (r#"{"words":["\udc00x"]}"#, "words[0]"),
        (r#"{"a b":{"c":"\ud83d"}}"#, r#"["a b"].c"#),
        (r#"{"words":[],"\ud800":1}"#, ""),
        (r#"{"words":["\ud83d\u0041"],"x":"\ud83d"}"#, "words[0]"),
    ] {
        let answers = served(&[
            &says("1", arguments),
            &says("2", r#"{"words":["\ud83d\ude00"]}"#),
        ])
        .await;
        let first = answers.iter().find(|answer| answer["id"] == 1).unwrap();
        assert_eq!(first["result"]["isError"], true, "{first}");
        let words = first["result"]["content"][0]["text"].as_str().unwrap();
        assert!(
            words.contains("surrogate pair") && words.contains(path),
            "{words}"
        );
        let second = answers.iter().find(|answer| answer["id"] == 2).unwrap();
        assert_eq!(
            second["result"]["content"][0]["text"], "\u{1f600}",
            "{second}"
        );
    }
    // An id is never changed.
    let answers = served(&[&says(r#""a\ud800""#, "{}")]).await;
    assert!(
        answers[0]["error"]["code"] == -32600 && answers[0]["id"].is_null(),
        "{answers:?}"
    );
}
