//! Models behind HTTP, against a server of this test on the loopback.
// A test that finds less than it expects has failed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use toolwright::agent::model::{DeltaSink, ModelError, ModelErrorKind, ModelRequest};
use toolwright::agent::{Agent, Endpoint, Model, ModelResponse, Session, Thread, ThreadMessage};
use toolwright::{
    Context, Dialect, Schema, ToolCall, Toolset, tool, tools,
    toolset::Namespace,
    wire::{FinishReason, StreamEvent, ToolChoice},
};

/// What a server got.
#[derive(Debug, Clone)]
pub(crate) struct Got {
    /// The first line and the headers.
    head: String,
    pub(crate) body: Value,
}

impl Got {
    fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Server {
    pub(crate) url: String,
    got: Arc<Mutex<Vec<Got>>>,
}

impl Server {
    /// A server that gives these answers, one a connection, and none after them.
    pub(crate) async fn start(answers: Vec<Vec<u8>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let got = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&got);
        tokio::spawn(async move {
            for answer in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read(&mut stream).await;
                heard.lock().unwrap().push(request);
                stream.write_all(&answer).await.unwrap();
                let _ = stream.shutdown().await;
            }
        });
        Self { url, got }
    }

    pub(crate) fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }
}

pub(crate) async fn read(stream: &mut TcpStream) -> Got {
    let mut text = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let length = stream.read(&mut piece).await.unwrap();
        text.extend_from_slice(&piece[..length]);
        let told = String::from_utf8_lossy(&text).into_owned();
        if let Some((head, body)) = told.split_once("\r\n\r\n") {
            let got = Got {
                head: head.to_owned(),
                body: Value::Null,
            };
            let length: usize = got.header("content-length").unwrap().parse().unwrap();
            if body.len() >= length {
                let body = serde_json::from_str(body).unwrap();
                return Got { body, ..got };
            }
        }
        assert!(length > 0, "the request ended early");
    }
}

pub(crate) fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
    )
    .into_bytes()
}

pub(crate) fn whole(body: &str) -> Vec<u8> {
    answer("200 OK", "content-type: application/json\r\n", body)
}

pub(crate) fn stream(body: &str) -> Vec<u8> {
    answer("200 OK", "content-type: text/event-stream\r\n", body)
}

/// The tests of the wires have what providers send.
fn sample(name: &str) -> String {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/it/wires")).join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Weather of a city.
#[tool]
fn weather(city: &str, #[arg(default = 1)] days: u8) -> String {
    format!("sun in {city} for {days}")
}

fn thread() -> Thread {
    Thread::from([ThreadMessage::user("How is Zürich?")])
}

/// What the endpoint answers, and the pieces that were told.
pub(crate) async fn ask(
    endpoint: &Endpoint,
    streams: bool,
) -> (Result<ModelResponse, ModelError>, Vec<StreamEvent>) {
    let told = Mutex::new(Vec::new());
    let listener = |event: &StreamEvent| told.lock().unwrap().push(event.clone());
    let deltas = if streams {
        DeltaSink::to(&listener)
    } else {
        DeltaSink::NONE
    };
    let (thread, tools, choice) = (thread(), tools![weather], ToolChoice::Auto);
    let mut request = ModelRequest::new(&thread, &tools, &choice);
    request.system = Some("Be brief.");
    let response = endpoint.respond(request, deltas).await;
    (response, told.into_inner().unwrap())
}

/// Every kind of endpoint, its address, and what its provider sends.
fn endpoints(url: &str) -> Vec<(Endpoint, [&'static str; 2], [&'static str; 2])> {
    vec![
        (
            Endpoint::openai_chat(format!("{url}/v1"), "m", "secret"),
            ["/v1/chat/completions", "/v1/chat/completions"],
            ["openai_chat.json", "openai_chat.sse"],
        ),
        (
            Endpoint::openai_responses(format!("{url}/v1/"), "m", "secret"),
            ["/v1/responses", "/v1/responses"],
            ["openai_responses.json", "openai_responses.sse"],
        ),
        (
            Endpoint::anthropic(url, "m", "secret"),
            ["/v1/messages", "/v1/messages"],
            ["anthropic.json", "anthropic.sse"],
        ),
        (
            Endpoint::gemini(url, "m", "secret"),
            [
                "/v1beta/models/m:generateContent",
                "/v1beta/models/m:streamGenerateContent?alt=sse",
            ],
            ["gemini.json", "gemini.sse"],
        ),
        (
            Endpoint::ollama(url, "m").key("secret"),
            ["/api/chat", "/api/chat"],
            ["ollama.json", "ollama.ndjson"],
        ),
    ]
}

#[tokio::test]
async fn an_answer_is_the_same_whole_and_streamed() {
    let places = endpoints("").len();
    for place in 0..places {
        let (_, _, [whole_sample, stream_sample]) = endpoints("").remove(place);
        let answers = vec![whole(&sample(whole_sample)), stream(&sample(stream_sample))];
        let server = Server::start(answers).await;
        let (endpoint, paths, _) = endpoints(&server.url).remove(place);
        let (said, told) = ask(&endpoint, false).await;
        let said = said.unwrap();
        assert_eq!(told, []);
        assert_eq!(said.text, "Ich schaue nach. 🌦", "{endpoint:?}");
        let names: Vec<_> = said.calls.iter().map(|call| &*call.name).collect();
        assert_eq!(names, ["weather", "now", "wether"]);
        assert!(said.usage.is_some_and(|usage| usage.output >= 48));
        assert_eq!(said.stop, Some(FinishReason::Done));

        let (streamed, told) = ask(&endpoint, true).await;
        let streamed = streamed.unwrap();
        assert_eq!(
            (&streamed.text, &streamed.calls, streamed.usage),
            (&said.text, &said.calls, said.usage),
            "{endpoint:?}"
        );
        let words: String = told
            .iter()
            .filter_map(|event| match event {
                StreamEvent::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(words, said.text);
        assert_eq!(
            streamed.native.unwrap().messages.len(),
            said.native.unwrap().messages.len()
        );

        let got = server.got();
        let asked: Vec<_> = got.iter().map(Got::path).collect();
        assert_eq!(asked, paths);
        let keys = ["authorization", "x-api-key", "x-goog-api-key"];
        let keys: Vec<_> = keys.iter().filter_map(|key| got[0].header(key)).collect();
        assert_eq!(keys.len(), 1);
        assert!(keys[0].ends_with("secret"));
        let streams: Vec<_> = got.iter().map(|got| got.body["stream"] == true).collect();
        let in_body = !paths[1].contains("streamGenerateContent");
        assert_eq!(streams, [false, in_body]);
    }
}

/// The body in which an endpoint offers a deferred tool.
async fn deferred(endpoint: impl FnOnce(&str) -> Endpoint) -> String {
    let server = Server::start(vec![answer("500 Oops", "", "")]).await;
    let endpoint = endpoint(&server.url).retries(0);
    let tools = tools![weather].defer(Namespace::new("sky").unwrap());
    let (thread, choice) = (thread(), ToolChoice::Auto);
    let request = ModelRequest::new(&thread, &tools, &choice);
    endpoint
        .respond(request, DeltaSink::NONE)
        .await
        .unwrap_err();
    server.got()[0].body.to_string()
}

#[tokio::test]
async fn models_that_are_known_to_search_in_the_providers_form_do() {
    for (model, is_native) in [
        ("gpt-5.4", true),
        ("gpt-5.4-mini-2026-03-05", true),
        ("openai/gpt-5.10", true),
        ("gpt-6", true),
        ("gpt-5", false),
        ("gpt-5-2025-08-07", false),
        ("gpt-4.1", false),
        ("o4-mini", false),
        ("qwen-9.9", false),
    ] {
        let body = deferred(|url| Endpoint::openai_responses(url, model, "secret")).await;
        let says = body.contains(r#""type":"tool_search""#);
        assert_eq!(says, is_native, "{model}: {body}");
    }
    for (model, is_native) in [
        ("claude-sonnet-4-5-20250929", true),
        ("claude-haiku-4-5", true),
        ("claude-opus-5", true),
        ("claude-sonnet-4-20250514", false),
        ("claude-3-7-sonnet-latest", false),
        ("claude-next", false),
    ] {
        let body = deferred(|url| Endpoint::anthropic(url, model, "secret")).await;
        assert_eq!(body.contains("defer_loading"), is_native, "{model}: {body}");
    }
    let chat = deferred(|url| Endpoint::openai_chat(url, "gpt-5.4", "secret")).await;
    let gemini = deferred(|url| Endpoint::gemini(url, "gemini-9", "secret")).await;
    for body in [chat, gemini] {
        assert!(
            !body.contains("tool_search") && !body.contains("defer_loading"),
            "{body}"
        );
    }
}

#[tokio::test]
async fn a_request_has_the_model_the_conversation_and_the_tools() {
    let server = Server::start(vec![whole(&sample("openai_chat.json"))]).await;
    let endpoint = Endpoint::openai_chat(&*server.url, "gpt-5", "secret");
    let endpoint = endpoint.max_tokens(50).body_field("temperature", 0);
    ask(&endpoint, false).await.0.unwrap();
    let body = server.got()[0].body.clone();
    assert_eq!(body["model"], "gpt-5");
    assert_eq!(body["max_completion_tokens"], 50);
    assert_eq!(body["temperature"], 0);
    assert_eq!(
        body["messages"],
        json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "How is Zürich?"},
        ])
    );
    assert_eq!(body["tool_choice"], "auto");
    let function = &body["tools"][0]["function"];
    assert_eq!(
        (&function["name"], &function["strict"]),
        (&json!("weather"), &json!(true))
    );
    // What may be left out is required in the strict mode, and `null` says so.
    assert_eq!(function["parameters"]["required"], json!(["city", "days"]));
}

#[tokio::test]
async fn settings_of_one_object_are_joined() {
    let server = Server::start(vec![whole(&sample("gemini.json"))]).await;
    let endpoint = Endpoint::gemini(&*server.url, "m", "")
        .max_tokens(50)
        .dialect(Dialect::GeminiOpenApi)
        .body_field("generationConfig", json!({"temperature": 0.5}))
        .header("x-test", "1");
    ask(&endpoint, false).await.0.unwrap();
    let got = server.got().remove(0);
    assert_eq!(
        got.body["generationConfig"],
        json!({"maxOutputTokens": 50, "temperature": 0.5})
    );
    assert!(got.body["tools"][0]["functionDeclarations"][0]["parameters"].is_object());
    assert_eq!(got.header("x-test"), Some("1"));
    assert_eq!(got.header("x-goog-api-key"), None);
}

/// One request to a server that answers like this.
async fn fault(answer: Vec<u8>, streams: bool) -> (ModelError, Vec<StreamEvent>) {
    let server = Server::start(vec![answer]).await;
    let endpoint = Endpoint::openai_chat(&*server.url, "m", "secret").retries(0);
    let (outcome, told) = ask(&endpoint, streams).await;
    (outcome.unwrap_err(), told)
}

#[tokio::test]
async fn what_fails_is_told_by_its_kind() {
    use ModelErrorKind::{Busy, Refused, Transport, Unreadable};
    let good = sample("openai_chat.json");
    let half: Vec<u8> = whole(&good).into_iter().take(300).collect();
    let error = r#"{"error": {"message": "The model `m` is not there.", "type": "x"}}"#;
    let rows = [
        (
            answer("400 Bad Request", "", error),
            Refused,
            "400: The model `m` is not there.",
        ),
        (
            answer("404 Not Found", "", "no such page"),
            Refused,
            "404: no such page",
        ),
        (
            answer("302 Found", "location: http://127.0.0.1:1/\r\n", ""),
            Refused,
            "302",
        ),
        (answer("429 Too Many Requests", "", error), Busy, "429"),
        (
            answer(
                "500 Internal Server Error",
                "",
                "[{\"error\": {\"message\": \"oh\"}}]",
            ),
            Busy,
            "500: oh",
        ),
        (answer("529 Overloaded", "", ""), Busy, "529"),
        (whole("{malformed"), Unreadable, ""),
        (whole("{\"choices\": []}"), Unreadable, "no choice"),
        (half, Transport, ""),
        (b"nonsense\r\n\r\n".to_vec(), Transport, ""),
    ];
    for (answer, kind, words) in rows {
        for streams in [false, true] {
            let (error, told) = fault(answer.clone(), streams).await;
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(words), "{error}");
            assert_eq!(told, []);
        }
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_or_cannot_be_read_is_no_answer() {
    let text = sample("openai_chat.sse");
    let begun = text.find("schaue").unwrap() + 400;
    let cut = text.get(..begun).unwrap();
    // The connection ends in good form, or in the midst of what was promised.
    let mut promised = stream(&text);
    promised.truncate(promised.len() - 600);
    for answer in [stream(cut), promised] {
        let (error, told) = fault(answer, true).await;
        assert_eq!(error.kind(), ModelErrorKind::Transport, "{error}");
        assert!(!told.is_empty());
    }
    let garbled = format!("{cut}\n\ndata: {{malformed\n\n");
    let (error, _) = fault(stream(&garbled), true).await;
    assert_eq!(error.kind(), ModelErrorKind::Unreadable, "{error}");
    let reported = "data: {\"error\":{\"message\":\"overloaded\"}}\n\n";
    let (error, _) = fault(stream(reported), true).await;
    assert_eq!(error.kind(), ModelErrorKind::Busy);
    assert!(error.to_string().contains("overloaded"), "{error}");
}

#[tokio::test]
async fn an_answer_may_be_too_long_and_too_late() {
    for (file, streams) in [("openai_chat.json", false), ("openai_chat.sse", true)] {
        let text = sample(file);
        let text = if streams { stream(&text) } else { whole(&text) };
        let server = Server::start(vec![text]).await;
        let endpoint = Endpoint::openai_chat(&*server.url, "m", "").max_bytes(300);
        let error = ask(&endpoint, streams).await.0.unwrap_err();
        assert_eq!(error.kind(), ModelErrorKind::Unreadable);
        assert!(error.to_string().contains("300 bytes"), "{error}");
    }
    // It takes connections, and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let patience = Duration::from_millis(50);
    let endpoint = Endpoint::openai_chat(&*url, "m", "").retries(0);
    for endpoint in [
        endpoint.clone().timeout(patience),
        endpoint.read_timeout(patience),
    ] {
        let error = ask(&endpoint, false).await.0.unwrap_err();
        assert_eq!(error.kind(), ModelErrorKind::Timeout, "{error}");
    }
    drop(silent);
    let nobody = Endpoint::openai_chat(&*url, "m", "").retries(0);
    let error = ask(&nobody, false).await.0.unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Transport, "{error}");
}

/// The key in the headers is for the address that the host named.
#[tokio::test]
async fn a_redirect_is_not_followed() {
    for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
        let elsewhere = Server::start(vec![whole(&sample("openai_chat.json"))]).await;
        let place = format!("location: {}/x\r\n", elsewhere.url);
        let server = Server::start(vec![answer(status, &place, "")]).await;
        let endpoint = Endpoint::openai_chat(&*server.url, "m", "secret").retries(0);
        ask(&endpoint, false).await.0.unwrap_err();
        assert_eq!(
            (server.got().len(), elsewhere.got().len()),
            (1, 0),
            "{status}"
        );
    }
}

/// Proxies break connections, or forget to close them, behind the last of what they pass on.
#[tokio::test]
async fn an_answer_that_has_ended_does_not_wait_for_the_end_of_the_connection() {
    let text = sample("openai_chat.sse");
    let length = text.len() + 1;
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
    let breaks = format!("{head}content-length: {length}\r\n\r\n{text}").into_bytes();
    let server = Server::start(vec![stream(&text), breaks.clone()]).await;
    let endpoint = Endpoint::openai_chat(&*server.url, "m", "").retries(0);
    let expected = ask(&endpoint, true).await;
    let response = expected.0.unwrap();
    assert!(!response.calls.is_empty());
    let (broken, told) = ask(&endpoint, true).await;
    assert_eq!((broken.unwrap(), &told), (response.clone(), &expected.1));

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let open = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        read(&mut stream).await;
        stream.write_all(&breaks).await.unwrap();
        std::future::pending::<()>().await;
    });
    let endpoint = Endpoint::openai_chat(&*url, "m", "").retries(0);
    let silent = endpoint.read_timeout(Duration::from_millis(200));
    assert_eq!(ask(&silent, true).await.0.unwrap(), response);
    open.abort();
}

#[tokio::test]
async fn what_may_succeed_later_is_sent_again() {
    let busy = answer("429 Too Many Requests", "retry-after: 0\r\n", "");
    let good = whole(&sample("openai_chat.json"));
    let server = Server::start(vec![busy.clone(), busy.clone(), good.clone()]).await;
    let endpoint = Endpoint::openai_chat(&*server.url, "m", "secret");
    ask(&endpoint, false).await.0.unwrap();
    let got = server.got();
    assert_eq!(got.len(), 3);
    assert!(got.windows(2).all(|pair| pair[0].body == pair[1].body));

    // Not more often than was said.
    let server = Server::start(vec![busy.clone(), busy, good.clone()]).await;
    let endpoint = Endpoint::openai_chat(&*server.url, "m", "secret").retries(1);
    let error = ask(&endpoint, false).await.0.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::ZERO));
    assert_eq!(server.got().len(), 2);

    // Not where it would take too long, nor what is wrong, nor what was begun to be told.
    let later = answer("429 Too Many Requests", "retry-after: 3600\r\n", "");
    let wrong = answer("400 Bad Request", "", "");
    let text = sample("openai_chat.sse");
    let begun = stream(text.get(..text.find("schaue").unwrap() + 400).unwrap());
    for (answer, streams) in [(later, false), (wrong, false), (begun, true)] {
        let server = Server::start(vec![answer, good.clone()]).await;
        let endpoint = Endpoint::openai_chat(&*server.url, "m", "secret");
        ask(&endpoint, streams).await.0.unwrap_err();
        assert_eq!(server.got().len(), 1);
    }
}

/// What a provider says is printed by hosts.
#[tokio::test]
async fn a_providers_words_are_safe_to_print() {
    let words = r#""no\n\u001b]0;x\u0007\u202e\udb40\udc41 ключ""#;
    let shown = "no \\u{1b}]0;x\\u{7}\\u{202e}\\u{e0041} ключ";
    let body = format!(r#"{{"error": {{"message": {words}}}}}"#);
    for (bytes, streams) in [
        (answer("400 Bad Request", "", &body), false),
        (
            answer(
                "400 Bad Request",
                "",
                "no\n\u{1b}]0;x\u{7}\u{202e}\u{e0041} ключ",
            ),
            false,
        ),
        (stream(&format!("data: {body}\n\n")), true),
    ] {
        let (error, _) = fault(bytes, streams).await;
        assert!(error.to_string().ends_with(shown), "{error:?}");
    }
}

#[tokio::test]
async fn a_key_is_in_no_debug_and_no_error() {
    let body = r#"{"error": {"message": "Incorrect API key provided: secret."}}"#;
    let (error, _) = fault(answer("401 Unauthorized", "", body), false).await;
    assert_eq!(
        error.to_string(),
        "the provider answered 401: Incorrect API key provided: [key]."
    );
    // Nor half of it, where long words are cut.
    let long = format!("{}secret", "x".repeat(997));
    let (long, _) = fault(answer("401 Unauthorized", "", &long), false).await;
    assert!(
        long.to_string().ends_with("x[ke… (2 more characters)"),
        "{long}"
    );
    let endpoint = Endpoint::openai_chat("http://user:secret@127.0.0.1:1/secret", "m", "secret");
    let endpoint = endpoint.header("x-other", "secret").retries(0);
    let unreachable = ask(&endpoint, false).await.0.unwrap_err();
    let wrong = ask(&endpoint.clone().header("x", "se\ncret"), false)
        .await
        .0
        .unwrap_err();
    let nowhere = Endpoint::openai_chat("secret", "m", "secret").retries(0);
    let nowhere = ask(&nowhere, false).await.0.unwrap_err();
    assert_eq!(nowhere.kind(), ModelErrorKind::Refused, "{nowhere}");
    for error in [error, unreachable, wrong, nowhere] {
        assert!(
            !format!("{error} {error:?}").contains("secret"),
            "{error:?}"
        );
    }
    assert!(!format!("{endpoint:?}").contains("secret"));
}

#[tokio::test]
async fn a_request_that_cannot_be_made_is_not_sent() {
    let server = Server::start(Vec::new()).await;
    let thread = thread();
    let (tools, required) = (tools![weather], ToolChoice::Required);
    // Ollama cannot express it.
    let request = ModelRequest::new(&thread, &tools, &required);
    let ollama = Endpoint::ollama(&*server.url, "m");
    let error = ollama.respond(request, DeltaSink::NONE).await.unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Refused);
    assert!(error.to_string().contains("`Required`"), "{error}");
    // No provider would take it.
    let open = Thread::from([ThreadMessage::calls([ToolCall::new("c1", "weather", "{}")])]);
    let request = ModelRequest::new(&open, &tools, &ToolChoice::Auto);
    let error = ollama.respond(request, DeltaSink::NONE).await.unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Refused);
    assert!(error.to_string().contains("`c1`"), "{error}");
    assert_eq!(server.got().len(), 0);
}

#[tokio::test]
async fn who_does_not_stream_is_understood_all_the_same() {
    let server = Server::start(vec![whole(&sample("openai_chat.json"))]).await;
    let endpoint = Endpoint::openai_chat(&*server.url, "m", "");
    let (said, told) = ask(&endpoint, true).await;
    assert_eq!(said.unwrap().calls.len(), 3);
    assert_eq!(told[0], StreamEvent::Text("Ich schaue nach. 🌦".into()));
}

#[derive(Debug, PartialEq, serde::Deserialize, Schema)]
struct Forecast {
    city: String,
    rain: Option<u8>,
    hours: std::collections::BTreeMap<u8, String>,
}

fn chat(message: &Value) -> Vec<u8> {
    let reason = if message.get("tool_calls").is_some() {
        "tool_calls"
    } else {
        "stop"
    };
    whole(&json!({"choices": [{"message": message, "finish_reason": reason}]}).to_string())
}

#[tokio::test]
async fn an_agent_runs_and_its_answer_is_a_value() {
    // In the form of the strict mode: `null` is what is left out, and a list of entries is a map.
    let call = json!({"role": "assistant", "content": null, "tool_calls": [{
        "id": "c1", "type": "function",
        "function": {"name": "weather", "arguments": "{\"city\": \"Bern\", \"days\": null}"},
    }]});
    let words = json!({"role": "assistant", "content": "Sun.", "annotations": []});
    let value = json!({"city": "Bern", "rain": null, "hours": [{"key": 12, "value": "sun"}]});
    let value = json!({"role": "assistant", "content": value.to_string()});
    let answers = [&call, &words, &value].map(chat).to_vec();
    let server = Server::start(answers).await;
    let agent = Agent::new(
        Endpoint::openai_chat(&*server.url, "m", ""),
        &tools![weather],
    );
    let mut session = Session::ask("How is Bern?");
    let run = agent.run(&mut session, &Context::new()).await.unwrap();
    assert_eq!(run.text(), Some("Sun."));
    let forecast: Forecast = agent.finalize(&mut session, &Context::new()).await.unwrap();
    assert_eq!(
        forecast,
        Forecast {
            city: "Bern".into(),
            rain: None,
            hours: [(12, "sun".to_owned())].into(),
        }
    );
    let got = server.got();
    let messages = got[1].body["messages"].as_array().unwrap();
    assert_eq!(messages[1], call);
    assert_eq!(
        messages[2],
        json!({"role": "tool", "tool_call_id": "c1", "content": "sun in Bern for 1"})
    );
    let last = &got[2].body;
    assert_eq!(last.get("tools"), None);
    let format = &last["response_format"]["json_schema"];
    assert_eq!(format["strict"], true);
    assert_eq!(
        format["schema"]["required"],
        json!(["city", "rain", "hours"])
    );
    let messages = last["messages"].as_array().unwrap();
    assert_eq!(messages[3], words);
    assert_eq!(messages.last().unwrap()["role"], "user");
}

#[tokio::test]
async fn the_form_of_an_answer_is_asked_for_where_each_wire_has_it() {
    let places = endpoints("").len();
    let call = ToolCall::new("c1", "weather", "{}");
    for place in 0..places {
        let (_, _, [file, _]) = endpoints("").remove(place);
        let server = Server::start(vec![whole(&sample(file))]).await;
        let (endpoint, ..) = endpoints(&server.url).remove(place);
        let mut thread = thread();
        thread.push(ThreadMessage::calls([call.clone()]));
        thread.repair(&toolwright::agent::thread::ThreadRepair::Answer(
            "no".into(),
        ));
        let (tools, schema) = (
            Toolset::default(),
            toolwright::schema::SchemaDoc::of::<Forecast>(),
        );
        let mut request = ModelRequest::new(&thread, &tools, &ToolChoice::None);
        request.schema = Some(&schema);
        endpoint.respond(request, DeltaSink::NONE).await.unwrap();
        let body = server.got()[0].body.clone();
        let schema = [
            "/response_format/json_schema/schema",
            "/text/format/schema",
            "/output_config/format/schema",
            "/generationConfig/responseJsonSchema",
            "/format",
        ][place];
        assert_eq!(body.pointer(schema).unwrap()["type"], "object", "{body}");
        // Anthropic wants the tools that were called, and no call of them.
        if place == 2 {
            assert_eq!(body["tools"][0]["name"], "weather");
            assert_eq!(body["tool_choice"], json!({"type": "none"}));
        } else {
            assert_eq!(body.get("tools"), None);
        }
    }
}
