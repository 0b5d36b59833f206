//! The page `your-client.md`.

use std::cell::RefCell;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::output;

// ANCHOR: loop
use serde::Serialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use toolwright::wire::JsonText;
use toolwright::{Context, Encoder, Executor, Wire, tool, tools};

/// Adds two numbers.
#[tool(read_only)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

type Error = Box<dyn std::error::Error + Send + Sync>;

const WIRE: Wire = Wire::OpenAiChat;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: &'a [Box<RawValue>],
    tools: JsonText<'a>,
}

async fn converse(
    question: &str,
    send: impl AsyncFn(String) -> Result<String, Error>, // a request's body; a response's body
) -> Result<String, Error> {
    let tools = tools![add];
    let (executor, cx) = (Executor::parallel(&tools, 8), Context::new());
    let user = json!({"role": "user", "content": question});
    let mut messages = vec![to_raw_value(&user)?];
    for _turn in 0..10 {
        let body = Body {
            model: "gpt-5",
            messages: &messages,
            tools: WIRE.definitions(&tools),
        };
        let response = send(serde_json::to_string(&body)?).await?;
        let calls = WIRE.calls(&response)?;
        if calls.is_empty() {
            return Ok(WIRE.completion(&response)?.text);
        }
        let batch = executor.run(&calls, &cx).await;
        let results: Vec<_> = batch.into_results().collect();
        // The assistant's message, and the answers to its calls.
        let turn = WIRE.turn(&response, &results, Encoder::auto())?;
        messages.extend(serde_json::from_str::<Vec<Box<RawValue>>>(&turn)?);
    }
    Err("the model called tools ten times in a row".into())
}
// ANCHOR_END: loop

// ANCHOR: reqwest
async fn post(
    client: &reqwest::Client,
    url: &str,
    key: &str,
    body: String,
) -> Result<String, Error> {
    let request = client
        .post(url)
        .bearer_auth(key)
        .header("content-type", "application/json");
    let response = request.body(body).send().await?;
    Ok(response.error_for_status()?.text().await?)
}
// ANCHOR_END: reqwest

// ANCHOR: streamed
use toolwright::wire::StreamEvent;

/// Reads a streamed response, prints its words as they come, and returns it whole.
async fn read(mut next: impl AsyncFnMut() -> Option<Vec<u8>>) -> Result<String, Error> {
    let mut stream = WIRE.accumulator();
    while let Some(bytes) = next().await {
        for event in stream.push_bytes(&bytes)? {
            match event {
                StreamEvent::Text(text) => println!("text: {text}"),
                StreamEvent::Call { name, .. } => println!("calls {name}"),
                _ => {}
            }
        }
    }
    let streamed = stream.finish()?;
    if !streamed.ended {
        return Err("the connection broke off".into());
    }
    Ok(streamed.response) // for `WIRE.calls` and `WIRE.turn`, as before
}
// ANCHOR_END: streamed

// ANCHOR: any
use std::collections::BTreeMap;
use toolwright::Toolset;
use toolwright::wire::{Message, Parallel, ToolChoice};

/// A request's body for any provider.
fn body(
    wire: Wire,
    tools: &Toolset,
    said: &[Message<'_>],
) -> Result<BTreeMap<String, Box<RawValue>>, Error> {
    let mut body = BTreeMap::new();
    for members in [
        wire.conversation(Some("You add."), said, Encoder::auto())?,
        wire.request(tools, &ToolChoice::Auto, Parallel::Allowed)?,
    ] {
        body.extend(serde_json::from_str::<BTreeMap<_, _>>(&members)?);
    }
    Ok(body) // and what the provider wants else: `model`, `max_tokens`, …
}
// ANCHOR_END: any

// ANCHOR: strict
use toolwright::Dialect;
use toolwright::ToolResult;

async fn strict(tools: &Toolset, response: &str) -> Result<Vec<ToolResult>, Error> {
    let sent = WIRE.definitions_in(tools, Dialect::OpenAiStrict)?;
    println!("{}", sent.text()); // goes into the request's `tools`
    // The definitions bring the calls back to the form of the tools.
    let calls = sent.calls(response)?;
    let batch = Executor::serial(tools).run(&calls, &Context::new()).await;
    Ok(batch.into_results().collect())
}
// ANCHOR_END: strict

/// What a provider answers: a call, and then words.
const RESPONSES: [&str; 2] = [
    r#"{"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [{
        "id": "call_1", "type": "function", "function": {"name": "add", "arguments": "{\"a\": 2, \"b\": 3}"}
    }]}, "finish_reason": "tool_calls"}]}"#,
    r#"{"choices": [{"message": {"role": "assistant", "content": "It is 5."}, "finish_reason": "stop"}]}"#,
];

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(future)
}

#[test]
fn the_loop_answers_calls_until_there_are_none() {
    let requests = RefCell::new(Vec::new());
    let send = async |body: String| {
        let mut requests = requests.borrow_mut();
        requests.push(body);
        Ok(RESPONSES[requests.len() - 1].to_owned())
    };
    let answer = block_on(converse("What is 2 + 3?", send)).unwrap();
    assert_eq!(answer, "It is 5.");
    let requests = requests.into_inner();
    assert_eq!(requests.len(), 2);
    output::shown_json("your_client.request.json", &requests[1]);
}

#[test]
fn a_model_that_never_stops_is_stopped() {
    let send = async |_| Ok(RESPONSES[0].to_owned());
    let error = block_on(converse("What is 2 + 3?", send)).unwrap_err();
    assert!(error.to_string().contains("ten times"));
}

/// A provider that says one response after the other, each over a connection of its own.
async fn provider(listener: TcpListener) -> Vec<String> {
    let mut heads = Vec::new();
    for response in RESPONSES {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        let head = loop {
            stream.read_buf(&mut request).await.unwrap();
            let text = String::from_utf8_lossy(&request).to_lowercase();
            let Some((head, body)) = text.split_once("\r\n\r\n") else {
                continue;
            };
            let length = head.split("content-length: ").nth(1).unwrap();
            let length: usize = length.lines().next().unwrap().parse().unwrap();
            if body.len() >= length {
                break head.to_owned();
            }
        };
        heads.push(head);
        let length = response.len();
        let head =
            format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(response.as_bytes()).await.unwrap();
    }
    heads
}

#[test]
fn the_loop_runs_over_http() {
    block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!(
            "http://{}/v1/chat/completions",
            listener.local_addr().unwrap()
        );
        let heads = tokio::spawn(provider(listener));
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let send = async |body| post(&client, &url, "sk-1", body).await;
        assert_eq!(converse("What is 2 + 3?", send).await.unwrap(), "It is 5.");
        for head in heads.await.unwrap() {
            assert!(head.starts_with("post /v1/chat/completions"), "{head}");
            assert!(head.contains("authorization: bearer sk-1"), "{head}");
        }
    });
}

/// Pieces of a stream, cut anywhere.
const STREAM: [&str; 4] = [
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Let me \"}}]}\n\ndata: {\"choices\":[{\"ind",
    "ex\":0,\"delta\":{\"content\":\"see.\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"function\":{\"name\":\"add\",\"arguments\":\"{\\\"a\\\": 2,\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\" \\\"b\\\": 3}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
];

#[test]
fn a_stream_is_the_whole_response_at_its_end() {
    let printed = output::of(|| {
        let mut pieces = STREAM.iter();
        let next = async || pieces.next().map(|piece| piece.as_bytes().to_vec());
        let response = block_on(read(next)).unwrap();
        let calls = WIRE.calls(&response).unwrap();
        assert_eq!(&*calls[0].arguments, r#"{"a": 2, "b": 3}"#);
    });
    output::shown("your_client.streamed.txt", &printed);

    let mut pieces = STREAM[..3].iter();
    let next = async || pieces.next().map(|piece| piece.as_bytes().to_vec());
    let mut error = None;
    output::of(|| error = block_on(read(next)).err());
    assert!(error.unwrap().to_string().contains("broke off"));
}

#[test]
fn a_body_for_every_provider() {
    let said = [Message::User("What is 2 + 3?")];
    for wire in [
        Wire::OpenAiChat,
        Wire::OpenAiResponses,
        Wire::Anthropic,
        Wire::Gemini,
        Wire::Ollama,
        Wire::BedrockConverse,
    ] {
        assert!(body(wire, &tools![add], &said).unwrap().len() >= 2);
    }
    let gemini = body(Wire::Gemini, &tools![add], &said).unwrap();
    output::shown_json(
        "your_client.gemini.json",
        &serde_json::to_string(&gemini).unwrap(),
    );
}

/// Counts words.
#[tool]
fn count(text: &str, most: Option<u32>) -> u32 {
    u32::try_from(text.split(' ').count()).map_or(0, |count| count.min(most.unwrap_or(u32::MAX)))
}

#[test]
fn a_strict_mode_has_its_own_forms() {
    // Strict modes have no optional arguments: `null` stands for one that is absent.
    let response = RESPONSES[0].replace("\"add\"", "\"count\"").replace(
        r#"{\"a\": 2, \"b\": 3}"#,
        r#"{\"text\": \"a b\", \"most\": null}"#,
    );
    let mut results = Vec::new();
    let printed = output::of(|| results = block_on(strict(&tools![count], &response)).unwrap());
    output::shown_json("your_client.strict.json", &printed);
    assert_eq!(results[0].content(Encoder::auto()), "2");
    assert!(results[0].repairs.is_empty());
}
