//! A server on the loopback that speaks `OpenAI`'s chat form or Anthropic's messages, streamed.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// What the server got.
#[derive(Debug, Clone)]
pub(crate) struct Got {
    /// The first line and the headers.
    pub(crate) head: String,
    pub(crate) body: Value,
}

/// What it answers.
pub(crate) struct Answer {
    /// The words that are sent at once.
    words: String,
    /// What is sent when the test says so: `see.`, and a call of this tool with these arguments.
    call: Option<(String, String)>,
}

impl Answer {
    pub(crate) fn words(text: &str) -> Self {
        Self {
            words: text.to_owned(),
            call: None,
        }
    }

    pub(crate) fn call(text: &str, name: &str, arguments: &Value) -> Self {
        Self {
            call: Some((name.to_owned(), arguments.to_string())),
            ..Self::words(text)
        }
    }
}

/// What is spoken.
#[derive(Clone, Copy)]
pub(crate) enum Wire {
    OpenAi,
    Anthropic,
}

impl Wire {
    /// How a request begins.
    const fn line(self) -> &'static str {
        match self {
            Self::OpenAi => "POST /v1/chat/completions ",
            Self::Anthropic => "POST /v1/messages ",
        }
    }

    /// The events of an answer: those that are sent at once, and the rest.
    fn events(self, answer: &Answer) -> [String; 2] {
        match self {
            Self::OpenAi => open_ai(answer),
            Self::Anthropic => anthropic(answer),
        }
    }
}

fn open_ai(answer: &Answer) -> [String; 2] {
    let event = |delta: Value, reason: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        format!("data: {}\n\n", json!({"choices": [choice]}))
    };
    let first = event(json!({"content": answer.words}), Value::Null);
    let (mut rest, mut reason) = (String::new(), "stop");
    if let Some((name, arguments)) = &answer.call {
        let function = json!({"name": name, "arguments": arguments});
        let call = json!({"index": 0, "id": "c1", "type": "function", "function": function});
        rest += &event(json!({"content": "see."}), Value::Null);
        rest += &event(json!({"tool_calls": [call]}), Value::Null);
        reason = "tool_calls";
    }
    rest += &event(json!({}), reason.into());
    [first, rest + "data: [DONE]\n\n"]
}

fn anthropic(answer: &Answer) -> [String; 2] {
    let event = |kind: &str, mut data: Value| {
        data["type"] = kind.into();
        format!("event: {kind}\ndata: {data}\n\n")
    };
    let delta = |index: u32, delta: Value| {
        event(
            "content_block_delta",
            json!({"index": index, "delta": delta}),
        )
    };
    let text = |text: &str| delta(0, json!({"type": "text_delta", "text": text}));
    let usage = json!({"input_tokens": 9, "output_tokens": 1});
    let message = json!({"id": "m", "role": "assistant", "content": [], "usage": usage});
    let first = [
        event("message_start", json!({"message": message})),
        event(
            "content_block_start",
            json!({"index": 0, "content_block": {"type": "text", "text": ""}}),
        ),
        text(&answer.words),
    ];
    let stop = |index: u32| event("content_block_stop", json!({"index": index}));
    let (mut rest, mut reason) = (String::new(), "end_turn");
    if let Some((name, arguments)) = &answer.call {
        let call = json!({"type": "tool_use", "id": "c1", "name": name, "input": {}});
        let (one, other) = arguments.split_at(arguments.len() / 2);
        rest += &text("see.");
        rest += &stop(0);
        rest += &event(
            "content_block_start",
            json!({"index": 1, "content_block": call}),
        );
        for piece in [one, other] {
            rest += &delta(
                1,
                json!({"type": "input_json_delta", "partial_json": piece}),
            );
        }
        rest += &stop(1);
        reason = "tool_use";
    } else {
        rest += &stop(0);
    }
    let ends = json!({"delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}});
    rest += &event("message_delta", ends);
    [first.concat(), rest + &event("message_stop", json!({}))]
}

pub(crate) struct Server {
    pub(crate) url: String,
    got: Arc<Mutex<Vec<Got>>>,
    go_on: Sender<()>,
}

impl Server {
    /// Gives these answers, one a connection.
    pub(crate) fn start(answers: Vec<Answer>) -> Self {
        Self::speaking(Wire::OpenAi, "/v1", answers)
    }

    /// The same, in this form, for programs that are told this path.
    pub(crate) fn speaking(wire: Wire, path: &str, answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}{path}", listener.local_addr().unwrap());
        let got = Arc::new(Mutex::new(Vec::new()));
        let (go_on, may_go_on) = channel();
        let heard = Arc::clone(&got);
        std::thread::spawn(move || {
            for answer in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let got = read(&mut stream);
                // Whoever speaks something else gets no answer.
                assert!(got.head.starts_with(wire.line()), "{}", got.head);
                heard.lock().unwrap().push(got);
                write(&mut stream, &wire.events(&answer), &may_go_on);
            }
        });
        Self { url, got, go_on }
    }

    /// Lets one answer be told to its end.
    pub(crate) fn go_on(&self) {
        self.go_on.send(()).unwrap();
    }

    pub(crate) fn got(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }
}

fn read(stream: &mut TcpStream) -> Got {
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let length = stream.read(&mut piece).unwrap();
        assert_ne!(length, 0, "the request ended early");
        bytes.extend_from_slice(&piece[..length]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.parse::<usize>().unwrap())
        });
        if body.len() >= length.unwrap() {
            let head = head.to_owned();
            return Got {
                head,
                body: serde_json::from_str(body).unwrap(),
            };
        }
    }
}

fn write(stream: &mut TcpStream, [first, rest]: &[String; 2], may_go_on: &Receiver<()>) {
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(first.as_bytes()).unwrap();
    stream.flush().unwrap();
    may_go_on.recv().unwrap();
    stream.write_all(rest.as_bytes()).unwrap();
}
